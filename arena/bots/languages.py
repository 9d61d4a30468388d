"""The table of languages. To add a language, add an entry in `scripts`, `compiled` or `machines`.

Commands are written as one would type them; the first whose program is installed is used. They are
split at blanks before the placeholders are filled in, so paths may contain blanks. Placeholders:

=============  ===============================================================================
``{source}``   the bot's file: when compiling, as seen from the folder that holds the sources
               (the working folder of the compiler); when running, its absolute path
``{out}``      when running: the folder of compiled files. A compiler writes to ``../out``
``{files}``    when running: the folder of the bot's files, or of their copy
``{python}``   the interpreter that runs the arena
``{activated}``  that of the bot's own virtual environment, else that of the activated one
               (``VIRTUAL_ENV``), else the same
others         results of the entry's `facts` about the source
=============  ===============================================================================
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from arena.bots.compiled import COMPILED
from arena.bots.executables import find_command
from arena.bots.language import Language
from arena.bots.machines import MACHINES
from arena.bots.scripts import SCRIPTS

LANGUAGES = (*SCRIPTS, *MACHINES, *COMPILED)
COMPETITION = frozenset(
    {
        *("C", "C#", "C++", "Clojure", "Elixir", "Go", "Haskell", "Java", "JavaScript", "PHP"),
        *("Python", "Ruby", "Scala"),
    }
)
"""The languages of the bots of the original competition, and C."""

ENDINGS = sorted(ending for language in LANGUAGES for ending in language.endings)
"""All known endings."""


def language_of(path: Path) -> Language | None:
    """The language of a source file, by its ending; None if unknown."""
    for ending in (path.suffix, path.suffix.lower()):  # BOT.PY is Python, but .C is not .c
        for language in LANGUAGES:
            if ending in language.endings:
                return language
    return None


def command(alternatives: tuple[str, ...], **places: str) -> tuple[str, ...] | None:
    """The first command whose program is installed, filled in; None if there is none."""
    words = {**_pythons(), **places}
    for text in alternatives:
        first, *rest = (word.format(**words) for word in text.split())
        if (program := find_command(first)) is not None:
            return (program, *rest)
    return None


def _pythons() -> dict[str, str]:
    """The two Python interpreters that commands may name."""
    environment = os.environ.get("VIRTUAL_ENV", "")
    own = os.path.join(environment, "bin", "python")
    is_there = environment != "" and os.access(own, os.X_OK)
    return {"python": sys.executable, "activated": own if is_there else sys.executable}


def interpreters() -> set[str]:
    """The names of the programs that run sources without compilation."""
    texts = [text for entry in LANGUAGES if not entry.compile for text in entry.run]
    return {text.split()[0] for text in texts if text[0] != "{"} | {"python", "python3"}


def programs() -> list[str]:
    """The paths of all installed programs that the table names."""
    commands = [text for entry in LANGUAGES for text in (*entry.compile, *entry.run)]
    names = [text.split()[0] for text in commands]
    for name, place in _pythons().items():
        names = [first.replace(f"{{{name}}}", place) for first in names]
    return [program for name in dict.fromkeys(names) if (program := find_command(name))]


def not_installed(alternatives: tuple[str, ...], language: Language) -> str:
    """A text like ``go is not installed here: install golang-go (Debian, Ubuntu) or …``."""
    programs = [os.path.basename(text.split()[0]).strip("{}") for text in alternatives]
    if len(programs) == 1:
        return f"{programs[0]} is not installed here: install {language.install}"
    return f"none of {', '.join(programs)} is installed here: install {language.install}"


def missing_programs(language: Language) -> bool:
    """Whether any program that a language needs is missing."""
    return not all(
        any("{" in text.split()[0] or find_command(text.split()[0]) for text in commands)
        for commands in (language.compile, language.run)
        if commands
    )
