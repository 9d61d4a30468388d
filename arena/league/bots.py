"""The bots of a league: submitting them, and starting them as programs for matches."""

from __future__ import annotations

import dataclasses
import itertools
import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.api import submission
from arena.bots.address import is_intact
from arena.bots.find import find_bot
from arena.bots.intake import TakenIn
from arena.core.clock import Clock
from arena.errors import ArenaError, BotError, DiskFull, UsageError
from arena.league.league import League, fingerprint, was_tested
from arena.league.types import LeaguePlayer, LeagueTerms, conditions_of
from arena.players.entrant import Entrant, ProgramEntrant, StoredEntrant
from arena.runtime.affinity import pins, usable_cores
from arena.runtime.apart import Failure, apart, limited
from arena.runtime.retry import fitting_jobs
from arena.text import has_control, printable
from arena.trial.report import SubmissionReport

BOT_NAME = 64
"""Maximum length of a name, in characters."""


REFIND_SECONDS = 6 * 3600
"""Seconds after which a judge looks a bot up again, so that its build counts as used."""

Examine: TypeAlias = Callable[[LeagueTerms, TakenIn], SubmissionReport]


TAKING = "taking it in"


class LeagueSubmission(Struct, frozen=True):
    """The outcome of submitting a bot."""

    name: str
    content: str
    is_new: bool
    """False when this version plays already."""
    report: SubmissionReport | None
    """None when the bot was not tested again."""

    @property
    def ok(self) -> bool:
        """Whether the bot plays from now on."""
        return self.report is None or self.report.ok

    @property
    def may_be_admitted(self) -> bool:
        """Whether only its test match failed, so that an organiser may admit it."""
        return not self.ok and self.report is not None and was_tested(self.report)


def examine(
    terms: LeagueTerms, bot: TakenIn, tell: Callable[[str], None] = lambda text: None
) -> SubmissionReport:
    """Build a bot and test it under the terms of a league; `tell` receives progress messages.

    Raises UsageError and MachineError for failures that are not the bot's fault.
    """
    conditions = conditions_of(terms)
    conditions["seed"] = "check"
    found = submission.examine(terms.game, bot, tell=tell, **conditions)
    if not found.report.ok or found.program is None:
        return found.report
    return replace(found.report, name=found.program.name)


def hand_in(
    league: League, bot: Path, name: str | None = None, *, test: Examine = examine
) -> LeagueSubmission:
    """Copy a bot (a file, a folder or an archive), test it, and let it play if it passes.

    `name` is an existing player, who gets a new version, or a new player. Without `name` the bot's
    own name is used, which must be new. Raises UsageError for invalid names and files.
    """
    return _enter(league, _Look(league, name).at(bot, test, nullcontext()), name)


def tests_at_a_time(terms: LeagueTerms, wanted: int | None, tell: Callable[[str], None]) -> int:
    """How many bots to test at a time; None wants as many as there are cores. On the wall clock it
    wants one, since a bot is then charged for the time in which another one runs."""
    if wanted is None:
        wanted = 1 if terms.clock is Clock.WALL else usable_cores()
    return fitting_jobs(wanted, 1, terms.memory, tell)


def hand_in_each(
    league: League,
    bots: Sequence[Path],
    name: str | None = None,
    *,
    jobs: int = 1,
    tell: Callable[[str], None] = lambda text: None,
    traceback: Callable[[str], None] = lambda text: None,
    left: Callable[[Path], None] = lambda bot: None,
) -> Iterator[LeagueSubmission]:
    """Like `hand_in` for several bots, each in its own process, `jobs` at a time.

    Any failure refuses only the bot that caused it, even a failure of the arena (`traceback`
    receives its traceback). Bots are entered and yielded in the given order; of several, `tell`
    hears one line when the test of one has ended, and what is unusual. Raises what `hand_in` raises
    for a single bot; for several only DiskFull, and KeyboardInterrupt at Ctrl-C, once all bots are
    entered that were tested by then. `left` receives the others.
    """
    look = _Look(league, name)
    pin = pins(None, min(jobs, len(bots)), league.terms.clock)
    begun, done = time.monotonic(), itertools.count(1)
    if several := len(bots) > 1:
        import arena.bots.steps
        import arena.trial.check  # noqa: F401  # once, here, and not in every process

    def tell_of(bot: Path, text: str) -> None:
        if not several:
            tell(text)
        elif text not in (TAKING, submission.BUILDING, submission.TESTING):
            tell(f"{_base(bot)}: {text}")

    def ended(bot: Path) -> None:
        if several:
            seconds = time.monotonic() - begun
            tell(f"{next(done)} of {len(bots)} tested after {seconds:.0f} s: {_base(bot)}")

    def entered(bot: Path, found: _Candidate | Failure | ArenaError) -> LeagueSubmission:
        try:
            if isinstance(found, ArenaError):
                raise found
            if isinstance(found, Failure):
                if found.trace:
                    traceback(found.trace)
                found = look.failed(bot, found)
            return _enter(league, found, name)
        except ArenaError as error:
            if not several or isinstance(error, DiskFull):
                raise
            return LeagueSubmission(_base(bot), "", False, look.refused(bot, str(error)))

    rest = list(bots)
    try:
        with closing(apart(look, bots, jobs=jobs, pin=pin, tell=tell_of, ended=ended)) as said:
            for bot, found in said:
                result = entered(bot, found)
                rest.remove(bot)
                yield result
    except (KeyboardInterrupt, DiskFull):
        for bot in rest:
            left(bot)
        raise


class _Candidate(Struct, frozen=True):
    """A bot that was examined and does not play yet."""

    bot: Path
    taken: TakenIn | None
    """None when the bot's files were refused."""
    report: SubmissionReport | None
    """None for a bot that plays already and is not tested again."""

    @property
    def content(self) -> str:
        """The bot's address; empty when it was not taken in."""
        return self.taken.address if self.taken else ""


class _Look:
    """Examines bots under the terms of a league. Holds no open league, so it can be pickled."""

    def __init__(self, league: League, name: str | None) -> None:
        if name is not None:
            _name(name)
        self._terms = league.terms
        self._folder = league.folder
        known = league.player(name) if name is not None else None
        self._plays = known.content if known else None

    def __call__(self, bot: Path, tell: Callable[[str], None]) -> _Candidate:
        """Examine the bot; runs in its own process."""
        tell(TAKING)
        found = self.at(bot, partial(examine, tell=tell), limited())
        msgspec.json.encode(found.report)  # fail here if the report cannot be stored
        return found

    def at(self, bot: Path, test: Examine, limits: AbstractContextManager[None]) -> _Candidate:
        """Copy the bot into the league, within `limits`, and test it."""
        if not os.path.lexists(bot):
            raise UsageError(
                f"there is no file or folder {str(bot)!r}: a league takes copies of files; a "
                'command goes into a folder with a bot.toml (run = ["python3", "my_bot.py"])'
            )
        try:
            with limits:
                taken = self._folder.keep_bot(bot, self._terms.mode)
        except BotError as error:
            return _Candidate(bot, None, self.refused(bot, str(error), error.output))
        plays = taken.address == self._plays
        return _Candidate(bot, taken, None if plays else test(self._terms, taken))

    def failed(self, bot: Path, failure: Failure) -> _Candidate:
        """The refusal of a bot on which the arena itself failed."""
        advice = " (an error of the arena? --traceback shows where)" if failure.trace else ""
        why = f"it could not be read or tested: {failure.why}{advice}"
        return _Candidate(bot, None, self.refused(bot, why))

    def refused(self, bot: Path, why: str, output: str = "") -> SubmissionReport:
        """The report on a bot that was refused without a test."""
        return submission.refused(self._terms.game, _base(bot), why, output)


def _enter(league: League, found: _Candidate, name: str | None) -> LeagueSubmission:
    """Add an examined bot to the league; it plays from now on if it passed."""
    if name is not None and (found.report is None or _plays(league, name, found.content)):
        return LeagueSubmission(name, found.content, False, None)
    assert found.report is not None
    given, name = name is not None, _name(found.report.name if name is None else name)
    if not given and _plays(league, name, found.content):
        return LeagueSubmission(name, found.content, False, None)
    if not given and league.player(name) is not None:
        raise UsageError(
            f"another bot already plays as {name}: add --name {shlex.quote(name)} if this is a new "
            "version of it, otherwise another name"
        )
    player = LeaguePlayer(
        name=name,
        bot=league.new_id(name, found.content),
        content=found.content,
        entry=_entry(found),
        number=0,
    )
    league.submit(player, found.report)
    return LeagueSubmission(name, found.content, True, found.report)


def _entry(found: _Candidate) -> str:
    return found.taken.name if found.taken else _base(found.bot)


def _base(bot: Path) -> str:
    """The last part of the bot's absolute path, so that ``.`` has one too."""
    return printable(os.path.basename(os.path.abspath(bot)))


def _plays(league: League, name: str, content: str) -> bool:
    known = league.player(name)
    return known is not None and known.content == content


def _name(name: str) -> str:
    """The printable form of a name. Raises UsageError for an invalid one."""
    shown = printable(name).strip()
    if not shown or len(shown) > BOT_NAME or has_control(name.strip()):
        raise UsageError(
            f"{name.strip()[:BOT_NAME]!r} is not a valid name: give 1 to {BOT_NAME} characters with"
            " --name, none of them a control character"
        )
    return shown


class LeagueBots:
    """The bots of a league as programs, looked up on first use and again after changes on disk."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._found: dict[str, tuple[int, float, Entrant]] = {}

    def entrant(self, bot: str) -> Entrant:
        """The entrant for a bot. Raises BotError when its copy was changed."""
        _, _, path = self._league.copy_of(bot)
        name = self._league.seat_name(bot)
        try:
            seen = fingerprint(path)
            known, now = self._found.get(bot), time.monotonic()
            if known is None or known[0] != seen or now > known[1] + REFIND_SECONDS:
                known = self._found[bot] = seen, now, self._entrant(name, path)
        except OSError as error:
            raise BotError(f"cannot read the copy of {name} in {path}: {error.strerror}") from None
        return known[2]

    def _entrant(self, name: str, path: Path) -> Entrant:
        if not is_intact(path):
            raise BotError(
                f"the copy of {name} in {path} was changed: hand the same bot in again, which "
                "restores it"
            )
        return self._player(name, path)

    def _player(self, name: str, path: Path) -> Entrant:
        program = find_bot(str(path), sandbox=self._league.terms.mode)
        return ProgramEntrant(dataclasses.replace(program, name=name, command=name))


class StoredBots(LeagueBots):
    """The bots of a league played by a cluster, whose workers build them."""

    def _player(self, name: str, path: Path) -> Entrant:
        return StoredEntrant(name, path)
