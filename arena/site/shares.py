"""What strangers share, and how much of it one address may take.

Who has no account can be told apart by the address alone. An address may be a whole school, so it
gets half of what there is, and others always find the rest. This is kept in memory, for an hour.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from arena.errors import UsageError

HOUR = 3600.0


class Shares:
    """What each address has taken within the last hour."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, str, str]] = []
        """When what was taken by which address."""

    @contextmanager
    def taking(self, what: str, client: str, whole: int) -> Iterator[None]:
        """Count what is done meanwhile, unless it fails. Raises UsageError where this address has
        taken half of the `whole`."""
        now = time.monotonic()
        self._taken = [entry for entry in self._taken if entry[0] > now - HOUR]
        taken = sum(entry[1:] == (what, client) for entry in self._taken)
        if client and taken >= max(whole // 2, 1):
            raise UsageError(
                f"{taken} {what} came from your network within an hour: try again later, or ask an "
                "organiser for an invitation"
            )
        self._taken.append(entry := (now, what, client))
        try:
            yield
        except BaseException:
            self._taken.remove(entry)
            raise
