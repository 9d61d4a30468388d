"""searching/searching.py - a Hextrategic bot that tries its moves in copies of the match.

It imports the arena for the rules, which must be installed where the bot runs. The lines tell the
whole board, but not what the others do in this round. So the bot guesses a few times: each guess is
a world in which the others play the landlord (as strong.cpp: buy what pays best), bold or careful.

The bot begins with the moves of a landlord of its own, changes some of them at random, again and
again, and plays each on for some rounds in all guesses. A change stays if the mean end is better.
"""

import random
import sys
import time
from heapq import heapify, heappop, heappush
from math import inf
from statistics import fmean

from arena.core import find_game
from arena.core.settings import parse
from arena.games.hextrategic import rules
from arena.games.hextrategic.board import NEUTRAL, TYPES, make_board
from arena.games.hextrategic.world import HexWorld

Moves = dict[tuple[int, int], int]  # source and target -> units
Temper = tuple[float, float]  # fear: the share of helpers in a price; hate: worth of rivals' land
BOLD, CAREFUL = (0.0, 8.0), (1 / 3, 2.0)
TEMPERS = (BOLD, (0.0, 2.0), (1 / 3, 8.0))  # with which the bot tries to begin
GUESSES = 2  # of what the others do
CHANGES = 40  # of the best moves that are tried, if there is time
AHEAD = 3  # rounds that are played on
FUTURE = 3  # rounds for which the income counts at the end
chance = random.Random(1)
game = find_game("hextrategic")


def landlord(world: HexWorld, seat: int, temper: Temper, taste: list[float]) -> Moves:
    """Buy the foreign cells with the best worth for the price; what is left joins in, or marches to
    where land is cheap. `taste` breaks ties."""
    (fear, hate), near = temper, world.board.neighbors
    owner, units, moves = world.owner, world.units, Moves()
    free = {cell: units[cell] for cell, whose in enumerate(owner) if whose == seat}
    beside = dict[int, list[int]]()  # foreign cells -> our cells beside them
    for cell in free:
        for other in near[cell]:
            if owner[other] != seat:
                beside.setdefault(other, []).append(cell)
    offers, price, far = [], dict[int, int](), dict[int, float]()
    for cell, whose in [(cell, owner[cell]) for cell in beside]:
        worth = world.settings.income[world.board.types[cell]] * (1 if whose == NEUTRAL else hate)
        helpers = [units[n] for n in near[cell] if owner[n] == whose] if fear else []
        price[cell] = units[cell] + 1 + (int(fear * sum(helpers)) if whose != NEUTRAL else 0)
        offers.append((-worth / (2 + price[cell]), taste[cell], cell))
        far[cell] = price[cell] / (1 + worth)
    edge = [(steps + 1, cell) for cell, steps in far.items()]
    heapify(edge)
    while edge:  # Dijkstra's algorithm from all foreign cells at once, through ours
        steps, cell = heappop(edge)
        for other in near[cell]:
            if other in free and steps < far.get(other, inf):
                far[other] = steps
                heappush(edge, (steps + 1, other))
    for _, _, cell in sorted(offers):
        buyers, left = beside[cell], price[cell]
        if sum([free[n] for n in buyers]) >= left:
            for buyer in sorted(buyers, key=lambda n: (-free[n], taste[n])):
                if sent := min(left, free[buyer]):
                    moves[buyer, cell] = sent
                    free[buyer] -= sent
                    left -= sent
    for cell in [cell for cell in free if free[cell]]:
        _, _, to = min([(far[n], taste[n], n) for n in near[cell] if n in far])
        rivals = [n for n in near[cell] if owner[n] not in (seat, NEUTRAL) and units[n]]
        if to in free or ((cell, to) in moves and not rivals):
            moves[cell, to] = moves.get((cell, to), 0) + free[cell]
    return moves


def changed(world: HexWorld, seat: int, moves: Moves) -> Moves:
    """These moves, except that one cell does something else, or several attack another together."""
    own = [c for c, whose in enumerate(world.owner) if whose == seat and world.units[c]]
    if not own:
        return moves
    cell = chance.choice(own)
    targets = chance.sample(world.board.neighbors[cell], 1) if chance.random() < 0.8 else []
    who = [cell]
    if targets and world.owner[targets[0]] != seat and chance.random() < 0.5:
        who = [c for c in world.board.neighbors[targets[0]] if c in own]
    new = {way: sent for way, sent in moves.items() if way[0] not in who}
    return new | {(c, to): world.units[c] for c in who for to in targets}


def advance(world: HexWorld, plans: list[Moves]) -> None:
    """Play one round in this world."""
    plan = rules.new_plan(world)
    for (source, target), sent in [item for moves in plans for item in moves.items()]:
        plan.flows[source, target] += sent
        plan.left[source] -= sent
    rules.update(world, plan)
    world.round += 1


def worth(world: HexWorld, seat: int) -> float:
    """The seat's share of all units, and of the income of some rounds to come."""
    sides = [0.0] * (len(world.names) + 1)  # the last of them is neutral
    income = world.settings.income
    for whose, units, kind in zip(world.owner, world.units, world.board.types, strict=True):
        sides[whose] += units + FUTURE * income[kind]
    return sides[seat] / (sum(sides[:-1]) or 1)


class Guess:
    """What the others may do: how bold they are, and what they like."""

    def __init__(self, world: HexWorld, seat: int, temper: Temper) -> None:
        self.world, self.seat, self.temper = world, seat, temper
        self.taste = [chance.random() for _ in world.owner]
        self.first = self.others(world)

    def others(self, world: HexWorld) -> list[Moves]:
        """What they do in this world."""
        rivals = [seat for seat in world.playing() if seat != self.seat]
        return [landlord(world, seat, self.temper, self.taste) for seat in rivals]

    def play_on(self, moves: Moves, temper: Temper) -> float:
        """What these moves are worth, if the bot goes on as a landlord of this temper."""
        world = self.world.copy()
        advance(world, [moves, *self.first])
        for _ in range(AHEAD - 1):
            if rules.is_over(world):
                break
            mine = landlord(world, self.seat, temper, self.taste)
            advance(world, [mine, *self.others(world)])
        return worth(world, self.seat)


def search(world: HexWorld, seat: int, seconds: float) -> Moves:
    """The best moves that were tried."""
    end = time.process_time() + seconds
    guesses = [Guess(world, seat, (BOLD, CAREFUL)[i % 2]) for i in range(GUESSES)]
    best, moves, temper = -inf, Moves(), BOLD
    for number in range(len(TEMPERS) + CHANGES):
        if number < len(TEMPERS):
            style = TEMPERS[number]
            new = landlord(world, seat, style, guesses[0].taste)
        else:
            style, new = temper, changed(world, seat, moves)
        found = fmean([guess.play_on(new, style) for guess in guesses])
        if found > best:
            best, moves, temper = found, new, style
        if time.process_time() > end:
            break
    return moves


settings: dict[str, list[str]] = {}
board, number, state = make_board([], []), 0, list[str]()
for line in sys.stdin:
    match line.split():
        case ["settings", key, *values]:
            settings[key] = values
        case ["setup_map", "cells", *values]:  # 0 -4 0 normal 1 -4 1 bronze …
            rows = [values[i : i + 4] for i in range(0, len(values), 4)]
            places = [(int(q), int(r)) for _, q, r, _ in rows]
            board = make_board(places, [TYPES.index(row[3]) for row in rows])
        case ["round", value]:
            number = int(value)
        case ["update_map", *state]:  # 0 neutral 3 1 player1 10 …
            pass
        case ["go", "action", bank]:
            names = settings["players"]
            given = {key: ",".join(settings[key]) for key in ("income", "max_rounds")}
            owner = [names.index(who) if who in names else NEUTRAL for who in state[1::3]]
            units = list(map(int, state[2::3]))
            world = HexWorld(parse(game.settings, given), board, tuple(names), (), owner, units)
            world.round = number
            found = search(world, names.index(settings["your_bot"][0]), int(bank) / 40000)
            orders = [f"move {a} {b} {sent}" for (a, b), sent in found.items() if sent]
            print(", ".join(orders) or "No moves", flush=True)
