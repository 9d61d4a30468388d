"""To which process a leftover belongs.

Folders and control groups outlive an arena that is killed with -9. Each carries the name of its
*owner*, ``PID-STARTTIME``: a process id comes back after a while, but not with the same time of
start (in clock ticks since the system started). So a name tells whether its owner still lives; what
belongs to a dead one can be swept.

Process ids mean something within one pid namespace only: do not share a swept folder between
containers. Where there is no /proc (macOS) the time is 0, and the process id has to do.
"""

from __future__ import annotations

import os
import re

SHAPE = re.compile(r"[1-9][0-9]{0,9}-(?:0|[1-9][0-9]{0,19})")


def owner(pid: int = 0) -> str:
    """The name of a process (0: our own) as an owner. Raises OSError when there is none."""
    pid = pid or os.getpid()
    if not _has_proc():
        return f"{pid}-0"
    return f"{pid}-{_stat(pid)[1]}"


def alive(owner: str) -> bool:
    """False only when `owner` names a process that is surely gone (or a zombie). What does not
    have the exact shape counts as alive: it is not ours to sweep."""
    if not SHAPE.fullmatch(owner):
        return True
    pid, start = owner.split("-")
    if not _has_proc():
        return _answers(int(pid))
    try:
        state, started = _stat(int(pid))
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True
    return started == start and state not in "ZXx"


def _has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def _stat(pid: int) -> tuple[str, str]:
    """State and start time: fields 3 and 22. The second, the name, may hold spaces and brackets."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return fields[0].decode(), fields[19].decode()


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OverflowError:
        return False
    except OSError:
        return True
    return True
