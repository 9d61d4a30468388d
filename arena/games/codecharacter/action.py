"""Phases D and E of a turn: the actions of the soldiers."""

from __future__ import annotations

from math import isqrt

from arena.games.codecharacter.world import UNIT, CodecharacterWorld, Soldier, Tower


class Action:
    """The actions of all soldiers in one turn.

    They act on the state before the turn: moves and damage are planned first (phase D) and take
    effect together (phase E). Only towers take damage at once.
    """

    def __init__(self, world: CodecharacterWorld) -> None:
        settings = world.settings
        self._world = world
        self._speed = settings.soldier_speed * UNIT
        self._reach2 = (settings.attack_range * UNIT) ** 2
        self._damage = [0] * len(world.soldiers)
        self._places: list[tuple[Soldier, int, int]] = []

    def run(self) -> None:
        """Carry out both phases."""
        soldiers = self._world.soldiers
        for soldier in soldiers:
            if soldier.state != "dead":
                self._act(soldier)
        for soldier, x, y in self._places:
            soldier.x, soldier.y = x, y
        for soldier, damage in zip(soldiers, self._damage, strict=True):
            if soldier.state == "dead":
                self._wait_for_life(soldier)
            elif damage or soldier.immune:
                self._suffer(soldier, damage)
        self._raze()

    def _act(self, soldier: Soldier) -> None:
        if soldier.destination is not None:
            self._walk(soldier, *soldier.destination)
        elif soldier.target is not None:
            self._pursue(soldier, self._standing(soldier.target))
        else:
            soldier.state = "idle"

    def _walk(self, soldier: Soldier, x: int, y: int) -> None:
        if (soldier.x, soldier.y) == (x, y):
            soldier.destination, soldier.state = None, "idle"
        else:
            soldier.state = "move"
            self._step(soldier, x, y)

    def _standing(self, target: int) -> Soldier | Tower | None:
        """The target; None if it is gone or has no hp left, counting the hits of this turn."""
        if target < len(self._damage):
            soldier = self._world.soldiers[target]
            return soldier if soldier.hp > self._damage[target] else None
        tower = self._world.towers.get(target)
        return tower if tower is not None and tower.hp else None

    def _pursue(self, soldier: Soldier, target: Soldier | Tower | None) -> None:
        if target is None:
            soldier.target, soldier.state = None, "idle"
        elif (target.x - soldier.x) ** 2 + (target.y - soldier.y) ** 2 <= self._reach2:
            soldier.state = "attack"
            self._hit(soldier.seat, target)
        else:
            soldier.state = "pursuit"
            self._step(soldier, target.x, target.y)

    def _step(self, soldier: Soldier, x: int, y: int) -> None:
        x, y = step(soldier.x, soldier.y, x, y, self._speed)
        self._places.append((soldier, x, y))

    def _hit(self, seat: int, target: Soldier | Tower) -> None:
        """Apply a hit; only the one that takes the last hp is paid."""
        settings = self._world.settings
        if isinstance(target, Tower):
            target.hp = max(target.hp - settings.soldier_damage, 0)
            if not target.hp:
                self._world.earn(seat, settings.tower_kill_reward[target.level - 1])
        elif not target.immune:
            self._damage[target.id] += settings.soldier_damage
            if self._damage[target.id] >= target.hp:
                self._world.earn(seat, settings.soldier_reward)

    def _suffer(self, soldier: Soldier, damage: int) -> None:
        soldier.hp = max(soldier.hp - damage, 0)
        soldier.immune = max(soldier.immune - 1, 0)
        if not soldier.hp:
            soldier.state, soldier.destination, soldier.target = "dead", None, None
            soldier.dead = self._world.settings.respawn_turns - 1

    def _wait_for_life(self, soldier: Soldier) -> None:
        if soldier.dead:
            soldier.dead -= 1
        else:
            settings, base = self._world.settings, self._world.base(soldier.seat)
            soldier.state, soldier.hp = "idle", settings.soldier_hp
            soldier.x, soldier.y = base.x, base.y
            soldier.immune = settings.immune_turns

    def _raze(self) -> None:
        world = self._world
        razed = [id for id, tower in world.towers.items() if not tower.hp]
        for id in razed:
            del world.towers[id]
        if razed:
            world.survey()


def step(x: int, y: int, to_x: int, to_y: int, speed: int) -> tuple[int, int]:
    """The position after one turn's walk: the target, or `speed` nearer on the straight line, each
    axis rounded to the nearest thousandth, halves away from zero."""
    dx, dy = to_x - x, to_y - y
    square = dx * dx + dy * dy
    if square <= speed * speed:
        return to_x, to_y
    # speed * |d| / sqrt(square) in integers: twice that rounded down, then halved and rounded up
    wide, high = 2 * speed * dx, 2 * speed * dy
    across = (isqrt(wide * wide // square) + 1) // 2
    along = (isqrt(high * high // square) + 1) // 2
    return x + (across if dx > 0 else -across), y + (along if dy > 0 else -along)
