"""Matches that begin at a position: players learn the past, and only what follows counts."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

import arena
from arena.core.listener import Listener
from arena.core.replies import Why
from arena.core.steps import Frame
from arena.match.play import play_match
from arena.players.entrant import HumanEntrant
from arena.players.human import Turn
from arena.record.position import PastReply, Position, cut
from arena.record.verify import verify
from tests.experiments.positions import wrong
from tests.record.forge import forge, lines_of
from tests.support.past import GAMES, bots, digests, played, remembering

LONG_PAST = ("1", "2", "1", "1", "0", "1", "0", "0")
"""The answers of four rounds of the tiny game."""
TINY_PAST = ("1", "2", "3", "4")
"""The answers of two rounds of the tiny game."""


def tiny(**changes: object) -> Position:
    """A position of the tiny game, in its third round."""
    return replace(Position("tiny", 1, 2, "1", answers=TINY_PAST), **changes)


@pytest.mark.parametrize("game", GAMES)
def test_played_on_by_the_same_bots_it_is_the_same_match(game: str, tmp_path: Path) -> None:
    match = played(game)
    for round, seat in ((0, None), (3, 0), (match.rounds // 2, 1), (match.rounds - 1, None)):
        position = cut(match, round, seat)
        again = arena.play(
            game, bots(), position=position, replay=tmp_path / "r.jsonl", overwrite=True
        )
        assert digests(again) == digests(match)
        assert again.outcome == match.outcome
        origin = again.header.position
        assert origin
        assert origin.replies == len(position.answers)
        assert origin.round == position.round
        assert verify(tmp_path / "r.jsonl").ok
        assert again.report.position == origin


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=() if game == "toroid" else pytest.mark.dear) for game in GAMES],
)
def test_so_it_is_with_the_sample_bots(game: str) -> None:
    """``python -m tests.experiments.positions`` does so a thousand times."""
    assert wrong(game, 1, 2) == []


def test_another_bot_plays_on_otherwise() -> None:
    match = played("toroid")
    other = [remembering("eve"), remembering("bob")]
    again = arena.play("toroid", other, position=cut(match, 3))
    before = [digest for digest in digests(match) if digest in digests(again)]
    assert before == []  # its name is in the header
    named = [one.reply for one in match.replies(0) if one.round < 3]
    assert [one.reply for one in again.replies(0)][: len(named)] == named
    assert again.outcome != match.outcome or digests(again)[-1] != digests(match)[-1]


def test_a_match_that_was_played_on_can_be_cut_again() -> None:
    match = played("toroid")
    again = arena.play("toroid", bots(), position=cut(match, 2))
    assert cut(again, 4) == cut(match, 4)


def test_only_what_was_played_counts() -> None:
    match = played("warlight")
    again = arena.play("warlight", bots(), position=cut(match, 4))
    for seat in (0, 1):
        later = [one for one in match.replies(seat) if one.round >= 4]
        report = again.report.players[seat]
        assert report.requests == len(later)
        totals = again.totals(seat)
        assert totals
        assert totals.requests == len(later)
        late_faults = [one for one in match.faults(seat) if one.round >= 4]
        assert sum(report.faults.values()) == sum(one.count for one in late_faults)
    early = [one for seat in (0, 1) for one in match.faults(seat) if one.round < 4]
    assert early, "the bots break rules before the position, too"


def test_banks_are_full_at_the_position() -> None:
    def slow(lines: list[str]) -> str:
        return "No moves"

    match = arena.play("toroid", [slow, slow], seed=1)
    again = arena.play("toroid", [slow, slow], position=cut(match, 3), settings={"timebank": 700})
    banks = [one.bank_ms for one in again.replies(0)]
    assert banks[0] == banks[1] == 700
    assert again.settings["timebank"] == 700
    assert next(one for one in again.replies(0) if one.round == 3).bank_ms == 700


class Frames(Listener):
    """The rounds that spectators see."""

    def __init__(self) -> None:
        self.rounds: list[int] = []

    async def shown(self, frame: Frame) -> None:
        """Keep the number."""
        self.rounds.append(frame["round"])


def test_spectators_see_the_set_up_and_what_is_played() -> None:
    match, seen = played("toroid"), Frames()
    again = arena.play("toroid", bots(), position=cut(match, 4), listeners=[seen])
    assert seen.rounds == [0, 3, *range(4, again.rounds + 1)]


async def test_a_person_is_told_and_not_asked_again() -> None:
    asked: list[str] = []

    class Chair:
        async def answer(self, turn: Turn) -> str | None:
            asked.append(turn.request)
            return "0"

        async def dismiss(self, name: str, lines: tuple[str, ...]) -> None: ...

    person = HumanEntrant("Ann", Chair())
    match = await arena.play_async("tiny", [person, lambda lines: "1"], position=tiny())
    assert len(asked) == 3
    assert [one.round for one in match.replies(0)] == [1, 2, 3, 4, 5]


BOTS = {
    "deaf": "import sys\nfor line in sys.stdin: pass\n",
    "dies": "import sys\nsys.stdin.readline()\nsys.exit(3)\n",
    "chatters": (
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'): print('1\\n2\\n3', flush=True)\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "stopped", "detail"),
    [
        ("deaf", "timeouts", "missed 3 answers, the last to 'go bid', in the past"),
        ("dies", "crashed", ""),
    ],
)
def test_a_bot_that_does_not_learn_the_past_is_stopped(
    tmp_path: Path, name: str, stopped: str, detail: str
) -> None:
    (tmp_path / "bot.py").write_text(BOTS[name])
    path = tmp_path / "r.jsonl"
    match = arena.play(
        "tiny",
        [tmp_path / "bot.py", lambda lines: "1"],
        position=tiny(answers=LONG_PAST),
        settings={"timebank": 300},
        replay=path,
    )
    report = match.report.players[0]
    assert (report.stopped, report.faults) == (stopped, {stopped: 1})
    assert detail in report.stopped_detail
    assert match.report.players[1].stopped is None
    assert verify(path).ok
    given = [one.reply.text for one in match.replies(0)[:4] if isinstance(one.reply, arena.Answer)]
    assert given == ["1", "1", "0", "0"]


def test_what_was_wrong_in_the_past_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOTS["chatters"])
    path = tmp_path / "r.jsonl"
    match = arena.play(
        "tiny", [tmp_path / "bot.py", lambda lines: "1"], position=tiny(), replay=path
    )
    faults = [one for one in match.records if isinstance(one, arena.ProtocolFault)]
    rounds = [one.round for one in match.faults(0)]
    assert faults
    assert min(rounds) >= 3
    first = match.report.players[0].first_faults
    assert all(one.round >= 3 and one.request >= 3 for one in first.values())
    assert verify(path).ok


def test_a_seat_whose_program_was_stopped_stays_so(tmp_path: Path) -> None:
    gone = (PastReply(silence=Why.DEAD), "2", PastReply(silence=Why.STOPPED), "4")
    path = tmp_path / "r.jsonl"
    both = [lambda lines: "1", lambda lines: "1"]
    match = arena.play("tiny", both, position=tiny(answers=gone), replay=path)
    silence = arena.Silence(Why.STOPPED)
    assert [one.reply for one in match.replies(0)][2:] == [silence] * 3
    report = match.report.players[0]
    assert (report.stopped, report.faults) == ("exited", {})
    assert "before the position" in report.stopped_detail
    assert verify(path).ok


# The proof.


def record() -> bytes:
    """A record of the tiny game from a position."""
    from arena.api.positions import spec_at

    data = BytesIO()
    both = [lambda lines: "1", lambda lines: "2"]
    trio.run(lambda: play_match(spec_at("tiny", both, tiny(), {}), record=data))
    return data.getvalue()


Lines = list[dict[str, object]]


def change_origin(key: str, value: object) -> object:
    def change(lines: Lines) -> None:
        lines[0]["position"] = {**lines[0]["position"], key: value}  # type: ignore[dict-item]  # JSON

    return change


def answers(lines: Lines) -> Lines:
    return [line for line in lines if line["type"] == "answer"]


FORGERIES = [
    (change_origin("round", 2), "is not one of round 3"),
    (change_origin("replies", 3), "is not one of round 3"),
    (change_origin("replies", 2), "the position of the header is not"),
    (change_origin("replies", 6), "has a cost|is not one of|is not that of"),
    (change_origin("replies", 99), "has a cost|over before its position"),
    (change_origin("replies", 0), "the header of the replay is not valid: the position"),
    (change_origin("sha256", "00"), "is not that of the recorded answers"),
    (lambda lines: answers(lines)[0].update(ms=1.5), "a reply that the position gives player1"),
    (lambda lines: answers(lines)[0].update(text="3"), "the rules give|is not that of"),
    (lambda lines: lines[0].pop("position"), "|"),
]


@pytest.mark.parametrize(("change", "problem"), FORGERIES)
def test_a_forged_beginning_is_found(tmp_path: Path, change: object, problem: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(forge(record(), change, seal=True))  # type: ignore[arg-type]  # a change
    try:
        verdict = verify(path)
    except arena.ReplayError as error:
        found = str(error)
    else:
        assert not verdict.ok
        found = verdict.problem
    assert re.search(problem, found), found


def test_the_record_as_it_is_is_right(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(record())
    assert verify(path).ok
    header = lines_of(path.read_bytes())[0]
    assert header["position"]["replies"] == 4
