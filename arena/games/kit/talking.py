"""Steps that most scripts are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena.core.replies import Answer, Reply
from arena.core.steps import Tell


def tell(seat: int, lines: Iterable[str]) -> list[Tell]:
    """All lines to one seat: ``yield from tell(0, opening_lines(world, 0))``."""
    return [Tell(seat, line) for line in lines]


def tell_each(seats: Iterable[int], lines: Callable[[int], Iterable[str]]) -> list[Tell]:
    """To each seat the lines that `lines` gives for it, one seat after the other."""
    return [Tell(seat, line) for seat in seats for line in lines(seat)]


def answer_text(reply: Reply) -> str:
    """What was answered; empty for silence."""
    return reply.text if isinstance(reply, Answer) else ""
