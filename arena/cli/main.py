"""The program `arena`: looks up commands by name and turns their errors into exit statuses."""

from __future__ import annotations

import atexit
import errno
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
from arena.errors import DISK_FULL_ERRNOS, ArenaError, ArenaFault, DiskFull, did_you_mean
from arena.sandbox.interrupts import INTERRUPTED, interrupt_on_termination, was_interrupted


class NamedGroup(click.Group):
    """A group that lists its commands in the order in which a newcomer needs them."""

    def __init__(self, *, members: Mapping[str, str], **attributes: Any) -> None:
        """`members` maps the names to their lines of help."""
        super().__init__(**attributes)
        self._members = members

    def load(self, name: str) -> click.Command:
        """One of the members."""
        return self.commands[name]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in order."""
        return list(self._members)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command. Raises UsageError for an unknown name, with what was probably meant."""
        if name in self._members:
            return self.load(name)
        if ctx.resilient_parsing:
            return None  # a shell is completing an invalid line
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
    """A group whose commands are `command` in the modules ``arena.cli.NAME``, imported on use."""

    def load(self, name: str) -> click.Command:
        """Import one of the members."""
        command: click.Command = importlib.import_module(f"arena.cli.{name}").command
        return command

    def instead(self, name: str) -> str:
        """What was probably meant, including the commands of leagues."""
        if name in importlib.import_module("arena.cli.league").COMMANDS:
            return f"did you mean 'league {name}'?"
        return super().instead(name)


COMMANDS = {
    "play": "Play a match, or a series, between bots.",
    "compare": "Test whether one bot is better than another, alone or against a pool.",
    "tune": "Tune the numbers of a bot by matches against a pool.",
    "history": "Draw the strength of a bot over its versions.",
    "bisect": "Find the version that made a bot worse.",
    "games": "List the games, or explain one.",
    "view": "Show replays: as a page in the browser, or in the terminal.",
    "new": "Make a folder with a first bot for a game, in the language of your choice.",
    "check": "Test one bot: does it start, answer and keep the protocol?",
    "rerun": "Replay the input of one recorded player to a bot.",
    "cut": "Cut a position out of a recorded match, to play on from it.",
    "suite": "Test a bot on positions: does it answer each as expected?",
    "analyse": "Find where a match was lost: chances by round, and turning points.",
    "rows": "Write matches as rows to learn from: JSON lines or Parquet.",
    "pgn": "Write matches of chess as PGN.",
    "league": "Run a contest: bots, matches and a table that outlive every run.",
    "submit": "Hand bots in to a league: each is tested, and plays if it passes.",
    "serve": "Serve the web site of leagues: standings, uploads, reports.",
    "site": "Organise a contest: invitations, roles, moments, finals, appeals.",
    "verify": "Prove replays, or a whole league: run the rules again on the recorded answers.",
    "doctor": "Test which walls and limits work on this machine.",
    "guide": "Print a guide: for authors of bots, organisers, designers of games.",
    "cluster": "Make the keys of a cluster.",
    "worker": "Lend this machine to a league that a judge runs on another one.",
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
    """Run the program `arena` until it ends."""
    atexit.register(_exit_at_once, ended := list[int]())  # registered first, so called last
    _open_closed_streams()
    if "_ARENA_COMPLETE" in os.environ:
        from arena.cli import completion

        completion.serve()
    interrupt_on_termination()
    os.umask(os.umask(0) & 0o077)  # else the arena might lock itself out of its own folders
    ended.append(run(sys.argv[1:]))
    sys.exit(*ended)


def _exit_at_once(ended: list[int]) -> None:
    """Exit with the status in `ended`; if it is empty, an error still has to be shown. (Tearing all
    modules down takes 4 ms after a match, 1.5 ms after a help.)"""
    for status in ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _open_closed_streams() -> None:
    """Open the null device for standard streams that the caller closed; otherwise a pipe of ours
    could get the number of one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # for the whole process


def run(arguments: list[str]) -> int:
    """Run a command line and return the exit status. Errors go to stderr and, with ``--json``, also
    to stdout as a document."""
    try:
        with only_documents_on_stdout() if "--json" in arguments else nullcontext():
            status = arena.main(arguments, prog_name="arena", standalone_mode=False)
    except SystemExit as error:  # click exits like this on a broken pipe
        if not _reader_has_gone() and error.__context__ is not None:
            raise error.__context__ from None
        return INTERRUPTED if was_interrupted() else DONE
    except (click.ClickException, click.Abort, KeyboardInterrupt, ArenaError) as error:
        return _fail_as_asked(error, arguments)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            said = "too many open files: allow more (ulimit -n 1024), and run it again"
            return _fail_as_asked(ArenaFault(said), arguments)
        if error.errno not in DISK_FULL_ERRNOS:
            raise
        return _fail_as_asked(DiskFull(f"{error.strerror}: make room, and run it again"), arguments)
    return status if isinstance(status, int) else DONE


def _reader_has_gone() -> bool:
    """Whether the reader of stdout or stderr has gone, as with ``| head``."""
    streams = select.poll()
    for number in (1, 2):
        streams.register(number, 0)
    gone = select.POLLERR | select.POLLHUP  # which one depends on the system
    return any(events & gone for _, events in streams.poll(0))


def _fail_as_asked(error: BaseException, arguments: list[str]) -> int:
    if "--json" in arguments:
        with suppress(OSError):  # the disk behind stdout may be full
            print_json(error_document(error))
    return fail(error)
