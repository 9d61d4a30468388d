"""Numbers on the command line. What is none is answered with what would be one."""

from __future__ import annotations

from typing import Any

import click


class WholeNumber(click.IntRange):
    """A whole one, from `least` on."""

    name = "number"

    def __init__(self, least: int) -> None:
        super().__init__(least)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a whole number from {self.min} on.", param, ctx)
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
