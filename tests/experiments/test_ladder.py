"""A small ladder: its simulation finds what is true, and each of its subjects prints its table."""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path

import pytest

from arena.tournament.ratings import ELO, Model, fit
from tests.experiments.ladder.__main__ import exponent, main, tally_of_ladder
from tests.experiments.ladder.world import (
    Ladder,
    errors,
    newcomers,
    quantile,
    rank_correlation,
    sparse_fit,
)

pytestmark = pytest.mark.dear


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    """Sixty bots with a hundred matches each."""
    found = Ladder(60, "test")
    for _ in range(50):
        assert found.round() == 60
    return found


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written goes to a folder of the test."""
    monkeypatch.chdir(tmp_path)


def test_in_a_round_each_bot_plays_one_block_and_an_odd_one_none() -> None:
    for bots in (8, 9):
        ladder = Ladder(bots, "odd")
        ladder.round()
        assert sorted(len(rivals) for rivals in ladder.rivals) == [0] * (bots % 2) + [1] * 8


def test_ratings_come_as_near_to_the_truth_as_matches_allow(ladder: Ladder) -> None:
    """The best error of a rating after n matches between equals is 2 / √n."""
    best = 0.6745 * ELO * 2 / sqrt(100)
    for ratings in (ladder.ratings, sparse_fit(ladder, ladder.ratings)[0]):
        assert quantile(errors(ladder.truth, ratings), 0.5) < 1.6 * best
        assert rank_correlation(ladder.truth, ratings) > 0.96


def test_the_sparse_fit_is_that_of_the_arena(ladder: Ladder) -> None:
    """Both climb the same likelihood, with the same prior."""
    met = fit(60, tally_of_ladder(ladder)).met
    model = Model(60, met, prior=0.5)
    model.climb()
    found, sweeps = sparse_fit(ladder, [0.0] * 60)
    assert sweeps > 1
    assert max(ELO * abs(a - b) for a, b in zip(model.ratings, found, strict=True)) < 12


def test_a_newcomer_finds_its_place(ladder: Ladder) -> None:
    ways = newcomers(ladder, 100, 200)
    first, last = ([way[at].elo for way in ways] for at in (0, -1))
    assert sorted(last)[50] < sorted(first)[50] / 2
    assert sum(way[-1].rank <= 0.1 for way in ways) > 80


def test_the_exponent_of_growth() -> None:
    assert exponent([(size, 3.0 * size**2) for size in (10, 100, 1000)]) == pytest.approx(2)
    assert exponent([(10, 1.0), (100, None)]) is None


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("words", "columns"),
    [
        ("matchmaking --sizes 10,20", 5),
        ("table --sizes 10,20", 6),
        ("storage --sizes 100,200 --bots 10 --at-once 500", 7),
    ],
)
def test_a_subject_prints_a_row_for_each_size_and_its_growth(
    words: str, columns: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 0
    *_, first, second, growth = capsys.readouterr().out.splitlines()
    sizes = words.split()[2].split(",")
    assert [row.split()[0] for row in (first, second)] == sizes
    assert len(second.split()) == len(growth.split()) == columns + 1


def test_convergence_prints_all_ways_to_rate(capsys: pytest.CaptureFixture[str]) -> None:
    main(["convergence", "--sizes", "10", "--after", "4,8"])
    printed = capsys.readouterr().out
    for way in ("online", "sparse fit", "fit", "endless play, fit"):
        assert len(re.findall(rf"^ +10 +[48]  {way}  ", printed, re.MULTILINE)) == 2
    assert "newcomers, rank within 5% of all" in printed


def test_traffic_plays_a_real_match(capsys: pytest.CaptureFixture[str]) -> None:
    main(["traffic", "--games", "tncc", "--matches", "1000"])
    _, _, row, table, readers = capsys.readouterr().out.splitlines()
    assert row.split()[0] == "tncc"
    assert "bytes a bot" in table
    assert readers.startswith("10,000 readers")


def test_wrong_sizes_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for sizes in ("7", "0", "-2", "many"):
        with pytest.raises(SystemExit):
            main(["table", "--sizes", sizes])
        assert "--sizes" in capsys.readouterr().err
