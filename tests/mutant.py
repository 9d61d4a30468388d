"""The tests of one mutant: ``python -m tests.mutant SOURCES... -- TESTS...``.

The tests that mirror the changed module run first, since they find most mutants in a second. If
they find nothing, all TESTS run, unless the file of those tests is one of TESTS because the module
was named by itself. The changed module is the newest source file, since `tests.mutation` works in a
fresh copy.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PYTEST = (sys.executable, "-m", "pytest", "-qx", "-m", "not alone")


def nearest(sources: Sequence[str]) -> list[str]:
    """The test file of the module that was written last, if it has one."""
    named = [Path(source) for source in sources]
    modules = [path for one in named for path in ([one] if one.is_file() else one.rglob("*.py"))]
    changed = max(modules, key=lambda path: path.stat().st_mtime_ns)
    mirror = Path("tests", *changed.parts[1:-1], f"test_{changed.name}")
    return [str(mirror)] if mirror.exists() else []


def main(arguments: Sequence[str]) -> int:
    """Run both; the status is that of the first tests that fail."""
    end = arguments.index("--")
    sources, tests = arguments[:end], list(arguments[end + 1 :])
    first = nearest(sources)
    for files in filter(None, (first, [] if {*first} & {*tests} else tests)):
        status = subprocess.run([*PYTEST, *files]).returncode
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
