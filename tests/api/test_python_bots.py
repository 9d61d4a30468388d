"""Bots in Python: an object for each match and seat, names, listeners, records of a series."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.core.listener import Listener
from arena.core.steps import Frame
from tests.api.conftest import one, two

SETTINGS = {"max_rounds": 3}


class Counting:
    """Bids how often this object was asked, so that an object that is shared shows."""

    def __init__(self, step: int = 1) -> None:
        self.asked = 0
        self.step = step

    def __call__(self, lines: list[str]) -> str:
        self.asked += self.step
        return str(self.asked)


def answers(match: arena.Match, seat: int) -> list[str]:
    return [given.reply.text for given in match.answers(seat) if hasattr(given.reply, "text")]


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_match_and_seat_has_an_object_of_its_own(jobs: int) -> None:
    bots: list[arena.Bot] = [Counting, arena.python_bot(partial(Counting, step=2), "double")]
    series = arena.series("tiny", bots, games=4, jobs=jobs, seed=7, settings=SETTINGS)
    played = list(series.matches())
    assert len(played) == 4
    for match in played:
        first = match.players.index("Counting")
        assert answers(match, first) == ["1", "2", "3"]
        assert answers(match, 1 - first) == ["2", "4", "6"]
        assert match.report.replay is None
    assert [row.name for row in series.standings] == ["Counting", "double"]
    assert len(series.reports) == 4


def test_a_class_at_both_seats_of_a_match() -> None:
    match = arena.play("tiny", [Counting, Counting], seed=7, settings=SETTINGS)
    assert answers(match, 0) == answers(match, 1) == ["1", "2", "3"]


def test_bots_are_given_by_the_names_that_they_shall_have(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("while input(): print(1, flush=True)")
    match = arena.play("tiny", {"old": str(file), "new": one}, settings=SETTINGS)
    assert list(match.players) == ["old", "new"]
    series = arena.series("tiny", {"a": one, "b": two}, games=2, settings=SETTINGS)
    list(series)
    assert [row.name for row in series.standings] == ["a", "b"]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 41, 7])
def test_names_that_are_none(name: Any) -> None:
    with pytest.raises(arena.UsageError, match="name"):
        arena.play("tiny", {name: one, "b": two})


@pytest.mark.parametrize(("make", "said"), [(7, "cannot be called"), (lambda: 7, "is no bot")])
def test_what_makes_no_bot(make: Any, said: str) -> None:
    with pytest.raises(arena.UsageError, match=said):
        arena.play("tiny", [arena.python_bot(make), one], settings=SETTINGS)


class Following(Listener):
    """Keeps the rounds that were shown."""

    def __init__(self, shown: list[int]) -> None:
        self._shown = shown

    async def shown(self, frame: Frame) -> None:
        self._shown.append(frame["round"])


def test_a_series_has_listeners_for_each_match() -> None:
    matches: list[list[int]] = []

    def listen() -> list[Listener]:
        matches.append([])
        return [Following(matches[-1])]

    list(arena.series("tiny", [one, two], games=2, settings=SETTINGS, listen=listen))
    assert matches == [[0, 1, 2, 3]] * 2


def test_records_of_a_series_stay_where_they_were_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    series = arena.series("tiny", [one, two], games=2, seed=7, settings=SETTINGS, replay=path)
    played = list(series.matches())
    assert sorted(one.name for one in tmp_path.iterdir()) == ["r-1.jsonl", "r-2.jsonl"]
    names = [str(tmp_path / f"r-{number}.jsonl") for number in (1, 2)]
    assert [match.report.replay for match in played] == names
    assert [match.header.seed for match in played] == ["7", "7"]


def test_a_record_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    path, second = tmp_path / "r.jsonl", tmp_path / "r-2.jsonl"
    for file in (path, second):
        file.write_text("kept")
    with pytest.raises(arena.UsageError, match=r"r.jsonl exists already.*overwrite=True"):
        arena.play("tiny", [one, two], settings=SETTINGS, replay=path)
    with pytest.raises(arena.UsageError, match=r"r-2.jsonl exists already"):
        arena.series("tiny", [one, two], games=2, settings=SETTINGS, replay=path)
    with pytest.raises(arena.UsageError, match=r"r-2.jsonl exists already"):
        arena.compare("tiny", one, two, games=2, settings=SETTINGS, replay=path)
    with pytest.raises(arena.UsageError, match=r"r-2.jsonl exists already"):
        arena.check("tiny", one, settings=SETTINGS, replay=path)
    assert path.read_text() == second.read_text() == "kept"
    arena.play("tiny", [one, two], settings=SETTINGS, replay=path, overwrite=True)
    assert arena.verify(path).ok
