"""The limits of one bot in one match."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from arena.text import parse_size

LEAST_MEMORY = 1 << 20
"""Minimum memory limit in bytes; anything less is a typing error."""
MOST_MEMORY = 1 << 46
"""Maximum memory limit in bytes, 64 TiB: no machine has more."""
Memory = Annotated[
    int,
    Meta(
        ge=LEAST_MEMORY,
        le=MOST_MEMORY,
        extra={"read": parse_size, "allowed": "1M to 65536G, or that in bytes"},
    ),
]
"""A memory limit in bytes; as text it is a size with its unit."""


class Limits(Struct, frozen=True):
    """The limits of one bot. Each applies to its whole process tree, unless noted otherwise.

    The isolation level (`arena.sandbox`) decides which limits the kernel enforces, and which the
    arena enforces by looking.
    """

    memory: Memory | None = 1 << 30
    """Bytes; None for no limit."""
    processes: int = 256
    """Processes and threads at a time."""
    cpu_grace: float = 60.0
    """Seconds of CPU time beyond the time granted by its clock so far."""
    turn_output: int = 1 << 20
    """Bytes of stdout from one request to the next."""
    match_output: int = 64 << 20
    """Bytes of stdout in the whole match."""
    files: int = 256
    """Open files of one process (in a sandbox)."""
    file_size: int = 64 << 20
    """Bytes of one file (in a sandbox)."""
    disk: int = 64 << 20
    """Bytes of all files in its temporary folder (in a sandbox)."""
    shared_memory: int = 16 << 20
    """Bytes of /dev/shm (in a sandbox)."""
