"""The numbers of a bot that may be tuned, as its ``bot.toml`` declares them::

    [tune.aggression]
    type = "int"        # or "float"
    start = 5           # what the program gets in every match
    min = 0
    max = 20
    step = 2            # how far a tune tries to either side

The program gets them as arguments, in the order of the file: ``--aggression=5``. If the
``bot.toml`` says ``numbers_file = "numbers.txt"``, it gets none of them as arguments, and finds
them in that file of its working folder instead, each on a line: ``aggression=5``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from arena.errors import BotError, did_you_mean

MOST_NUMBERS = 64
"""Maximum number of declared numbers."""
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
LARGEST_NUMBER = 1e12
"""Largest number that may be declared: beyond it, six digits are too few."""
_KEYS = ("type", "start", "min", "max", "step")


@dataclass(frozen=True, slots=True)
class TunedNumber:
    """One declared number."""

    name: str
    type: Literal["int", "float"]
    start: float
    min: float
    max: float
    step: float

    def bounded(self, value: float) -> float:
        """The value, or the bound beyond which it lies."""
        return min(max(value, self.min), self.max)

    def rounded(self, value: float, luck: float) -> float:
        """The value as the program may get it: within the bounds. A whole number is rounded up as
        often as its fraction says by a `luck` from 0 to 1, and to the nearest by 0.5; others have
        six digits."""
        value = self.bounded(value)
        if self.type == "int":
            return float(math.floor(value + luck))
        return self.bounded(float(f"{value:.6g}"))

    def argument(self, value: float) -> str:
        """The argument by which the program gets a value."""
        return f"--{self.name}={self.text(value)}"

    def text(self, value: float) -> str:
        """A value as in ``bot.toml``."""
        return f"{value:.0f}" if self.type == "int" else f"{value:.6g}"


def read_numbers(given: dict[str, Any]) -> tuple[TunedNumber, ...]:
    """The numbers in the table ``tune`` of a ``bot.toml``. Raises BotError."""
    if len(given) > MOST_NUMBERS:
        raise BotError(f"[tune] has {len(given)} numbers: declare at most {MOST_NUMBERS}")
    return tuple(_number(name, said) for name, said in given.items())


def _number(name: str, said: Any) -> TunedNumber:
    import msgspec  # a single match without such a bot can save it

    where = f"[tune.{name}]"
    if not _NAME.fullmatch(name):
        raise BotError(
            f"{name!r} in [tune] is no name: give small letters, digits, _ and -, a letter first, "
            "at most 40"
        )
    if not isinstance(said, dict):
        raise BotError(
            f"{where} must be a table: write {where}, and below it "
            'type = "int", start, min, max and step'
        )
    for key in said:
        if key not in _KEYS:
            raise BotError(f"{where} has no key {key!r}: {did_you_mean(key, _KEYS)}")
    for key in _KEYS:
        if key not in said:
            raise BotError(f"{where} lacks {key}: write all of {', '.join(_KEYS)}")
    try:
        number = msgspec.convert({"name": name, **said}, TunedNumber)
    except msgspec.ValidationError:
        raise BotError(
            f'{where}: type must be "int" or "float", and start, min, max and step numbers'
        ) from None
    _check(number, where)
    return number


def _check(number: TunedNumber, where: str) -> None:
    values = (number.start, number.min, number.max, number.step)
    if not all(math.isfinite(value) and abs(value) <= LARGEST_NUMBER for value in values):
        raise BotError(f"{where} has a number that is too large: give at most {LARGEST_NUMBER:g}")
    if not number.min <= number.start <= number.max or number.min == number.max:
        raise BotError(
            f"{where}: start {number.start:g} must lie from min {number.min:g} to max "
            f"{number.max:g}, and these must differ"
        )
    if not 0 < number.step <= number.max - number.min:
        raise BotError(f"{where}: step {number.step:g} must be above 0, and at most max - min")
    if number.type == "int" and any(value != int(value) for value in values[:3]):
        raise BotError(f'{where}: start, min and max must be whole where type = "int"')
    if number.type == "int" and number.step < 0.5:
        raise BotError(f"{where}: step must be at least 0.5, else both sides are often equal")
