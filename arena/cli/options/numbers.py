"""Numbers on the command line. What is none is answered with what would be one."""

from __future__ import annotations

from typing import Any

import click

MOST = 2**63 - 1
"""The largest that the file of a league holds. (Nobody counts so far: errors do not mention it.)"""


class WholeNumber(click.IntRange):
    """A whole one, from `least` on, or to `most`."""

    name = "number"

    def __init__(self, least: int, most: int = MOST) -> None:
        super().__init__(least, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            end = "on" if self.max == MOST else f"to {self.max}"
            self.fail(f"{value!r} is not a whole number from {self.min} {end}.", param, ctx)
        return number


class PlayerNumber(WholeNumber):
    """A player of a match: 1 or player1 for the first."""

    name = "player"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        number = value.removeprefix("player") if isinstance(value, str) else value
        return super().convert(number, param, ctx)


class Number(click.types.FloatParamType):
    """Any, also with a decimal point."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """See `click.ParamType`."""
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number.", param, ctx)


NUMBER = Number()
PLAYER = PlayerNumber(1)
JOBS = WholeNumber(1, 256)
"""Processes at a time: a judge takes no more workers, and no machine plays so many matches."""
