"""The program `arena`: its commands by name, and what becomes of their errors."""

from __future__ import annotations

import atexit
import importlib
import os
import select
import sys
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena import __version__
from arena.cli.status import DONE, error_document, fail, only_documents_on_stdout, print_json
from arena.errors import DISK_FULL_ERRNOS, ArenaError, DiskFull, did_you_mean
from arena.sandbox.interrupts import interrupt_on_termination


class NamedGroup(click.Group):
    """Commands in the order in which a newcomer needs them, with a line of help each."""

    def __init__(self, *, members: Mapping[str, str], **attributes: Any) -> None:
        """`members` are the names, and the lines of help."""
        super().__init__(**attributes)
        self._members = members

    def load(self, name: str) -> click.Command:
        """One of the members."""
        return self.commands[name]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in their order."""
        return list(self._members)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command. Raises UsageError where there is none, with what was probably meant."""
        if name in self._members:
            return self.load(name)
        if ctx.resilient_parsing:
            return None  # a shell completes a line that is wrong
        raise click.UsageError(f"there is no command {name!r}: {self.instead(name)}")

    def instead(self, name: str) -> str:
        """What was probably meant."""
        return did_you_mean(name, self._members)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The names, without loading a command."""
        names = [
            CompletionItem(name, help=about)
            for name, about in self._members.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in ``--help``, without loading a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._members.items()))


class ModuleGroup(NamedGroup):
    """Each command is `command` in the module ``arena.cli.NAME``, imported when it is needed."""

    def load(self, name: str) -> click.Command:
        """One of the members, imported now."""
        command: click.Command = importlib.import_module(f"arena.cli.{name}").command
        return command

    def instead(self, name: str) -> str:
        """What was probably meant: perhaps a command of a league."""
        if name in importlib.import_module("arena.cli.league").COMMANDS:
            return f"did you mean 'league {name}'?"
        return super().instead(name)


COMMANDS = {
    "play": "Play a match, or a series, between bots.",
    "compare": "Find out whether one bot is better than another.",
    "games": "List the games, or explain one.",
    "view": "Show replays: as a page in the browser, or in the terminal.",
    "new": "Make a folder with a first bot for a game, in the language of your choice.",
    "check": "Test one bot: does it start, answer, keep the protocol?",
    "rerun": "Run one bot again on what a player of a recorded match was told.",
    "league": "Run a contest: bots, matches and a table that outlive every run.",
    "submit": "Hand bots in to a league: each is tested, and plays if it passes.",
    "verify": "Prove replays, or a whole league: run the rules again on the recorded answers.",
    "doctor": "Find out which walls and limits this machine can give bots.",
    "guide": "Print a guide: for authors of bots, organisers, designers of games.",
    "cluster": "Make the keys of a cluster.",
    "worker": "Join this machine to a cluster that plays leagues.",
    "bench": "Find out how many matches an hour this machine plays.",
}


@click.group(
    cls=ModuleGroup,
    members=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__)
def arena() -> None:
    """Run bots against each other: programs that speak a line protocol on stdin and stdout."""


def main() -> None:
    """Be the program `arena` until it ends."""
    atexit.register(_exit_at_once, ended := list[int]())  # the first of all, so it is called last
    _open_closed_streams()
    if "_ARENA_COMPLETE" in os.environ:
        from arena.cli import completion

        completion.serve()
    interrupt_on_termination()
    os.umask(os.umask(0) & 0o077)  # a mask that shuts the arena out of its own folders is of no use
    ended.append(run(sys.argv[1:]))
    sys.exit(*ended)


def _exit_at_once(ended: list[int]) -> None:
    """Leave with the exit status in `ended`; without one, something failed that is still to be
    shown. (To take all modules apart costs 4 ms after a match, 1.5 ms after a help.)"""
    for status in ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _open_closed_streams() -> None:
    """A stream that the caller closed becomes the null device: a pipe of ours with its number would
    be taken for it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # for the whole process


def run(arguments: list[str]) -> int:
    """Carry out a command line and return the exit status. Errors go to stderr, and with
    ``--json`` also, as a document, to stdout."""
    try:
        with only_documents_on_stdout() if "--json" in arguments else nullcontext():
            status = arena.main(arguments, prog_name="arena", standalone_mode=False)
    except SystemExit as error:  # so click ends where a pipe is broken
        if not _reader_has_gone() and error.__context__ is not None:
            raise error.__context__ from None
        return DONE
    except (click.ClickException, click.Abort, KeyboardInterrupt, ArenaError) as error:
        return _fail_as_asked(error, arguments)
    except OSError as error:
        if error.errno not in DISK_FULL_ERRNOS:
            raise
        return _fail_as_asked(DiskFull(f"{error.strerror}: make room, and run it again"), arguments)
    return status if isinstance(status, int) else DONE


def _reader_has_gone() -> bool:
    """Whether nobody reads what goes to stdout or stderr, as behind ``| head``."""
    streams = select.poll()
    for number in (1, 2):
        streams.register(number, 0)
    gone = select.POLLERR | select.POLLHUP  # one or the other, by the system
    return any(events & gone for _, events in streams.poll(0))


def _fail_as_asked(error: BaseException, arguments: list[str]) -> int:
    if "--json" in arguments:
        with suppress(OSError):  # stdout itself may be what is full
            print_json(error_document(error))
    return fail(error)
