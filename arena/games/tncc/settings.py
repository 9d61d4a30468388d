"""Settings of TNCC, with ranges and meanings."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from arena.core import Settings, decimal_range

Amount: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
Loot: TypeAlias = Annotated[Decimal, decimal_range(0, 1000)]


class TnccSettings(Settings, frozen=True, kw_only=True):
    """All keys of the game."""

    start: Annotated[
        tuple[Amount, Amount, Amount, Amount, Amount],
        Meta(description="gold, food, population, military and land of each country at the start"),
    ] = (600, 800, 800, 0, 150)
    population_food: Annotated[
        Decimal, decimal_range(-1000, 1000, "food that a citizen makes in a cycle")
    ] = Decimal("0.5")
    population_gold: Annotated[
        Decimal, decimal_range(-1000, 1000, "gold that a citizen makes in a cycle")
    ] = Decimal("0.25")
    army_food: Annotated[
        Decimal, decimal_range(0, 1000, "food that a soldier uses up in a cycle")
    ] = Decimal(1)
    army_gold: Annotated[
        Decimal, decimal_range(0, 1000, "gold that a soldier uses up in a cycle")
    ] = Decimal("0.1")
    population_growth: Annotated[
        Decimal, decimal_range(0, 1000, "what the citizens are multiplied by in a cycle")
    ] = Decimal("1.07")
    land_capacity: Annotated[
        Decimal, decimal_range(0, 1000, "people, soldiers too, that one land has room for")
    ] = Decimal(10)
    gold_for_war: Annotated[
        Decimal, decimal_range(0, 1_000_000, "gold that beginning a war costs")
    ] = Decimal(1600)
    wave1_advantage: Annotated[
        Decimal, decimal_range(1, 1000, "attackers that a defender kills in wave one")
    ] = Decimal(2)
    wave2_advantage: Annotated[
        Decimal, decimal_range(1, 1000, "defenders that an attacker kills in wave two")
    ] = Decimal(2)
    steal: Annotated[
        tuple[Loot, Loot, Loot, Loot, Loot],
        Meta(
            description="what each surviving soldier takes from the loser: gold, food, population, "
            "military and land"
        ),
    ] = (Decimal("0.5"), Decimal(1), Decimal("0.1"), Decimal(0), Decimal("0.025"))
    hunger_death: Annotated[
        Amount, Meta(description="citizens who die in a cycle that ends without food")
    ] = 200
    max_cycles: Annotated[
        int, Meta(ge=1, le=10_000, description="cycles after which the match ends")
    ] = 100
    wave_rule: Annotated[
        Literal["seed", "source"],
        Meta(description="how the waves are reckoned; source: as the program did that was first"),
    ] = "seed"
    land_rule: Annotated[
        Literal["hard", "soft"],
        Meta(
            description="without room on the land; hard: citizens are lost; soft: they do not grow"
        ),
    ] = "hard"
