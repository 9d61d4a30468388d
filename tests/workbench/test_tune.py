"""A tune: its order, going on, and what it says in the end. Its matches are simulated."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, Self, cast

import pytest
from msgspec.structs import replace

from arena.errors import UsageError
from arena.players.entrant import ProgramEntrant
from arena.workbench.blocks import PairedBlock, PairedMatches, Versions
from arena.workbench.paired import PairedResult
from arena.workbench.tune import Tune, TuneVerdict, tune
from tests.workbench.simulation import World

TOML = """
main = "bot.py"
[tune.force]
type = "float"
start = 2
min = 0
max = 10
step = 1
[tune.stay]
type = "int"
start = 3
min = 0
max = 9
step = 1
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text("print()")
    (folder / "bot.toml").write_text(TOML)
    return folder


class SimulatedMatches:
    """Plays blocks by what the numbers are worth: the best are force 4 and stay 5."""

    def __init__(self, real: PairedMatches, worth: float) -> None:
        self.first, self.pool, self.voids = real.first, real.pool, 0
        self.worth = worth
        self.stopped: dict[str, int] = {}
        self.played = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def elo(self, entrant: Any) -> float:
        assert isinstance(entrant, ProgramEntrant)
        force, stay = (float(word.partition("=")[2]) for word in entrant.program.argv[-2:])
        return -self.worth * ((force - 4) ** 2 + (stay - 5) ** 2)

    def play(
        self, blocks: Iterable[tuple[PairedBlock, Versions]]
    ) -> Generator[PairedResult, None, None]:
        for block, (old, new) in blocks:
            self.played += 1
            luck, met = random.Random(block.seed), block.opponents[0]
            elos = self.elo(old), self.elo(new)
            found = World().block(block.number, met, *elos, luck, paired=True)
            yield replace(found, stopped=self.stopped)


def tuning(bot: Path, truth: float, run: Path | None = None, **options: Any) -> Tune:
    """A tune against five opponents."""
    pool = [str(bot)] * 5
    given: dict[str, Any] = {"games": 4000, "worth": 30.0, "seed": "7"}
    given.update(options)
    made = tune("tiny", str(bot), pool, run=run, **given)
    made.matches = cast(PairedMatches, SimulatedMatches(made.matches, truth))
    return made


def test_numbers_that_matter_become_better(bot: Path) -> None:
    with tuning(bot, 30.0) as found:
        results = list(found)
    report = found.report()
    assert report.verdict is TuneVerdict.BETTER
    assert report.has_effect
    assert abs(report.tuned["force"] - 4) < 1
    assert abs(report.tuned["stay"] - 5) <= 1
    assert report.final is not None
    assert len(results) == report.done + report.final.blocks
    assert report.toml.startswith("[tune.force]\nstart = ")
    assert report.sentence == "The tuned numbers of bot are better."


def test_numbers_that_do_nothing(bot: Path) -> None:
    said: list[str] = []
    with tuning(bot, 0.0, tell=said.append) as found:
        list(found)
    report = found.report()
    assert report.verdict is TuneVerdict.NO_EFFECT
    assert 0.5 <= report.done / report.iterations < 0.55
    assert report.toml == ""
    assert [text.partition(",")[0] for text in said] == ["no measurable effect so far"]


def test_what_is_not_better_is_not_shipped(bot: Path) -> None:
    """The numbers become worse on purpose after the tune."""
    with tuning(bot, 30.0) as found:
        for _ in found:
            if found.done == found.iterations:
                cast(SimulatedMatches, found.matches).worth = -1.0
    assert found.report().verdict is TuneVerdict.NOT_BETTER
    assert found.report().toml == ""


def test_what_is_stopped_is_not_shipped(bot: Path) -> None:
    """Tuned numbers with which the program ends early, whatever the rules give it for that."""
    with tuning(bot, 30.0) as found:
        for _ in found:
            if found.done == found.iterations:
                cast(SimulatedMatches, found.matches).stopped = {"new crashed": 2}
    report = found.report()
    assert report.verdict is TuneVerdict.NOT_BETTER
    assert report.toml == ""
    assert report.final is not None
    assert "the tuned was stopped in" in report.final.sentence


@pytest.mark.dear
@pytest.mark.parametrize("method", ["spsa", "cmaes"])
def test_interruptions_do_not_change_the_file(method: str, bot: Path, tmp_path: Path) -> None:
    if method == "cmaes":
        pytest.importorskip("cmaes", reason="the extra tune is not installed")
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    with tuning(bot, 30.0, whole, method=method) as found:
        list(found)
    expected = found.report()
    for stop in (5, 16, 100, 900):
        with tuning(bot, 30.0, parts, method=method) as found:
            for _ in zip(range(stop), found, strict=False):
                pass
        parts.write_bytes(parts.read_bytes()[:-7])
    with tuning(bot, 30.0, parts, method=method) as found:
        list(found)
    assert whole.read_bytes() == parts.read_bytes()
    assert found.report() == expected
    assert expected.verdict is TuneVerdict.BETTER


def test_a_changed_file_is_refused(bot: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    with tuning(bot, 30.0, run) as found:
        next(iter(found))
    head, line = run.read_bytes().splitlines(keepends=True)
    run.write_bytes(head + line.replace(b'"one":[', b'"one":[9'))
    with tuning(bot, 30.0, run) as found, pytest.raises(UsageError, match="does not follow"):
        list(found)
    run.write_bytes(head + b'{"iteration":0}\n')
    with pytest.raises(UsageError, match="is not the file of a tune"):
        tuning(bot, 30.0, run)
    with pytest.raises(UsageError, match="differs in worth"):
        tuning(bot, 30.0, run, worth=5.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"games": 255}, "give at least 256"),
        ({"worth": 0.0}, "give Elo above 0"),
        ({"method": "luck"}, "there is no method 'luck'"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], said: str, bot: Path) -> None:
    with pytest.raises(UsageError, match=said):
        tuning(bot, 1.0, **change)


def test_a_bot_without_numbers(bot: Path) -> None:
    with pytest.raises(UsageError, match="bot declares no numbers"):
        tune("tiny", str(bot / "bot.py"), [str(bot)])
