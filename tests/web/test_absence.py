"""What is told of a person whose page is closed."""

from __future__ import annotations

import trio
import trio.testing

from arena.web.desk import AWAY, Notifier, PageDesk, watch


async def test_a_person_who_closes_the_page_is_missed(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Not one who has not come yet, nor one whose page is only loaded again."""
    news = Notifier()
    desk, told = PageDesk("Ann", news), list[tuple[float, bool]]()
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            watch, desk, news, lambda back: told.append((trio.current_time() - begun, back))
        )
        await trio.sleep(100)
        for away in (0, AWAY / 2, 10 * AWAY):
            with desk.open_page(), desk.open_page():
                await trio.sleep(10)
            await trio.sleep(away)
        left = 100 + 30 + AWAY / 2
        assert told == [(left + AWAY, False)]
        with desk.open_page():
            await trio.sleep(1)
            assert told[1:] == [(left + 10 * AWAY, True)]
        nursery.cancel_scope.cancel()
