"""What a run plays: each pairing from both sides, newcomers, Swiss rounds, on and on."""

from __future__ import annotations

import shutil
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league import plan, sums
from arena.league.bots import hand_in
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import Endless, Meetings, Swiss, choose, meet, newcomers
from arena.league.types import LeaguePlayer, bot_id
from tests.league.making import ANSWERS, begin, fails, lay_out, opened, passes, play


def seatings(league: League) -> Counter[tuple[str, ...]]:
    return Counter(one.fixture.seats for one in league.results())


def test_each_pair_meets_from_both_sides_on_one_map_a_round(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3") as league:
        play(league, Meetings(2))
        found = [one.fixture for one in league.results()]
        assert len(found) == 12
        assert set(seatings(league).values()) == {2}
        by_seed = Counter((fixture.seed, frozenset(fixture.seats)) for fixture in found)
        assert set(by_seed.values()) == {2}
        assert len({seed for seed, _ in by_seed}) == 6


@pytest.mark.dear
def test_rounds_are_all_so_far_and_a_newcomer_catches_up(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        assert play(league, Meetings(2)).progress.played == 4
        assert play(league, Meetings(2)).progress.played == 0
        hand_in(league, lay_out(tmp_path, "late", ANSWERS.format(answer=3)), test=passes)
        assert play(league, Meetings(2)).progress.played == 8


def test_who_comes_while_it_runs_plays_from_then_on(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        run = Judge(league, Meetings(2)).run()
        next(run)
        hand_in(league, lay_out(tmp_path, "late", ANSWERS.format(answer=3)), test=passes)
        assert len(list(run)) == 11
        assert set(seatings(league).values()) == {2}


@pytest.mark.dear
def test_the_rounds_of_players_who_have_changed_are_not_played_on(tmp_path: Path) -> None:
    """A newcomer meets the others before they go on among themselves."""
    with opened(tmp_path / "l", "1", "2") as league:
        run = Judge(league, Meetings(3)).run()
        next(run)
        hand_in(league, lay_out(tmp_path, "late", ANSWERS.format(answer=3)), test=passes)
        late = league.player("late")
        assert late is not None
        list(run)
        first = next(i for i, one in enumerate(league.results()) if late.bot in one.fixture.seats)
        assert first <= 2  # behind the round that was under way


def test_a_gauntlet_is_one_against_all(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3") as league:
        play(league, Meetings(1, "bot2"))
        bot = league.player("bot2")
        assert bot is not None
        assert len(seatings(league)) == 4
        assert all(bot.bot in seats for seats in seatings(league))


@pytest.mark.dear
def test_larger_tables_play_balanced_groups(tmp_path: Path) -> None:
    path = tmp_path / "l"
    with begin(path, "1", "2", "3", "4", seats=3) as league:
        play(league)
        met = Counter(
            pair
            for seats in seatings(league)
            for pair in ((a, b) for a in seats for b in seats if a < b)
        )
        assert len(met) == 6
        with pytest.raises(UsageError, match="a gauntlet is for games of two"):
            play(league, Meetings(1, "bot2"))


def test_swiss_rounds_pair_like_scores_and_none_twice(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "0", "1", "2", "3", "4") as league:
        play(league, Swiss(2))
        pairs = Counter(frozenset(seats) for seats in seatings(league))
        assert set(pairs.values()) == {2}
        assert len(pairs) == 4
        byes = [fixture for round in (0, 1) for fixture in league.round_of("swiss", round)
                if len(fixture.seats) == 1]  # fmt: skip
        assert len({one.seats for one in byes}) == 2
        assert play(league, Swiss(2)).progress.played == 0
        assert play(league, Swiss(3)).progress.played == 4


@pytest.mark.dear
def test_on_and_on_it_plays_what_tells_most(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3") as league:
        run = Judge(league, Endless()).run()
        assert len(list(islice(run, 40))) == 40  # several stages
        run.close()
        assert len(seatings(league)) == 6


@pytest.mark.dear
def test_endless_play_reads_the_sums_that_are_kept_for_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "l", "1", "2", "3") as league:
        monkeypatch.setattr(sums, "recounted", lambda *_: pytest.fail("all results were read"))
        run = Judge(league, Endless()).run()
        assert len(list(islice(run, 40))) == 40  # several stages
        run.close()
        monkeypatch.undo()
        kept = sums.sums_of(league, league.players())
        assert sums.is_same(kept, sums.recounted(league, league.players()))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """The matches after which a bot is placed, for a quick test."""
    monkeypatch.setattr(plan, "PLACEMENT", 4)
    return 4


@pytest.mark.dear
def test_a_newcomer_is_placed_first(tmp_path: Path, few: int) -> None:
    """As soon as it comes, every other block is one of its own until it has enough of them; then
    the others play on."""
    with opened(tmp_path / "l", "1", "2", "3", "4") as league:
        run = Judge(league, Endless()).run()
        for _ in range(4 * few):  # enough for all four
            next(run)
        hand_in(league, lay_out(tmp_path, "late", ANSWERS.format(answer=3)), test=passes)
        late = league.player("late")
        assert late is not None
        assert [(one.name, done) for one, done in newcomers(league, league.players())] == [
            ("late", 0)
        ]
        ended = [next(run) for _ in range(2 * few + 16)]
        run.close()
        own = [late.bot in one.seats for one in ended]
        first = own.index(True)
        assert first <= 4  # a block was under way, and the next was another's turn
        placing = own[first : first + 2 * few - 2]
        assert placing == [True, True, False, False, True, True]
        assert newcomers(league, league.players()) == []


def test_who_hands_in_without_end_gets_half_of_the_matches(tmp_path: Path, few: int) -> None:
    with opened(tmp_path / "l", "1", "2", "3", "4") as league:
        run = Judge(league, Endless()).run()
        for _ in range(4 * few):
            next(run)
        mine = set()
        ended = []
        for version in range(6):
            code = f"# {version}\n{ANSWERS.format(answer=3)}"
            hand_in(league, lay_out(tmp_path / f"{version}", "copy", code), "copy", test=passes)
            player = league.player("copy")
            assert player is not None
            mine.add(player.bot)
            while newcomers(league, league.players()):
                ended.append(next(run))
        run.close()
        own = [not mine.isdisjoint(one.seats) for one in ended]
        assert len(own) >= 12 * few - 4
        assert sum(own) <= len(own) / 2 + 2


def test_bots_of_a_team_do_not_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "l", "0", "1", "2", "3") as league:
        monkeypatch.setattr(
            league, "teams", lambda players: [one.name in ("bot1", "bot2") for one in players]
        )
        play(league, Meetings(1))
        run = Judge(league, Endless()).run()
        assert len(list(islice(run, 40))) == 40
        run.close()
        play(league, Swiss(2))
        names = {one.bot: one.name for one in league.players()}
        met = {frozenset(map(names.__getitem__, seats)) for seats in seatings(league)}
        assert met == {frozenset({a, b}) for a in ("bot1", "bot2") for b in ("bot3", "bot4")}


def test_players_come_in_the_order_in_which_their_names_did(tmp_path: Path) -> None:
    """Whatever the names are, and however often one is handed in again."""
    with opened(tmp_path / "l") as league:
        for content, name in enumerate(("zoe", "adam", "mia", "zoe", "adam")):
            bot = LeaguePlayer(name, bot_id(name, f"{content}"), f"{content}", "bot", 0)
            league.submit(bot, passes(league.terms, Path("bot")))
        for players in (league.players(), league.ranked("9999-01-01 00:00:00")):
            assert [(one.name, one.content) for one in players] == [
                ("zoe", "3"),
                ("adam", "4"),
                ("mia", "2"),
            ]


def test_entries_change_with_the_players(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        seen = [league.entries()]

        def is_new() -> bool:
            seen.append(league.entries())
            return seen[-1] not in seen[:-1]

        assert not is_new()
        hand_in(league, lay_out(tmp_path, "late", ANSWERS.format(answer=3)), test=fails)
        assert is_new()
        league.admit("late", "a friend")
        assert is_new()
        late = league.player("late")
        assert late is not None
        league.withdraw(late, "no friend")
        assert is_new()


@pytest.mark.dear
def test_a_newcomer_that_cannot_be_started_holds_nobody_up(tmp_path: Path, few: int) -> None:
    with opened(tmp_path / "l", "1", "2", "3") as league:
        run = Judge(league, Endless()).run()
        for _ in range(3 * few):
            next(run)
        run.close()
        hand_in(league, lay_out(tmp_path, "gone", ANSWERS.format(answer=3)), test=passes)
        gone = league.player("gone")
        assert gone is not None
        shutil.rmtree(league.folder.bot(gone.content, gone.entry))
        again = Judge(league, Endless())
        ended = list(islice(again.run(), 4))
        assert len(ended) == 4
        assert again.unplayed
        assert all(gone.bot not in one.seats for one in ended)


def test_what_a_run_has_left_is_played_by_the_next(tmp_path: Path) -> None:
    """But not what was planned between bots that play no more."""
    with opened(tmp_path / "l", "1", "2", "3") as league:
        players = league.players()
        left = league.plan(meet(league, players, (0, 1), 0))
        league.plan(meet(league, players, (0, 2), 0))
        league.withdraw(players[2], "it is old")
        run = Judge(league, Endless()).run()
        assert [next(run).number for _ in range(2)] == [one.number for one in left]
        run.close()


def test_too_few_bots(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1") as league, pytest.raises(UsageError, match="needs 2 bots"):
        play(league)


@pytest.mark.parametrize(
    ("kind", "rounds", "forever", "challenger", "said"),
    [
        ("swiss", None, True, None, "--forever chooses"),
        ("round-robin", 3, True, None, "--forever chooses"),
        ("gauntlet", 3, False, None, "a gauntlet needs a challenger"),
        ("swiss", 3, False, "x", "a gauntlet needs a challenger"),
    ],
)
def test_options_that_contradict_each_other(
    kind: str, rounds: int | None, forever: bool, challenger: str | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        choose(None, kind, rounds, forever=forever, challenger=challenger)


def test_the_challenger_must_play(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "l", "1", "2") as league,
        pytest.raises(UsageError, match="did you mean 'bot1'"),
    ):
        play(league, Meetings(1, "bot11"))


def _of_teams(league: League, size: int) -> None:
    """Give bots to teams: the first `size` ones to the first team, and so on."""
    league.teams_of = lambda names: [  # type: ignore[method-assign]
        (int(name.removeprefix("bot")) - 1) // size for name in names
    ]


def test_with_three_seats_all_bots_play_whatever_teams_they_have(tmp_path: Path) -> None:
    with opened(tmp_path / "l", *"123123123", seats=3) as league:
        _of_teams(league, 3)
        (stage,) = Meetings(1).stages(league)
        fixtures = [one for turn in stage.rounds for one in turn]
        names = {player.bot: int(player.name[-1]) for player in league.players()}
        groups = {tuple(sorted(names[bot] for bot in one.seats)) for one in fixtures}
        assert all(len({(one - 1) // 3 for one in group}) == 3 for group in groups)
        assert {*Counter(bot for group in groups for bot in group).values()} == {3}
        assert stage.total == len(fixtures) == 27


def test_bots_of_too_few_teams_are_told_instead_of_no_match(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2") as league:
        _of_teams(league, 2)
        for plan_ in (Meetings(1), Swiss(1), Endless()):
            with pytest.raises(UsageError, match=r"bots of 2 teams.* one without a team by: arena"):
                next(iter(plan_.stages(league)))
