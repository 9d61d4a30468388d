"""Run self-tests of the languages that this machine can build and run, at each isolation level."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import trio
from msgspec import Struct

from arena.bots import languages
from arena.bots.find import find_bot
from arena.bots.language import Language
from arena.bots.languages import LANGUAGES, missing_programs
from arena.bots.program import BotProgram
from arena.bots.runtimes import with_runtime
from arena.core.limits import Limits
from arena.doctor.capability import Status
from arena.doctor.context import ProbeContext
from arena.doctor.examine import missing_levels
from arena.doctor.machine import has_runtime
from arena.errors import ArenaError, BotError, MachineError
from arena.sandbox.children import Children
from arena.sandbox.keeper import tempdirs
from arena.sandbox.levels import Level, SandboxMode, SandboxWish
from arena.sandbox.probe import candidates
from arena.sandbox.session import keeper_running, run_with

WITHIN = 30.0
"""Maximum seconds of a self-test, after its build."""
LINE = "one"


class LanguageTest(Struct, frozen=True):
    """The self-test of one language at one level. Times are in milliseconds."""

    language: str
    level: Level
    status: Status
    problem: str = ""
    """Why the test failed."""
    said: str = ""
    """Output of the compiler, or stderr of the program."""
    build: float = 0.0
    start: float = 0.0
    """From the start of the program to its first line."""
    answer: float = 0.0
    """From a request to its reply."""


class LanguageDiagnosis(Struct, frozen=True):
    """The results of all self-tests."""

    levels: list[Level]
    """The tested levels."""
    tests: list[LanguageTest]
    missing: dict[str, str]
    """Languages whose programs are not installed, and the packages that contain them."""
    unavailable: dict[Level, str]
    """Why other levels are unavailable."""

    @property
    def is_good(self) -> bool:
        """Whether all installed languages passed at every tested level."""
        return all(test.status is Status.PASS for test in self.tests)


def examine_languages(
    mode: SandboxWish = SandboxMode.AUTO,
    *,
    languages: Sequence[Language] = LANGUAGES,
    tell: Callable[[LanguageTest], None] = lambda test: None,
) -> LanguageDiagnosis:
    """Build and run the self-test of every installed language: with ``auto`` at every level of this
    machine, else at that of the mode. `tell` receives each result."""
    with keeper_running(SandboxMode.AUTO) as keeper:
        unavailable = run_with(keeper, missing_levels)
    levels = [level for level in _wanted(mode) if level not in unavailable]
    tested = [one for one in languages if one.has_selftest and has_runtime(one)]
    missing = {one.name: one.packages for one in tested if missing_programs(one)}
    found: list[LanguageTest] = []
    for level in levels:
        for language in tested:
            if language.name not in missing:
                found.append(try_language(language, level))
                tell(found[-1])
    return LanguageDiagnosis(levels, found, missing, unavailable)


def _wanted(mode: SandboxWish) -> Sequence[Level]:
    if mode is SandboxMode.AUTO:
        return (Level.OFF, Level.GUARD, Level.SANDBOX, Level.CGROUP)
    return candidates(mode)


def try_language(language: Language, level: Level) -> LanguageTest:
    """Build and run the self-test of one language, in a temporary cache."""
    with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder:
        source = Path(folder, languages.source_of(language).name)
        source.write_bytes(languages.source_of(language).read_bytes())
        begin = time.monotonic()
        try:
            bot = find_bot(str(source), cache=Path(folder, "cache"), sandbox=level)
            build = (time.monotonic() - begin) * 1000
            with keeper_running(level) as keeper:
                start, answer = run_with(
                    keeper, lambda children: _converse(children, Path(folder), bot, level)
                )
        except ArenaError as error:
            said = error.output if isinstance(error, BotError) else ""
            return LanguageTest(
                language=language.name,
                level=level,
                status=Status.FAIL,
                problem=str(error),
                said=said,
            )
    return LanguageTest(
        language=language.name,
        level=level,
        status=Status.PASS,
        build=build,
        start=start,
        answer=answer,
    )


async def _converse(
    children: Children, folder: Path, bot: BotProgram, level: Level
) -> tuple[float, float]:
    """Run a self-test. Returns its start and reply times. Raises MachineError, BotError."""
    context = ProbeContext(children, folder, {})
    begin = trio.current_time()
    program, limits = with_runtime(bot, Limits())
    async with context.running([*program.argv], [*program.parts], level, limits) as inside:
        try:
            with trio.fail_after(WITHIN):
                _check("first line", await inside.hear_line(), languages.READY)
                asked = trio.current_time()
                inside.tell(LINE)
                _check("answer", await inside.hear_line(), languages.answer_to(LINE))
                answered = trio.current_time()
                inside.child.close_pipe("stdin")
                await inside.child.exited.wait()
        except trio.TooSlowError:
            said = inside.child.last_words()
            raise BotError(f"its self-test did not end within {WITHIN:.0f} s", said) from None
        except (MachineError, BrokenPipeError) as error:
            raise BotError("its self-test ended early", str(error)) from None
        end = inside.child.exit
        if end is None or end.code != 0:
            raise BotError(f"its self-test ended with {end}", inside.child.last_words())
    return (asked - begin) * 1000, (answered - asked) * 1000


def _check(what: str, said: str, expected: str) -> None:
    if said.rstrip() != expected:
        raise BotError(f"the {what} of its self-test is {said!r}, not {expected!r}")
