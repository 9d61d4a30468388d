"""Reading the guides."""

from __future__ import annotations

import re

from arena.guide.pages import find_guide
from tests.games.tables import read_table


def flat(name: str) -> str:
    """A guide in one line, so that no line break hides a sentence."""
    return " ".join(find_guide(name).text.split())


def block(name: str, begins: str) -> str:
    """The block of code that begins with these characters."""
    blocks: list[str] = re.findall(r"```\w*\n(.*?)```", find_guide(name).text, re.DOTALL)
    (found,) = (code for code in blocks if code.startswith(begins))
    return found


def rows(name: str, header: str) -> list[list[str]]:
    """The cells of the table of a guide with that header."""
    return read_table(find_guide(name).text, header)


def code_words(text: str) -> list[str]:
    """What stands between backticks in sentences and tables."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.findall(r"`([^`]+)`", prose)
