"""Tunes the numbers that a bot declares, against a pool of opponents."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import msgspec
from msgspec import Struct

from arena.api.conditions import Bot, Conditions
from arena.core.game import AnyGame
from arena.errors import UsageError
from arena.players.entrant import ProgramEntrant
from arena.tournament.sprt import Sprt
from arena.workbench.blocks import PairedMatches
from arena.workbench.journal import Journal
from arena.workbench.paired import PairedResult, faults
from arena.workbench.pool import (
    GAMES,
    Field,
    PoolComparison,
    PoolReport,
    make_field,
    with_seed_of,
)
from arena.workbench.spsa import WORTH, Method, NumberProgress, Spsa

if TYPE_CHECKING:
    from arena.bots.program import BotProgram
    from arena.runtime.pool import Pool

METHODS = ("spsa", "cmaes")
WINDOW = 16
"""Default number of iterations that are asked for together. It is also how many can run at a time,
and must not depend on the number of jobs."""
FINAL = Sprt(elo1=10.0)
"""Default test of the tuned numbers against those at the start."""
GIVE_UP = 0.5
"""Share of the iterations after which a tune without a measurable effect ends."""
SUSPECT = 0.25
"""Share of the iterations after which it says so for the first time."""


class TuneVerdict(Enum):
    """What became of a tune. The values go into documents."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"
    NO_EFFECT = "no measurable effect"
    UNCHANGED = "unchanged"
    """The numbers ended where they began."""
    UNFINISHED = "unfinished"


class Iteration(Struct, frozen=True):
    """One iteration, as written to the file of a run."""

    iteration: int
    """From 0."""
    one: list[float]
    """The numbers of the old version."""
    other: list[float]
    """The numbers of the new version."""
    result: PairedResult


class FinalBlock(Struct, frozen=True):
    """A block of the comparison at the end, as written to the file of a run."""

    final: PairedResult


class TuneReport(Struct, frozen=True):
    """What `arena tune --json` prints."""

    game: str
    seed: str
    bot: str
    pool: list[str]
    method: str
    iterations: int
    """The planned iterations: paired blocks, of two sets of numbers each."""
    done: int
    games: int
    """The matches of the iterations done."""
    numbers: list[NumberProgress]
    tuned: dict[str, float]
    """The numbers as the program would get them."""
    has_effect: bool
    """Whether the numbers have had a measurable effect so far."""
    verdict: TuneVerdict
    sentence: str
    """The same for people."""
    stopped: str
    """Why the tune ended."""
    toml: str
    """The lines for ``bot.toml``; empty unless the numbers are better."""
    final: PoolReport | None
    """The comparison of the numbers at the start with the tuned ones, on fresh seeds."""
    faults: dict[str, int]
    """Matches in which the bot was stopped, by version and reason."""


class Tune:
    """A tune, played during iteration::

    with arena.workbench.tune.tune("warlight", "my_bot", ["a", "b"]) as tuning:
        for _ in tuning:
            print(tuning.method.progress())
        print(tuning.report().sentence)
    """

    def __init__(
        self,
        field: Field,
        matches: PairedMatches,
        method: Method,
        name: str,
        *,
        iterations: int,
        test: Sprt,
        final_games: int,
        journal: Journal,
        tell: Callable[[str], None],
    ) -> None:
        self.field = field
        self.matches = matches
        self.method = method
        self.iterations = iterations
        self.done = 0
        """Iterations told so far."""
        self.final: PoolComparison | None = None
        """The comparison at the end, once it has begun."""
        self._name = name
        self._test = test
        self._final_games = final_games
        self._journal = journal
        self._tell = tell
        self._results: list[PairedResult] = []
        self._has_told = False
        self._known, self._known_final = _read(journal)

    def __enter__(self) -> Tune:
        return self

    def __exit__(self, *error: Any) -> None:
        self._journal.__exit__(*error)
        self.matches.__exit__(*error)

    @property
    def program(self) -> BotProgram:
        """The bot."""
        (entrant,) = self.field.versions
        assert isinstance(entrant, ProgramEntrant)
        return entrant.program

    @property
    def games_of_a_block(self) -> int:
        """Both versions at each seat."""
        return 2 * self.field.pairing.seats

    @property
    def is_given_up(self) -> bool:
        """Whether the tune ended early, since the numbers had no measurable effect."""
        return self.done >= GIVE_UP * self.iterations and not self.method.has_effect()

    def __iter__(self) -> Iterator[PairedResult]:
        """Play; yield each result, first of the iterations, then of the comparison at the end.
        Raises as the iteration of `Series` does."""
        return self._play()

    def _play(self) -> Generator[PairedResult, None, None]:
        while self.done < self.iterations and not self.is_given_up:
            yield from self._window()
            self._journal.sync()
            self._warn()
        if self._is_worth_comparing:
            self.final = self._comparison()
            yield from self.final

    def _window(self) -> Generator[PairedResult, None, None]:
        """Ask for a window of iterations, then play those that the file does not know."""
        numbers = range(self.done, min(self.done + self.method.window, self.iterations))
        asked = {number: self.method.ask(number) for number in numbers}
        for number in numbers:
            if number < len(self._known):
                self._tell_of(self._recorded(number, asked[number]))
        rest = [number for number in numbers if number >= len(self._known)]
        plan = (
            (self.field.pairing.block(number), (self._with(one), self._with(other)))
            for number, (one, other) in ((number, asked[number]) for number in rest)
        )
        with closing(self.matches.play(plan)) as results:
            for number, result in zip(rest, results, strict=True):
                self._journal.append(Iteration(number, *asked[number], result))
                self._tell_of(result)
                yield result

    def _recorded(self, number: int, asked: tuple[list[float], list[float]]) -> PairedResult:
        known = self._known[number]
        if (known.iteration, known.one, known.other) != (number, *asked):
            raise UsageError(
                f"{self._journal.path} does not follow from its first line (iteration {number}): "
                "it was changed, or written by another release: begin a new file"
            )
        return known.result

    def _tell_of(self, result: PairedResult) -> None:
        self.method.tell(self.done, result.difference)
        self.done += 1
        self._results.append(result)

    def _warn(self) -> None:
        if not self._has_told and self.done >= SUSPECT * self.iterations:
            self._has_told = True
            if not self.method.has_effect():
                self._tell(
                    f"no measurable effect so far, after {self.done} of {self.iterations} "
                    "iterations: the numbers do not matter, or their steps are too small"
                )

    def _with(self, values: Sequence[float]) -> ProgramEntrant:
        return ProgramEntrant(self.program.with_numbers(values))

    @property
    def _starts(self) -> list[float]:
        return [number.start for number in self.method.numbers]

    @property
    def _is_worth_comparing(self) -> bool:
        return self.method.has_effect() and self.method.values() != self._starts

    def _comparison(self) -> PoolComparison:
        """The numbers at the start against the tuned ones, on seeds that the tune has not seen."""
        pairing = msgspec.structs.replace(
            self.field.pairing, seed=f"{self.field.pairing.seed}.final"
        )
        return PoolComparison(
            self.matches,
            pairing,
            (self._with(self._starts), self._with(self.method.values())),
            test=self._test,
            blocks=max(self._final_games // self.games_of_a_block, len(self._known_final)),
            journal=_FinalPart(self._journal),
            maps=self.field.map_names,
            known=self._known_final,
            names=("the start", "the tuned"),
        )

    def report(self, stopped: BaseException | None = None) -> TuneReport:
        """The report so far; `stopped` is the exception that ended the tune early."""
        verdict = self._verdict()
        values = self.method.values()
        return TuneReport(
            game=self.field.first.game,
            seed=self.field.pairing.seed,
            bot=self.program.name,
            pool=[entrant.name for entrant in self.field.pool],
            method=self._name,
            iterations=self.iterations,
            done=self.done,
            games=self.done * self.games_of_a_block,
            numbers=self.method.progress(),
            tuned={
                number.name: value
                for number, value in zip(self.method.numbers, values, strict=True)
            },
            has_effect=self.method.has_effect(),
            verdict=verdict,
            sentence=_SENTENCES[verdict].format(bot=self.program.name),
            stopped=self._why(stopped),
            toml=self._toml() if verdict is TuneVerdict.BETTER else "",
            final=None if self.final is None else self.final.report(stopped),
            faults=dict(faults(self._results)),
        )

    def _verdict(self) -> TuneVerdict:
        if self.final is not None:
            return TuneVerdict(self.final.conclusion.value)
        if self.done < self.iterations and not self.is_given_up:
            return TuneVerdict.UNFINISHED
        return TuneVerdict.UNCHANGED if self.method.has_effect() else TuneVerdict.NO_EFFECT

    def _why(self, stopped: BaseException | None) -> str:
        if stopped is not None:
            return str(stopped) or "interrupted"
        if self.final is not None:
            return self.final.report().stopped
        return f"{self.done} of {self.iterations} iterations were played"

    def _toml(self) -> str:
        pairs = zip(self.method.numbers, self.method.values(), strict=True)
        return "\n".join(
            f"[tune.{number.name}]\nstart = {number.text(value)}" for number, value in pairs
        )


_SENTENCES = {
    TuneVerdict.BETTER: "The tuned numbers of {bot} are better.",
    TuneVerdict.NOT_BETTER: "The tuned numbers of {bot} are not better: keep those at the start.",
    TuneVerdict.UNDECIDED: "It is not known yet whether the tuned numbers of {bot} are better: "
    "give the comparison at the end more games.",
    TuneVerdict.NO_EFFECT: "The numbers of {bot} have no measurable effect: they do not matter, "
    "are at their best, or their steps are too small for so few games.",
    TuneVerdict.UNCHANGED: "The numbers of {bot} ended where they began.",
    TuneVerdict.UNFINISHED: "The tune of {bot} is not finished.",
}


class _FinalPart(Journal):
    """The file of a tune, as the comparison at its end sees it."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(None)
        self._whole = journal

    def append(self, line: Any) -> None:
        self._whole.append(FinalBlock(line))

    def sync(self) -> None:
        self._whole.sync()


def _read(journal: Journal) -> tuple[list[Iteration], list[PairedResult]]:
    """The iterations in the file of a tune, and the blocks of the comparison at the end."""
    known, final = [], []
    try:
        for line in journal.lines:
            if "final" in line:
                final.append(msgspec.convert(line, FinalBlock).final)
            else:
                known.append(msgspec.convert(line, Iteration))
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{journal.path} is not the file of a tune ({error}): name another file"
        ) from None
    return known, final


def tune(
    game: str | AnyGame,
    bot: Bot,
    pool: Sequence[Bot],
    *,
    games: int = GAMES,
    method: str = "spsa",
    worth: float = WORTH,
    window: int = WINDOW,
    test: Sprt = FINAL,
    final_games: int = GAMES,
    seats: int | None = None,
    maps: Sequence[str | Path] = (),
    jobs: int = 1,
    pin: bool | None = None,
    run: str | Path | None = None,
    workers: Callable[[int], AbstractContextManager[Pool]] | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> Tune:
    """Tune the numbers that the ``bot.toml`` of a bot declares, in at most `games` matches, and
    compare the result with the start in at most `final_games`. Nothing is played before iteration.

    `worth` is the Elo that a number one step off its best is thought to cost: it decides how fast
    SPSA moves. All else is as in `compare_with_pool`. Raises UsageError and BotError.
    """
    journal = Journal(None if run is None else Path(run))
    try:
        conditions = with_seed_of(journal, conditions)
        field = make_field(game, [bot], pool, seats, maps, conditions)
        (entrant,) = field.versions
        numbers = entrant.program.numbers if isinstance(entrant, ProgramEntrant) else ()
        if not numbers:
            raise UsageError(
                f"{entrant.name} declares no numbers: write them into the bot.toml of its folder, "
                "as arena guide workbench shows"
            )
        if not 0 < worth <= 1000:
            raise UsageError(f"worth={worth:g} is not allowed: give Elo above 0, up to 1000")
        iterations = games // (2 * field.pairing.seats)
        least = max(window, MOST_HASTY)
        if iterations < least:
            raise UsageError(
                f"{games} games are too few: give at least {least * 2 * field.pairing.seats}"
            )
        chosen = _method(method, numbers, iterations, field.first.seed, window, worth)
        journal.begin(
            field.head("tune", ["bot"])
            | {"iterations": iterations, "method": method, "window": window, "worth": worth}
            | {"numbers": msgspec.to_builtins(numbers), "test": msgspec.to_builtins(test)}
        )
        matches = PairedMatches(
            field.first, field.maps, field.pool, jobs=jobs, pin=pin, workers=workers, tell=tell
        )
        return Tune(
            field,
            matches,
            chosen,
            method,
            iterations=iterations,
            test=test,
            final_games=final_games,
            journal=journal,
            tell=tell,
        )
    except BaseException:
        journal.__exit__()
        raise


MOST_HASTY = 64
"""Fewest iterations of a tune: with fewer, an effect cannot be looked for."""


def _method(
    name: str,
    numbers: Sequence[Any],
    iterations: int,
    seed: str,
    window: int,
    worth: float,
) -> Method:
    if name == "spsa":
        return Spsa(numbers, iterations, seed, window=window, worth=worth)
    if name == "cmaes":
        from arena.workbench.cma import Cmaes

        return Cmaes(numbers, seed, blocks=window)
    raise UsageError(f"there is no method {name!r}: choose one of {', '.join(METHODS)}")
