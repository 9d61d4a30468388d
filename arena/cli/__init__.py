"""The command line: ``arena COMMAND``. One file per command, imported when it is called.

Exit status: 0 done (whoever won), 1 the thing examined is bad, 2 wrong usage, 3 a bot cannot be
built or started, 4 our own failure (the match is void), 75 no room on a disk (the same, but worth
another try when there is), 130 interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from typing import Any

import click

from arena import __version__
from arena.cli.text import safe, styled
from arena.errors import (
    FULL,
    ArenaError,
    ArenaFault,
    BotError,
    DiskFull,
    ReplayError,
    UsageError,
    did_you_mean,
)
from arena.signals import INTERRUPTED, end_as_by_ctrl_c

COMMANDS = {
    "play": "Play a match, or a series, between bots.",
    "games": "List the games, or explain one.",
    "check": "Test one bot: does it start, answer, keep the protocol?",
    "verify": "Prove replays: run the rules again on the recorded answers.",
    "doctor": "Find out which walls and limits this machine can give bots.",
    "bench": "Measure the arena on this machine.",
}
DONE, BAD, USAGE, BOT, FAULT, FULL_DISK = 0, 1, 2, 3, 4, 75
_STATUS: dict[type[BaseException], int] = {
    click.ClickException: USAGE,
    UsageError: USAGE,
    BotError: BOT,
    ReplayError: BAD,
    DiskFull: FULL_DISK,
    ArenaFault: FAULT,
}


class Commands(click.Group):
    """Commands by name, each in a module of its own that is imported when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, imported now."""
        if name not in COMMANDS:
            raise click.UsageError(f"there is no command {name!r}: {did_you_mean(name, COMMANDS)}")
        command: click.Command = importlib.import_module(f"arena.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in ``--help``, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="arena")
def arena() -> None:
    """Run bots against each other: programs that speak a line protocol on stdin and stdout."""


def main() -> None:
    """The entry point of the program `arena`."""
    end_as_by_ctrl_c()
    os.umask(os.umask(0) & 0o077)  # a mask that shuts us out of our own folders helps nobody
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Carry out a command line and return the exit status. Errors go to stderr, and with
    ``--json`` also, as a document, to stdout."""
    try:
        status = arena.main(arguments, prog_name="arena", standalone_mode=False)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone: so do we
        return DONE
    except (click.ClickException, click.Abort, KeyboardInterrupt, ArenaError) as error:
        return _fail_as_asked(error, arguments)
    except OSError as error:
        if error.errno not in FULL:
            raise
        return _fail_as_asked(DiskFull(f"{error}: make room, and run it again"), arguments)
    return status if isinstance(status, int) else DONE


def _fail_as_asked(error: BaseException, arguments: list[str]) -> int:
    if "--json" in arguments:
        void = isinstance(error, ArenaFault)
        with suppress(OSError):  # stdout itself may be what is full
            print_json({"status": "void" if void else "error", "error": _message(error)})
    return fail(error)


def fail(error: BaseException) -> int:
    """Say on stderr what went wrong, and give the exit status that stands for it."""
    click.echo(styled("arena: ", fg="red") + _message(error), err=True)
    if output := getattr(error, "output", ""):
        click.echo(safe(output.rstrip("\n")), err=True)
    known = (status for kind, status in _STATUS.items() if isinstance(error, kind))
    return next(known, INTERRUPTED)


def _message(error: BaseException) -> str:
    if isinstance(error, click.ClickException):
        text = error.format_message()
        context = getattr(error, "ctx", None)
        hint = f" (try: {context.command_path} --help)" if context else ""
        return text[:1].lower() + text[1:] + hint
    return str(error) or "interrupted"


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))
