"""Settings of Warlight, with ranges and meanings."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from arena.core import Settings

PerMille = Annotated[int, Meta(ge=0, le=1000)]
"""A share or a probability in thousandths."""


class WarlightSettings(Settings, frozen=True, kw_only=True):
    """All keys of the game. Cross-checks raise ValueError."""

    time_per_move: Annotated[
        int, Meta(ge=0, le=86_400_000, description="added to the time bank after each request, ms")
    ] = 500
    max_rounds: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(
            description="rounds after which the match is a draw",
            extra={"default": "2.5 × regions, rounded down"},
        ),
    ] = None
    max_rounds_rule: Annotated[
        Literal["seed", "source"],
        Meta(description="how max_rounds is derived; source: never under 60, as the old engine"),
    ] = "seed"
    starting_armies: Annotated[
        int, Meta(ge=1, le=1000, description="armies a player gets each round before bonuses")
    ] = 5
    luck: Annotated[
        PerMille, Meta(description="share of the losses that dice decide, per mille")
    ] = 160
    attacker_kill: Annotated[
        PerMille, Meta(description="chance of an attacking army to destroy one, per mille")
    ] = 600
    defender_kill: Annotated[
        PerMille, Meta(description="chance of a defending army to destroy one, per mille")
    ] = 700
    neutral_armies: Annotated[
        int, Meta(ge=1, le=1000, description="armies in every ordinary region at the start")
    ] = 2
    wasteland_armies: Annotated[
        int, Meta(ge=1, le=1000, description="armies in every wasteland at the start")
    ] = 6
    wastelands: Annotated[
        Annotated[int, Meta(ge=0, le=1000)] | None,
        Meta(
            description="number of wastelands",
            extra={"default": "super regions / 2, rounded down"},
        ),
    ] = None
    wasteland_rule: Annotated[
        Literal["strict", "source"],
        Meta(
            description="strict: every super region keeps an ordinary region; "
            "source: drawn as the old engine did, with repeats"
        ),
    ] = "strict"
    min_picks: Annotated[
        int, Meta(ge=2, le=1000, description="picks of both players together that always remain")
    ] = 6
    pick_drop: Annotated[
        PerMille, Meta(description="chance for each pair of picks above min_picks to be dropped")
    ] = 250
    max_orders: Annotated[
        int,
        Meta(ge=0, le=65_536, description="orders read from a line, 0: all; the old engine: 51"),
    ] = 0
    max_timeouts: Annotated[
        int, Meta(ge=1, le=10_000, description="the missed answer at which a program is ended")
    ] = 2
    min_supers: Annotated[
        int, Meta(ge=2, le=100, description="fewest super regions of a generated map")
    ] = 8
    max_supers: Annotated[
        int, Meta(ge=2, le=100, description="most super regions of a generated map")
    ] = 14

    def __post_init__(self) -> None:
        if self.max_supers < self.min_supers:
            raise ValueError(
                f"max_supers={self.max_supers} is below min_supers={self.min_supers}: "
                "raise one or lower the other"
            )
        if self.min_picks % 2:
            raise ValueError(
                f"min_picks={self.min_picks} is odd: give an even number, half for each player"
            )
