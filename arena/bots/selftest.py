"""The self-test of each language: a small program in ``selftests/``.

It says a line by itself, answers one, and ends when its input does. A program whose output stays
in a buffer, whose interpreter asks or greets, or that does not see the end of its input, fails.
"""

from __future__ import annotations

from pathlib import Path

from arena.bots.language import Language

FOLDER = Path(__file__).with_name("selftests")
READY = "ready"
"""What the program says first."""


def source_of(language: Language) -> Path:
    """The program. (Only of a language that has one.)"""
    return FOLDER / f"bot{language.endings[0]}"


def answer_to(line: str) -> str:
    """What it says to a line."""
    return f"heard {line}"
