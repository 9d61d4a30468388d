"""All lines sent to bots. Only the auto-moves of others are hidden."""

from __future__ import annotations

from arena.games.hextrategic import rules
from arena.games.hextrategic.board import TYPES, Board
from arena.games.hextrategic.world import NAME, HexWorld
from arena.games.kit import MapTexts, game_over_line, links_text, settings_lines

ASK = "go action"


def opening_lines(world: HexWorld, seat: int) -> list[str]:
    """The lines to a bot before the first round."""
    board = world.board
    settings = settings_lines(
        NAME,
        world.names,
        seat,
        world.settings,
        radius=board.radius,
        position_points=world.position_points,
    )
    return [*settings, cells_line(board), neighbors_line(board)]


def cells_line(board: Board) -> str:
    """Each cell: its number, its place, its type."""
    cells = [
        f" {cell} {q} {r} {TYPES[kind]}"
        for cell, ((q, r), kind) in enumerate(zip(board.cells, board.types, strict=True))
    ]
    return f"setup_map cells{''.join(cells)}"


def neighbors_line(board: Board) -> str:
    """Each link once, under its lower cell."""
    return f"setup_map neighbors{links_text(board.neighbors)}"


class News:
    """The state of a match as lines, rendered once for all seats and kept."""

    def __init__(self, world: HexWorld) -> None:
        self._world = world
        self._names = (*world.names, "neutral")  # NEUTRAL is −1: the last
        self._texts = MapTexts(self._names, world.owner, world.units)
        self.renew()

    def renew(self) -> None:
        """Update the lines to the current world."""
        self._texts.renew(self._world.owner, self._world.units)
        self.update = self._texts.line()
        names, moves = self._names, [""] * len(self._world.names)
        for seat, source, target, units in self._world.moves:
            moves[seat] += f" {names[seat]} move {source} {target} {units}"
        self._moves = moves

    def lines(self, seat: int) -> tuple[str, str]:
        """``update_map`` and ``opponent_moves`` for one seat."""
        moves = [text for other, text in enumerate(self._moves) if other != seat]
        return self.update, f"opponent_moves{''.join(moves)}"


def farewell_line(world: HexWorld, seat: int) -> str:
    """The last line to an eliminated seat, or to any seat at the end."""
    return game_over_line(rules.positions(world)[seat], rules.points(world)[seat])
