"""Matches of Warlight with one planted blunder, played in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import arena
from arena.record.reader import Match
from arena.view.chances import AFTERMATH, LEAST
from arena.workbench.analysis import Analysis, TurningPointReport, analyse

LEAST_LOSS = 0.4
"""The share of its armies that a general gives away at least when it blunders."""
ENOUGH = 12
"""The armies that it needs to have, so that they are worth something."""


class General:
    """A bot that attacks what it outnumbers two to one, until it gives its armies away once: at the
    first chance from round `at` on it throws them against walls. -1: never."""

    def __init__(self, at: int = -1) -> None:
        self.at = at
        self.round = 0
        self.blundered: int | None = None
        """The round in which it did."""
        self._me = "player1"
        self._new = 5
        self._beside: dict[str, set[str]] = {}
        self._owner: dict[str, str] = {}
        self._armies: dict[str, int] = {}

    def answer(self, lines: list[str]) -> str:
        """The answer to the last of these lines."""
        for line in lines[:-1]:
            self._hear(line.split())
        match lines[-1].split():
            case ["pick_starting_region", _, first, *_]:
                return first
            case ["go", "place_armies", _]:
                self.round += 1
                return self._place()
            case ["go", "attack/transfer", _]:
                wasted = self._waste()
                if 0 <= self.at <= self.round and self.blundered is None and wasted:
                    self.blundered = self.round
                    return wasted
                return self._attack()
        return "No moves"

    def _hear(self, words: list[str]) -> None:
        match words:
            case ["settings", "your_bot", name]:
                self._me = name
            case ["settings", "starting_armies", number]:
                self._new = int(number)
            case ["setup_map", "neighbors", *pairs]:
                for region, others in zip(pairs[::2], pairs[1::2], strict=True):
                    for other in others.split(","):
                        self._beside.setdefault(region, set()).add(other)
                        self._beside.setdefault(other, set()).add(region)
            case ["update_map", *triples]:
                self._owner = dict(zip(triples[::3], triples[1::3], strict=True))
                counts = map(int, triples[2::3])
                self._armies = dict(zip(triples[::3], counts, strict=True))

    def _mine(self) -> list[str]:
        return [region for region, owner in self._owner.items() if owner == self._me]

    def _targets(self, region: str) -> list[str]:
        """The neighbours of others, the weakest first."""
        found = [one for one in self._beside[region] if self._owner[one] != self._me]
        return sorted(found, key=lambda one: (self._armies[one], int(one)))

    def _place(self) -> str:
        border = [region for region in self._mine() if self._targets(region)]
        if not border:
            return "No moves"
        place = min(border, key=lambda region: self._armies[self._targets(region)[0]])
        self._armies[place] += self._new
        return f"{self._me} place_armies {place} {self._new}"

    def _attack(self) -> str:
        orders = []
        for region in self._mine():
            free = self._armies[region] - 1
            for target in self._targets(region):
                force = 2 * self._armies[target]
                if free >= force:
                    orders.append(f"{self._me} attack/transfer {region} {target} {force}")
                    free -= force
        return ", ".join(orders) or "No moves"

    def _waste(self) -> str:
        """Attacks that fail and cost much; empty where they would not. (An attacker kills 60 % of
        its number, a defender 70 %.)"""
        orders, lost = [], 0.0
        for region in self._mine():
            free = self._armies[region] - 1
            walls = [o for o in self._targets(region) if 0.6 * free < self._armies[o] - 1]
            if free > 0 and walls:
                orders.append(f"{self._me} attack/transfer {region} {walls[-1]} {free}")
                lost += min(free, 0.7 * self._armies[walls[-1]])
        all_mine = sum(self._armies[region] for region in self._mine())
        is_worth_it = all_mine >= ENOUGH and lost >= LEAST_LOSS * all_mine
        return ", ".join(orders) if is_worth_it else ""


@dataclass(frozen=True)
class Planted:
    """A match in which the general at a seat blundered in a round."""

    match: Match
    seat: int
    round: int

    @cached_property
    def _analysis(self) -> Analysis:
        return analyse(self.match, "r.jsonl")

    @property
    def points(self) -> list[TurningPointReport]:
        """The turning points of the general, the costliest first."""
        return [one for one in self._analysis.turning_points if one.seat == self.seat]

    @property
    def is_found(self) -> bool:
        """Whether the blunder is among them. (There are at most three of a seat.)"""
        return any(one.round == self.round for one in self.points)

    @property
    def is_within(self) -> bool:
        """Whether it is among the rounds of one."""
        return any(one.round <= self.round <= one.last for one in self.points)

    @property
    def cost_chance(self) -> bool:
        """Whether the chance fell soon after it by what a turning point costs."""
        chances = [one.chances[self.seat] for one in self._analysis.rounds]
        after = chances[self.round : self.round + AFTERMATH]
        return chances[self.round - 1] - min(after) >= LEAST


def planted(seed: int) -> Planted | None:
    """A match with one blunder; None if there was no chance for it."""
    seat, general = seed % 2, General(5 + seed % 7)
    bots: list[Callable[[list[str]], str]] = [_named("ann", General()), _named("ann", General())]
    bots[seat] = _named("bob", general)
    match = arena.play("warlight", bots, seed=seed)
    return None if general.blundered is None else Planted(match, seat, general.blundered)


def _named(name: str, general: General) -> Callable[[list[str]], str]:
    def answer(lines: list[str]) -> str:
        return general.answer(lines)

    answer.__name__ = name
    return answer
