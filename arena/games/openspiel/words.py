"""What bots read and write: observations as lines, and actions as single words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import asdict

from arena.core import Ask, Offer, Picks, Word
from arena.games.kit import Refusal, player_names, settings_lines
from arena.games.openspiel import chess
from arena.games.openspiel.world import SpielWorld, observation

FULL_LINE = 8000
"""Bytes after which the legal actions go on in a further line."""
DRAWN = {"connect_four", "go", "tic_tac_toe"}
"""Games whose actions are places of the board (`board.js`)."""
NOT_OFFERED = Refusal("not_offered", "it is not among the legal actions")
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


def word(text: str) -> str:
    """An action as one word: ``_`` for blanks."""
    text = text.encode("ascii", "backslashreplace").decode()
    return "_".join(text.split()) or "_"


def legal(world: SpielWorld, seat: int) -> dict[str, int]:
    """The legal actions of a seat that moves now, by their words. Words that would stand for
    several actions have ``#NUMBER`` behind."""
    if world.is_chess:
        return chess.coordinates_of_all(world.state)
    state, found = world.state, dict[str, int]()
    for action in state.legal_actions(seat):
        name = word(state.action_to_string(seat, action))
        found[f"{name}#{action}" if name in found else name] = action
    return found


def opening_lines(world: SpielWorld, seat: int) -> list[str]:
    """The first lines of a match. (An empty text has no line.)"""
    given = asdict(world.settings)
    lines = settings_lines(
        f"openspiel:{world.name}",
        player_names(world.seats),
        seat,
        world.settings,
        **{name: str(value).lower() for name, value in given.items() if isinstance(value, bool)},
        max_moves=world.rounds,
    )
    return [line for line in lines if len(line.split()) > 2]


def state_lines(world: SpielWorld, seat: int) -> list[str]:
    """What the seat sees now, if that is news to it."""
    seen = observation(world, seat)
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
    names, order = tuple(legal(world, ask.seat)), "".join(picked)
    if world.name in DRAWN:
        words = tuple(
            [Word(name, name.replace("_", " ")) for name in names if "pass" in name.lower()]
        )
        return Offer("Choose a square.", places=names, words=words, order=order, alone=True)
    words = tuple([Word(name, name.replace("_", " ")) for name in names])
    return Offer("Choose an action.", words=words, order=order, alone=True)
