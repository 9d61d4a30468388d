"""What tests of every game's settings do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from arena.core.settings import Settings, parse
from arena.errors import SettingError


def assert_not_allowed(kind: type[Settings], given: Mapping[str, str]) -> None:
    """The first of the values is refused, and the error says what to give."""
    with pytest.raises(SettingError, match=rf"{next(iter(given))}=.* is not allowed: give"):
        parse(kind, given)
