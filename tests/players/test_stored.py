"""A bot on disk that only a worker can play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.players.entrant import StoredEntrant


def test_it_is_played_by_workers_alone() -> None:
    bot, nothing = StoredEntrant("ann", Path("ann.py")), Any
    assert (bot.name, bot.command, bot.is_program) == ("ann", "ann", True)
    with pytest.raises(UsageError, match="is for a cluster"):
        bot.open(nothing, None)  # type: ignore[arg-type]  # it does not look at them
    with pytest.raises(UsageError, match="cannot be counted"):
        bot.require_countable()
