"""The bots of a league: how one gets in, and how it becomes a program for a match."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from arena.api import submission
from arena.api.submission import SubmissionReport
from arena.bots.address import is_intact
from arena.bots.find import find_bot
from arena.bots.intake import TakenIn
from arena.errors import BotError, UsageError
from arena.league.folder import fingerprint
from arena.league.league import League, was_tested
from arena.league.types import Player, Terms, bot_id, conditions_of
from arena.players.entrant import Entrant, ProgramEntrant
from arena.players.stored import StoredEntrant
from arena.text import printable

NAME = 40
"""Characters of the longest name."""


Examine: TypeAlias = Callable[[Terms, TakenIn | Path], SubmissionReport]


class Submission(Struct, frozen=True):
    """What became of a bot that was handed in."""

    name: str
    content: str
    is_new: bool
    """False when it plays already."""
    report: SubmissionReport | None
    """None when it was not tested anew."""

    @property
    def ok(self) -> bool:
        """Whether it plays from now on."""
        return self.report is None or self.report.ok

    @property
    def may_be_admitted(self) -> bool:
        """Whether it was refused for its test match alone, so that an organiser may admit it."""
        return not self.ok and self.report is not None and was_tested(self.report)


def examine(
    terms: Terms, bot: TakenIn | Path, tell: Callable[[str], None] = lambda text: None
) -> SubmissionReport:
    """Build a bot and test it under the terms of a league; of a path, say why it is refused. `tell`
    hears how it goes on. Raises UsageError and MachineError for what is not the bot's fault."""
    conditions = conditions_of(terms)
    conditions["seed"] = "check"
    found = submission.examine(terms.game, bot, tell=tell, **conditions)
    if not found.report.ok or found.program is None:
        return found.report
    return replace(found.report, name=found.program.name)


def hand_in(
    league: League, bot: Path, name: str | None = None, *, test: Examine = examine
) -> Submission:
    """Take a copy of a bot (a file, a folder or an archive), test it, and let it play if it passes.

    `name` names the player whose new version it is, or a new player; without it the bot's own name
    is taken, which must be new. Raises UsageError for names and files that cannot be.
    """
    if not bot.exists():
        raise UsageError(
            f"there is no file or folder {str(bot)!r}: a league takes copies of files; a command "
            'goes into a folder with a bot.toml (run = ["python3", "my_bot.py"])'
        )
    taken = _taken_in(league, bot.resolve())
    content = taken.address if isinstance(taken, TakenIn) else ""
    if name is not None and _plays(league, name, content):
        return Submission(name, content, False, None)
    examined = test(league.terms, taken)
    given, name = name is not None, _name(examined.name if name is None else name)
    if not given and _plays(league, name, content):
        return Submission(name, content, False, None)
    if not given and league.player(name) is not None:
        raise UsageError(
            f"another bot plays as {name} already: add --name {shlex.quote(name)} if this is a new "
            "version of it, or another name if not"
        )
    player = Player(name, bot_id(name, content), content, taken.name, 0)
    league.submit(player, examined)
    return Submission(name, content, True, examined)


def _taken_in(league: League, bot: Path) -> TakenIn | Path:
    """The copy that the league keeps. The path itself when it is refused: the test says why."""
    try:
        return league.folder.keep_bot(bot, league.terms.mode)
    except BotError:
        return bot


def _plays(league: League, name: str, content: str) -> bool:
    known = league.player(name)
    return known is not None and known.content == content


def _name(name: str) -> str:
    """A name as it can be shown. Raises UsageError."""
    shown = printable(name).strip()
    if not shown or len(shown) > NAME:
        raise UsageError(f"{shown[:NAME]!r} is no name: give 1 to {NAME} characters with --name")
    return shown


class Bots:
    """The bots of a league as programs: looked up when first needed, and again when one changed on
    the disk."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._found: dict[str, tuple[int, Entrant]] = {}

    def entrant(self, bot: str) -> Entrant:
        """Who plays as a bot. Raises BotError when its copy is not what it was."""
        name, _, path = self._league.copy_of(bot)
        try:
            seen = fingerprint(path)
            known = self._found.get(bot)
            if known is None or known[0] != seen:
                known = self._found[bot] = seen, self._entrant(name, path)
        except OSError as error:
            raise BotError(f"cannot read the copy of {name} in {path}: {error.strerror}") from None
        return known[1]

    def _entrant(self, name: str, path: Path) -> Entrant:
        if not is_intact(path):
            raise BotError(
                f"the copy of {name} in {path} was changed: hand the same bot in again, which "
                "restores it"
            )
        return self._player(name, path)

    def _player(self, name: str, path: Path) -> Entrant:
        program = find_bot(str(path), sandbox=self._league.terms.mode)
        return ProgramEntrant(dataclasses.replace(program, command=name))


class StoredBots(Bots):
    """The bots of a league that is played by a cluster, whose workers build them."""

    def _player(self, name: str, path: Path) -> Entrant:
        return StoredEntrant(name, path)
