"""What a count of instructions makes of an answer."""

from __future__ import annotations

import pytest

from arena.core.budget import Budget
from arena.core.replies import Answer, Reply, Silence, Why


@pytest.mark.parametrize(
    ("count", "reply"),
    [
        (10, Answer("1")),
        (11, Silence(Why.LATE)),
        (20, Silence(Why.LATE)),
        (21, Silence(Why.ABSENT)),
    ],
)
def test_the_limits_themselves_are_allowed(count: int, reply: Reply) -> None:
    assert Budget(10, 20).judge(Answer("1"), count) == reply
