"""All listeners of a match as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec

from arena.core.listener import Listener
from arena.core.steps import Frame

P = ParamSpec("P")


class Audience:
    """Each attribute calls all listeners that want to hear of it; None where there is none, so that
    it costs no call. Bound once: a match makes thousands of these calls."""

    __slots__ = ("_shown", "flush", "replied", "shown", "steps", "totals", "violated", "wrote")

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
        self._shown = [one.shown for one in all_of if type(one).shown is not base.shown]
        self.shown = self._show_each if self._shown else None

    async def _show_each(self, frame: Frame) -> None:
        """Tell one after the other."""
        for hear in self._shown:
            await hear(frame)


def _joined(hearers: Sequence[Callable[P, None]]) -> Callable[P, None] | None:
    if len(hearers) < 2:
        return hearers[0] if hearers else None

    def tell_all(*args: P.args, **kwargs: P.kwargs) -> None:
        for hear in hearers:
            hear(*args, **kwargs)

    return tell_all
