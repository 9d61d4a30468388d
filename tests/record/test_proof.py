"""What a line of a record must be, and where each may stand: of a record whose digests and seal
were made anew after the change, so that nothing but the rules can tell."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from pathlib import Path

import pytest

from arena.core.game import Setup
from arena.core.registry import find_game
from arena.core.settings import parse
from arena.core.table import Table
from arena.errors import ReplayError
from arena.match.play import header_for
from arena.match.referee import Referee
from arena.players.inprocess import InProcessPlayer
from arena.record.source import decode_header
from arena.record.verify import FAULTS_IN_A_ROW, Mismatch, Proof
from arena.record.writer import Recorder
from arena.sandbox.session import trio_run
from tests.record.forge import Change, Line, forge, joined, lines_of, nth, place
from tests.support.tools import every


def problem(data: bytes) -> str:
    """What the proof finds in a record; empty when it is right and finished."""
    first, *rest = data.splitlines(keepends=True)
    try:
        proof = Proof(decode_header(first, "r"))
        for line in rest:
            proof.take(line)
    except (Mismatch, ReplayError) as error:
        return str(error)
    return proof.missing


def changed(data: bytes, change: Change) -> str:
    """What the proof finds after a change."""
    return problem(forge(data, change, seal=True))


def test_what_was_not_changed_is_right(rich: bytes) -> None:
    assert problem(rich) == ""
    assert forge(rich, lambda lines: None, seal=True) == rich


def test_what_is_expected_may_be_confirmed_at_once(rich: bytes) -> None:
    first, *rest = rich.splitlines(keepends=True)
    proof = Proof(decode_header(first, "r"))
    confirmed = 0
    while rest:
        count = proof.expected.count(b"\n")
        if count > 1 and b"".join(rest[:count]) == proof.expected:
            del rest[:count]
            proof.confirm()
            confirmed += 1
        else:
            proof.take(rest.pop(0))
    assert confirmed > 5
    assert (proof.proved, proof.missing) == (5, "")


def test_every_beginning_of_a_record_is_right_and_not_finished(rich: bytes) -> None:
    lines = rich.splitlines(keepends=True)
    ended = next(i for i, line in enumerate(lines) if b'"outcome"' in line)
    for count in range(1, len(lines)):
        wanted = "the record ends without its seal"
        if count < len(lines) - 1:
            wanted = "the record ends here, before the match did"
        assert problem(b"".join(lines[:count])) == wanted, (count, ended)


def remove(kind: str, n: int, lines: list[Line]) -> None:
    del lines[place(lines, nth(lines, kind, n))]


def repeat(kind: str, n: int, lines: list[Line]) -> None:
    line = nth(lines, kind, n)
    lines.insert(place(lines, line), deepcopy(line))


def move(kind: str, n: int, to: int, lines: list[Line]) -> None:
    line = nth(lines, kind, n)
    del lines[place(lines, line)]
    lines.insert(to % (len(lines) + 1), line)


def insert(at: int, line: Line, lines: list[Line]) -> None:
    lines.insert(at, line)


CANNOT = "at an impossible place"
FAULT: Line = {
    "type": "fault", "seat": 0, "code": "x", "detail": "", "count": 1, "fault": False,
}  # fmt: skip


@every(
    "change, words",
    [
        *[(partial(remove, "digest", n), '"type":"digest"') for n in (0, 2, 5)],
        *[(partial(remove, "player", n), "the totals of player2 are at") for n in (0,)],
        (partial(remove, "player", 1), CANNOT),
        (partial(remove, "outcome", 0), "the rules give"),
        (partial(remove, "stop", 0), "the rules give"),
        (partial(remove, "show", 1), "the rules give"),
        (partial(remove, "answer", 2), "player2 replies where player1 was asked"),
        (partial(repeat, "header", 0), "the rules give"),
        (partial(repeat, "conditions", 0), "the rules give"),
        (partial(repeat, "digest", 1), "the rules give"),
        (partial(repeat, "outcome", 0), CANNOT),
        (partial(repeat, "stderr", 2), "stderr of player1 is at an impossible place"),
        (partial(repeat, "player", 0), "the totals of player1 are at"),
        (partial(repeat, "player", 1), "the totals of player2 are at"),
        (partial(repeat, "seal", 0), "data follows the seal"),
        (partial(move, "conditions", 0, 6), "the rules give"),
        (partial(move, "fault", 0, -1), "the totals of player1 do not match"),
        (partial(insert, -4, FAULT), "a fault of player1 is at an impossible place"),
        (partial(move, "stderr", 0, -2), "stderr of player1 is at an impossible place"),
        (partial(move, "stderr", 0, 6), "the rules give"),
        (partial(move, "player", 0, 6), "the rules give"),
        (partial(move, "seal", 0, 6), "the rules give"),
        (partial(move, "seal", 0, -3), CANNOT),
        (partial(insert, -1, {"type": "player", "seat": 2}), "not a line of a replay"),
        (partial(insert, 99, {"type": "tell", "seat": 0, "line": "x"}), "data follows the seal"),
        (
            lambda lines: nth(lines, "stderr", 4).update(request=6),
            "stderr of player1 is at an impossible place",
        ),
        (lambda lines: nth(lines, "stderr", 0).update(request=-1), "Expected `int` >= 0"),
        (
            lambda lines: nth(lines, "stderr", 0).update(seat=1),
            "stderr of player2 is at an impossible place",
        ),
        (lambda lines: nth(lines, "stderr", 0).update(seat=2), "there is no player3 among 2"),
        (lambda lines: nth(lines, "fault", 0).update(seat=-1), "there is no player0 among 2"),
        (lambda lines: nth(lines, "player", 1).update(seat=7), "there is no player8 among 2"),
        (lambda lines: nth(lines, "answer", 0).update(seat=7), "player8 replies where player1"),
        (lambda lines: nth(lines, "answer", 0).update(seat=-1), "player0 replies where player1"),
        (lambda lines: nth(lines, "tell", 0).update(seat=7), "the rules give"),
        (lambda lines: nth(lines, "answer", 0).update(ms=1e308), "Expected `float` <= 1"),
        (lambda lines: nth(lines, "silence", 2).update(why="dead"), ""),
    ],
)
def test_a_line_that_the_arena_would_not_write_there(
    rich: bytes, change: Change, words: str
) -> None:
    found = changed(rich, change)
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    "kind",
    ["header", "conditions", "tell", "ask", "show", "note", "stop", "answer", "silence", "fault",
     "digest", "outcome", "stderr", "player", "seal"],
)  # fmt: skip
def test_unknown_keys_are_refused(rich: bytes, kind: str) -> None:
    found = changed(rich, lambda lines: nth(lines, kind).update(unknown_key=1))
    assert "the rules give" in found or "unknown field" in found


def test_unknown_keys_are_refused_also_within(rich: bytes) -> None:
    found = changed(rich, lambda lines: nth(lines, "conditions")["means"].update(unknown_key=1))
    assert found.startswith('the arena writes {"type":"conditions"')


def test_each_seat_has_its_own_stderr(rich: bytes) -> None:
    def add(request: int, lines: list[Line]) -> None:
        lines.insert(-2, {"type": "stderr", "seat": 1, "request": request, "text": "x"})

    for request in range(6):
        assert changed(rich, partial(add, request)) == ""
    assert changed(rich, partial(add, 6)) == f"stderr of player2 is {CANNOT}"


def test_a_program_may_write_to_stderr_before_its_first_request(rich: bytes) -> None:
    assert changed(rich, lambda lines: nth(lines, "stderr", 0).update(request=0)) == ""


def test_what_differs_is_told_short(rich: bytes) -> None:
    def speak(words: str, lines: list[Line]) -> None:
        nth(lines, "tell")["line"] = words

    right, line = (
        '{"type":"tell","seat":0,"line":"round 1"}',
        '{"type":"tell","seat":0,"line":"%s"}',
    )
    words = "the rules give {}, the record has {}"
    assert changed(rich, partial(speak, "x")) == words.format(right, line % "x")
    room = 160 - len(line % "")
    assert changed(rich, partial(speak, "x" * room)) == words.format(right, line % ("x" * room))
    cut = (line % ("x" * (room + 1)))[:159] + "…"
    assert changed(rich, partial(speak, "x" * (room + 1))) == words.format(right, cut)


def test_a_line_that_is_no_record_is_named_by_its_number(rich: bytes) -> None:
    lines = rich.splitlines()
    lines[10] = b"hello"
    assert problem(b"\n".join(lines)).startswith("line 11: not a line of a replay: ")


def test_faults_without_end_are_refused(rich: bytes) -> None:
    """A compressed file of 3 MiB has room for 40 million of them."""

    def add(count: int, lines: list[Line]) -> None:
        lines[12:12] = [FAULT] * count  # behind the replies of the first round

    assert changed(rich, partial(add, FAULTS_IN_A_ROW)) == ""
    assert changed(rich, partial(add, FAULTS_IN_A_ROW + 1)) == f"a fault of player1 is {CANNOT}"


@pytest.mark.parametrize("behind", ["answer", "digest"])
def test_faults_in_a_row_are_counted_anew_after_a_reply_and_after_a_step(
    rich: bytes, behind: str
) -> None:
    def add(count: int, lines: list[Line]) -> None:
        for n, more in ((1, count), (0, FAULTS_IN_A_ROW)):
            at = place(lines, nth(lines, behind, n)) + 1
            lines[at:at] = [FAULT] * more

    assert changed(rich, partial(add, FAULTS_IN_A_ROW)) == ""
    assert changed(rich, partial(add, FAULTS_IN_A_ROW + 1)) == f"a fault of player1 is {CANNOT}"


def test_a_ghost_at_the_table(tmp_path: Path) -> None:
    """The rules of Warlight look at two seats, however many names the header has."""
    game = find_game("warlight")
    setup = Setup("7", 2, parse(game.settings, {"max_rounds": 1}))
    table = Table(game, setup)
    players = [InProcessPlayer(name, lambda request: "No moves") for name in "ab"]
    path = tmp_path / "r.jsonl"
    with Recorder(path, header_for(game, setup, ["a", "b"])) as recorder:
        trio_run(Referee(table, players, listeners=[recorder]).run)
    data = path.read_bytes()
    assert problem(data) == ""

    def add(lines: list[Line]) -> None:
        lines[0]["players"].append("ghost")
        ghost = {
            **nth(lines, "player", 1),
            "seat": 2,
            "requests": 0,
            "total_ms": 0.0,
            "max_ms": 0.0,
        }
        lines.insert(-1, ghost)

    assert "warlight is for 2 bots, and 3 are given" in changed(data, add)


@pytest.mark.parametrize("count", [0, 1, 4, 10**6])
def test_too_many_players(rich: bytes, count: int) -> None:
    header = lines_of(rich)[0] | {"players": ["a"] * count}
    assert f"tiny is for 2 or 3 bots, and {count} " in problem(joined([header]))


def test_the_number_of_players_may_need_a_map(rich: bytes) -> None:
    change = {"game": "hextrategic", "rules_version": find_game("hextrategic").rules_version}
    header = lines_of(rich)[0] | change | {"settings": {}, "players": ["a"] * 5}
    assert "hextrategic is for 2, 3, 4 or 6 bots, and 5 are given" in problem(joined([header]))
    assert "bots, and 5 are given" not in problem(joined([header | {"map": {}}]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "\x1b[31m"}, "the header of the replay is not valid: there is no game"),
        (
            {"rules_version": 2},
            "the match is of version 2 of the rules of tiny, and version 1 is installed",
        ),
        (
            {"settings": {"unknown": 1}},
            "the header of the replay is not valid: there is no setting",
        ),
        ({"settings": {"purse": -1}}, "the header of the replay is not valid: purse=-1"),
        ({"settings": {"purse": [[]]}}, "the header of the replay is not valid: purse="),
        ({"map": {}}, "the header of the replay is not valid: tiny takes no map file"),
        ({"clock": "sun"}, "Invalid enum value 'sun'"),
        ({"clock": "wall"}, "the arena writes this header differently: without the clock"),
        ({"start_up": 0}, "differently: without the start_up"),
        ({"forfeit": False}, "differently: without the forfeit"),
        ({"untimed": []}, "differently: without the untimed"),
        ({"untimed": [1, 0]}, 'differently: "untimed":[0,1]'),
        ({"untimed": [0, 0]}, 'differently: "untimed":[0]'),
        ({"untimed": [0, 2]}, 'differently: "untimed":[0]'),
        ({"settings": {}}, 'differently: "settings":{"timebank":'),
    ],
)
def test_a_header_that_cannot_be(rich: bytes, change: Line, words: str) -> None:
    assert words in problem(joined([lines_of(rich)[0] | change]))


def test_settings_in_another_order_are_in_other_words(rich: bytes) -> None:
    def reverse(lines: list[Line]) -> None:
        lines[0]["settings"] = dict(reversed(lines[0]["settings"].items()))

    assert 'differently: "settings":{"timebank":' in changed(rich, reverse)


@pytest.mark.parametrize(
    ("start_up", "taken", "right"),
    [
        (None, None, True),
        (None, 5.0, False),
        (100, None, True),
        (100, 0.0, True),
        (100, 100.0, True),
        (100, 100.5, False),
        (100, -0.5, False),
    ],
)
def test_what_a_start_took_is_within_what_it_may_take(
    rich: bytes, start_up: int | None, taken: float | None, right: bool
) -> None:
    def add(lines: list[Line]) -> None:
        if start_up is not None:
            lines[0]["start_up"] = start_up
        if taken is not None:
            totals = nth(lines, "player")
            after = {key: totals.pop(key) for key in ("held_up_ms",) if key in totals}
            totals |= {"start_up_ms": taken} | after

    found = changed(rich, add)
    assert found == ("" if right else f"the start of player1 took {taken:g} of {start_up or 0} ms")


def test_rules_that_fail_on_a_header_are_one_sentence(
    rich: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(setup: object) -> None:
        raise KeyError("x")

    import tests.tiny

    broken = tests.tiny.TINY.__class__(
        **{name: getattr(tests.tiny.TINY, name) for name in tests.tiny.TINY.__dataclass_fields__}
        | {"world": fail}
    )
    monkeypatch.setattr(tests.tiny, "TINY", broken)
    assert problem(rich).startswith("the world of tiny failed")


@pytest.mark.parametrize(
    ("request_", "says"),
    [(1, ""), (0, ""), (6, f"a drawing of player2 is {CANNOT}")],
)
def test_drawings_stand_behind_stderr_and_are_not_checked(
    rich: bytes, request_: int, says: str
) -> None:
    def add(lines: list[Line]) -> None:
        lines.insert(-2, {"type": "drawn", "seat": 1, "request": request_, "text": "nonsense"})

    assert changed(rich, add) == says


def test_stderr_cannot_stand_behind_drawings(rich: bytes) -> None:
    def add(lines: list[Line]) -> None:
        lines.insert(-2, {"type": "drawn", "seat": 1, "request": 0, "text": "side a"})
        lines.insert(-2, {"type": "stderr", "seat": 1, "request": 1, "text": "x"})

    assert changed(rich, add) == f"stderr of player2 is {CANNOT}"
