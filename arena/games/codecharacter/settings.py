"""Settings of Code Character, with ranges and meanings."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta
from msgspec.structs import force_setattr

from arena.core import Budget, Settings

MAX_MONEY = 2**63 - 1
"""Maximum money of a player."""

MAX_INSTRUCTIONS = 10**12
"""Maximum setting for the instructions of one answer."""

Instructions: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_INSTRUCTIONS)]
Money: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Hp: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Tiles: TypeAlias = Annotated[int, Meta(ge=0, le=95)]


class CodecharacterSettings(Settings, frozen=True, kw_only=True):
    """All keys of the game. What stands for each level begins with level 1."""

    map_size: Annotated[
        int, Meta(ge=4, le=96, description="tiles on one side of the square map")
    ] = 30
    tile_size: Annotated[int, Meta(ge=1, le=1000, description="units on one side of a tile")] = 50
    num_turns: Annotated[int, Meta(ge=1, le=100_000, description="the last turn")] = 1000
    num_soldiers: Annotated[int, Meta(ge=1, le=1000, description="soldiers of each player")] = 20
    respawn_turns: Annotated[
        int, Meta(ge=1, le=100_000, description="turns from a soldier's death to its return")
    ] = 10
    soldier_hp: Annotated[Hp, Meta(description="what a soldier can take")] = 100
    soldier_damage: Annotated[Hp, Meta(description="what a hit of a soldier takes")] = 50
    soldier_speed: Annotated[
        int, Meta(ge=1, le=100_000, description="longest way of a soldier in a turn, units")
    ] = 50
    attack_range: Annotated[
        int, Meta(ge=0, le=100_000, description="longest distance of a hit, units")
    ] = 60
    immune_turns: Annotated[
        int, Meta(ge=0, le=100_000, description="turns after its return in which nothing hurts")
    ] = 2
    money_start: Annotated[
        int, Meta(ge=0, le=MAX_MONEY, description="money of each player at the start")
    ] = 300
    soldier_reward: Annotated[Money, Meta(description="money for killing a soldier")] = 200
    tower_costs: Annotated[
        tuple[Money, Money, Money], Meta(description="price of a tower, and of each next level")
    ] = (800, 800, 800)
    tower_hp: Annotated[
        tuple[Hp, Hp, Hp], Meta(description="what a tower of each level can take")
    ] = (7000, 10_000, 15_000)
    tower_ranges: Annotated[
        tuple[Tiles, Tiles, Tiles], Meta(description="tiles that each level controls to each side")
    ] = (2, 3, 4)
    tower_kill_reward: Annotated[
        tuple[Money, Money, Money], Meta(description="money for razing a tower of each level")
    ] = (300, 500, 700)
    suicide_refund: Annotated[
        Literal["third", "table"],
        Meta(
            description="what a tower that is given up pays back; third: of all that was paid for "
            "it, rounded down; table: 150, 250 or 400 by its level"
        ),
    ] = "third"
    max_towers: Annotated[
        int, Meta(ge=1, le=10_000, description="towers of a player, the base included")
    ] = 15
    tower_cap_rule: Annotated[
        Literal["final", "source"],
        Meta(
            description="final: max_towers holds for the end of the turn; source: a tower given up "
            "in the same turn makes no room, as in the original"
        ),
    ] = "final"
    max_level: Annotated[int, Meta(ge=1, le=3, description="the highest level of a tower")] = 3
    base_tiles: Annotated[
        tuple[Tiles, Tiles, Tiles, Tiles],
        Meta(description="x y of the own base and of the enemy's, which mirror each other"),
    ] = (4, 4, 25, 25)
    turn_limit: Annotated[
        Literal["bank"] | Instructions,
        Meta(
            description="what an answer may take, or its turn is void: the time bank, or so many "
            "instructions (--meter instructions)"
        ),
    ] = "bank"
    game_limit: Annotated[
        Instructions | None,
        Meta(
            description="what an answer may take, or the match is lost: so many time banks, 2 to "
            "100, or so many instructions, at least turn_limit",
            extra={"default": "3, or 3 × turn_limit"},
        ),
    ] = None

    @property
    def lost_beyond(self) -> int:
        """The game limit: a number of time banks, or of instructions."""
        assert self.game_limit is not None  # ensured by `__post_init__`
        return self.game_limit

    def __post_init__(self) -> None:
        if self.game_limit is None:
            bank = 1 if self.turn_limit == "bank" else self.turn_limit
            force_setattr(self, "game_limit", min(3 * bank, MAX_INSTRUCTIONS))
        self._check_limits()
        self._check_bases()

    def _check_limits(self) -> None:
        low, high = (2, 100) if self.turn_limit == "bank" else (self.turn_limit, MAX_INSTRUCTIONS)
        if not low <= self.lost_beyond <= high:
            raise ValueError(
                f"game_limit={self.game_limit} is not allowed with turn_limit={self.turn_limit}: "
                f"give a whole number from {low} to {high}"
            )

    def _check_bases(self) -> None:
        x, y, *enemy = self.base_tiles
        last = self.map_size - 1
        if max(x, y) > last or enemy != [last - x, last - y] or enemy == [x, y]:
            near = max(self.map_size // 6 - 1, 0)
            far = last - near
            raise ValueError(
                f"base_tiles={','.join(map(str, self.base_tiles))} are not two tiles that mirror "
                f"each other on a map of {self.map_size} × {self.map_size}: "
                f"give for example {near},{near},{far},{far}"
            )


def budget(settings: CodecharacterSettings) -> Budget | None:
    """The limits of an answer in instructions; None if they are times."""
    if settings.turn_limit == "bank":
        return None
    return Budget(settings.turn_limit, settings.lost_beyond)
