"""Playing a league: every result once, whatever happens in between."""

from __future__ import annotations

import dataclasses
import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from arena.errors import ArenaFault, DiskFull, MachineError, UsageError
from arena.league.audit import audit
from arena.league.bots import hand_in
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.lock import ask_to_stop, is_asked_to_stop, judging
from arena.league.plan import Meetings
from arena.league.table import league_table
from arena.match.referee import Fairness
from tests import tiny
from tests.hostile.arena_runs import arena as start
from tests.league.making import CRASHES, begin, lay_out, opened, passes, play


def digest(league: League) -> str:
    return league_table(league).digest


def test_every_match_is_recorded_once(played: League) -> None:
    assert played.count("fixture") == played.count("result") == 12
    assert played.count("seat") == 24
    assert audit(played).matches == 12
    assert audit(played).ok
    assert list((played.folder.path / "drafts").iterdir()) == []


def test_a_crash_is_a_result_with_evidence(played: League) -> None:
    bot = played.player("bot4")
    assert bot is not None
    own = [
        seat
        for one in played.results()
        for name, seat in zip(one.fixture.seats, one.result.seats, strict=True)
        if name == bot.bot
    ]
    assert len(own) == 6
    assert {seat.stopped for seat in own} == {"crashed"}
    assert {seat.detail for seat in own} == {"left with exit code 7"}
    assert league_table(played).table.standings[3].stopped == {"crashed": 6}


def test_the_same_bots_and_seed_give_the_same_table(played: League, tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        play(league, jobs=2)
        assert digest(league) == digest(played)
    with opened(tmp_path / "m", "1", "2", "3", CRASHES, seed="2") as league:
        play(league)
        assert digest(league) != digest(played)


def test_the_digest_is_of_the_matches_in_the_table(played: League, tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3") as league:
        play(league)
        digest_of_three = digest(league)
        hand_in(league, lay_out(tmp_path, "bot4", CRASHES), test=passes)
        play(league)
        assert digest(league) == digest(played)
        league.withdraw(league.players()[3], "")
        assert (league_table(league).table.games, digest(league)) == (6, digest_of_three)


@pytest.mark.dear
def test_O01_what_was_played_stays_when_a_run_is_broken_off(played: League, tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        for _ in range(3):
            run = Judge(league, Meetings(1)).run()
            next(run)
            run.close()
        assert league.count("result") == 3
        play(league)
        assert digest(league) == digest(played)


@pytest.mark.dear
@pytest.mark.parametrize("at", ["keep_records", "add_results"])
def test_O01_killed_between_any_two_steps(
    at: str, played: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record has no place yet, or it has no row yet."""
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        with monkeypatch.context() as patch:
            patch.setattr(league.folder if at == "keep_records" else league, at, _interrupt)
            with pytest.raises(KeyboardInterrupt):
                play(league)
        assert league.count("result") == 0
        record = league.folder.record(1)
        assert record.exists() == (at == "add_results")
        kept = record.read_bytes() if at == "add_results" else None
        judge = play(league)
        assert kept is None or record.read_bytes() == kept, "it was played again"
        assert judge.progress.played == 12
        assert digest(league) == digest(played)
        assert audit(league).wrong == []


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["half", "another match", "no record"])
def test_O02_a_record_without_a_row_that_is_not_right_is_dropped(
    what: str, played: League, tmp_path: Path
) -> None:
    whole = played.folder.record(1).read_bytes(), played.folder.record(3).read_bytes()
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        place = league.folder.record(1)
        place.parent.mkdir()
        place.write_bytes(
            {"half": whole[0][:900], "another match": whole[1], "no record": b"1"}[what]
        )
        play(league)
        assert digest(league) == digest(played)
        assert audit(league).wrong == []


def test_O06_a_second_judge_is_refused_and_told_of_the_first(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", game="warlight") as league:
        with judging(league.path, league.folder.path):
            second = start("league", "run", league.path)
            _, refused = second.communicate(timeout=60)
            told, _ = start("league", "stop", league.path).communicate(timeout=60)
        assert second.returncode == 2
        assert f"process {os.getpid()} already plays {league.path}" in refused
        assert f"process {os.getpid()} ends after the matches under way" in told
        assert is_asked_to_stop(league.folder.path)


def test_asked_to_stop_it_begins_no_further_match(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        assert ask_to_stop(league.folder.path) is None
        judge = Judge(league, Meetings(6))
        run = judge.run()
        next(run)
        (league.folder.path / "stop").touch()  # as another process does: one holds its own lock
        assert len(list(run)) <= 2  # what was ready before
        assert judge.stopped
        assert play(league, Meetings(6)).progress.played > 8  # the next run is not stopped


@pytest.fixture
def bad_times(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int], None]:
    """Let the first so many matches end with a MachineError."""

    def have(count: int) -> None:
        def check(self: Fairness) -> None:
            for number in range(count):
                with suppress(FileExistsError):
                    (tmp_path / f"bad{number}").touch(exist_ok=False)
                    raise MachineError(f"bad time {number}")

        monkeypatch.setattr(Fairness, "check_sleep", check)

    return have


def test_O11_a_void_match_is_noted_and_played_again(
    played: League, tmp_path: Path, bad_times: Callable[[int], None]
) -> None:
    bad_times(2)
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        play(league)
        assert digest(league) == digest(played)
        assert league.store.all("SELECT attempt, reason FROM void ORDER BY reason") == [
            (1, "bad time 0"),
            (1, "bad time 1"),
        ]
        assert league.store.one("SELECT count(*) FROM result WHERE attempt = 2") == (2,)


def test_O11_when_no_match_can_be_played_the_run_ends(
    tmp_path: Path, bad_times: Callable[[int], None]
) -> None:
    bad_times(99)
    with opened(tmp_path / "l", "1", "2") as league:
        with pytest.raises(MachineError, match="3 matches in a row were void"):
            play(league, Meetings(5))
        assert (league.count("result"), league.count("void")) == (0, 3)


@pytest.mark.dear
def test_O03_no_room_for_a_record(
    played: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        with monkeypatch.context() as patch:
            times = iter([False] * 5 + [True])

            def sync(path: Path) -> None:
                if next(times):
                    raise OSError(errno.ENOSPC, "No space left on device")

            patch.setattr("arena.league.league.sync", sync)
            with pytest.raises(DiskFull, match="no room on the disk"):
                play(league)
        assert 0 < league.count("result") < 12
        play(league)
        assert digest(league) == digest(played)


@pytest.mark.dear
def test_O03_no_room_for_a_row(played: League, tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        run = Judge(league, Meetings(300)).run()
        next(run)
        pages = league.store.one("PRAGMA page_count")
        assert pages is not None
        league.store.all(f"PRAGMA max_page_count={pages[0]}")
        with pytest.raises(DiskFull, match="no room on the disk"):
            list(run)
        league.store.all("PRAGMA max_page_count=1000000")
        play(league)
        assert audit(league).wrong == []


def test_O04_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        league.store.all("PRAGMA query_only=ON")
        with pytest.raises(ArenaFault, match=r"cannot write to .* get the right to write to it"):
            play(league)


def test_O16_a_bot_that_is_replaced_plays_from_its_copy(tmp_path: Path) -> None:
    with begin(tmp_path / "l", "1", "2") as league:
        shutil.rmtree(tmp_path / "l-sources")
        assert play(league).progress.played == 2


def test_O16_a_copy_that_was_changed_plays_no_match(played: League, tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3", CRASHES) as league:
        bot = league.player("bot2")
        assert bot is not None
        code = league.copy_of(bot.bot)[2] / "bot.sh"
        code.chmod(0o644)
        code.write_text(code.read_text() + "# ")
        told: list[str] = []
        judge = Judge(league, Meetings(1), tell=told.append)
        assert len(list(judge.run())) == 6
        assert sum(judge.unplayed.values()) == 6
        assert "the copy of bot2" in told[0]
        assert "hand the same bot in again" in told[0]
        again = hand_in(league, tmp_path / "l-sources" / "bot2", test=passes)
        assert not again.is_new
        play(league)
        assert digest(league) == digest(played)


def test_other_rules_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        monkeypatch.setattr(tiny, "TINY", dataclasses.replace(tiny.TINY, rules_version=2))
        with pytest.raises(UsageError, match="version 2 is installed"):
            play(league)
