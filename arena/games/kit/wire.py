"""The formats of `protocol.md`: canonical numbers, names, orders, settings lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec

from arena.core.lines import BLANKS
from arena.core.settings import Settings

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,8}").fullmatch
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,3})?").fullmatch


_COMMON = {str(number): number for number in range(1000)}
"""Nearly all numbers that bots write: a lookup takes a quarter of the time of parsing."""


def read_integer(text: str) -> int | None:
    """Parse a canonical integer of at most nine digits (no ``+5``, ``05``, ``-0``)."""
    common = _COMMON.get(text)
    if common is not None:
        return common
    return int(text) if _INTEGER(text) else None


def read_thousandths(text: str) -> int | None:
    """Parse a decimal with at most three places, in thousandths: ``-1.25`` is −1250."""
    if not _DECIMAL(text):
        return None
    whole, _, places = text.partition(".")
    value = int(whole + places.ljust(3, "0"))
    return value if value or text[0] != "-" else None


_PLACES = ("", *[f".{places:03}".rstrip("0") for places in range(1, 1000)])
"""The fractional part as text, by thousandths."""


def thousandths(value: int) -> str:
    """Format thousandths as the shortest decimal: 260355 is ``260.355``, 50000 is ``50``."""
    if value < 0:
        return f"-{thousandths(-value)}"
    return f"{value // 1000}{_PLACES[value % 1000]}"


class _Wholes(dict[int, str]):
    """Cache of integers as texts: a lookup takes a third of the time of formatting."""

    def __missing__(self, number: int) -> str:
        text = self[number] = str(number)
        return text


_WHOLES = _Wholes()


def point(x: int, y: int) -> str:
    """Format a place in non-negative thousandths: ``260.355 50``. (Two calls of `thousandths` take
    1.5 times as long, and maps are full of places.)"""
    wholes, places = _WHOLES, _PLACES
    return f"{wholes[x // 1000]}{places[x % 1000]} {wholes[y // 1000]}{places[y % 1000]}"


def is_no_moves(text: str) -> bool:
    """Whether an answer is empty or says ``No moves`` in any case. (Most answers are longer, and
    need not be copied to tell.)"""
    return not text or (len(text) == len("no moves") and text.lower() == "no moves")


def player_names(count: int) -> tuple[str, ...]:
    """The seats' names on the wire: player1, player2, …"""
    return tuple(f"player{seat + 1}" for seat in range(count))


def settings_lines(
    game: str, names: Sequence[str], seat: int, settings: Settings, **derived: Any
) -> list[str]:
    """The opening lines of every game except Warlight: the game, the players, the seat's own name,
    then every setting in the order of its table. `derived` supplies values that depend on the match
    (those whose setting is None)."""
    values = msgspec.structs.asdict(settings) | derived
    return [
        f"settings game {game}",
        f"settings players {' '.join(names)}",
        f"settings your_bot {names[seat]}",
        *(f"settings {key} {value_text(value)}" for key, value in values.items()),
    ]


def value_text(value: Any) -> str:
    """A setting's value on the wire: decimals without trailing zeros, lists separated by blanks,
    ``true`` or ``false``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return " ".join(map(value_text, value))
    if isinstance(value, Decimal):
        return thousandths(int(value * 1000))
    return str(value)


def points_text(points: float) -> str:
    """Points as the shortest decimal with at most three places: ``0.333``, ``0.5``, ``1``."""
    return f"{points:.3f}".rstrip("0").rstrip(".")


def game_over_line(rank: int, points: float) -> str:
    """The last line of a match to a seat (not in Warlight)."""
    return f"game_over {rank} {points_text(points)}"


def pieces(text: str) -> list[str]:
    """The non-empty pieces between commas, trimmed: order K is ``pieces[K - 1]``."""
    return [piece for part in text.split(",") if (piece := part.strip(BLANKS))]


def only_orders(found: list[str]) -> list[str]:
    """The pieces of an answer that are meant as orders: none if it only says ``No moves``."""
    return [] if len(found) == 1 and is_no_moves(found[0]) else found
