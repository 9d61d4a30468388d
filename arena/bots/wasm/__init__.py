"""WebAssembly bots: ``bot.wasm``, a command of WASI preview 1, executed by a runner of ours.

The runner (`runner`) is a program like any bot, started and ended by the same keeper. Inside it
WebAssembly is the wall: a module has its own memory and the few functions of `wasi`, and no file,
network, clock or chance of the machine. What it executes can be counted, exactly and the same on
every machine; `--meter instructions` builds on that.

`command` is what the rest of the arena needs to know.
"""
