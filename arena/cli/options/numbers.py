"""Whole numbers on the command line."""

from __future__ import annotations

from typing import Any

import click


class WholeNumber(click.IntRange):
    """One from `least` on. What is none is answered with what would be one."""

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
