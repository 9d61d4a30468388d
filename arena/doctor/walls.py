"""The walls: which levels can be built, and whether an escape program finds a way out."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

from arena.doctor import remedy
from arena.doctor.capability import Capability, degraded, failed, passed
from arena.doctor.ground import LIMITS, Ground
from arena.sandbox import landlock
from arena.sandbox.levels import Level
from arena.sandbox.owner import owner

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
"""What it means for bots when a wall does not stand."""
NOT_GUARDED = {"processes unseen", "disk", "identity"}
"""What the level `guard` does not promise."""


def promised(level: Level) -> set[str]:
    """The walls that belong to a level."""
    if level in SANDBOXES:
        return set(WALLS)
    return set(WALLS) - NOT_GUARDED if level is Level.GUARD else {"descriptors"}


async def namespaces(ground: Ground) -> list[Capability]:
    """Whether this user may make namespaces, found out by making one."""
    name = "namespaces"
    if not LINUX:
        return [failed(name, "none on this system", "no level sandbox", "run the arena on Linux")]
    words = (await ground.hear("namespaces", Level.OFF))["refused"]
    who = "as root" if os.geteuid() == 0 else "for an ordinary user"
    if not words:
        return [passed(name, f"granted {who}")]
    cause, repair = remedy.of_namespaces()
    text = f"refused {who}: {words}{cause and f' ({cause})'}"
    return [failed(name, text, "no level sandbox", repair or remedy.LOOK)]


async def bubblewrap(ground: Ground) -> list[Capability]:
    """Whether bwrap builds the walls, found out by starting a program behind them."""
    problem = ground.missing.get(Level.SANDBOX)
    if problem is None:
        return [passed("bubblewrap", f"{_version()}, started a program")]
    cause, repair = remedy.of_sandbox(problem)
    after = "no level sandbox: bots see your network, your processes and each other"
    return [failed("bubblewrap", cause, after, repair)]


def _version() -> str:
    program = shutil.which("bwrap") or "bwrap"
    ran = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5)
    return ran.stdout.strip()


async def guard(ground: Ground) -> list[Capability]:
    """Landlock, and which sockets it leaves within reach."""
    name, version = "landlock", landlock.abi() if LINUX else 0
    problem = ground.missing.get(Level.GUARD)
    if problem is not None:
        text = f"version {version or 'none'}: {problem}"
        repair = "Linux 6.12 or newer, with landlock in /sys/kernel/security/lsm"
        return [failed(name, text, "no level guard", repair)]
    reached = (await ground.hear("sockets", Level.GUARD, paths=well_known_sockets()))["reached"]
    if not reached:
        return [passed(name, f"version {version}; no well-known socket within reach")]
    text = f"version {version}; sockets within reach at level guard: {', '.join(reached)}"
    after = "at level guard (not in a sandbox) a bot can talk to those services"
    return [degraded(name, text, after, "play with the level sandbox, or on Linux 7.1 or newer")]


def well_known_sockets() -> list[str]:
    """Unix sockets by path through which a program gains much."""
    own = f"/run/user/{os.getuid()}"
    fixed = [
        *("/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock"),
        *("/run/podman/podman.sock", f"{own}/podman/podman.sock", "/run/snapd.socket"),
        *("/run/dbus/system_bus_socket", f"{own}/bus", f"{own}/systemd/private"),
        *(str(path) for path in Path("/tmp/.X11-unix").glob("X*")),
    ]
    return [*fixed, *filter(None, [os.environ.get("SSH_AUTH_SOCK")])]


async def escape(ground: Ground) -> list[Capability]:
    """What an escape program achieves behind the walls of the level in force."""
    if not LINUX:
        return [_judge(name, False, "no walls on this system", ground.level) for name in WALLS]
    secret = ground.folder / "secret"
    secret.write_text("the seed of the final")
    pid, started = owner().split("-")
    with socket.create_server(("127.0.0.1", 0)) as server:
        laid_out = {"port": server.getsockname()[1], "pid": int(pid), "started": started}
        async with ground.started("escape", secret=str(secret), disk=LIMITS.disk, **laid_out) as it:
            said = {line["name"]: line async for line in it.lines()}
            words = it.last_words()
    silent = {"holds": False, "found": f"the escape program ended early: {words}"}
    tried = {name: said.get(name, silent) for name in WALLS}
    return [_judge(name, one["holds"], one["found"], ground.level) for name, one in tried.items()]


def _judge(name: str, holds: bool, found: str, level: Level) -> Capability:
    if holds:
        return passed(name, found)
    if name in promised(level):
        return failed(name, found, WALLS[name], "please report it: this must not happen")
    needs = "guard" if level is Level.OFF and name not in NOT_GUARDED else "sandbox"
    return degraded(name, f"{found} (level {level})", WALLS[name], f"needs the level {needs}")
