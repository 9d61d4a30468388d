"""Instruction budgets: what a request may cost when instructions count instead of time.

The count of a request covers everything that the program executed between its last answer and this
one, so nothing is free. Counts, unlike times, are the same on every machine.
"""

from __future__ import annotations

from msgspec import Struct

from arena.core.replies import Reply, Silence, Why


class Budget(Struct, frozen=True):
    """The instruction budget of one request."""

    turn: int
    """An answer that cost more is late."""
    game: int
    """An answer that cost more is absent, and the program is not asked again."""

    def verdict(self, instructions: int) -> Why | None:
        """Why an answer at this cost does not count; None when it counts."""
        if instructions > self.game:
            return Why.ABSENT
        return Why.LATE if instructions > self.turn else None

    def judge(self, reply: Reply, instructions: int) -> Reply:
        """The reply if it counts, otherwise silence."""
        why = self.verdict(instructions)
        return reply if why is None else Silence(why)
