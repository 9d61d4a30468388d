"""Matches on many machines: a judge listens, workers connect to it and play its matches.

The connecting side must have a worker's key, the listening side a judge's key (`keys`). Both
exchange plain values in frames of bounded size (`wire`, `work`). A worker opens no port and
executes only bots, inside its walls. The judge accepts a result if the rules, run again on the
recorded answers, give the same one (`proof`).
"""
