"""The lines that the rules give and a record must have."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from arena.core.steps import Ask, Outcome, Step
from arena.record.digest import Chain
from arena.record.format import Digest, encode_lines


class Expected:
    """What must come next, in parts that end with a digest or before a reply."""

    def __init__(self, chain: Chain) -> None:
        """`chain` takes in all steps."""
        self.lines = b""
        """The next part; empty where a reply comes next, or nothing."""
        self._chain = chain
        self._digest: Digest | None = None
        """The last of these lines, where that is a digest."""
        self._later: deque[tuple[bytes, Digest | None]] = deque()
        """The parts after it."""

    def add(self, steps: Sequence[Step | Ask | Outcome], ended: int | None = None) -> None:
        """These steps come after all that is expected, and the digest of the round that they have
        ended."""
        lines, digest = encode_lines(steps), None
        self._chain.add(lines.replace(b"\n", b""))
        if ended is not None:
            digest = Digest(ended, self._chain.hexdigest())
            lines += encode_lines((digest,))
        self._later.append((lines, digest))
        if not self.lines:
            self._next()

    def first(self) -> bytes:
        """The first of the lines. Each is a part of its own from now on."""
        self.lines, *rest = self.lines.splitlines(keepends=True)
        for line in reversed(rest):
            self._later.appendleft((line, self._digest))
            self._digest = None
        return self.lines

    def take(self) -> Digest | None:
        """The lines are there. Returns the digest, if the last is one."""
        digest = self._digest
        self._next()
        return digest

    def _next(self) -> None:
        self.lines, self._digest = self._later.popleft() if self._later else (b"", None)
