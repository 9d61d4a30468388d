"""A control group of the keeper's own, where systemd manages the groups (version 2).

What happens below a unit that is not *delegated* to us counts as done by the unit. When the kernel
kills the first bot at its memory limit, systemd then stops the whole scope (``OOMPolicy=stop``):
the arena, the shell, and the window of tmux in which they run. In most terminals an ordinary user
may not make groups at all.

So the keeper, and no process besides, moves to a delegated scope, for which it asks the user's
manager (for root: that of the system). Terminal, signals and exit status of the arena stay what
they are, and systemd removes the scope when the keeper has ended. A unit that is delegated is kept,
with the limits that its owner gave it.

The keeper imports this module, so it stays light: two programs of systemd are asked, which take
some milliseconds each.
"""

from __future__ import annotations

import os
import re
import time

from arena.sandbox.keeper.hierarchies import PREFIX, Hierarchy, places

SYSTEMD = "/run/systemd/system"
"""The folder that exists where systemd is the first process."""
MOVED_WITHIN = 5.0
"""Seconds in which systemd should have moved the keeper. A busy machine needs a few tenths."""
TICK = 0.0005
SCOPE = (
    *("Delegate", "b", "true"),
    *("OOMPolicy", "s", "continue"),
    *("CollectMode", "s", "inactive-or-failed"),
    *("TasksMax", "t", str(2**64 - 1)),
)
"""Properties of the scope. Each bot has limits of its own."""
MANAGER = "org.freedesktop.systemd1"


def enter_scope(owner: str, hierarchy: Hierarchy | None, proc: str = "/proc") -> str | None:
    """Move this process to a delegated scope, if systemd manages our group in this v2 hierarchy
    and has not delegated it. Returns the scope; None where we stay. Raises OSError, with the
    reason, when we may neither stay nor move."""
    if hierarchy is None or not os.path.isdir(SYSTEMD):
        return None
    own = places(f"{proc}/self/cgroup")
    if any("memory" in names.split(",") for names in own):  # v1 limits it, and our folder is there
        return None
    if os.access(hierarchy.folder, os.W_OK) and _is_delegated(own[""]):
        return None
    scope = f"{PREFIX}{owner}.scope"
    pids = "PIDs", "au", "1", str(os.getpid())
    count = str(1 + len(SCOPE) // 3)
    _run(
        *("busctl", _our_manager(own[""]), f"--timeout={MOVED_WITHIN:.0f}", "call", MANAGER),
        *("/org/freedesktop/systemd1", f"{MANAGER}.Manager", "StartTransientUnit"),
        *("ssa(sv)a(sa(sv))", scope, "fail", count, *pids, *SCOPE, "0"),
    )
    deadline = time.monotonic() + MOVED_WITHIN
    while not places(f"{proc}/self/cgroup")[""].endswith(f"/{scope}"):
        if time.monotonic() > deadline:
            raise OSError(f"systemd did not start {scope}")
        time.sleep(TICK)
    return scope


def _is_delegated(group: str) -> bool:
    """Whether the unit of a group is delegated, by the word of its manager. (The attribute
    ``user.delegate`` of the folder does not tell.)"""
    units = [name for name in group.split("/") if name.endswith((".scope", ".service"))]
    if not units:
        return False
    show = "show", "--property=Delegate", "--value", units[-1]
    try:
        return _run("systemctl", _manager_of(group), *show).strip() == "yes"
    except OSError:
        return False


def _manager_of(group: str) -> str:
    """The manager that made a group. (Every user may ask that of the system.)"""
    return "--user" if f"/user@{os.getuid()}.service/" in group else "--system"


def _our_manager(group: str) -> str:
    """The manager that may make a scope for us."""
    return "--user" if os.getuid() else _manager_of(group)


def _run(*command: str) -> str:
    """The output of a program. Raises OSError, with what it said, when it fails. (To import
    subprocess would take longer than the program.)"""
    runtime = (
        f"/run/user/{os.getuid()}"  # under cron and su, the variables are missing or another's
    )
    bus = {"XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus"}
    reader, writer = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, writer, number) for number in (1, 2)]
        pid = os.posix_spawnp(command[0], command, {**os.environ, **bus}, file_actions=actions)
    except OSError as error:
        raise OSError(f"{command[0]}: {error.strerror}") from error
    finally:
        os.close(writer)
    with open(reader, encoding="utf-8", errors="replace") as file:
        said = file.read()
    _, status = os.waitpid(pid, 0)
    if status:
        raise OSError(re.sub(r"\s+", " ", said).strip() or f"{command[0]} failed")
    return said
