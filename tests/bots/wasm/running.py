"""The runner alone, as a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from arena.bots.wasm.command import RUNNER, library
from tests.bots.wasm.modules import save

TALK = b"settings a 1\ngo action 100\nround 2\ngo action 100\ngo action 100\n"


BUSY = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass\n"


COUNTED = "--count-to=1000000"


class Ran(NamedTuple):
    status: int
    out: list[str]
    err: str

    @property
    def counts(self) -> list[int]:
        return [int(line.split()[0]) for line in self.out]

    @property
    def answers(self) -> list[str]:
        return [line.partition(" ")[2] for line in self.out]


def command(*words: str) -> list[str]:
    return [sys.executable, "-I", RUNNER, f"--library={library()}", *words]


def execute(
    module: bytes | Path, folder: Path, *options: str, talk: Iterable[bytes] = (TALK,)
) -> Ran:
    """Run a module on the pieces of a conversation."""
    name = save(module, folder / "bot.wasm") if isinstance(module, bytes) else str(module)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command(*options, name), stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0
    ) as process:
        assert process.stdin is not None
        try:
            for piece in talk:
                process.stdin.write(piece)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return Ran(process.returncode, out.decode().split("\n")[:-1], err.decode())
