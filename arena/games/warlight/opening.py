"""What is drawn before the first pick: wastelands, the regions to pick from, how many picks."""

from __future__ import annotations

from msgspec import Struct

from arena.core import MapError, SettingError, Stream
from arena.games.warlight.board import Board
from arena.games.warlight.settings import WarlightSettings


class Opening(Struct, frozen=True):
    """The start of a match, which never changes."""

    wastelands: tuple[int, ...]
    """Ascending."""
    pickable: tuple[int, ...]
    """One region of each super region, in the order of the super regions."""
    picks: int
    """How many regions both players pick, together: an even number."""


def draw_opening(board: Board, settings: WarlightSettings, stream: Stream) -> Opening:
    """All draws of the stream ``setup``, in their order.

    Raises SettingError for more wastelands than fit, MapError when nothing is left to pick.
    """
    wastelands = _draw_wastelands(board, settings, stream)
    pickable = _draw_pickable(board, wastelands, stream)
    if len(pickable) < 2:
        raise MapError(
            "the wastelands leave fewer than two regions to pick from: give another map or seed, "
            "fewer wastelands, or wasteland_rule=strict"
        )
    picks = _draw_picks(len(pickable), settings, stream)
    return Opening(tuple(sorted(wastelands)), pickable, picks)


def _draw_wastelands(board: Board, settings: WarlightSettings, stream: Stream) -> set[int]:
    count = settings.wastelands
    wanted = len(board.supers) // 2 if count is None else count
    room = len(board.regions) - len(board.supers)
    if settings.wasteland_rule == "source":
        return _source_wastelands(board, wanted, stream)
    if count is not None and count > room:
        raise SettingError(
            f"wastelands={count} is not allowed on this map: give at most {room}, so that every "
            "super region keeps an ordinary region"
        )
    return _strict_wastelands(board, min(wanted, room), stream)


def _strict_wastelands(board: Board, count: int, stream: Stream) -> set[int]:
    """Every super region keeps at least one ordinary region."""
    drawn: set[int] = set()
    normal = [len(members) for members in board.members]
    candidates = [region for region in board.regions if normal[board.super_of[region]] > 1]
    for _ in range(count):
        region = stream.choice(candidates)
        zone = board.super_of[region]
        drawn.add(region)
        candidates.remove(region)
        normal[zone] -= 1
        if normal[zone] == 1:
            candidates.remove(next(last for last in board.members[zone] if last not in drawn))
    return drawn


def _source_wastelands(board: Board, count: int, stream: Stream) -> set[int]:
    """As the old engine: a wasteland drawn again counts while its super region has two ordinary
    regions, and is drawn anew when it has fewer."""
    drawn: set[int] = set()
    normal = [len(members) for members in board.members]
    for _ in range(count):
        region = 1 + stream.below(len(board.regions))
        while region in drawn and normal[board.super_of[region]] < 2:
            if len(drawn) == len(board.regions):
                return drawn  # or it would draw for ever
            region = 1 + stream.below(len(board.regions))
        if region not in drawn:
            drawn.add(region)
            normal[board.super_of[region]] -= 1
    return drawn


def _draw_pickable(board: Board, wastelands: set[int], stream: Stream) -> tuple[int, ...]:
    """One ordinary region of each super region that has any."""
    pickable = []
    for zone in board.supers:
        normal = [region for region in board.members[zone] if region not in wastelands]
        if normal:
            pickable.append(stream.choice(normal))
    return tuple(pickable)


def _draw_picks(pickable: int, settings: WarlightSettings, stream: Stream) -> int:
    most = pickable - pickable % 2
    pairs = max(0, most - settings.min_picks) // 2
    return most - 2 * sum([stream.permille(settings.pick_drop) for _ in range(pairs)])
