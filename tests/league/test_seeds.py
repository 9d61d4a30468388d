"""Seeds of matches: nobody foretells them, and everybody can check them in the end."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from arena.cli.main import run
from arena.errors import UsageError
from arena.league.audit import audit
from arena.league.export import matches as exported
from arena.league.league import League
from arena.league.plan import Meetings, Swiss
from arena.league.table import league_table
from arena.league.types import block_name, block_of, draw_seed, hashed, match_seed, seed_hash
from arena.league.upgrade import upgrade
from tests.league.making import begin, opened, play
from tests.league.test_upgrade import unpacked

ROUNDS = 9


def foretold(league: League, candidates: Iterable[str], bots: list[str]) -> set[str]:
    """The seeds of a pair's matches by the rule of format 4, and by today's, for each candidate
    that may be the league's seed: all else is public."""
    group, known = sorted(bots), set(candidates)
    blocks = [block for (block,) in league.store.all("SELECT DISTINCT block FROM fixture")]
    return {
        block_name(seed, "league", group, meeting) for seed in known for meeting in range(ROUNDS)
    } | {match_seed(seed, block) for seed in known for block in blocks}


def seeds_of(league: League, bots: list[str], after: int = 0) -> list[str]:
    found = league.store.all(
        "SELECT seed, seats FROM fixture WHERE number > ? AND event = 'league'", (after,)
    )
    return [seed for seed, seats in found if sorted(msgspec.json.decode(seats)) == sorted(bots)]


def public(league: League, capsys: pytest.CaptureFixture[str]) -> str:
    """All that commands print of a league that everybody may see."""
    path, numbers = str(league.path), [1, league.count("fixture")]
    commands = [["table"], ["table", "--json"], ["meta"], ["meta", "--json"], ["show"]]
    commands += [["export", f"--{kind}"] for kind in ("csv", "json", "html")]
    commands += [["show", str(number), *more] for number in numbers for more in ([], ["--json"])]
    for word, *more in commands:
        assert run(["league", word, path, *more]) == 0
    return capsys.readouterr().out


def test_the_seeds_of_a_pair_are_not_foretold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of format 4, all 18 seeds of a pair's matches were, from what the first page had."""
    with begin(tmp_path / "cup.league", "1", "2", "3", seed="2026") as league:
        bots = [player.bot for player in league.players()][:2]
        play(league, Meetings(ROUNDS))
        own = seeds_of(league, bots)
        assert len(own) == 2 * ROUNDS
        words = re.findall(r"\w+", public(league, capsys))
        assert not set(own) & foretold(league, ["1", "2026", *words], bots)


def test_of_an_older_league_only_the_seeds_of_before_are(tmp_path: Path) -> None:
    path = unpacked(4, tmp_path) / "cup.league"
    upgrade(path)
    with League(path) as league:
        bots = [player.bot for player in league.players()][1:3]  # of two teams
        last = league.count("fixture")
        play(league, Meetings(3))
        before, after = seeds_of(league, bots)[:2], seeds_of(league, bots, last)
        known = foretold(league, ["2026"], bots)
        assert len(after) == 4
        assert set(before) <= known
        assert not set(after) & known
        assert audit(league).ok


def test_a_search_over_short_seeds_finds_nothing(tmp_path: Path) -> None:
    """A seed that is asked for and short has 128 drawn bits behind it; so has a drawn one. What is
    published (a hash, seeds of matches) fits none of 10⁹ values, of which these are a sample."""
    with opened(tmp_path / "cup.league", "1", "2", seed="2026") as league:
        play(league, Meetings(1))
        fixture = league.fixture(1)
        told = {league.seed().sha256, fixture.seed, fixture.block, fixture.id, league.chain()}
        bots = sorted(fixture.seats)
        for value in {2026, *random.Random(1).sample(range(10**9), 5000)}:
            block = block_name(str(value), "league", bots, 0)
            assert not told & {
                *(block, seed_hash(str(value)), match_seed(str(value), fixture.block)),
                hashed("fixture", match_seed(str(value), block), fixture.seats)[:16],
            }
    assert re.fullmatch("2026-[0-9a-f]{32}", draw_seed("2026"))
    assert re.fullmatch("[0-9a-f]{32}", draw_seed())
    assert len({draw_seed() for _ in range(100)}) == 100
    assert draw_seed("a seed of 16 let") == "a seed of 16 let"


def test_no_command_tells_a_seed_before_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path / "cup.league", "1", "2", "3", seed="2026") as league:
        play(league, Meetings(2))
        bots = [player.bot for player in league.players()]
        league.plan(block_of(league.origin, "league", 2, bots[:2], 2))
        planned = league.unplayed()
        secret, shown = league._seed()[0], public(league, capsys)
        assert not shown.count(secret)
        assert not any(shown.count(match.seed) for match in planned)
        assert shown.count(seed_hash(secret)) == 3
        assert shown.count(league.fixture(1).seed)  # it was played
        with pytest.raises(UsageError, match="2 planned matches would be on a public seed"):
            league.end()


def test_the_end_tells_the_seed_and_later_matches_have_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.league"
    with opened(path, "1", "2", seed="2026") as league:
        play(league)
        before = league.seed()
        assert before.seed is None
    assert run(["league", "end", str(path)]) == 0
    (seed,) = re.findall("2026-[0-9a-f]{32}", capsys.readouterr().out)
    with League(path) as league:
        assert before.sha256 == seed_hash(seed)
        assert league_table(league).seed.seed == seed
        assert {league.fixture(1).seed, league.fixture(2).seed} == {
            match_seed(seed, league.fixture(1).block)
        }
        with pytest.raises(UsageError, match="has ended already"):
            league.end()
        play(league, Meetings(2))
        assert league.seed().seed is None
        assert league.fixture(3).seed != match_seed(seed, league.fixture(3).block)
        assert audit(league).ok


@pytest.mark.parametrize("plan", [Meetings(1), Swiss(2)])
def test_matches_on_a_chosen_seed_are_found(plan: Meetings | Swiss, tmp_path: Path) -> None:
    from msgspec.structs import replace

    with opened(tmp_path / "cup.league", "1", "2", "3") as league:
        play(league, plan)
        assert audit(league).ok
        (match, *_) = block_of(league.origin, "league", 7, list(league.fixture(1).seats), 7)
        league.plan([replace(match, seed="chosen")])
        assert "its seed or its bots were changed" in " ".join(audit(league).changed)
        league.plan(block_of("another", "league", 7, list(match.seats), 7))
        assert len(audit(league).changed) == 3


def test_the_guide_says_how_seeds_are_computed(tmp_path: Path) -> None:
    """With nothing of the arena's own, from what is public in the end."""
    with opened(tmp_path / "cup.league", "1", "2") as league:
        play(league, Meetings(2))
        seed, bots = league.end(), league.account().bots

        def digits(value: object, count: int) -> str:
            text = json.dumps(value, separators=(",", ":"))
            return hashlib.sha256(text.encode()).hexdigest()[:count]

        ids = sorted(digits(["bot", bot.name, bot.content], 16) for bot in bots)
        for match in exported(league):
            block = digits(["block", seed, "league", ids, match.round - 1], 12)
            assert match.seed == digits(["seed", seed, block], 32)


def test_a_seed_that_is_exchanged_is_found(tmp_path: Path) -> None:
    """Who has the file could try seeds until the next matches suit somebody."""
    with opened(tmp_path / "cup.league", "1", "2") as league:
        play(league, Meetings(1))
        with league.store.changing() as change:
            change.add("seed", seed="this one suits me")
        play(league, Meetings(2))
        assert audit(league).changed == [
            "seed 2: the one before was not ended, so it was exchanged"
        ]
