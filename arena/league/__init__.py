"""Leagues: bots, matches and results that outlive every run, in a file and a folder beside it."""
