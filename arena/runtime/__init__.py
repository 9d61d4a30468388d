"""Plays many matches on this machine: worker processes, capacity, cores."""
