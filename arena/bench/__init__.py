"""Measurements of the arena on this machine: `measure` makes them all, one module for each kind."""
