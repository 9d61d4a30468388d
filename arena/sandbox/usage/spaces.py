"""Whether two processes have one memory between them.

A child of ``vfork`` has its parent's memory until it starts its program, for about a millisecond:
that is how Python, Java, Go and ``system`` of C start programs. Each of the two is told to hold all
of it, and no page of it counts as shared.
"""

from __future__ import annotations

import ctypes
import os

_KCMP = {"x86_64": 312, "aarch64": 272}.get(os.uname().machine)
_VM = 1
_libc = ctypes.CDLL(None)


def is_one(pid: int, other: int) -> bool:
    """Whether they share all memory, as threads do. False where the kernel does not tell."""
    if _KCMP is None:
        return False
    words = (_KCMP, pid, other, _VM, 0, 0)
    return bool(_libc.syscall(*map(ctypes.c_long, words)) == 0)
