"""One match on a page while it is played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.runtime.affinity import pinned
from arena.sandbox.session import keeper_running, run_with

if TYPE_CHECKING:
    from arena.sandbox.children import Children

MISSING = "--live needs the libraries anycorn and starlette: pip install '.[web]' in a clone"


def play_live(
    spec: MatchSpec,
    announce: Callable[[str], None],
    *,
    listeners: Sequence[Listener] = (),
    pin: bool = False,
) -> MatchReport:
    """Play the match of a spec on a page, whose address `announce` is called with. It begins when
    the page is opened. `listeners` hear of it, too.

    Raises as `arena.play` does, and UsageError where the libraries for it are missing.
    """
    try:
        from arena.web.live import LiveMatch
        from arena.web.server import LiveServer
    except ModuleNotFoundError as error:
        raise UsageError(MISSING) from error
    import trio

    from arena.match.play import play_match

    async def main(children: Children) -> MatchReport:
        record = BytesIO()
        live = LiveMatch(record)
        server = LiveServer(live, find_game(spec.game))
        async with trio.open_nursery() as nursery:
            await nursery.start(server.run)
            announce(server.url)
            report = await play_match(spec, children, [*listeners, live], record=record)
            live.end()
            await server.close()
        return report

    with pinned(0 if pin else None), keeper_running(spec.sandbox) as keeper:
        return run_with(keeper, main)
