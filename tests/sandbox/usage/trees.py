"""Trees of real processes, for the tests of what looks at them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from tests.support.leftovers import kill_all

BURN = "print(1, flush=True)\nwhile True: pass"
IDLE = "print(1, flush=True); input()"


@contextmanager
def running(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that has printed its first line."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            with suppress(psutil.NoSuchProcess):
                kill_all(psutil.Process(process.pid).children(recursive=True))
            process.kill()


def parent_of(code: str) -> str:
    """A program that starts another, waits for its first line, and sleeps."""
    return (
        "import subprocess, sys, time\n"
        f"words = [sys.executable, '-I', '-S', '-c', {code!r}]\n"
        "p = subprocess.Popen(words, stdout=subprocess.PIPE)\n"
        "p.stdout.readline(); print(1, flush=True); time.sleep(100)"
    )
