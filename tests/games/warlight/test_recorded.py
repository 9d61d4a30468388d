"""Two matches that the old engine refereed between two real bots, played again.

The record has what both bots were told and answered. The coins and dice are not in it: `coins` and
`hits` were found by trying which of them lead to what the bots were told next. That there are any
shows that our rules, order for order, do what the old engine did.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arena.games.warlight.generator import Opening
from arena.games.warlight.orders import new_notes, read_orders
from arena.games.warlight.world import NAMES, WarlightWorld
from tests.games.warlight.helpers import FOLDER, ORIGINAL_MAP, Said, Talk, fresh

MATCHES: list[dict[str, Any]] = json.loads(
    (FOLDER / "data" / "recorded_matches.json").read_text("utf-8")
)
BOTH = pytest.mark.parametrize("match", MATCHES, ids=["first", "second"])


def numbers(told: list[str], start: str) -> tuple[int, ...]:
    """The numbers of the first line that begins with `start`."""
    line = next(line for line in told if line.startswith(start))
    return tuple(map(int, line.removeprefix(start).split()))


def start(match: dict[str, Any]) -> WarlightWorld:
    """The recorded match before its first line."""
    told = match["seats"][0]["told"]
    wastelands = numbers(told, "setup_map wastelands")
    made = fresh(data=ORIGINAL_MAP, wastelands=0)
    for region in wastelands:
        made.armies[region] = 6
    picks = 2 * numbers(told, "settings starting_pick_amount")[0]
    made.opening = Opening(wastelands, numbers(told, "settings starting_regions"), picks)
    return made


def links(line: str) -> set[frozenset[int]]:
    """The links of a `setup_map neighbors` line."""
    pairs = line.split()[2:]
    return {
        frozenset((int(one), int(other)))
        for one, others in zip(pairs[::2], pairs[1::2], strict=True)
        for other in others.split(",")
    }


def triples(line: str) -> list[tuple[str, ...]]:
    """The regions of an `update_map` line, sorted: the old engine had its own order."""
    return sorted(zip(*[iter(line.split()[1:])] * 3, strict=True))


def pick(talk: Talk, match: dict[str, Any]) -> None:
    """Play the picks, comparing every request."""
    picks = [iter(seat["picks"]) for seat in match["seats"]]
    while talk.asked[0].head == "pick_starting_region":
        (ask,) = talk.asked
        tail, answer = next(picks[ask.seat])
        assert ask.tail == tail
        talk.reply(answer)


@BOTH
def test_the_lines_before_the_picks_are_those_of_the_old_engine(match: dict[str, Any]) -> None:
    talk = Talk(start(match))
    for seat in (0, 1):
        ours, theirs = talk.told[seat][:11], match["seats"][seat]["told"][:11]
        assert links(ours[7]) == links(theirs[7])
        assert ours[:7] + ours[8:] == theirs[:7] + theirs[8:]


@BOTH
def test_the_picks_are_those_of_the_old_engine(match: dict[str, Any]) -> None:
    talk = Talk(start(match))
    pick(talk, match)
    for seat in (0, 1):
        assert talk.told[seat][0] == match["seats"][seat]["told"][11]


@BOTH
def test_every_round_is_as_the_old_engine_played_it(match: dict[str, Any]) -> None:
    talk = Talk(start(match))
    pick(talk, match)
    rounds = list(zip(*[seat["rounds"] for seat in match["seats"]], strict=True))
    for number, both in enumerate(rounds):
        check_told(talk, both)
        if number < len(match["coins"]):
            coins, dice = Said(match["coins"][number]), Said(match["hits"][number])
            talk.world.chance["order"], talk.world.chance["combat"] = coins, dice
            talk.round((both[0][3], both[1][3]), (both[0][4], both[1][4]))
            assert coins.left == dice.left == []
    ended = talk.outcome
    assert ended is not None
    assert ended.ranks == (1, 2)


def check_told(talk: Talk, both: tuple[list[str], list[str]]) -> None:
    """Both seats were told what the record says, own regions first."""
    for seat in (0, 1):
        armies, update, moves = [
            line for line in talk.told[seat] if "opponent_starting" not in line
        ][:3]
        assert armies == both[seat][0]
        assert triples(update) == triples(both[seat][1])
        assert moves == both[seat][2]
        owners = update.split()[2::3]
        assert owners == sorted(owners, key=lambda owner: owner != NAMES[seat])


def answers() -> Iterator[tuple[int, str]]:
    for match in MATCHES:
        for seat in (0, 1):
            for told in match["seats"][seat]["rounds"]:
                yield from ((seat, answer) for answer in told[3:])


def test_every_answer_of_real_bots_is_read_without_a_fault() -> None:
    board, count = fresh(data=ORIGINAL_MAP).board, 0
    for seat, answer in answers():
        faults = new_notes(seat)
        count += len(read_orders(answer, NAMES[seat], board, faults))
        assert faults.close() == []
    assert count > 400


def test_the_record_has_what_real_bots_do() -> None:
    texts = [answer for _, answer in answers()]
    assert any(text.endswith(",") for text in texts)
    assert any(", " in text for text in texts)
    assert any("," in text and ", " not in text for text in texts)
    assert "No moves" in texts
