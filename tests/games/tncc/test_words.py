"""Reading answers and writing lines."""

from __future__ import annotations

import pytest

from arena.games.kit import Refusal
from arena.games.tncc import words
from arena.games.tncc.world import Act, Recruit, TnccWorld, Trade, Wait, War
from tests.games.tncc.helpers import RICH, world
from tests.support.tools import every


def three() -> TnccWorld:
    """Players 1 and 2 live, player 3 is dead."""
    made = world(RICH, (10, 20, 30, 40, 50), RICH)
    made.alive[2] = False
    return made


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("wait", Wait(0)),
        ("No moves", Wait(0)),
        ("NO MOVES", Wait(0)),
        ("", Wait(0)),
        ("recruit 100", Recruit(0, 100)),
        ("recruit -20", Recruit(0, -20)),
        ("recruit 0", Recruit(0, 0)),
        ("trade player2 gold 100 food 5", Trade(0, 1, "gold", 100, "food", 5)),
        ("trade player2 military 0 gold 0", Trade(0, 1, "military", 0, "gold", 0)),
        ("trade player2 gold 1 gold 2", Trade(0, 1, "gold", 1, "gold", 2)),
        ("trade player2 gold 1 population 30", Trade(0, 1, "gold", 1, "population", 30)),
        ("trade player2 land 1 gold 1", Trade(0, 1, "land", 1, "gold", 1)),
        ("war player2 20 30 0", War(0, 1, (20, 30, 0))),
        ("war player2 0 0 0", War(0, 1, (0, 0, 0))),
    ],
)
def test_actions(text: str, act: Act) -> None:
    assert words.read_action(three(), 0, text) == act


@every(
    "text",
    [
        "Wait",
        "wait 1",
        "wait,",
        "No moves,",
        "wait, wait",
        "no",
        "sleep",
        "recruit",
        "recruit 5 6",
        "recruit  5",
        "recruit +5",
        "recruit 05",
        "recruit -0",
        "recruit 5.0",
        "recruit 1234567890",
        "recruit ５",
        "Recruit 5",
        "recruit 5,",
        "trade player2 gold 1 food",
        "trade player2 gold 1 food 1 1",
        "trade player2 gold -1 food 1",
        "trade player2 gold 1 food -1",
        "trade player2 gold 1.5 food 1",
        "trade player9 tea x food 1",
        "war player2 1 1",
        "war player2 1 1 1 1",
        "war player2 1 -1 1",
        "war player2 1 one 1",
        "war  player2 1 1 1",
        "war player2 1,1,1",
        "war player9 a b c",
        "war",
        "\\xff",
    ],
)
def test_what_is_no_action(text: str) -> None:
    found = words.read_action(three(), 0, text)
    assert isinstance(found, Refusal)
    assert found.code == "syntax"


@pytest.mark.parametrize(
    "text",
    [
        "trade play,er2 gold 1 food 1",
        "trade player2 go,ld 1 food 1",
        "trade player2 gold 1 tea, 1",
        "trade player9, gold 1 food 1",
        "war player2, 1 1 1",
        "war ,player1 1 1 1",
        "recruit 5,",
        ",wait",
    ],
)
def test_a_comma_makes_the_whole_line_syntax(text: str) -> None:
    found = words.read_action(three(), 0, text)
    assert isinstance(found, Refusal)
    assert found.code == "syntax"


@pytest.mark.parametrize(
    ("text", "code", "why"),
    [
        ("trade player4 gold 1 food 1", "target", "there is no player 'player4'"),
        ("trade player1 gold 1 food 1", "target", "player1 is you"),
        ("trade player3 gold 1 food 1", "target", "player3 is dead"),
        ("war player4 1 1 1", "target", "there is no player 'player4'"),
        ("war player1 1 1 1", "target", "player1 is you"),
        ("war player3 1 1 1", "target", "player3 is dead"),
        ("war Player2 1 1 1", "target", "there is no player 'Player2'"),
        ("trade player2 tea 1 gold 1", "resource", "there is no resource 'tea'"),
        ("trade player2 gold 1 Food 1", "resource", "there is no resource 'Food'"),
        ("trade player2 land 1 food 1", "resource", "one side of a trade is gold"),
        ("trade player2 gold 5001 food 1", "funds", "you have 5000 gold"),
        ("trade player2 gold 1 food 21", "funds", "player2 has 20 food"),
        ("war player2 1 100 100", "soldiers", "you have 200 soldiers"),
        ("recruit -201", "soldiers", "you have 200 soldiers"),
        ("recruit 1001", "citizens", "you have 1000 citizens"),
        # several reasons: the first of the list
        ("trade player3 tea 9999 coffee 1", "target", "player3 is dead"),
        ("trade player2 tea 9999 coffee 1", "resource", "there is no resource 'tea'"),
        ("trade player2 land 9999 food 1", "resource", "one side of a trade is gold"),
    ],
)
def test_what_cannot_be(text: str, code: str, why: str) -> None:
    assert words.read_action(three(), 0, text) == Refusal(code, why)


def test_a_war_without_gold() -> None:
    found = words.read_action(three(), 1, "war player1 99 99 99")
    assert found == Refusal("funds", "a war costs 1600 gold, you have 10")


def test_hostile_words_are_quoted_short() -> None:
    found = words.read_action(three(), 0, f"war {'x' * 60000}\x1b 1 1 1")
    assert isinstance(found, Refusal)
    assert len(found.why) < 150


@pytest.mark.parametrize(
    ("text", "agreed"),
    [("yes", True), ("no", False), ("No moves", True), ("no MOVES", True), ("", True)],
)
def test_answers_to_a_trade(text: str, agreed: bool) -> None:
    assert words.read_consent(three(), 1, text) is agreed


@pytest.mark.parametrize("text", ["Yes", "NO", "y", "yes no", "yes,", "0", "wait", "0 0 0"])
def test_what_is_neither_yes_nor_no(text: str) -> None:
    assert words.read_consent(three(), 1, text) == Refusal("syntax", "say yes or no")


@pytest.mark.parametrize(
    ("text", "flanks"),
    [
        ("20 20 0", (20, 20, 0)),
        ("0 0 0", (0, 0, 0)),
        ("No moves", (0, 0, 0)),
        ("", (0, 0, 0)),
    ],
)
def test_answers_to_a_war(text: str, flanks: tuple[int, int, int]) -> None:
    assert words.read_defence(three(), 1, text) == flanks


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("20 20", "syntax"),
        ("20 20 20 20", "syntax"),
        ("20  20 0", "syntax"),
        ("20, 20, 0", "syntax"),
        ("-1 20 20", "syntax"),
        ("+1 20 20", "syntax"),
        ("yes", "syntax"),
        ("war player1 1 1 1", "syntax"),
        ("20 20 1", "soldiers"),
        ("999999999 999999999 999999999", "soldiers"),
    ],
)
def test_bad_answers_to_a_war(text: str, code: str) -> None:
    found = words.read_defence(three(), 1, text)
    assert isinstance(found, Refusal)
    assert found.code == code


def test_the_map_has_every_country() -> None:
    assert words.map_line(three()) == (
        "update_map player1 5000 5000 1000 200 150 alive player2 10 20 30 40 50 alive "
        "player3 5000 5000 1000 200 150 dead"
    )


def test_the_news_in_their_order() -> None:
    made = three()
    assert words.news_line(made, 1) == "opponent_moves"
    made.news[1] = [
        Wait(0),
        Recruit(2, -20),
        Trade(0, 1, "gold", 100, "food", 50, True),
        Trade(2, 0, "land", 1, "gold", 0),
        War(0, 1, (20, 30, 10), (5, 5, 5), "attacker", 20),
        War(0, 2, (1, 0, 0), (9, 0, 0), "defender", 7),
        War(0, 2, (1, 0, 0)),
    ]
    assert words.news_line(made, 1) == (
        "opponent_moves player1 wait player3 recruit -20 "
        "player1 trade player2 gold 100 food 50 yes player3 trade player1 land 1 gold 0 no "
        "player1 war player2 60 15 attacker 20 player1 war player3 1 9 defender 7 "
        "player1 war player3 1 0 tie 0"
    )


def test_the_requests_for_an_answer() -> None:
    made = three()
    offer = words.request(made, Trade(0, 1, "gold", 100, "food", 50))
    assert (offer.seat, offer.line(9950)) == (1, "go trade 9950 player1 gold 100 food 50")
    attack = words.request(made, War(1, 0, (20, 30, 10)))
    assert (attack.seat, attack.line(9900)) == (0, "go war 9900 player2 60")


def test_results() -> None:
    offer = Trade(0, 1, "gold", 100, "food", 50)
    assert words.result_line(offer) == "result trade no"
    assert words.result_line(War(0, 1, (9, 9, 9), (0, 0, 0), "attacker", 27)) == (
        "result war attacker 27"
    )
    assert words.result_line(War(0, 1, (0, 0, 0))) == "result war tie 0"
    assert Refusal("funds", "why").tell(0).line == "result illegal funds"
