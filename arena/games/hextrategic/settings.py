"""Settings of Hextrategic, with ranges and meanings."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from arena.core import Settings

Units = Annotated[int, Meta(ge=0, le=10_000)]
Percent = Annotated[int, Meta(ge=0, le=100)]
Points = Annotated[int, Meta(ge=0, le=1_000_000)]


class HexSettings(Settings, frozen=True, kw_only=True):
    """All keys of the game. Cross-checks raise ValueError."""

    radius: Annotated[
        Annotated[int, Meta(ge=1, le=24)] | None,
        Meta(
            description="steps from the middle of the board to its corners",
            extra={"default": "4 for 2 or 3 players, 5 for 4 or 6"},
        ),
    ] = None
    start_units: Annotated[
        int, Meta(ge=1, le=10_000, description="units in the cell where a player starts")
    ] = 10
    income: Annotated[
        tuple[Units, Units, Units, Units],
        Meta(description="units a round in an owned cell: normal, bronze, silver, gold"),
    ] = (1, 2, 5, 10)
    type_limits: Annotated[
        tuple[Percent, Percent, Percent],
        Meta(description="of a draw from 0 to 99: below these normal, bronze, silver; else gold"),
    ] = (70, 88, 97)
    neutral_units: Annotated[
        tuple[Units, Units, Units, Units, Units, Units, Units, Units],
        Meta(
            description="least and most units at the start of a neutral cell: normal, bronze, "
            "silver, gold"
        ),
    ] = (0, 4, 2, 8, 6, 14, 12, 24)
    max_missed: Annotated[
        int, Meta(ge=1, le=10_000, description="the missed round in a row that removes a player")
    ] = 3
    max_rounds: Annotated[
        int, Meta(ge=1, le=10_000, description="rounds after which the match ends")
    ] = 200
    position_points: Annotated[
        tuple[Points, ...] | None,
        Meta(
            description="points for each position, the first first",
            extra={"default": "10 × (players − position)"},
        ),
    ] = None
    round_point: Annotated[
        int, Meta(ge=0, le=1000, description="points for each round survived")
    ] = 1

    def __post_init__(self) -> None:
        if list(self.type_limits) != sorted(self.type_limits):
            raise ValueError("type_limits must not fall: give three numbers, the lowest first")
        for least, most in zip(self.neutral_units[::2], self.neutral_units[1::2], strict=True):
            if least > most:
                raise ValueError(
                    f"neutral_units has {least} as the least and {most} as the most: give the "
                    "lower number first, for each type"
                )
