"""Write the golden files anew, after a change of the rules that is meant::

    python tests/games/warlight/regenerate.py

Look at the difference before you commit it, and raise `rules_version`.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Write every golden file."""
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from tests.games.warlight.goldens import GOLDEN, texts

    GOLDEN.mkdir(exist_ok=True)
    for name, text in texts().items():
        (GOLDEN / name).write_text(text, "utf-8", newline="\n")
        print(f"wrote {GOLDEN / name}")


if __name__ == "__main__":
    main()
