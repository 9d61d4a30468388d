"""Probes of the walls: which levels can be built, and whether an escape program gets out."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from arena.doctor import capability
from arena.doctor.capability import Capability, degraded, failed, passed
from arena.doctor.context import LIMITS, ProbeContext
from arena.doctor.inside import Escape, Reached, Sockets, Wall
from arena.sandbox.keeper import landlock
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level

LINUX = sys.platform == "linux"
SANDBOXES = (Level.SANDBOX, Level.CGROUP)
WALLS = {
    "network": "a bot can talk to the network",
    "processes unseen": "a bot sees the names and numbers of all processes",
    "processes untouched": "a bot can signal and inspect your other programs",
    "secrets": "a bot can read what you can read",
    "writing": "a bot can change what you can change",
    "disk": "a bot can fill the disk",
    "descriptors": "a bot finds files of the arena open",
    "no new rights": "a bot can gain rights through set-user-id programs",
    "system calls": "a bot reaches rarely used parts of the kernel",
    "capabilities": "a bot has rights of root",
    "identity": "a bot is root by name",
}
"""The consequence of each missing wall."""
NOT_GUARDED = {"processes unseen", "disk", "identity"}
"""The walls that the level `guard` does not promise."""


def promised(level: Level) -> set[str]:
    """The walls that a level promises."""
    if level in SANDBOXES:
        return set(WALLS)
    return set(WALLS) - NOT_GUARDED if level is Level.GUARD else {"descriptors"}


async def bubblewrap(context: ProbeContext) -> list[Capability]:
    """Whether bwrap builds the walls, tested by starting a program behind them."""
    problem = context.missing.get(Level.SANDBOX)
    if problem is None:
        return [passed("bubblewrap", f"{_version()}, started a program")]
    cause, repair = capability.of_sandbox(problem)
    after = "no level sandbox: bots see your network, your processes and each other"
    return [failed("bubblewrap", cause, after, repair)]


def _version() -> str:
    program = shutil.which("bwrap") or "bwrap"
    ran = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5)
    return ran.stdout.strip()


async def guard(context: ProbeContext) -> list[Capability]:
    """Landlock, and which sockets it leaves reachable."""
    name, version = "landlock", landlock.abi() if LINUX else 0
    problem = context.missing.get(Level.GUARD)
    if problem is not None:
        text = f"version {version or 'none'}: {problem}"
        repair = "Linux 6.12 or newer, with landlock in /sys/kernel/security/lsm"
        return [failed(name, text, "no level guard", repair)]
    found = await context.hear(Reached, Sockets(well_known_sockets()), Level.GUARD)
    if not found.paths:
        return [passed(name, f"version {version}; no well-known socket within reach")]
    text = f"version {version}; sockets within reach at level guard: {', '.join(found.paths)}"
    after = "at level guard (not in a sandbox) a bot can talk to those services"
    return [degraded(name, text, after, "play with the level sandbox, or on Linux 7.1 or newer")]


def well_known_sockets() -> list[str]:
    """Paths of unix sockets that give a program many rights."""
    own = f"/run/user/{os.getuid()}"
    fixed = [
        *("/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock"),
        *("/run/podman/podman.sock", f"{own}/podman/podman.sock", "/run/snapd.socket"),
        *("/run/dbus/system_bus_socket", f"{own}/bus", f"{own}/systemd/private"),
        *(str(path) for path in Path("/tmp/.X11-unix").glob("X*")),
    ]
    return [*fixed, *filter(None, [os.environ.get("SSH_AUTH_SOCK")])]


async def escape(context: ProbeContext) -> list[Capability]:
    """What an escape program achieves behind the walls of the examined level."""
    if not LINUX:
        none = "no walls on this system"
        return [_judge(Wall(name, False, none), context.level) for name in WALLS]
    secret = context.folder / "secret"
    secret.write_text("the seed of the final")
    pid, started = owner().split("-")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        task = Escape(
            port=port, pid=int(pid), started=started, secret=str(secret), disk=LIMITS.disk
        )
        async with context.started(task) as inside:
            said = {wall.name: wall async for wall in inside.hear_all(Wall)}
            early = f"the escape program ended early: {inside.last_words()}"
    walls = [said.get(name, Wall(name, False, early)) for name in WALLS]
    return [_judge(wall, context.level) for wall in walls]


def _judge(wall: Wall, level: Level) -> Capability:
    name, holds, found = wall
    if holds:
        return passed(name, found)
    if name in promised(level):
        return failed(name, found, WALLS[name], "please report it: this must not happen")
    needs = "guard" if level is Level.OFF and name not in NOT_GUARDED else "sandbox"
    return degraded(name, f"{found} (level {level})", WALLS[name], f"needs the level {needs}")
