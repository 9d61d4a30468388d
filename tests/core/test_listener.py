"""Listeners that hear one thing only."""

from __future__ import annotations

from arena.core.listener import Listener, Spectator
from arena.core.steps import Frame, Tell


async def test_a_spectator_shows_frames() -> None:
    seen: list[Frame] = []

    async def show(frame: Frame) -> None:
        seen.append(frame)

    await Spectator(show).shown({"round": 3})
    assert seen == [{"round": 3}]


async def test_a_listener_need_not_hear_anything() -> None:
    listener = Listener()
    listener.steps([Tell(0, "x")])
    listener.flush()
    await listener.shown({})
