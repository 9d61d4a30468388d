"""The digests of a match, and the seal of its record.

A *digest* goes over what was said: it leaves out times, so two matches with the same seed and the
same answers have the same digests, on any machine. Each goes over the one before it, so the last
stands for the whole match. The *seal* goes over every byte of one record.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import UNSET

from arena.core.replies import Answer, Reply
from arena.record.format import Header, encode


class Chain:
    """The running digest. Feed it every step, and every reply as it is `said`, in order."""

    def __init__(self, header: Header) -> None:
        self._hash = hashlib.sha256(digested(header))
        self.add = self._hash.update
        """Take in the line of a step, or a reply."""

    def hexdigest(self) -> str:
        """The digest of everything so far."""
        return self._hash.hexdigest()


def said(seat: int, reply: Reply, instructions: int | None = None) -> bytes:
    """A reply, without its time, but with the instructions that were counted for it."""
    word = f">{reply.text}" if isinstance(reply, Answer) else f"!{reply.why}"
    if instructions is None:
        return f"\n{seat}{word}\n".encode()
    return f"\n{seat}{word}\n{instructions}\n".encode()


def digested(header: Header) -> bytes:
    """The part of a header that the digests go over: not by which clock it was played."""
    return encode(msgspec.structs.replace(header, clock=UNSET, start_up=UNSET, untimed=UNSET))
