"""The end of a command: its exit status, its JSON document, its error message.

Exit status: 0 done (whatever the bots did), 1 the thing examined is bad, 2 wrong usage, 3 a bot
cannot be built or started, 4 a failure of the arena or the machine (the match is void), 75 a disk
is full (void too, but worth a retry once there is room), 130 interrupted.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TextIO

import click

from arena.cli.text.layout import say, styled
from arena.errors import ArenaFault, BotError, DiskFull, LeagueError, ReplayError, UsageError
from arena.sandbox.interrupts import INTERRUPTED
from arena.text import safe

JSON_FORMAT = 1
"""Format version of all ``--json`` documents, increased when a name in one of them changes."""
DONE, BAD, USAGE, BOT, FAULT, FULL_DISK = 0, 1, 2, 3, 4, 75
_STATUS: dict[type[BaseException], int] = {
    click.ClickException: USAGE,
    UsageError: USAGE,
    BotError: BOT,
    ReplayError: BAD,
    LeagueError: BAD,
    DiskFull: FULL_DISK,
    ArenaFault: FAULT,
}


def fail(error: BaseException) -> int:
    """Print an error to stderr, and return its exit status."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message(), err=True)  # the help, which is not a sentence
        return USAGE
    say(styled("arena: ", fg="red") + safe(message(error)), err=True)
    if output := getattr(error, "output", ""):
        say(safe(output.rstrip("\n")), err=True)
    known = (status for kind, status in _STATUS.items() if isinstance(error, kind))
    return next(known, INTERRUPTED)


def tell(text: str) -> None:
    """Print a message to the user on stderr, beside the results."""
    say(f"arena: {safe(text)}", err=True)


def warn_of_logout() -> None:
    """Say before a long command if systemd ends it when the user logs out."""
    from arena.sandbox.logout import logout_warning

    if warning := logout_warning():
        tell(warning)


def message(error: BaseException) -> str:
    """An error as one sentence."""
    if isinstance(error, click.ClickException):
        text = error.format_message()
        context = getattr(error, "ctx", None)
        hint = f" (try: {context.command_path} --help)" if context else ""
        return text[:1].lower() + text[1:] + hint
    return str(error) or "interrupted"


def error_document(error: BaseException) -> dict[str, str]:
    """The document that ``--json`` prints in place of a result. `output` is compiler output."""
    status = "void" if isinstance(error, ArenaFault) else "error"
    output = getattr(error, "output", "")
    return {
        "status": status,
        "error": message(error),
        **({"output": output} if output else {}),
    }


_documents: list[TextIO] = []
"""The original stdout while `only_documents_on_stdout` is active; else empty."""


@contextmanager
def only_documents_on_stdout() -> Iterator[None]:
    """For ``--json``: redirect output to stderr unless `print_json` writes it, also in worker
    processes. Otherwise a `print` in the rules of a game would break the document."""
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


def print_json(document: Any, **lists: Iterable[Any]) -> None:
    """Print a JSON object with its format number to stdout. `lists` are the items of lists that are
    empty in the document, in their order and by the names of their fields at any depth. They are
    printed few at a time, since they may not fit in memory."""
    import msgspec

    rest = _json({"format": JSON_FORMAT, **msgspec.to_builtins(document)})
    for name, items in lists.items():
        before, _, rest = rest.partition(f'"{name}": []')  # in a text, quotes are escaped
        _write(f'{before}"{name}": [')
        _print_items(items, margin=len(before) - before.rfind("\n") - 1)
        _write("]")
    _write(f"{rest}\n")


ITEMS_AT_ONCE = 20
"""Items of a list that are printed at once: one by one takes twice as long."""


def _print_items(items: Iterable[Any], margin: int) -> None:
    """Print the items of a list in lines that begin after `margin` blanks."""
    start = f"\n{' ' * margin}"
    comma, left = "", iter(items)
    while some := list(islice(left, ITEMS_AT_ONCE)):
        lines = _json(some).removeprefix("[").removesuffix("\n]")
        _write(comma + lines.replace("\n", start))
        comma = ","
    if comma:
        _write(start)


def print_plain_json(document: dict[str, Any]) -> None:
    """Print a JSON object to stdout unchanged."""
    _write(f"{_json(document)}\n")


def _write(text: str) -> None:
    click.echo(text, file=next(iter(_documents), None), nl=False)


def _json(value: Any) -> str:
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return _NOT_SHOWN.sub(_as_escape, text)


_NOT_SHOWN = re.compile(r"[^\n -~]")


def _as_escape(found: re.Match[str]) -> str:
    """Escape a character as in JSON if it could command a terminal."""
    char = found[0]
    if char.isprintable():
        return char
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
