"""What the doctor says: capabilities, and the diagnosis made of them."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from arena.sandbox.keeper.hierarchies import read
from arena.sandbox.levels import Level


class Status(StrEnum):
    """How much of a capability there is."""

    PASS = "PASS"
    """All of it."""
    DEGRADED = "DEGRADED"
    """Less than could be, or something to know."""
    FAIL = "FAIL"
    """Nothing, or not what was promised."""


class Capability(Struct, frozen=True):
    """One thing that was tried. Unless it passed, `consequence` says what that means for bots, and
    `repair` what to do: a command, where there is one."""

    name: str
    status: Status
    found: str
    consequence: str = ""
    repair: str = ""


class Diagnosis(Struct, frozen=True):
    """All of it. `level` is in force with ``auto``; `granted` says whether the sandbox mode that
    was asked for (`wished`) holds, with every wall that belongs to it."""

    level: Level
    wished: str
    granted: bool
    capabilities: list[Capability]
    missing: dict[str, str]
    """Why higher levels are not to be had, strongest first."""

    def named(self, name: str) -> Capability:
        """A capability by its name. Raises StopIteration when it was not looked at."""
        return next(one for one in self.capabilities if one.name == name)


def passed(name: str, found: str) -> Capability:
    """All is well."""
    return Capability(name, Status.PASS, found)


def degraded(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """Less than could be."""
    return Capability(name, Status.DEGRADED, found, consequence, repair)


def failed(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """Not there, or not what was promised."""
    return Capability(name, Status.FAIL, found, consequence, repair)


# Why a wall cannot be put up, and what repairs that.

NAMESPACE_WORDS = (
    "No permissions to creat",
    "Creating new namespace failed",
    "setting up uid map",
    "Operation not permitted",
    "Permission denied",
    "No space left on device",  # the limit on namespaces is zero
    "RTM_NEWADDR",  # a network of its own, which may not be set up
)
CONTAINERS = {
    ("Podman", "root"): "podman run --cap-add SYS_ADMIN --cap-add NET_ADMIN …",
    ("Podman", "user"): "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL …",
    ("Docker", "root"): "docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN "
    "--security-opt apparmor=unconfined …",
    ("Docker", "user"): "docker run --security-opt seccomp=unconfined "
    "--security-opt systempaths=unconfined --security-opt apparmor=unconfined …",
}
"""What gives a container the level `sandbox`, by who runs the arena in it. Root makes namespaces by
its capabilities (NET_ADMIN, since bubblewrap sets up a network of its own for each bot); a user
makes user namespaces, and mounts a /proc there, which the kernel allows where none is masked."""
OTHER_CONTAINER = {
    "root": "give the container the capabilities SYS_ADMIN and NET_ADMIN, and no AppArmor profile",
    "user": "give the container no filter of system calls, an unmasked /proc and no AppArmor "
    "profile",
}
SWITCHES = {
    "kernel.unprivileged_userns_clone": "0",
    "user.max_user_namespaces": "0",
    "kernel.apparmor_restrict_unprivileged_userns": "1",
}
"""Settings that forbid user namespaces to ordinary users, with the value that does."""
LOOK = "bwrap --ro-bind / / --unshare-all true; dmesg | tail"
"""Shows the same trouble; the kernel's log may say what refused it."""
ALLOWED = {
    "kernel.unprivileged_userns_clone": "1",
    "user.max_user_namespaces": "28633",
    "kernel.apparmor_restrict_unprivileged_userns": "0",
}


def container(root: str = "/") -> str | None:
    """The kind of container that we run in; None outside of one, as far as can be seen."""
    for name, mark in (("Docker", ".dockerenv"), ("Podman", "run/.containerenv")):
        if os.path.exists(os.path.join(root, mark)):
            return name
    with suppress(OSError):
        return read(os.path.join(root, "run/systemd/container")).strip() or None
    return "Kubernetes" if "KUBERNETES_SERVICE_HOST" in os.environ else None


def closed_switch(root: str = "/") -> str | None:
    """The setting of this kernel that forbids user namespaces; None when none does."""
    for name, closed in SWITCHES.items():
        path = Path(root, "proc/sys", name.replace(".", "/"))
        with suppress(OSError):
            if path.read_text().strip() == closed:
                return name
    return None


def of_namespaces(root: str = "/") -> tuple[str, str]:
    """Why namespaces are refused here, and the repair; two empty texts when nothing shows."""
    kind, switch = container(root), closed_switch(root)
    if switch is not None:
        return f"{switch} is {SWITCHES[switch]}", f"sudo sysctl -w {switch}={ALLOWED[switch]}"
    if kind is not None:
        return f"inside a container ({kind}), which may forbid it", _of_container(kind)
    return "", ""


def _of_container(kind: str) -> str:
    user = "root" if os.geteuid() == 0 else "user"
    return CONTAINERS.get((kind, user), OTHER_CONTAINER[user])


def of_sandbox(problem: str, root: str = "/") -> tuple[str, str]:
    """What `bwrap` meant by its words: the cause, and the repair."""
    if "not installed" in problem:
        return problem, "sudo apt-get install bubblewrap"
    for tool in ("setpriv", "prlimit"):
        if tool in problem:
            return problem, "sudo apt-get install util-linux"
    if any(words in problem for words in NAMESPACE_WORDS):
        cause, repair = of_namespaces(root)
        own = re.search(r"sysctl (\S+=\d+)", problem)  # bwrap's own advice
        repair = repair or (f"sudo sysctl -w {own[1]}" if own else LOOK)
        return f"{problem} ({cause})" if cause else problem, repair
    return problem, LOOK


def of_groups(root: str = "/") -> str:
    """What gives us control groups."""
    kind = container(root)
    if kind in ("Podman", "Docker"):
        return f"{kind.lower()} run --privileged …, by root and as root in the container"
    if kind is not None:
        return "let the container write its control groups, and run the arena in it as root"
    if os.geteuid() == 0:
        return "mount -t cgroup2 none /sys/fs/cgroup (with the controllers memory and pids)"
    return "systemd-run --user --scope -p Delegate=yes arena …"
