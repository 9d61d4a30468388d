"""Matches on many machines: a judge listens, workers connect to it and play its matches.

What connects must have the key of a worker, and what listens that of a judge (`keys`). They
exchange plain values in frames of bounded size (`wire`, `work`). A worker opens no port and
executes nothing but bots, behind its walls; the judge believes a result once the rules, run again
on the recorded answers, have given the same one (`proof`).
"""
