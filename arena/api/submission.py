"""Examines a submitted bot for an organiser: takes it in, builds it, tests it, and reports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from msgspec import Struct

from arena.api.check import check
from arena.api.conditions import Conditions, game_of, sandbox_mode
from arena.api.inside import refuse_inside_trio
from arena.bots.archives import rules
from arena.bots.convention import listed
from arena.bots.find import find_bot
from arena.bots.folder import chosen
from arena.bots.intake import TakenIn, take_in
from arena.bots.program import BotProgram
from arena.core.game import AnyGame
from arena.errors import BotError
from arena.text import counted, printable, size_text
from arena.trial.report import Amount, Check, CheckStep, SubmissionReport, Use

MIB = 1 << 20
BUILDING = "building it"
TESTING = "testing it"


def refused(game: str, name: str, why: str, output: str = "") -> SubmissionReport:
    """The report on a bot that was not tested; `output` is what its unpacker said."""
    step = CheckStep("takes the files", False, why)
    return SubmissionReport(
        name=printable(name),
        game=game,
        ok=False,
        address="",
        sandbox="",
        steps=[step],
        cause=None,
        compiler=output or None,
        stderr=None,
        last_request=None,
        last_answer=None,
        limits=[],
    )


class Submission(Struct, frozen=True):
    """The result: the report for the author, the bot for the organiser."""

    report: SubmissionReport
    taken: TakenIn | None
    """None when the files themselves were refused."""
    program: BotProgram | None
    """None unless it was built."""


def examine(
    game: str | AnyGame,
    given: str | Path | TakenIn,
    *,
    root: Path | None = None,
    cache: Path | None = None,
    name: str | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> Submission:
    """Take in an archive, a folder or a source file (unless that was done), build it and let it
    play the input test.

    Its files are kept, by content, in `root`, what is built from them in `cache` (both by default
    in the user's cache). All of it happens behind walls: ``sandbox="auto"`` unless the conditions
    say otherwise. Whatever is wrong with the bot is in the report. Raises UsageError for what the
    caller asked for wrongly (also walls that cannot be had), MachineError when the machine failed,
    and OSError for what cannot be read or written.
    """
    refuse_inside_trio("examine", "examine in a thread")
    conditions = {"sandbox": "auto", **conditions}
    game_of(game)
    given = given if isinstance(given, TakenIn) else Path(given)
    return _Examination(game=game, given=given, name=name, conditions=conditions, tell=tell).run(
        root, cache
    )


class _Examination:
    """One submission in progress."""

    def __init__(
        self,
        game: str | AnyGame,
        given: Path | TakenIn,
        name: str | None,
        conditions: Conditions,
        tell: Callable[[str], None],
    ) -> None:
        self._game = game
        self._given = given
        self._name = name
        self._conditions = conditions
        self._tell = tell
        self._steps: list[CheckStep] = []
        self._taken: TakenIn | None = None
        self._program: BotProgram | None = None
        self._compiler = ""
        self._limits: list[Amount] = []

    def run(self, root: Path | None, cache: Path | None) -> Submission:
        """Step by step, up to the first that fails."""
        doing = "takes the files"
        try:
            self._take(root)
            doing = "finds the bot in them"
            assert self._taken is not None
            self._passed(doing, chosen(self._taken.folder))
            doing = "builds it"
            self._build(self._taken, cache)
        except BotError as error:
            self._compiler = error.output
            self._steps.append(CheckStep(doing, False, str(error)))
            return self._result(None)
        return self._result(self._test())

    def _take(self, root: Path | None) -> None:
        given = self._given
        if not isinstance(given, TakenIn):
            self._tell(f"taking {printable(given.name)} in")
            given = take_in(given, root, sandbox_mode(self._conditions["sandbox"]))
        self._taken = taken = given
        left_out = f"; left out: {listed(taken.left_out)}" if taken.left_out else ""
        self._passed("takes the files", f"{_files(taken.files)}, {size_text(taken.size)}{left_out}")
        self._limits += _of_archive(taken)

    def _build(self, taken: TakenIn, cache: Path | None) -> None:
        from arena.bots.build import LOG  # with Trio, which readers of a league do without
        from arena.bots.steps import BUILD_SECONDS

        self._tell(BUILDING)
        begin = time.monotonic()
        mode = sandbox_mode(self._conditions["sandbox"])
        found = find_bot(str(taken.folder), cache=cache, sandbox=mode)
        self._program = replace(found, command=taken.name)  # its author knows no address
        seconds = time.monotonic() - begin
        log = self._program.parts[0] / LOG
        is_built = self._program.parts[0] != taken.folder
        if is_built and log.is_file():
            self._compiler = log.read_text("utf-8", "replace")
        self._passed("builds it", f"in {seconds:.1f} s" if is_built else "nothing to build")
        if is_built:
            self._limits.append(Amount("build", round(seconds, 1), BUILD_SECONDS, "s"))

    def _test(self) -> Check | BotError:
        self._tell(TESTING)
        assert self._program is not None
        try:
            tested = check(self._game, self._program, tell=self._tell, **self._conditions)
        except BotError as error:  # it cannot be started
            return error
        if tested.use is not None:
            self._limits += _of_match(tested.use)
        return tested

    def _passed(self, name: str, detail: str) -> None:
        self._steps.append(CheckStep(name, True, detail))

    def _result(self, tested: Check | BotError | None) -> Submission:
        steps = list(self._steps)
        if isinstance(tested, BotError):
            steps.append(CheckStep("starts", False, str(tested)))
        done = tested if isinstance(tested, Check) else None
        steps += done.steps if done else []
        report = SubmissionReport(
            name=printable(self._name or (self._taken or self._given).name),
            game=game_of(self._game).name,
            ok=done is not None and done.ok,
            address=self._taken.address if self._taken else "",
            sandbox=done.sandbox.value if done else "",
            steps=steps,
            cause=done.cause if done else None,
            compiler=self._without_paths(self._compiler) or None,
            stderr=self._without_paths(done.stderr if done else "") or None,
            last_request=(done.last_request or None) if done else None,
            last_answer=(done.last_answer or None) if done else None,
            limits=self._limits,
        )
        return Submission(report, self._taken, self._program)

    def _without_paths(self, text: str) -> str:
        """The text without the paths where the organiser keeps bots."""
        return text.replace(f"{self._taken.folder}{os.sep}", "") if self._taken else text


def _of_archive(taken: TakenIn) -> list[Amount]:
    if not taken.packed:
        return []
    return [
        Amount("archive", _mib(taken.packed), rules.PACKED / MIB, "MiB"),
        Amount("unpacked", _mib(taken.unpacked), rules.TOTAL / MIB, "MiB"),
        Amount("files and folders", taken.entries, rules.ENTRIES, ""),
    ]


def _of_match(use: Use) -> list[Amount]:
    found = [Amount("slowest answer", round(use.slowest_ms, 1), use.bank_ms, "ms")]
    if use.start_up_ms is not None:
        found.append(Amount("start", round(use.start_up_ms, 1), use.start_up_limit_ms, "ms"))
    if use.memory is not None and use.memory_limit is not None:
        found.append(Amount("memory", _mib(use.memory), _mib(use.memory_limit), "MiB"))
    return found


def _files(count: int) -> str:
    return counted(count, "file")


def _mib(size: int) -> float:
    return round(size / MIB, 2)
