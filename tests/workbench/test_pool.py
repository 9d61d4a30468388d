"""A comparison against a pool: the schedule, the order, the verdict, and going on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import UsageError
from arena.tournament.sprt import FLOOR, Sprt, SprtVerdict
from arena.workbench.blocks import Pairing
from arena.workbench.paired import PairedResult
from arena.workbench.pool import PoolComparison, compare_with_pool, pool_bots
from tests.workbench.conftest import one, three, two

SETTINGS = {"max_rounds": 3}


def comparison(run: Path | None = None, games: int = 4000, jobs: int = 1) -> PoolComparison:
    return compare_with_pool(
        "tiny", one, three, [one, two], test=Sprt(elo1=200), seed="7", settings=SETTINGS,
        games=games, run=run, jobs=jobs,
    )  # fmt: skip


def test_the_better_version_is_found() -> None:
    with comparison() as found:
        results = list(found)
        report = found.report()
    assert len(results) == FLOOR == report.blocks
    assert report.games == 4 * FLOOR
    assert report.verdict is SprtVerdict.BETTER
    assert report.sentence == "three is better than one #1."
    assert [part.changed for part in report.opponents] == ["better", "better"]
    assert [part.name for part in report.seats] == ["player1", "player2"]
    assert report.maps == []


@pytest.mark.parametrize("stops", [1, 2])
def test_what_was_stopped_in_most_matches_is_better_nowhere(stops: int) -> None:
    """Whatever the moves that stood for its own have won. In half of its matches is not in most."""
    with comparison() as found:
        for number in range(FLOOR):
            result = PairedResult(number, (number % 2,), 0, (0.0, 0.0), (1.0, 1.0))
            found._judge(replace(result, stopped={"new crashed": stops}))
        report = found.report()
    is_dead = stops == 2
    assert found.verdict is SprtVerdict.BETTER
    assert report.verdict is (SprtVerdict.NOT_BETTER if is_dead else SprtVerdict.BETTER)
    assert ("was stopped in" in report.sentence) == is_dead
    cells = {part.changed for part in [*report.opponents, *report.seats]}
    assert cells == {"" if is_dead else "better"}


def test_against_whom_it_was_stopped_it_is_not_better() -> None:
    with comparison() as found:
        for number in range(FLOOR):
            result = PairedResult(number, (number % 2,), 0, (0.0, 0.0), (1.0, 1.0))
            found._judge(replace(result, stopped={"new crashed": 2 * (number % 2)}))
        report = found.report()
    assert report.verdict is SprtVerdict.BETTER
    assert [part.changed for part in report.opponents] == ["better", ""]


def test_rounds_have_every_opponent_and_map_equally_often() -> None:
    pairing = Pairing("7", opponents=4, seats=2, maps=2)
    blocks = [pairing.block(number) for number in range(4 * 2 * 5)]
    assert set(Counter((block.opponents, block.map) for block in blocks).values()) == {5}
    assert len({block.seed for block in blocks}) == len(blocks)
    assert len({tuple(b.opponents[0] for b in blocks[i : i + 4]) for i in range(0, 40, 4)}) > 3


def test_tables_of_more_seats() -> None:
    """Each opponent plays equally often in a round, never twice in a match; the version sits at
    each seat."""
    pairing = Pairing("7", opponents=5, seats=4)
    blocks = [pairing.block(number) for number in range(5)]
    assert set(Counter(rival for block in blocks for rival in block.opponents).values()) == {3}
    for block in blocks:
        assert len(set(block.opponents)) == 3
        assert sorted(order.index(0) for order in block.orders) == [0, 1, 2, 3]


def test_three_seats_are_played() -> None:
    with compare_with_pool(
        "tiny", one, three, [one, two], seats=3, games=12, seed="7", settings=SETTINGS
    ) as found:
        results = list(found)
    assert [len(result.new) for result in results] == [3, 3]
    assert all(result.difference > 0 for result in results)


@pytest.mark.dear
def test_neither_jobs_nor_interruptions_change_the_file(tmp_path: Path) -> None:
    whole, parts, jobs = (tmp_path / f"{name}.jsonl" for name in ("whole", "parts", "jobs"))
    with comparison(whole) as found:
        list(found)
    for stop in (1, 3, 7):
        with comparison(parts) as found:
            for _ in zip(range(stop), found, strict=False):
                pass
        parts.write_bytes(parts.read_bytes()[:-5])
    with comparison(parts) as found:
        list(found)
        report = found.report()
    with comparison(jobs, jobs=2) as found:
        list(found)
    assert report.verdict is SprtVerdict.BETTER
    assert whole.read_bytes() == parts.read_bytes() == jobs.read_bytes()


def test_a_finished_run_plays_nothing_more(tmp_path: Path) -> None:
    for _ in range(2):
        with comparison(tmp_path / "run.jsonl") as found:
            list(found)
            assert found.verdict is SprtVerdict.BETTER
    assert found.matches.played == 0


def test_the_seed_of_the_file_holds(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    with compare_with_pool("tiny", one, two, [one], games=8, run=run, settings=SETTINGS) as found:
        list(found)
        seed = found.pairing.seed
    with compare_with_pool("tiny", one, two, [one], games=16, run=run, settings=SETTINGS) as found:
        assert found.pairing.seed == seed
        assert len(list(found)) == 2
    with pytest.raises(UsageError, match="another run, which differs in seed"):
        compare_with_pool(
            "tiny", one, two, [one], games=16, run=run, settings=SETTINGS, seed="other"
        )


def test_it_ends_undecided_after_all_games() -> None:
    with comparison(games=13) as found:
        assert len(list(found)) == 3
        report = found.report()
    assert report.verdict is SprtVerdict.UNDECIDED
    assert report.stopped == "all 12 games were played"


def test_results_are_judged_in_whole_rounds() -> None:
    with compare_with_pool(
        "tiny", one, three, [one] * 7, test=Sprt(elo1=200), seed="7", settings=SETTINGS
    ) as found:
        for number in range(FLOOR + 7):
            found._judge(PairedResult(number, (number % 7,), 0, (0.0, 0.0), (1.0, 1.0)))
    assert len(found.tally) == 35
    assert found.verdict is SprtVerdict.BETTER


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pool": []}, "the pool is empty"),
        ({"games": 3}, "give at least 4"),
        ({"test": Sprt(normalised=True)}, "leave out --normalised"),
        ({"seats": 3}, "seats=3 is not allowed"),
        ({"seed": ""}, "the seed is empty"),
    ],
)
def test_wrong_arguments(change: dict[str, object], said: str) -> None:
    pool = change.pop("pool", [one])
    with pytest.raises(UsageError, match=said):
        compare_with_pool("tiny", one, two, pool, **change)  # type: ignore[arg-type]


def test_a_file_of_something_else(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    with comparison(run, games=4) as found:
        list(found)
    run.write_bytes(run.read_bytes() + b'{"block":"x"}\n')
    with pytest.raises(UsageError, match="is not the file of a comparison"):
        comparison(run)


def test_a_folder_of_bots(tmp_path: Path) -> None:
    for name in ("b.py", "a.js", "notes.md", ".hidden.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "bot.toml").write_text('main = "bot.py"')
    found = [Path(word).name for word in pool_bots([str(tmp_path), str(tmp_path / "c"), "d.py"])]
    assert found == ["a.js", "b.py", "c", "c", "d.py"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no bots"):
        pool_bots([str(tmp_path / "empty")])
