"""A comparison from Python: pairs in order, why it stops, and what it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

import arena
from arena.tournament.sprt import FLOOR, SprtVerdict
from arena.tournament.standings import make_table
from tests.api.conftest import one, two

SETTINGS = {"max_rounds": 3}


def test_the_better_one_is_found() -> None:
    """`two` wins every game, so that every pair is won."""
    comparison = arena.compare("tiny", one, two, test=arena.Sprt(elo1=200), settings=SETTINGS)
    assert len(list(comparison)) == 2 * FLOOR
    report = comparison.report()
    assert (report.verdict, report.pairs) == (SprtVerdict.BETTER, [0, 0, 0, 0, FLOOR])
    assert report.sentence == "two is better than one."
    assert "reached 2.94: H1 is accepted" in report.stopped
    assert (report.estimate.elo, report.estimate.high) == (None, None)
    assert [(row.name, row.wins) for row in report.standings] == [("one", 0), ("two", 2 * FLOOR)]


def test_the_worse_one_is_not_better() -> None:
    comparison = arena.compare("tiny", two, one, test=arena.Sprt(elo1=200), settings=SETTINGS)
    list(comparison)
    report = comparison.report()
    assert report.verdict is SprtVerdict.NOT_BETTER
    assert report.sentence == "one is not better than two by 200 Elo."


def test_it_ends_undecided_after_all_games() -> None:
    comparison = arena.compare("tiny", one, one, games=8, settings=SETTINGS)
    assert len(list(comparison)) == 8
    report = comparison.report()
    assert (report.verdict, report.pairs) == (SprtVerdict.UNDECIDED, [0, 0, 4, 0, 0])
    assert report.stopped == "all 8 games were played"
    assert report.sentence.startswith("It is not known yet whether one #2 is better than one #1")


def test_pairs_are_judged_in_the_order_of_their_seeds() -> None:
    """A pair that ends before an earlier one waits for it."""
    comparison = arena.compare("tiny", one, two, games=6, settings=SETTINGS)
    reports = dict(comparison.series.play_games(range(6)))
    judged = []
    for game in (4, 5, 1, 2, 0, 3):
        comparison._note(game, reports[game])
        judged.append(sum(comparison.pairs))
    assert judged == [0, 0, 0, 0, 1, 3]


def test_more_jobs_make_no_difference() -> None:
    comparison = arena.compare(
        "tiny", one, two, test=arena.Sprt(elo1=200), jobs=2, seed=1, settings=SETTINGS
    )
    list(comparison)
    assert comparison.pairs == [0, 0, 0, 0, FLOOR]


async def test_inside_trio() -> None:
    comparison = arena.compare("tiny", one, two, games=4, settings=SETTINGS)
    with pytest.raises(arena.UsageError, match="play_async"):
        list(comparison)
    heard: list[str] = []
    await comparison.play_async(lambda report: heard.append(report.seed))
    assert len(heard) == 4


def test_an_odd_number_of_games_is_refused() -> None:
    with pytest.raises(arena.UsageError, match="give an even number"):
        arena.compare("tiny", one, two, games=7)


def program(folder: Path, name: str, before: str = "") -> str:
    """A bot that bids 2, after what it does `before`."""
    path = folder / f"{name}.sh"
    path.write_text(f"{before}\nwhile read -r line; do case $line in go*) echo 2;; esac; done\n")
    return str(path)


def last_legal(lines: list[str]) -> str:
    """The last legal action."""
    return next(line.split(" ")[-1] for line in reversed(lines) if line.startswith("legal "))


def test_a_dead_one_loses_where_the_rules_move_for_it(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    dead = program(tmp_path, "dead", "exit 3")
    comparison = arena.compare("openspiel:connect_four", last_legal, dead, games=4)
    list(comparison)
    assert comparison.pairs == [2, 0, 0, 0, 0]


def test_a_dead_one_is_not_better_whatever_the_rules_give_it(tmp_path: Path) -> None:
    dead = program(tmp_path, "dead", "exit 3")
    test = arena.Sprt(elo1=200)
    comparison = arena.compare("tiny", one, dead, games=4, settings=SETTINGS, test=test)
    list(comparison)
    comparison.pairs[:] = [0, 0, 0, 0, FLOOR]  # as if the moves that stand for its own had won
    report = comparison.report()
    assert report.verdict is SprtVerdict.NOT_BETTER
    assert report.sentence == (
        "dead was stopped in 4 of its 4 games (crashed 4 ×): mend that first. It is not better "
        "than one."
    )


@pytest.mark.dear
def test_one_that_crashes_once_may_be_better(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    once = program(tmp_path, "once", f"[ -e {flag} ] || {{ touch {flag}; exit 3; }}")
    comparison = arena.compare(
        "tiny", one, once, test=arena.Sprt(elo1=200), settings=SETTINGS, forfeit=True
    )
    list(comparison)
    report = comparison.report()
    assert report.standings[1].stopped == {"crashed": 1}
    assert report.verdict is SprtVerdict.BETTER
    assert report.sentence == "once is better than one."


@pytest.mark.dear
def test_that_the_old_one_was_dead_is_said(tmp_path: Path) -> None:
    dead = program(tmp_path, "dead", "exit 3")
    comparison = arena.compare(
        "tiny", dead, two, test=arena.Sprt(elo1=200), settings=SETTINGS, forfeit=True
    )
    list(comparison)
    report = comparison.report()
    why = f"was stopped in {report.played} of its {report.played} games"
    assert report.verdict is SprtVerdict.BETTER
    assert report.sentence.startswith(f"two is better than dead. dead {why}")
    notes = make_table(comparison.series.names, comparison._tally).notes
    assert [note for note in notes if note.startswith(f"dead {why}")]
