"""Write the golden files of a game anew, after a change of its rules that is meant::

    python -m tests.games.regenerate tncc

Look at the difference before you commit it, and raise `rules_version`.
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    """Write every golden file."""
    goldens = import_module(f"tests.games.{sys.argv[1]}.goldens")
    goldens.GOLDEN.mkdir(exist_ok=True)
    for name, text in goldens.texts().items():
        (goldens.GOLDEN / name).write_text(text, "utf-8", newline="\n")
        print(f"wrote {goldens.GOLDEN / name}")


if __name__ == "__main__":
    main()
