"""Drives the script of a world by hand, for the tests of games."""

from __future__ import annotations

import json
from typing import Generic, Self, TypeVar

from arena.core.replies import Answer, Reply
from arena.core.steps import Asks, Frame, Note, Outcome, Script, Show, Step, Stop, Tell

W = TypeVar("W")


class Talk(Generic[W]):
    """A conversation: the open requests, and everything that was told on the way to them."""

    def __init__(self, world: W, script: Script, seats: int) -> None:
        self.world = world
        self.told: tuple[list[str], ...] = tuple([] for _ in range(seats))
        """Lines to each seat since the last replies, the requests included."""
        self.log: list[str] = []
        """Everything, as text."""
        self.notes: list[Note] = []
        self.stops: list[Stop] = []
        self.frames: list[Frame] = []
        self.asked: Asks = ()
        self.outcome: Outcome | None = None
        self._script = script
        self._go(None)

    def reply(self, *replies: str | Reply) -> Self:
        """Answer the open requests."""
        given = tuple(Answer(one) if isinstance(one, str) else one for one in replies)
        assert len(given) == len(self.asked)
        for ask, reply in zip(self.asked, given, strict=True):
            text = reply.text if isinstance(reply, Answer) else f"({reply.why})"
            self.log.append(f"{ask.seat}< {text}")
        self.told = tuple([] for _ in self.told)
        self._go(given)
        return self

    def codes(self, seat: int) -> list[str]:
        """The codes of the notes on a seat so far; remarks in brackets."""
        return [n.code if n.fault else f"({n.code})" for n in self.notes if n.seat == seat]

    def _go(self, replies: tuple[Reply, ...] | None) -> None:
        self.asked = ()
        try:
            step = next(self._script) if replies is None else self._script.send(replies)
            while not isinstance(step, tuple):
                self._take(step)
                step = next(self._script)
        except StopIteration as end:
            self.outcome = end.value
            self.log.append(f"end {end.value!r}")
        else:
            self.asked = step
            for ask in step:
                self._tell(ask.seat, ask.line(10000))

    def _take(self, step: Step) -> None:
        match step:
            case Tell(seat, line):
                self._tell(seat, line)
            case Show(frame):
                self.frames.append(frame)
                self.log.append(f"show {json.dumps(frame)}")
            case Note(seat, code, detail, fault):
                self.notes.append(step)
                self.log.append(f"note {seat} {code}{'' if fault else ' (remark)'}: {detail}")
            case Stop(seat, why):
                self.stops.append(step)
                self.log.append(f"stop {seat} {why}")

    def _tell(self, seat: int, line: str) -> None:
        self.told[seat].append(line)
        self.log.append(f"{seat}> {line}")
