"""Whether what runs here ends when its user logs out.

systemd ends the manager of a user some ten seconds after the last session, unless the user
*lingers*, and with it all that this manager has started: windows of tmux, and the scope of the
keeper (`keeper.scopes`), also when the arena itself runs on under nohup.
"""

from __future__ import annotations

import os
import pwd
import signal
from contextlib import suppress
from pathlib import Path

from arena.sandbox.keeper.hierarchies import places
from arena.sandbox.keeper.scopes import SYSTEMD

LINGERING = Path("/var/lib/systemd/linger")


def logout_warning(proc: str = "/proc") -> str:
    """What a command that seems meant to go on after a logout must know; else empty."""
    if not os.path.isdir(SYSTEMD) or not _outlives_its_terminal():
        return ""
    with suppress(OSError, KeyError):
        uid = os.getuid()
        group = places(f"{proc}/self/cgroup").get("", "")
        ours = f"/user@{uid}.service/" if uid == 0 else f"/user-{uid}.slice/"
        lingers = (LINGERING / pwd.getpwuid(uid).pw_name).exists()
        if ours in f"{group}/" and not lingers:
            return "systemd ends the bots when you log out: run `loginctl enable-linger` before"
    return ""


def _outlives_its_terminal() -> bool:
    """Whether it was started under nohup, tmux or screen, or without a terminal."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN or {"TMUX", "STY"} & os.environ.keys():
        return True
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return True
    return False
