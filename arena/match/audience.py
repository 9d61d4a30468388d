"""All listeners of a match as one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import ParamSpec

from arena.core.listener import Listener
from arena.core.steps import Frame

P = ParamSpec("P")


class Audience:
    """Each attribute calls all listeners that want to hear of it; None where there is none, so that
    it costs no call. Bound once: a match makes thousands of these calls."""

    __slots__ = ("flush", "replied", "shown", "steps", "totals", "violated", "wrote")

    def __init__(self, listeners: Iterable[Listener]) -> None:
        all_of = tuple(listeners)
        base = Listener
        self.steps = _joined([one.steps for one in all_of if type(one).steps is not base.steps])
        self.replied = _joined(
            [one.replied for one in all_of if type(one).replied is not base.replied]
        )
        self.violated = _joined(
            [one.violated for one in all_of if type(one).violated is not base.violated]
        )
        self.flush = _joined([one.flush for one in all_of if type(one).flush is not base.flush])
        self.totals = _joined([one.totals for one in all_of if type(one).totals is not base.totals])
        self.wrote = _joined([one.wrote for one in all_of if type(one).wrote is not base.wrote])
        shown = [one.shown for one in all_of if type(one).shown is not base.shown]
        self.shown = _one_by_one(shown) if shown else None


def _joined(hearers: Sequence[Callable[P, None]]) -> Callable[P, None] | None:
    if len(hearers) < 2:
        return hearers[0] if hearers else None

    def tell_all(*args: P.args, **kwargs: P.kwargs) -> None:
        for hear in hearers:
            hear(*args, **kwargs)

    return tell_all


def _one_by_one(
    hearers: Sequence[Callable[[Frame], Awaitable[None]]],
) -> Callable[[Frame], Awaitable[None]]:
    async def show_each(frame: Frame) -> None:
        for hear in hearers:
            await hear(frame)

    return show_each
