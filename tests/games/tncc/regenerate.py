"""Write the golden files anew, after a change of the rules that is meant::

    python -m tests.games.tncc.regenerate

Look at the difference before you commit it, and raise `rules_version`.
"""

from __future__ import annotations

from tests.games.tncc.goldens import GOLDEN, texts


def main() -> None:
    """Write every golden file."""
    GOLDEN.mkdir(exist_ok=True)
    for name, text in texts().items():
        (GOLDEN / name).write_text(text, "utf-8", newline="\n")
        print(f"wrote {GOLDEN / name}")


if __name__ == "__main__":
    main()
