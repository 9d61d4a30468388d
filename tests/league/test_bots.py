"""Bots that are handed in to a league, alone and together."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bots.cache import KEPT_DAYS
from arena.bots.intake import TakenIn
from arena.errors import DiskFull, MachineError, UsageError
from arena.league import bots
from arena.league.bots import LeagueBots, LeagueSubmission, hand_in, hand_in_each
from arena.league.league import Folder
from arena.league.types import LeagueTerms, settle
from arena.players.entrant import Entrant
from arena.runtime.affinity import usable_cores
from arena.sandbox.levels import Level, SandboxMode
from arena.trial.report import CheckStep, SubmissionReport
from tests.league.making import lay_out, opened, passes


@pytest.fixture
def stumbles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading some bots ends badly, each in its way."""
    keep = Folder.keep_bot

    def keep_bot(self: Folder, given: Path, sandbox: Level | SandboxMode) -> TakenIn:
        match given.name:
            case "raises":
                raise KeyError("x")
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "memory":
                bytearray(4 << 30)
            case "machine":
                raise MachineError("the machine failed: try again")
            case "full":
                raise DiskFull("no room: make some")
        return keep(self, given, sandbox)

    monkeypatch.setattr(Folder, "keep_bot", keep_bot)
    monkeypatch.setattr(bots, "examine", lambda terms, bot, tell: passes(terms, bot))


def laid_out(folder: Path, *names: str) -> list[Path]:
    return [lay_out(folder, name, name) for name in names]


def said(found: LeagueSubmission) -> str:
    assert found.report is not None
    return found.report.steps[0].detail


@pytest.mark.parametrize("jobs", [1, 3])
def test_of_several_each_fails_alone(jobs: int, tmp_path: Path, stumbles: None) -> None:
    given = laid_out(tmp_path, "raises", "a", "killed", "memory", "machine", "b")
    given.insert(2, tmp_path / "gone")
    with opened(tmp_path / "cup.league") as league:
        found = list(hand_in_each(league, given, jobs=jobs))
        assert [player.name for player in league.players()] == ["a", "b"]
    assert [one.name for one in found] == [path.name for path in given]
    assert [one.ok for one in found] == [False, True, False, False, False, False, True]
    refused = {one.name: said(one) for one in found if not one.ok}
    assert refused["raises"] == (
        "it could not be read or tested: KeyError: 'x' (an error of the arena? --traceback shows "
        "where)"
    )
    assert refused["killed"].startswith("it could not be read or tested: its process was killed")
    assert "it takes more than 1 GiB of memory" in refused["memory"]
    assert refused["machine"] == "the machine failed: try again"
    assert refused["gone"].startswith("there is no file or folder")


def test_a_report_that_cannot_be_kept_is_the_loss_of_its_bot_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def examined(terms: LeagueTerms, bot: TakenIn, tell: object) -> SubmissionReport:
        return replace(
            passes(terms, bot), steps=[CheckStep("a", True, "\udcff" * (bot.name == "odd"))]
        )

    monkeypatch.setattr(bots, "examine", examined)
    with opened(tmp_path / "cup.league") as league:
        found = list(hand_in_each(league, laid_out(tmp_path, "a", "odd", "b")))
        assert [player.name for player in league.players()] == ["a", "b"]
    assert "surrogates not allowed" in said(found[1])


def test_a_traceback_is_told_to_who_asks_for_it(tmp_path: Path, stumbles: None) -> None:
    told: list[str] = []
    with opened(tmp_path / "cup.league") as league:
        given = laid_out(tmp_path, "raises")
        list(hand_in_each(league, given, traceback=told.append))
    assert 'raise KeyError("x")' in told[0]


def test_a_single_bot_raises_as_it_always_did(tmp_path: Path, stumbles: None) -> None:
    laid_out(tmp_path, "machine", "full")
    with opened(tmp_path / "cup.league") as league:
        for given, error in ("gone", UsageError), ("machine", MachineError), ("full", DiskFull):
            with pytest.raises(error):
                list(hand_in_each(league, [tmp_path / given]))


def test_without_room_on_the_disk_no_bot_is_refused(tmp_path: Path, stumbles: None) -> None:
    with opened(tmp_path / "cup.league") as league:
        with pytest.raises(DiskFull):
            list(hand_in_each(league, laid_out(tmp_path, "a", "full", "b")))
        assert [player.name for player in league.players()] == ["a"]


def test_a_ctrl_c_leaves_those_that_passed_and_names_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def examined(terms: LeagueTerms, bot: TakenIn, tell: object) -> SubmissionReport:
        if bot.name in ("hangs", "too"):
            time.sleep(60)
        return passes(terms, bot)

    def tell(text: str) -> None:
        told.append(text.partition(" after")[0])
        if text.endswith(": c"):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(bots, "examine", examined)
    given = laid_out(tmp_path, "a", "hangs", "b", "c", "too", "d")
    told: list[str] = []
    left: list[Path] = []
    found: list[LeagueSubmission] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with opened(tmp_path / "cup.league") as league:
            with pytest.raises(KeyboardInterrupt):
                found.extend(hand_in_each(league, given, jobs=2, tell=tell, left=left.append))
            assert [player.name for player in league.players()] == ["a", "b", "c"]
    finally:
        signal.signal(signal.SIGINT, before)
    assert [one.name for one in found] == ["a", "b", "c"]
    assert [bot.name for bot in left] == ["hangs", "too", "d"]
    assert told == ["1 of 6 tested", "2 of 6 tested", "3 of 6 tested"]


def test_how_many_are_tested_at_a_time() -> None:
    def tested(wanted: int | None, clock: str) -> int:
        terms = settle("tiny", None, {"clock": clock})
        return bots.tests_at_a_time(terms, wanted, lambda text: None)

    assert tested(None, "fair") == tested(None, "cpu") == usable_cores()
    assert tested(None, "wall") == 1
    assert tested(3, "wall") == tested(3, "fair") == 3


def test_a_judge_finds_a_bot_again_before_its_build_may_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bots.REFIND_SECONDS < KEPT_DAYS * 24 * 3600 / 2
    found: list[str] = []
    later = bots.REFIND_SECONDS + 0.5
    with opened(tmp_path / "cup.league", "1") as league:
        players = LeagueBots(league)
        find = players._player

        def player_of(name: str, path: Path) -> Entrant:
            found.append(name)
            return find(name, path)

        monkeypatch.setattr(players, "_player", player_of)
        (player,) = league.players()
        for now in (0.0, 1.0, later, later + 1.0):
            monkeypatch.setattr("time.monotonic", partial(float, now))
            players.entrant(player.bot)
    assert len(found) == 2


def test_of_two_bots_of_one_name_the_first_plays(tmp_path: Path, stumbles: None) -> None:
    given = [lay_out(tmp_path / place, "a", place) for place in "xy"]
    with opened(tmp_path / "cup.league") as league:
        first, second = hand_in_each(league, given, jobs=2)
        assert first.ok
        assert "another bot already plays as a" in said(second)
        assert len(league.players()) == 1


def test_a_link_that_is_handed_in_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path, "a", "x")
    (tmp_path / "link").symlink_to("a")
    with opened(tmp_path / "cup.league") as league:
        found = hand_in(league, tmp_path / "link", test=passes)
        assert said(found) == "cannot take it in: link is a link: name what it leads to (a)"
        assert hand_in(league, tmp_path / "a", test=passes).ok


def test_the_folder_in_which_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lay_out(tmp_path, "a", "x"))
    with opened(tmp_path / "cup.league") as league:
        assert hand_in(league, Path("."), test=passes).name == "a"


def test_a_refused_bot_is_not_read_a_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author could have exchanged it meanwhile: what then passed was not what is kept."""
    (tmp_path / "a").mkdir()
    with opened(tmp_path / "cup.league") as league:
        found = hand_in(league, tmp_path / "a", test=lambda terms, bot: pytest.fail("is tested"))
        assert not found.ok
