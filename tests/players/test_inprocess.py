"""Python functions as players."""

from __future__ import annotations

import pytest

from arena.core.replies import Answer, Cost, TimedReply
from arena.errors import UsageError
from arena.players.inprocess import InProcessPlayer, silent
from tests.support.fake import MS, MockClock


async def test_it_gets_all_lines_since_its_last_request() -> None:
    seen: list[list[str]] = []

    def answer(lines: list[str]) -> str:
        seen.append(lines)
        return " ok \n"

    player = InProcessPlayer("f", answer)
    player.tell("a\nb\n")
    player.post("c\ngo 5\n", 5 * MS)
    assert player.poll().reply == Answer("ok")
    player.post("go 5\n", 5 * MS)
    player.poll()
    assert seen == [["a", "b", "c", "go 5"], ["go 5"]]


@pytest.mark.parametrize(
    ("seconds", "charged"), [(0.25, 250 * MS), (1.0, 1000 * MS - 1), (9, 1000 * MS - 1)]
)
async def test_it_is_charged_and_never_late(
    autojump_clock: MockClock, seconds: float, charged: int
) -> None:
    def slow(lines: list[str]) -> str:
        autojump_clock.jump(seconds)
        return "1"

    player = InProcessPlayer("slow", slow)
    player.post("go\n", 1000 * MS)
    assert player.poll() == TimedReply(Answer("1"), Cost(charged))


async def test_more_than_one_line_is_a_bug_of_its_author() -> None:
    player = InProcessPlayer("chatty", lambda lines: "a\nb")
    player.post("go\n", MS)
    with pytest.raises(UsageError, match=r"chatty answered 'a\\nb': return one line of text"):
        player.poll()


def test_it_is_no_process() -> None:
    player = silent()
    assert (player.cpu_ms, player.peak_memory, player.pondered_ms) == (None, None, None)
    assert player.ending is None
    assert not player.left_behind
    assert player.stderr.turns() == []
    assert player.take_violations() == []
