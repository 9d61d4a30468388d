"""The author's workbench: is a version better against a pool of opponents, which numbers are best.

Everything here rests on *paired blocks*: two versions of a bot meet the same opponents on the same
seed from the same seats, and what counts is the difference of their points. Blocks have an order
that the seed of the run decides, results are used in that order whichever match ends first, and
each goes into an append-only file, so neither the number of jobs nor an interruption changes a run.

`paired`, `spsa` and `versions` are pure; `blocks` plays; `journal` writes.

`analysis` says where a match was lost, by a model of chances that `fitting` makes of records.
"""
