"""Run bots against each other: programs that speak a line protocol on stdin and stdout."""

__version__ = "0.1.0"
