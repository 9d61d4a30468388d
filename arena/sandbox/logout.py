"""Whether what runs here ends when its user logs out.

systemd ends the manager of a user some ten seconds after the last session, unless the user
*lingers*, and with it all that this manager has started: windows of tmux, and the scope of the
keeper (`keeper.scopes`), also when the arena itself runs on under nohup.
"""

from __future__ import annotations

import os
import pwd
import signal
import sys
from contextlib import suppress
from pathlib import Path

from arena.sandbox.keeper.hierarchies import places
from arena.sandbox.keeper.scopes import SYSTEMD

LINGERING = Path("/var/lib/systemd/linger")


def logout_warning(proc: str = "/proc") -> str:
    """What a command that seems meant to go on after a logout must know; else empty."""
    if not os.path.isdir(SYSTEMD):
        return ""
    ignores_hangup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # nohup
    if sys.stdin.isatty() and not ignores_hangup and not {"TMUX", "STY"} & os.environ.keys():
        return ""  # it ends with its terminal, as everything does
    with suppress(OSError, KeyError):
        uid = os.getuid()
        group = places(f"{proc}/self/cgroup").get("", "")
        ours = f"/user@{uid}.service/" if uid == 0 else f"/user-{uid}.slice/"
        lingers = (LINGERING / pwd.getpwuid(uid).pw_name).exists()
        if ours in f"{group}/" and not lingers:
            return "systemd ends the bots when you log out: run `loginctl enable-linger` before"
    return ""
