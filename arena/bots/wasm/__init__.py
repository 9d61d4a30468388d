"""WebAssembly bots: ``bot.wasm``, a WASI preview 1 command, executed by our own runner.

The runner (`runner`) is a program like any bot, started and ended by the same keeper. Inside it,
WebAssembly is the wall: a module has its own memory and the few functions of `wasi`, but no files,
network, clock or randomness of the machine. Its instructions can be counted exactly, with the same
result on every machine; `--meter instructions` builds on that.

The rest of the arena only needs `command`.
"""
