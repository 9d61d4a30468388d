"""Bots by file: from a word on the command line to a program that can be started.

`find` looks the word up. `folder`, `source` and `languages` decide how a bot is built and run.
`build` builds it once, in a folder of `staging`, with commands that `execute` and `steps` run
within limits. The result is a `program`; `runtimes` adds what its runtime needs.
"""
