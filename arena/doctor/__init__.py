"""The doctor: examine which walls and limits this machine really provides for bots.

Every line of the diagnosis comes from a probe that uses the production code: the keeper starts a
test program behind the walls of a level, as it would start a bot, and the program tries to get out
(`inside`). `isolation`, `groups`, `kills` and `machine` hold the probes, `context` is their common
base, `capability` has the results, causes and repairs, and `examine` runs all probes and makes the
diagnosis.
"""
