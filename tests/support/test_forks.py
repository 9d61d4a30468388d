"""Forks stand for commands that are started in the ordinary way."""

from __future__ import annotations

import pytest

from tests.support.forks import ARENA, CAN_FORK, can_be_forked


@pytest.mark.skipif(not CAN_FORK, reason="only Linux has the call")
@pytest.mark.parametrize("name", ["PYTHONOPTIMIZE", "LC_ALL", "PYTHONPATH"])
def test_no_fork_serves_where_a_test_sets_what_python_reads_at_its_start(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server was started before, or will serve tests that set nothing."""
    assert can_be_forked(ARENA, None)
    monkeypatch.setenv(name, "1")
    assert not can_be_forked(ARENA, None)
