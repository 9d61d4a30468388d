"""Settings of Toroid Wars, with ranges and meanings."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from arena.core import Settings

Units = Annotated[int, Meta(ge=1, le=1000)]
Points = Annotated[int, Meta(ge=0, le=1000)]


class ToroidSettings(Settings, frozen=True, kw_only=True):
    """All keys of the game. Cross-checks raise ValueError."""

    countries_per_player: Annotated[
        int, Meta(ge=1, le=100, description="countries of each player at the start")
    ] = 3
    neutrals: Annotated[
        Annotated[int, Meta(ge=0, le=1000)] | None,
        Meta(
            description="passive neutrals, with one country each",
            extra={"default": "2 × players"},
        ),
    ] = None
    start_units: Annotated[
        Units, Meta(description="units in each country of a player at the start")
    ] = 2
    neutral_units_min: Annotated[
        Units, Meta(description="fewest units of a neutral at the start")
    ] = 1
    neutral_units_max: Annotated[
        Units, Meta(description="most units of a neutral at the start")
    ] = 5
    normal_game_turn_per_player: Annotated[
        int,
        Meta(ge=1, le=10_000, description="game turns of a match for each player who takes part"),
    ] = 20
    occupation_win: Annotated[
        Points, Meta(description="points for holding every country, which ends the match")
    ] = 3
    domination_win: Annotated[
        Points, Meta(description="points for holding the most countries after the last game turn")
    ] = 1
    max_attack_units: Annotated[Units, Meta(description="most units in one attack")] = 10
    max_transfer_units: Annotated[Units, Meta(description="most units in one transfer")] = 10
    max_resident_units: Annotated[Units, Meta(description="most units in one country")] = 20
    unfriendly_transfer: Annotated[
        Literal["on", "off"],
        Meta(description="on: transfers may go to countries of others and of neutrals"),
    ] = "off"
    die: Annotated[
        Literal["proportional", "sum6", "none"],
        Meta(
            description="who wins an attack of n on d engaged defenders; proportional: the "
            "attacker n times in n + d; sum6: the higher sum of n and d dice; none: the attacker"
        ),
    ] = "proportional"
    visibility: Annotated[
        Literal["neighbours", "owners", "all"],
        Meta(
            description="what is seen besides the own countries; neighbours: the owners of those "
            "beside them; owners: all owners; all: all owners and units"
        ),
    ] = "neighbours"
    reasks: Annotated[
        int,
        Meta(ge=0, le=100, description="how often a country is asked again after illegal answers"),
    ] = 1

    def __post_init__(self) -> None:
        if self.neutral_units_max < self.neutral_units_min:
            raise ValueError(
                f"neutral_units_max={self.neutral_units_max} is below "
                f"neutral_units_min={self.neutral_units_min}: raise one or lower the other"
            )
        for key in ("start_units", "neutral_units_max", "max_attack_units", "max_transfer_units"):
            if getattr(self, key) > self.max_resident_units:
                raise ValueError(
                    f"{key}={getattr(self, key)} is above "
                    f"max_resident_units={self.max_resident_units}: lower one or raise the other"
                )
