"""How a command ends: its exit status, its document, its one error.

Exit status: 0 done (whatever the bots did), 1 the thing examined is bad, 2 wrong usage, 3 a bot
cannot be built or started, 4 a failure of the arena or the machine (the match is void), 75 no room
on a disk (the same, but worth another try when there is), 130 interrupted.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from arena.cli.text.layout import say, styled
from arena.errors import ArenaFault, BotError, DiskFull, ReplayError, UsageError
from arena.sandbox.interrupts import INTERRUPTED
from arena.text import safe

JSON_FORMAT = 1
"""Of all documents that ``--json`` prints. It is raised when a name in one of them changes."""
DONE, BAD, USAGE, BOT, FAULT, FULL_DISK = 0, 1, 2, 3, 4, 75
_STATUS: dict[type[BaseException], int] = {
    click.ClickException: USAGE,
    UsageError: USAGE,
    BotError: BOT,
    ReplayError: BAD,
    DiskFull: FULL_DISK,
    ArenaFault: FAULT,
}


def fail(error: BaseException) -> int:
    """Say on stderr what went wrong, and give the exit status that stands for it."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message(), err=True)  # the help, which is no sentence
        return USAGE
    say(styled("arena: ", fg="red") + safe(message(error)), err=True)
    if output := getattr(error, "output", ""):
        say(safe(output.rstrip("\n")), err=True)
    known = (status for kind, status in _STATUS.items() if isinstance(error, kind))
    return next(known, INTERRUPTED)


def tell(text: str) -> None:
    """A word to the user beside the results, on stderr."""
    say(f"arena: {safe(text)}", err=True)


def message(error: BaseException) -> str:
    """An error as one sentence."""
    if isinstance(error, click.ClickException):
        text = error.format_message()
        context = getattr(error, "ctx", None)
        hint = f" (try: {context.command_path} --help)" if context else ""
        return text[:1].lower() + text[1:] + hint
    return str(error) or "interrupted"


def error_document(error: BaseException) -> dict[str, str]:
    """What ``--json`` prints in the place of a result. `output` is what a compiler said."""
    status = "void" if isinstance(error, ArenaFault) else "error"
    output = getattr(error, "output", "")
    return {
        "status": status,
        "error": message(error),
        **({"output": output} if output else {}),
    }


_documents: list[TextIO] = []
"""The stream of stdout, while `only_documents_on_stdout` holds it; else empty."""


@contextmanager
def only_documents_on_stdout() -> Iterator[None]:
    """For ``--json``: what is written to stdout other than by `print_json` goes to stderr, also
    from worker processes. A `print` in the rules of a game would break the document."""
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "w", encoding=sys.stdout.encoding) as documents:
        os.dup2(2, 1)
        _documents.append(documents)
        try:
            yield
        finally:
            _documents.clear()
            sys.stdout.flush()
            os.dup2(documents.fileno(), 1)


def print_json(document: Any) -> None:
    """One JSON document on stdout: a JSON object, with the number of its format."""
    import msgspec

    print_plain_json({"format": JSON_FORMAT, **msgspec.to_builtins(document)})


def print_plain_json(document: dict[str, Any]) -> None:
    """A JSON object on stdout, as it is."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    click.echo(_NOT_SHOWN.sub(_as_escape, text), file=next(iter(_documents), None))


_NOT_SHOWN = re.compile(r"[^\n -~]")


def _as_escape(found: re.Match[str]) -> str:
    """A character that could command a terminal as JSON writes it, others as they are."""
    char = found[0]
    if char.isprintable():
        return char
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
