"""What one bot may use in one match."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True):
    """The limits of one bot: of the whole tree of its processes, unless it says otherwise.

    The isolation level (`arena.sandbox`) decides which of them the kernel enforces, and which the
    arena keeps by looking.
    """

    memory: int | None = 1 << 30
    """Bytes; None for no limit."""
    processes: int = 256
    """Processes and threads at a time."""
    cpu_grace: float = 60.0
    """Seconds of CPU time beyond what its clock has granted so far."""
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
