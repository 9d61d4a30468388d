"""Replays as pages for browsers, each of them one file."""
