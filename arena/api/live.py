"""Shows one match on pages while it is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

from msgspec import structs
from msgspec.structs import replace

from arena.api.inside import keeper_for
from arena.core.listener import Listener
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant, HumanEntrant
from arena.runtime.affinity import pinned
from arena.sandbox.session import run_with

if TYPE_CHECKING:
    from arena.sandbox.children import Children
    from arena.web.live import LiveMatch

MISSING = (
    "--live needs the libraries uvicorn, starlette and wsproto ({} is missing): "
    "pip install '.[web]' in a clone"
)


def play_live(
    spec: MatchSpec,
    announce: Callable[[int | None, str], None],
    *,
    missed: Callable[[int, bool], None] = lambda seat, back: None,
    listeners: Sequence[Listener] = (),
    pin: bool = False,
) -> MatchReport:
    """Play the match of a spec on pages. Each person without a desk gets a page that
    shows what the seat sees; without such people there is one page, for spectators.
    `announce` is called with the seat of each page (None: spectators) and its address. The match
    begins when all these pages are opened. `missed` is called with the seat of a person and
    False when the page is closed, and True when it is opened again. `listeners` follow the match.

    Raises as `arena.play` does, and UsageError where the libraries for it are missing.
    """
    for library in ("uvicorn", "starlette", "wsproto"):
        if find_spec(library) is None:
            raise UsageError(MISSING.format(library))

    async def main(children: Children | None) -> MatchReport:
        return await host(spec, announce, children, listeners, missed)

    with pinned(0 if pin else None), keeper_for(spec) as keeper:
        return run_with(keeper, main)


async def host(
    spec: MatchSpec,
    announce: Callable[[int | None, str], None],
    children: Children | None = None,
    listeners: Sequence[Listener] = (),
    missed: Callable[[int, bool], None] = lambda seat, back: None,
) -> MatchReport:
    """`play_live` inside Trio. Programs among the entrants need `children`."""
    import trio

    from arena.match.play import play_match
    from arena.web.desk import watch
    from arena.web.live import LiveMatch
    from arena.web.live_server import LiveServer

    record = BytesIO()
    live = LiveMatch(record)
    seated = structs.replace(spec, entrants=tuple(_seat(spec.entrants, live)))
    server = LiveServer(live, spec.find_game())
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        for seat, address in server.addresses.items():
            announce(seat, address)
        await live.gather()
        async with trio.open_nursery() as watching:
            for seat, desk in live.desks.items():
                watching.start_soon(watch, desk, live.news, partial(missed, seat))
            report = await play_match(seated, children, [*listeners, live], record=record)
            watching.cancel_scope.cancel()
        live.end()
        await server.close()
    return report


def _seat(entrants: Sequence[Entrant], live: LiveMatch) -> Iterator[Entrant]:
    """Give each person without a desk one on a page."""
    from arena.web.desk import PageDesk

    for seat, one in enumerate(entrants):
        if isinstance(one, HumanEntrant) and one.desk is None:
            live.desks[seat] = desk = PageDesk(one.name, live.news)
            yield replace(one, desk=desk)
        else:
            yield one
