"""What every game promises, whatever its rules. Each check takes any game and raises
AssertionError; `test_conformance` runs them over all registered games, and over broken ones to
show that they can fail."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from arena.game import Game, Setup
from arena.rng import Stream
from arena.steps import (
    Answer,
    Ask,
    Fate,
    Note,
    Outcome,
    Reply,
    Show,
    Silence,
    Step,
    Stop,
    Tell,
    Why,
)
from arena.table import Table

MAX_REQUESTS = 3000
"""Random play is watched for so many rounds of requests; a longer match is cut off."""

Answerer = Callable[[Table, Ask], Reply]


def setups(game: Game, seeds: int = 2) -> Iterator[Setup]:
    """Default matches for every number of seats."""
    for seats in game.seats:
        for seed in range(seeds):
            yield Setup(str(seed), seats, game.settings())


def at_random(seed: str) -> Answerer:
    """Plausible answers, and now and then nonsense, an empty line, or none at all."""
    stream = Stream(seed, "answers")

    def answer(table: Table, ask: Ask) -> Reply:
        kind = stream.below(40)
        if kind == 0:
            return Answer("tea, 1 2 3, \\xff")
        if kind == 1:
            return Answer("")
        if kind == 2:
            return Silence(Why.DEAD)
        return Answer(table.game.random_answer(table.world, ask, stream))

    return answer


def silent(table: Table, ask: Ask) -> Reply:
    """Never an answer."""
    return Silence(Why.LATE)


def play(table: Table, answer: Answerer, limit: int = MAX_REQUESTS) -> list[str]:
    """The transcript of a match, played on to its end or for `limit` exchanges."""
    lines = [text(step) for step in table.take()]
    for _ in range(limit):
        if table.outcome is not None:
            return [*lines, text(table.outcome)]
        for ask in table.asked:
            reply = answer(table, ask)
            lines += [f"{text(ask)} {text(reply)}"]
            table.answer(ask.seat, reply)
        lines += [text(step) for step in table.take()]
    return lines


def text(step: Step | Ask | Reply | Outcome) -> str:
    """A step as its canonical JSON."""
    return msgspec.json.encode(step).decode()


def check_determinism(game: Game) -> None:
    """Same seed and answers, same transcript; and chance comes from the seed."""
    for setup in setups(game):
        first = play(Table(game, setup), at_random(setup.seed))
        again = play(Table(game, setup), at_random(setup.seed))
        assert first == again


def check_reply_order(game: Game) -> None:
    """The order in which simultaneous answers arrive changes nothing."""
    for setup in setups(game, 1):
        forward, backward = Table(game, setup), Table(game, setup)
        answer = at_random(setup.seed)
        for _ in range(200):
            if forward.outcome is not None:
                break
            replies = {ask.seat: answer(forward, ask) for ask in forward.asked}
            for ask in forward.asked:
                forward.answer(ask.seat, replies[ask.seat])
            for ask in reversed(backward.asked):
                backward.answer(ask.seat, replies[ask.seat])
            assert [text(s) for s in forward.take()] == [text(s) for s in backward.take()]


def check_fork(game: Game) -> None:
    """A fork plays on exactly as its original, from several points, and leaves it alone."""
    for setup in setups(game, 1):
        for exchanges in (0, 1, 7, 40):
            original = Table(game, setup)
            play(original, at_random("before"), exchanges)
            fork = original.fork()
            ahead = play(fork, at_random("after"), 60)
            assert ahead == play(original, at_random("after"), 60)


def check_silence_ends(game: Game) -> None:
    """A match in which nobody ever answers comes to its end, with a full outcome."""
    for setup in setups(game, 1):
        table = Table(game, setup)
        play(table, silent, 100_000)
        check_outcome(table)


def check_outcome(table: Table) -> None:
    """Ranks are 1 1 3-like, points and fates are there for everybody."""
    outcome = table.outcome
    assert outcome is not None, "the match did not end"
    seats = table.setup.seats
    assert len(outcome.ranks) == len(outcome.points) == len(outcome.fates) == seats
    assert all(rank == 1 + sum(r < rank for r in outcome.ranks) for rank in outcome.ranks)
    assert all(isinstance(fate, Fate) for fate in outcome.fates)
    assert all(points >= 0 for points in outcome.points)
    assert outcome.reason.replace("_", "").isalpha()
    assert outcome.sentence.endswith(".")


def check_fog(game: Game) -> None:
    """Changing what a seat cannot see changes no line that it is told before the next answer."""
    for setup in setups(game):
        table, answer = Table(game, setup), at_random(setup.seed)
        for exchange in range(120):
            if table.outcome is not None:
                break
            if exchange % 5 == 0:
                check_fog_here(game, table, setup.seats)
            for ask in table.asked:
                table.answer(ask.seat, answer(table, ask))


def check_fog_here(game: Game, table: Table, seats: int) -> None:
    """As `check_fog`, for one position."""
    for seat in range(seats):
        other = table.world.copy()
        if game.disturb(other, seat, Stream("fog", "disturb")):
            assert told(game, table.world.copy(), seat) == told(game, other, seat)


def told(game: Game, world: Any, seat: int) -> list[str]:
    """The lines and requests to `seat` until the first answers are needed."""
    script, lines = game.script(world), []
    try:
        step = next(script)
        while not isinstance(step, tuple):
            if isinstance(step, Tell) and step.seat == seat:
                lines.append(step.line)
            step = next(script)
        lines += [ask.line(0) for ask in step if ask.seat == seat]
    except StopIteration:
        lines.append("(end)")
    script.close()
    return lines


def check_steps(game: Game) -> None:
    """Lines, requests, notes and frames are in form; frames are complete JSON."""
    for setup in setups(game):
        table, answer = Table(game, setup), at_random(setup.seed)
        shown: list[Show] = []
        for _ in range(MAX_REQUESTS):
            for step in table.take():
                check_step(step, setup.seats)
                shown += [step] if isinstance(step, Show) else []
            if table.outcome is not None:
                check_outcome(table)
                break
            check_asks(table)
            for ask in table.asked:
                table.answer(ask.seat, answer(table, ask))
        check_frames(game, shown)


def check_step(step: Step, seats: int) -> None:
    """One step is in form."""
    match step:
        case Tell(seat, line):
            assert 0 <= seat < seats
            check_line(line)
        case Note(seat, code, detail):
            assert 0 <= seat < seats
            assert code.replace("_", "").isalpha()
            assert detail
        case Stop(seat):
            assert 0 <= seat < seats
        case Show(frame):
            assert json.loads(json.dumps(frame)) == frame, "a frame must be plain JSON"


def check_line(line: str) -> None:
    """ASCII, one blank between tokens, none at the ends."""
    assert line.isascii()
    assert line.isprintable()
    assert line == " ".join(line.split())


def check_asks(table: Table) -> None:
    """At most one open request for each seat, and one at least."""
    seats = [ask.seat for ask in table.asked]
    assert seats
    assert len(set(seats)) == len(seats)
    for ask in table.asked:
        check_line(ask.line(10000))


def check_frames(game: Game, shown: list[Show]) -> None:
    """Rounds count up to the maximum; every frame has the same keys (but for `board`)."""
    assert shown, "a match must show something"
    rounds = [show.frame["round"] for show in shown]
    assert rounds == list(range(len(rounds))), "the set-up is round 0, then each round once"
    assert all(show.frame["round"] <= show.frame["rounds"] for show in shown)
    keys = [set(show.frame) - {"board"} for show in shown]
    assert all(mine == keys[0] for mine in keys)
    assert all("board" not in show.frame for show in shown[1:])
    assert all(game.headline(show.frame).isprintable() for show in shown)
    board = shown[0].frame.get("board")
    for show in shown:
        lines = game.picture(board, show.frame).split("\n")
        assert all(line.isprintable() and len(line) <= 100 for line in lines)


PURE_IMPORTS = {
    "__future__", "bisect", "collections", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "math", "msgspec", "operator", "re", "statistics", "string",
    "types", "typing",
}  # fmt: skip
"""What rules may use besides themselves and the contract."""
CONTRACT = {
    "arena.budget",
    "arena.errors",
    "arena.game",
    "arena.games.common",
    "arena.rng",
    "arena.settings",
    "arena.steps",
}


def check_imports(game: Game) -> None:
    """The files of the game import the contract, themselves and pure parts of the library."""
    package = game.script.__module__.rpartition(".")[0]
    for path in Path(inspect.getfile(game.script)).parent.glob("*.py"):
        for name in imports(path):
            pure = name.partition(".")[0] in PURE_IMPORTS or name in CONTRACT
            own = bool(package) and (name == package or name.startswith(f"{package}."))
            assert pure or own, f"{path.name} imports {name}"


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, by full name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "." * node.level


CHECKS = [
    check_determinism,
    check_reply_order,
    check_fork,
    check_silence_ends,
    check_fog,
    check_steps,
]
"""Checks of behaviour, for any game. `check_imports` needs a game with a folder of its own."""
