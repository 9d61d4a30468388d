"""The doctor: which walls and limits this machine really gives bots.

Nothing is taken on trust. Every line of the diagnosis comes from a probe that used the production
code: the keeper starts a program of ours behind the walls of a level, as it would start a bot, and
the program tries to get out (`inside`). `isolation`, `groups`, `kills` and `machine` hold the
probes, `context` is what they stand on, `repairs` knows the causes of trouble and what repairs
them, `examine` runs them all and comes to a diagnosis.
"""
