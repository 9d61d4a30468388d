"""What a program wrote to stderr, kept in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from arena.players.drawings import Drawings


class StderrLog:
    """What a program wrote to stderr, by turn: the first and the last 64 KiB of it."""

    PART = 64 * 1024

    def __init__(self) -> None:
        self.hear: Callable[[bytes], None] | None = None
        """Is given what comes, as it comes."""
        self.total = 0
        """Bytes that came, kept or not."""
        self.drawings = Drawings()
        """What it drew into the replay, which is no part of the log."""
        self._logged = 0
        self._head: list[tuple[int, bytes]] = []
        self._tail: deque[tuple[int, bytes]] = deque()
        self._head_room = self.PART
        self._tail_size = 0

    def add(self, turn: int, data: bytes) -> None:
        """Take in the next bytes, written in that turn (0 is before the first request)."""
        self.total += len(data)
        data = self.drawings.sift(turn, data)
        self._logged += len(data)
        if self.hear is not None and data:
            self.hear(data)
        if self._head_room and data:
            self._head.append((turn, data[: self._head_room]))
            data = data[self._head_room :]
            self._head_room -= len(self._head[-1][1])
        if data:
            self._tail.append((turn, data[-self.PART :]))
            self._tail_size += len(self._tail[-1][1])
        while self._tail and self._tail_size - len(self._tail[0][1]) >= self.PART:
            self._tail_size -= len(self._tail.popleft()[1])

    def text(self) -> str:
        """All that was kept."""
        return "".join(text for _, text in self.turns())

    def tail(self, size: int) -> list[tuple[int, str]]:
        """As `turns`, of the last `size` characters alone."""
        kept: list[tuple[int, str]] = []
        for turn, text in reversed(self.turns()):
            if size > 0:
                kept.append((turn, text[-size:]))
                size -= len(text)
        return kept[::-1]

    def turns(self) -> list[tuple[int, str]]:
        """(turn, text) in order, with a line that says how much is missing in the middle."""
        pieces = [*self._head, *self._tail]
        missing = self._logged - sum(len(data) for _, data in pieces)
        if missing:
            gap = f"\n… {missing} bytes left out …\n".encode()
            pieces.insert(len(self._head), (self._tail[0][0], gap))
        joined: dict[int, bytes] = {}
        for turn, data in pieces:
            joined[turn] = joined.get(turn, b"") + data
        return [(turn, data.decode(errors="backslashreplace")) for turn, data in joined.items()]
