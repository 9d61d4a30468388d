"""The input test from Python."""

from __future__ import annotations

import arena
from tests.api.conftest import one


def test_a_good_bot() -> None:
    result = arena.check("tiny", one)
    assert result.ok
    assert result.name == "one"


async def test_inside_trio() -> None:
    result = await arena.check_async("tiny", lambda lines: "no bid at all")
    assert [step.name for step in result.steps if not step.ok] == ["gives legal orders"]
