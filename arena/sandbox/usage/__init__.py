"""Measure the resource use of a process tree from outside."""
