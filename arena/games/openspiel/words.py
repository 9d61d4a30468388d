"""What bots read and write, as lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arena.core import Ask, Note, Offer, Picks, Tell, Word
from arena.games.kit import Refusal, counted, player_names, settings_lines
from arena.games.openspiel import chess
from arena.games.openspiel.world import SpielWorld, as_word, observation

FULL_LINE = 8000
"""Bytes after which the legal actions go on in a further line."""
DRAWN = {"connect_four", "go", "tic_tac_toe"}
"""Games whose actions are places of the board (`board.js`)."""
NOT_OFFERED = Refusal("not_offered", "it is not among the legal actions")
LIBRARY_FAILED = "library_failed"
"""The code of the note on a failure of the library."""
_ESCAPES = re.compile("\x1b\\[[0-9;]*m")


def plain(text: str) -> str:
    """The text without escape codes and blank lines at its end."""
    return _ESCAPES.sub("", text).rstrip()


def rows(text: str) -> Iterator[str]:
    """The lines of a text for bots: ASCII, with ``\\s`` for each blank that would get lost (at the
    beginning, or beside another), and ``\\u2660`` for other characters."""
    for row in plain(text).split("\n"):
        row = row.rstrip().encode("ascii", "backslashreplace").decode().replace("\t", " ")
        row = re.sub(r"^ +|(?<= ) +", lambda blanks: "\\s" * len(blanks[0]), row)
        yield row if row.isprintable() else re.sub(r"[^ -~]", "?", row)


def opening_lines(world: SpielWorld, seat: int) -> list[str]:
    """The first lines of a match. (An empty text has no line.)"""
    names = player_names(world.seats)
    lines = settings_lines(
        f"openspiel:{world.name}", names, seat, world.settings, max_moves=world.rounds
    )
    return [line for line in lines if len(line.split()) > 2]


def known(world: SpielWorld, seat: int) -> str:
    """What the seat knows. (That of a seat that neither moves nor is told is read here.)"""
    seen = world.reading.seen.get(seat)
    return observation(world, seat) if seen is None else seen


def state_lines(world: SpielWorld, seat: int) -> list[str]:
    """What the seat sees now, if that is news to it."""
    seen = known(world, seat)
    if seen == world.seen[seat] and world.round:
        return []
    world.seen[seat] = seen
    return [f"round {world.round}", *(f"observe {row}".rstrip() for row in rows(seen))]


def legal_lines(world: SpielWorld, actions: Iterable[str]) -> Iterator[str]:
    """The legal actions, by their words, and in chess the position."""
    if world.is_chess:
        yield chess.position_line(world.since, world.line)
    line = "legal"
    for name in actions:
        if len(line) > FULL_LINE:
            yield line
            line = "legal"
        line += f" {name}"
    yield line


def offers(world: SpielWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """The legal actions, of which one is the answer."""
    names, order = tuple(world.reading.legal[ask.seat]), "".join(picked)
    if world.name in DRAWN:
        words = tuple(
            [Word(name, name.replace("_", " ")) for name in names if "pass" in name.lower()]
        )
        return Offer("Choose a square.", places=names, words=words, order=order, alone=True)
    words = tuple([Word(name, name.replace("_", " ")) for name in names])
    return Offer("Choose an action.", words=words, order=order, alone=True)


def made_word(world: SpielWorld, text: str) -> str:
    """The text of a last move as one word; in chess its coordinates (one seat moves at a time)."""
    return world.last if world.is_chess else as_word(text)


def failure_of(world: SpielWorld, seat: int) -> Iterator[Note | Tell]:
    """What a seat and its author learn of the library's failure at an action of the last answers,
    in which nobody is at fault."""
    tried = [name for mover, name in world.failed if mover == seat]
    if not tried:
        return
    more = len(tried) - 1
    others = f" and {counted(more, 'other')}" if more else ""
    failed = f"OpenSpiel failed at {tried[0]}{others}, which it had offered"
    if world.stuck:
        yield Note(seat, LIBRARY_FAILED, f"{failed}; that is no fault of the bot", fault=False)
        return
    (made,) = [made_word(world, text) for mover, text in world.moves if mover == seat]
    yield Note(
        seat,
        LIBRARY_FAILED,
        f"{failed}, so {made} was played instead; that is no fault of the bot",
        fault=False,
    )
    yield Tell(seat, f"result instead {made}")
