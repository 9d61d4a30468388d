"""Settings of a contest: numbers that organisers set, each with its usual value."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError, did_you_mean
from arena.league.league import League
from arena.site.deeds import doing

UNTIL_OVER = "end"
"""The word for a live page that waits until the match is over."""
LIVE_DELAY, REFUSED_DAYS = "live-delay", "refused-days"
TEAM_SIZE, FREE_SIZE, EXAMINER_MINUTES = "team-size", "free-size", "examiner-minutes"
TEAM_BOTS = "team-bots"


class Setting(Struct, frozen=True):
    """A setting as it is now."""

    name: str
    about: str
    least: int
    value: int | None
    """None: until the end of the match."""


MAX_VALUE = 1_000_000
_ALL = (
    Setting(
        *(LIVE_DELAY, "Live pages of games that hide something are late by (seconds, or end)"),
        *(0, None),
    ),
    Setting(REFUSED_DAYS, "The file of a refused upload is kept for (days)", 0, 14),
    Setting(TEAM_SIZE, "A team's uploads take at most (MiB)", 1, 2048),
    Setting(FREE_SIZE, "Uploads leave free on the disk, for results (MiB)", 0, 512),
    Setting(TEAM_BOTS, "A team has in the league at a time (bots)", 1, 1),
    Setting(EXAMINER_MINUTES, "A team has the examiner in an hour for (minutes)", 1, 20),
)
_USUAL = {setting.name: setting for setting in _ALL}


def settings(league: League) -> list[Setting]:
    """All settings with their values now."""
    return [replace(usual, value=value(league, usual.name)) for usual in _ALL]


def value(league: League, name: str) -> int | None:
    """The value of a setting; None: until the end of the match."""
    query = "SELECT value FROM setting WHERE name = ? ORDER BY number DESC LIMIT 1"
    row = league.store.one(query, (name,))
    return _USUAL[name].value if row is None else row[0]


def number(league: League, name: str) -> int:
    """The value of a setting that is always a number."""
    return value(league, name) or 0


def change(league: League, by: int | None, name: str, text: str) -> None:
    """Give a setting another value, as people write it. Raises UsageError."""
    if name not in _USUAL:
        raise UsageError(f"there is no setting {name[:40]!r}: {did_you_mean(name, list(_USUAL))}")
    setting, text = _USUAL[name], text.strip()
    may_end = " or end" if setting.value is None else ""
    is_number = text.isascii() and text.isdigit() and setting.least <= int(text[:9]) <= MAX_VALUE
    if not is_number and not (may_end and text == UNTIL_OVER):
        raise UsageError(f"{name} is a whole number from {setting.least} to {MAX_VALUE}{may_end}")
    with doing(league, by, "changed a setting") as deed:
        deed.add("setting", name=name, value=int(text) if is_number else None, account=by)
        deed.detail = f"{name}: {text}"
