"""The program that executes a WebAssembly bot::

    python -I runner.py --library=FOLDER [--memory=BYTES] [--count-to=N] BOT.wasm [ARGUMENT…]
    python -I runner.py --library=FOLDER --compile BOT.wasm FOLDER

The second form translates a module once, into a folder, which can then be named instead of the
file.

With ``--count-to=N`` each answer goes out as ``COUNT ANSWER`` (`counting`). The module's output
only ever follows COUNT, so it cannot change it. An answer may be preceded by one line
``-HOW_MANY FIRST``, about lines that answered no request. A module that exceeds N instructions is
ended, and the request is answered with ``N+1`` and no text.
"""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if __name__ == "__main__":  # isolated: no imports from the folder where it is started
    # Behind walls only this folder is visible, so the enclosing packages are replaced by stubs.
    for name in ("arena", "arena.bots", "arena.bots.wasm"):
        sys.modules[name] = package = ModuleType(name)
        package.__path__ = [str(Path(__file__).parent)]

from arena.bots.wasm.counting import Counted, OutOfInstructions, Uncounted
from arena.bots.wasm.wasi import MODULE, ModuleRefused, ProcExit, Wasi

if TYPE_CHECKING:
    from wasmtime import Engine, Instance, Module, Store

TRAPPED, OUT_OF_INSTRUCTIONS = 101, 102
"""The runner's own exit codes."""
TABLE_ELEMENTS = 1 << 20
NOT_FOR_BOTS = (
    "wasm_threads",
    "wasm_gc",
    "wasm_exceptions",
    "wasm_memory64",
    "wasm_multi_memory",
)
"""WebAssembly features that no compiler for wasm32-wasip1 needs, and that could escape the count
or the memory limit."""
SOURCE, PLAIN, COUNTED = "bot.wasm", "plain.cwasm", "counted.cwasm"


def say(text: str) -> None:
    """Print a line for the author of the bot."""
    print(f"arena: {text}", file=sys.stderr, flush=True)


def load_library(folder: str) -> None:
    """Import wasmtime from its folder, which may have another name behind walls."""
    places = [folder]
    found = spec_from_file_location(
        "wasmtime", f"{folder}/__init__.py", submodule_search_locations=places
    )
    assert found is not None
    assert found.loader is not None
    sys.modules["wasmtime"] = package = module_from_spec(found)
    found.loader.exec_module(package)


# -- modules ---------------------------------------------------------------------------------


def make_engine(counted: bool) -> Engine:
    """Create an engine, with or without counting."""
    from wasmtime import Config, Engine

    config = Config()
    config.consume_fuel = counted
    for name in NOT_FOR_BOTS:
        setattr(config, name, False)
    config.memory_init_cow = False  # needs memfd_create, which a sandbox forbids
    config.wasm_relaxed_simd_deterministic = True
    config.cranelift_nan_canonicalization = True  # otherwise NaN bits depend on the machine
    return Engine(config)


def load(engine: Engine, path: Path, counted: bool) -> Module:
    """Load the module from a file, or from a folder made by `translate`."""
    from wasmtime import Module, WasmtimeError

    if path.is_dir():
        try:
            return Module.deserialize_file(engine, str(path / (COUNTED if counted else PLAIN)))
        except WasmtimeError:  # from another release of wasmtime, or for another processor
            path /= SOURCE
    try:
        return Module(engine, path.read_bytes())
    except WasmtimeError as error:
        raise ModuleRefused(str(error)) from None


def translate(path: Path, folder: Path) -> None:
    """Check a module, and write it into the folder ready to run, with and without counting."""
    for name, counted in ((PLAIN, False), (COUNTED, True)):
        module = load(make_engine(counted), path, counted)
        check(module)
        (folder / name).write_bytes(module.serialize())
    (folder / SOURCE).write_bytes(path.read_bytes())


def check(module: Module) -> None:
    """Raise ModuleRefused unless the module is a WASI preview 1 command."""
    for wanted in module.imports:
        if wanted.module != MODULE:
            raise ModuleRefused(
                f"it imports {wanted.module}.{wanted.name}: build it for wasm32-wasip1"
            )
    if not {"_start", "memory"} <= {export.name for export in module.exports}:
        raise ModuleRefused("it does not export _start and memory: build a program, not a library")


# -- running ---------------------------------------------------------------------------------


def run(path: Path, arguments: list[str], memory: int, count_to: int | None) -> int:
    """Execute a module to its end. Returns the exit code of the process."""
    from wasmtime import Store

    engine = make_engine(count_to is not None)
    module = load(engine, path, count_to is not None)
    check(module)
    store = Store(engine)
    store.set_limits(memory_size=memory, table_elements=TABLE_ELEMENTS, instances=1)
    channel = Uncounted() if count_to is None else Counted(store, count_to)
    wasi = Wasi(store, channel, ["bot", *arguments])
    try:
        return execute(link(store, module, wasi), store, wasi, channel)
    except OutOfInstructions:
        say(f"the bot was ended: it took more than {count_to} instructions for one answer")
        channel.give_up()
        return OUT_OF_INSTRUCTIONS


def link(store: Store, module: Module, wasi: Wasi) -> Instance:
    """Instantiate the module with the functions it imports. Raises ModuleRefused."""
    from wasmtime import FuncType, Linker, WasmtimeError

    linker = Linker(store.engine)
    for wanted in module.imports:
        if isinstance(wanted.type, FuncType) and wanted.name is not None:
            linker.define_func(MODULE, wanted.name, wanted.type, wasi.function(wanted.name))
    try:
        return linker.instantiate(store, module)
    except WasmtimeError as error:  # needs more memory than allowed
        raise ModuleRefused(str(error)) from None


def execute(instance: Instance, store: Store, wasi: Wasi, channel: Uncounted | Counted) -> int:
    """Run the module to its end. Raises OutOfInstructions."""
    from wasmtime import Func, Memory, Trap, TrapCode

    exports, code = instance.exports(store), 0
    start, memory = exports["_start"], exports["memory"]
    assert isinstance(start, Func)
    assert isinstance(memory, Memory)
    wasi.memory = memory
    try:
        start(store)
    except ProcExit as end:
        code = end.code
    except Trap as trap:
        if trap.trap_code is TrapCode.OUT_OF_FUEL:
            raise OutOfInstructions from None
        raise ModuleRefused(trap.message) from None
    channel.end()
    return code


def main(words: list[str]) -> int:
    """Run a command line. Returns the exit status."""
    given = list(takewhile(lambda word: word.startswith("--"), words))
    options = dict(word[2:].partition("=")[::2] for word in given)
    path, *arguments = words[len(given) :]
    load_library(options["library"])
    try:
        if "compile" in options:
            translate(Path(path), Path(arguments[0]))
            return 0
        count_to = int(options["count-to"]) if "count-to" in options else None
        return run(Path(path), arguments, int(options.get("memory", -1)), count_to)
    except ModuleRefused as refused:
        say(str(refused) if "compile" in options else f"the bot was ended: {refused}")
        return TRAPPED
    except BrokenPipeError:  # the arena has hung up
        return TRAPPED


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # nothing to clean up, and a slow exit would be cut short
