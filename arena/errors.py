"""Everything the arena raises on purpose.

::

    ArenaError
    ├── UsageError            the caller asked for something that cannot be (exit status 2)
    │   ├── SettingError      a setting's name or value
    │   └── MapError          a map file
    ├── BotError              a bot cannot be built or started (exit status 3)
    ├── ReplayError           a replay cannot be read, or does not verify (exit status 1)
    ├── LeagueError           the file of a league is damaged (exit status 1)
    └── ArenaFault            the arena failed: the match is void (exit status 4)
        ├── MachineError      the machine failed while the match ran: another try may do
        └── DiskFull          no room for what must be written (exit status 75: try again later)

A player's fault (a late answer, an illegal order, a crash) is never an exception: it is a
value, recorded and counted. Every message ends with what to do next.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable


class ArenaError(Exception):
    """The root of all errors that the arena raises on purpose."""


class UsageError(ArenaError):
    """Wrong names, options or files: nothing was started."""


class SettingError(UsageError):
    """A setting with an unknown name or a value outside its range."""


class MapError(UsageError):
    """A map file that is not a map."""


class BotError(ArenaError):
    """A bot that cannot be built or started. `output` is output of the compiler or the bot."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output


class ReplayError(ArenaError):
    """A replay that cannot be read, or that the rules do not reproduce."""


class LeagueError(ArenaError):
    """The file of a league is damaged, or was changed by something other than the arena."""


class ArenaFault(ArenaError):
    """A failure of the arena itself. The match is void and counts for no bot."""


class MachineError(ArenaFault):
    """The machine prevented a fair match. The match is void, and worth another try."""


class DiskFull(ArenaFault):
    """The disk is full: make room, and run the command again."""


DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of system calls that lack room to write."""


def disk_fault(error: OSError, text: str) -> ArenaFault:
    """The error for a file that cannot be read or written: DiskFull if room is lacking."""
    return (DiskFull if error.errno in DISK_FULL_ERRNOS else ArenaFault)(text)


def root_cause(error: BaseException) -> BaseException:
    """The exception to show to a user, out of the exception groups that nurseries make."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [root_cause(inner) for inner in error.exceptions]
    known = [inner for inner in leaves if isinstance(inner, ArenaError | KeyboardInterrupt)]
    return (known or leaves)[0]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Text for an error that suggests `known` names, nearest first: ``did you mean 'x'?``"""
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"choose one of: {', '.join(names)}" if names else "there is none yet"
