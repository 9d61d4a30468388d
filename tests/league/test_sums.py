"""The kept sums: those of all results, whatever happened and whatever became of their file."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.league import sums
from arena.league.league import League
from arena.league.rows import faults_of
from arena.league.sums import ALL, Kept, Scope, Sums, from_kept, is_same, recounted, sums_file
from arena.league.table import _made_of, league_table, wrong_sums
from arena.league.types import (
    LeaguePlayer,
    MatchResult,
    PlannedMatch,
    SeatResult,
    block_of,
    bot_id,
    hashed,
)
from arena.tournament.results import Result, ResultTally
from tests.league.making import begin, passes


def add_bot(league: League, name: str, content: str) -> None:
    """A version of a bot that passed."""
    bot = LeaguePlayer(name, bot_id(name, content), content, "bot", 0)
    league.submit(bot, passes(league.terms, Path("bot")))


def invented(chance: random.Random, fixture: PlannedMatch) -> MatchResult:
    """A result that was never played."""
    seats = len(fixture.seats)
    ranks = chance.choice([tuple(range(1, seats + 1)), tuple(range(seats, 0, -1)), (1,) * seats])
    return MatchResult(
        reason="over",
        sentence="",
        rounds=1,
        digest=chance.choice(["", *(hashed(fixture.id, number) for number in range(3))]),
        seal="",
        seats=tuple(
            SeatResult(
                rank=rank,
                points=chance.choice([0.0, 0.1, 1.0]),
                fate="survived",
                stopped=chance.choice([None, None, "crashed"]),
                detail="",
                faults=faults_of(chance.choice(["{}", '{"late":2}'])),
            )
            for rank in ranks
        ),
    )


def read(league: League, scope: Scope = ALL) -> Sums:
    """The kept sums."""
    players = league.ranked(scope.until)
    found = from_kept(league, players, scope, Kept.sums)
    assert found is not None
    return found


def same(league: League, scope: Scope = ALL) -> None:
    """Require that the kept sums are those of all results."""
    assert is_same(read(league, scope), recounted(league, league.ranked(scope.until), scope))


def require_plain(league: League, counted: Sums) -> None:
    """Require that sums are what one finds who reads one result after the other."""
    numbers = {one.bot: at for at, one in enumerate(league.ranked())}
    tally, digests = ResultTally(), []
    for one in league.results():
        fixture, result = one.fixture, one.result
        if not fixture.event.startswith("final") and numbers.keys() >= set(fixture.seats):
            seats = result.seats
            tally.add(
                Result(
                    order=tuple(numbers[bot] for bot in fixture.seats),
                    ranks=tuple(seat.rank for seat in seats),
                    points=tuple(seat.points for seat in seats),
                    block=fixture.block,
                    faults=tuple(seat.faults for seat in seats),
                    stopped=tuple(seat.stopped for seat in seats),
                )
            )
            digests.append(result.digest)
    assert counted.digest == hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()
    assert counted.tally.blocks() == tally.blocks()
    assert counted.tally.points() == pytest.approx(tally.points())
    for own, plain in (
        (counted.tally.faults, tally.faults),
        (counted.tally.stopped, tally.stopped),
    ):
        assert {bot: some for bot, some in own.items() if some} == {
            bot: some for bot, some in plain.items() if some
        }


class History:
    """Random events in a league."""

    def __init__(self, league: League, chance: random.Random) -> None:
        self.league, self.chance, self.meetings = league, chance, 0

    def meet(self) -> None:
        """Plan a block, of the league or of a final, and play some of its matches."""
        players = [one.bot for one in self.league.players()]
        seats = self.league.terms.seats
        if len(players) >= seats:
            self.meetings += 1
            group = self.chance.sample(players, seats)
            event = self.chance.choice(["league", "league", "swiss", "final 1"])
            self.league.plan(block_of("1", event, self.meetings, group, self.meetings))
        self.play()

    def play(self) -> None:
        """Play planned matches, also of bots that were replaced meanwhile."""
        pending = self.league.store.all("SELECT number FROM pending ORDER BY random()")
        for (number,) in self.chance.sample(pending, min(len(pending), 3)):
            if self.chance.random() < 0.1:
                self.league.void(number, "the machine")
            fixture = self.league.fixture(number)
            self.league.add_result(fixture, invented(self.chance, fixture), "")

    def annul(self) -> None:
        """Annul a result; the match may be played again."""
        played = self.league.store.all("SELECT fixture FROM valid ORDER BY fixture")
        if played:
            self.league.annul([self.chance.choice(played)[0]], "why not")

    def replace(self) -> None:
        """Hand in a new version, or a new bot."""
        name = f"bot{self.chance.randrange(6)}"
        add_bot(self.league, name, f"{self.chance.randrange(1 << 30):x}")

    def withdraw(self) -> None:
        """Withdraw a version: the one before plays again."""
        if players := self.league.players():
            self.league.withdraw(self.chance.choice(players), "")

    def step(self) -> None:
        """One of these."""
        deeds: list[Callable[[], None]] = [self.meet, self.play, self.annul]
        deeds += [self.replace, self.withdraw]
        self.chance.choices(deeds, [8, 4, 2, 1, 1])[0]()


@pytest.mark.dear
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_sums_are_those_of_all_results_after_any_history(
    seed: int, seats: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots, results, annulments, matches played again, voids, finals and freezes in any order."""
    chance = random.Random(seed)
    recounts: list[int] = []
    monkeypatch.setattr(Kept, "_count_all", _counted(Kept._count_all, recounts))
    with begin(tmp_path / "l", seats=seats) as league:
        for number in range(5):
            add_bot(league, f"bot{number}", f"{number}")
        history = History(league, chance)
        for _ in range(40):
            for _ in range(chance.randrange(4)):
                history.step()
            same(league)
            counted = recounted(league, league.ranked())
            require_plain(league, counted)
            made = _made_of(league, counted, league.ranked(), ALL, crosstable=False)
            table = replace(league_table(league).table, crosstable=[])
            # Earlier versions bear on ratings by results that the sums of the current ones lack.
            assert league.past_bots(league.ranked()) or table == made.table
        (now,) = league.store.one("SELECT datetime('now', '+1 second')") or ("",)
        for scope in (Scope(now), Scope("2020-01-01 00:00:00"), Scope(event="final 1")):
            same(league, scope)
            history.step()
            same(league, scope)
    assert len(recounts) <= 8, "most was counted by what came since"


def _counted(work: Callable[[Kept], int], calls: list[int]) -> Callable[[Kept], int]:
    def counting(kept: Kept) -> int:
        if kept._file.execute("PRAGMA database_list").fetchone()[2]:  # else it is temporary
            calls.append(1)
        return work(kept)

    return counting


def full(path: Path) -> League:
    """A league with some results."""
    league = begin(path)
    for number in range(4):
        add_bot(league, f"bot{number}", f"{number}")
    history = History(league, random.Random(1))
    for _ in range(12):
        history.meet()
    return league


SPOILED: dict[str, Callable[[Path], object]] = {
    "removed": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "no database": lambda path: path.write_bytes(b"nothing of the kind" * 1000),
    "a folder": lambda path: put_folder(path),
    "other tables": lambda path: run(path, "DROP TABLE kind"),
    "of another release": lambda path: run(path, "PRAGMA user_version = 99"),
    "another chain": lambda path: run(path, "UPDATE head SET hash = 'no'"),
    "a game too few": lambda path: run(
        path, "DELETE FROM digest WHERE digest = (SELECT min(digest) FROM digest)"
    ),
    "a kind too many": lambda path: run(path, "UPDATE kind SET count = count + 1"),
    "words for numbers": lambda path: run(path, "UPDATE kind SET count = 'many'"),
    "another bot": lambda path: run(path, "UPDATE OR REPLACE outcome SET bot = 'nobody'"),
    "no list of bots": lambda path: run(path, "UPDATE head SET bots = 'all'"),
    "no shape": lambda path: run(path, "UPDATE shape SET games = 'round' WHERE number = 1"),
    "no bots": lambda path: run(path, "DELETE FROM bot"),
    "no losses": lambda path: run(path, "DELETE FROM made WHERE name LIKE 'losses %'"),
    "half of the wins": lambda path: run(
        path, "UPDATE made SET content = substr(content, 1, 4) WHERE name LIKE 'wins %'"
    ),
    "half a number": lambda path: run(
        path, "UPDATE made SET content = substr(content, 1, 3) WHERE name LIKE 'wins %'"
    ),
    "a bot that is none": lambda path: run(
        path,
        "UPDATE made SET content = CAST(x'63000000' || substr(content, 5) AS BLOB) "
        "WHERE name LIKE 'one %'",
    ),
    "no bytes": lambda path: run(path, "UPDATE made SET content = 7 WHERE name LIKE 'errors %'"),
}


def run(path: Path, statement: str) -> None:
    """Change the kept sums behind the back of the arena."""
    file = sqlite3.connect(path)
    file.execute(statement)
    file.commit()
    file.close()


def put_folder(path: Path) -> None:
    """A folder that is not empty, in its place."""
    path.unlink()
    path.mkdir()
    (path / "file").touch()


@pytest.mark.parametrize("name", SPOILED)
def test_spoiled_sums_are_made_again_and_change_no_table(name: str, tmp_path: Path) -> None:
    with full(tmp_path / "l") as league:
        before = league_table(league)
        path = sums_file(league, ALL)
        assert path.is_file()
        SPOILED[name](path)
        assert league_table(league) == before
        History(league, random.Random(2)).meet()
        if name != "a folder":
            same(league)
        assert league_table(league).digest == recounted(league, league.ranked()).digest


def test_sums_that_nobody_can_keep_cost_nothing_but_time(tmp_path: Path) -> None:
    with full(tmp_path / "l") as league:
        before = league_table(league)
        path = sums_file(league, ALL)
        path.unlink()
        path.parent.rmdir()
        path.parent.write_text("a file in the place of their folder")
        assert league_table(league) == before


def test_an_update_that_is_killed_leaves_the_sums_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends between two statements of the update; SQLite takes it back."""
    with full(tmp_path / "l") as league:
        read(league)
        before = sums_file(league, ALL).read_bytes()
        History(league, random.Random(2)).meet()

        def die(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Kept, "_add_outcomes", die)
            with pytest.raises(KeyboardInterrupt):
                read(league)
        assert sums_file(league, ALL).read_bytes()[100:] == before[100:]
        same(league)


@pytest.mark.dear
def test_two_readers_while_results_come_in(tmp_path: Path) -> None:
    """A reader that was passed by another one reads what that one has counted, and none waits."""
    with full(tmp_path / "l") as league, League(tmp_path / "l") as other:
        history = History(league, random.Random(3))
        for _ in range(10):
            history.meet()
            with other.store.reading():  # its state is older than that of the sums
                other.store.one("SELECT 1 FROM chain")
                history.meet()
                same(league)
                sums.from_kept(other, other.ranked(), ALL, Kept.sums)
            same(other)
            same(league)


def test_a_locked_file_of_sums_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "WAIT_FOR_SUMS", 0.05)
    with full(tmp_path / "l") as league:
        before = league_table(league)
        path = sums_file(league, ALL)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        assert from_kept(league, league.ranked(), ALL, Kept.sums) is None
        assert league_table(league) == before
        holder.execute("ROLLBACK")
        holder.close()
        same(league)


def test_a_league_that_hides_results_has_no_others_in_its_sums(tmp_path: Path) -> None:
    with full(tmp_path / "l") as league:
        read(league)
        league.store.show_before("2020-01-01 00:00:00")
        assert from_kept(league, league.ranked(), ALL, Kept.sums) is None
        assert league_table(league).table.games == 0


def test_sums_of_earlier_moments_do_not_pile_up(tmp_path: Path) -> None:
    """A contest that is frozen again and again has those of its last moment, and its own."""
    with full(tmp_path / "l") as league:
        league_table(league)
        for day in range(1, 5):
            league_table(league, f"2020-01-0{day} 00:00:00")
        read(league, Scope("2020-02-01 00:00:00", event="swiss"))
        names = sorted(path.name for path in sums_file(league, ALL).parent.iterdir())
        assert names == [
            "swiss-until-2020-02-01-00-00-00.sqlite",
            "table-until-2020-01-04-00-00-00.sqlite",
            "table.sqlite",
        ]


def test_what_is_kept_with_the_sums_ends_with_them(tmp_path: Path) -> None:
    with full(tmp_path / "l") as league:
        players = league.ranked()

        def keep(kept: Kept) -> None:
            kept.keep("x", b"1")

        from_kept(league, players, ALL, keep)
        assert from_kept(league, players, ALL, lambda kept: kept.made("x")) == b"1"
        History(league, random.Random(2)).meet()
        assert from_kept(league, players, ALL, lambda kept: kept.made("x")) is None


CHANGED = {
    "kinds": "UPDATE shape SET games = replace(games, '[1,2]', '[2,2]')",
    "points": "UPDATE outcome SET points = points + 7",
    "digests": "UPDATE digest SET digest = '0' || substr(digest, 2) WHERE digest <> ''",
    "the crosstable": "UPDATE made SET content = zeroblob(length(content)) "
    "WHERE name LIKE 'wins %'",
    "the table": "UPDATE made SET content = CAST(replace(content, 'bot1', 'bot9') AS BLOB)",
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_verify_reads_the_results_and_tells_of_other_sums(change: str, tmp_path: Path) -> None:
    with full(tmp_path / "l") as league:
        before = league_table(league)
        assert list(wrong_sums(league)) == []
        run(sums_file(league, ALL), change)
        assert ["were changed" in one for one in wrong_sums(league)] == [True]
        assert list(wrong_sums(league)) == []
        assert league_table(league) == before
