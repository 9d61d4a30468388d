"""Steps that most scripts are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from arena.core.replies import Answer, Reply
from arena.core.steps import Ask, Asks, Tell


def tell(seat: int, lines: Iterable[str]) -> list[Tell]:
    """All lines to one seat: ``yield from tell(0, opening_lines(world, 0))``."""
    return [Tell(seat, line) for line in lines]


def tell_each(seats: Iterable[int], lines: Callable[[int], Iterable[str]]) -> list[Tell]:
    """To each seat the lines that `lines` gives for it, one seat after the other."""
    return [Tell(seat, line) for seat in seats for line in lines(seat)]


@lru_cache(maxsize=64)
def ask_each(seats: tuple[int, ...], head: str, patience: int = 1) -> Asks:
    """The same request to each seat, all open at once. The same seats get the same object again: a
    table checks it only the first time."""
    return tuple([Ask(seat, head, patience=patience) for seat in seats])


def answer_text(reply: Reply) -> str:
    """What was answered; empty for silence."""
    return reply.text if isinstance(reply, Answer) else ""
