"""The start of a program, which its time bank need not pay for.

From its start to its first answer a program may have some time of its own: a Java or Elixir program
on a machine with much to do takes seconds to its first word. What it does not take is gone, and
what goes beyond it is charged.
"""

from __future__ import annotations

from msgspec.structs import replace

from arena.core.replies import Cost


class StartUp:
    """What one program may take, and has taken. Times in nanoseconds."""

    def __init__(self, allowed: int, began: int) -> None:
        """`began`: when the program was started."""
        self.taken: int | None = None
        """Known with the first reply; None where nothing is allowed."""
        self._allowed = allowed
        self._began = began
        self._grace = 0

    def grace(self, now: int) -> int:
        """What the request that is made now has beyond its bank: only the first has any."""
        if self._allowed and self.taken is None:
            self._grace = max(0, self._allowed - (now - self._began))
        return self._grace

    def settle(self, cost: Cost) -> Cost:
        """The cost of a reply, without what belongs to the start."""
        if not self._allowed or self.taken is not None:
            return cost
        free = min(cost.charged, self._grace)
        self.taken, self._grace = self._allowed - self._grace + free, 0
        return replace(cost, charged=cost.charged - free)
