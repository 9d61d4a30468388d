"""Bots by file: from a word on the command line to a program that can be started.

`find` looks the word up. `folder`, `source` and `languages` say how a bot is built and run.
`build` builds it once: in a folder that `staging` knows, by commands that `execute` and `steps` run
within an `allowance`. The result is a `program`; `runtimes` says what its runtime needs.
"""
