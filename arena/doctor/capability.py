"""The doctor's results (capabilities and the diagnosis), with causes and repairs of problems."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from arena.sandbox.keeper.cgroup import ADVICE
from arena.sandbox.keeper.hierarchies import read
from arena.sandbox.levels import Level


class Status(StrEnum):
    """Result of one examination."""

    PASS = "PASS"
    """Fully available."""
    DEGRADED = "DEGRADED"
    """Less than possible, or worth knowing."""
    FAIL = "FAIL"
    """Missing, or not as promised."""


class Capability(Struct, frozen=True):
    """The result for one examined capability. Unless it passed, `consequence` says what that means
    for bots, and `repair` what to do: a command, where there is one."""

    name: str
    status: Status
    found: str
    consequence: str = ""
    repair: str = ""


class Diagnosis(Struct, frozen=True):
    """The whole diagnosis. `level` is the level of ``auto``; `granted` says whether the requested
    sandbox mode (`wished`) is available, with every wall that belongs to it."""

    level: Level
    wished: str
    granted: bool
    capabilities: list[Capability]
    missing: dict[str, str]
    """Why higher levels are unavailable, strongest first."""


def passed(name: str, found: str) -> Capability:
    """A capability that is fully available."""
    return Capability(name, Status.PASS, found)


def degraded(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """A capability that is less than possible."""
    return Capability(
        name=name, status=Status.DEGRADED, found=found, consequence=consequence, repair=repair
    )


def failed(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """A capability that is missing or not as promised."""
    return Capability(
        name=name, status=Status.FAIL, found=found, consequence=consequence, repair=repair
    )


# Causes and repairs of walls that cannot be put up.

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
"""Commands that give a container the level `sandbox`, by who runs the arena in it. Root makes
namespaces by its capabilities (NET_ADMIN, since bubblewrap sets up a network for each bot); a user
makes user namespaces and mounts a /proc there, which the kernel allows unless /proc is masked."""
OTHER_CONTAINER = {
    "root": "give the container the capabilities SYS_ADMIN and NET_ADMIN, and no AppArmor profile",
    "user": "give the container no filter of system calls, an unmasked /proc and no AppArmor "
    "profile",
}
SWITCHES = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "28633"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
}
"""Settings that can forbid user namespaces to ordinary users, with the value that forbids them and
one that allows them."""
REPRODUCE = "bwrap --ro-bind / / --unshare-all true; dmesg | tail"
"""Reproduces the problem; the kernel's log may say what refused it."""


def container(root: str = "/") -> str | None:
    """The kind of container that we run in; None if none is detected."""
    for name, mark in (("Docker", ".dockerenv"), ("Podman", "run/.containerenv")):
        if os.path.exists(os.path.join(root, mark)):
            return name
    with suppress(OSError):
        return read(os.path.join(root, "run/systemd/container")).strip() or None
    return "Kubernetes" if "KUBERNETES_SERVICE_HOST" in os.environ else None


def closed_switch(root: str = "/") -> str | None:
    """The setting of this kernel that forbids user namespaces; None when none does."""
    for name, (closed, _) in SWITCHES.items():
        path = Path(root, "proc/sys", name.replace(".", "/"))
        with suppress(OSError):
            if path.read_text().strip() == closed:
                return name
    return None


def of_namespaces(root: str = "/") -> tuple[str, str]:
    """Why namespaces are refused here, and the repair; two empty strings if unknown."""
    kind, switch = container(root), closed_switch(root)
    if switch is not None:
        closed, allowing = SWITCHES[switch]
        return f"{switch} is {closed}", f"sudo sysctl -w {switch}={allowing}"
    if kind is not None:
        return f"inside a container ({kind}), which may forbid it", _of_container(kind)
    return "", ""


def _of_container(kind: str) -> str:
    user = "root" if os.geteuid() == 0 else "user"
    return CONTAINERS.get((kind, user), OTHER_CONTAINER[user])


def of_sandbox(problem: str, root: str = "/") -> tuple[str, str]:
    """The cause and the repair of a `bwrap` error message."""
    if "not installed" in problem:
        return problem, "sudo apt-get install bubblewrap"
    for tool in ("setpriv", "prlimit"):
        if tool in problem:
            return problem, "sudo apt-get install util-linux"
    if any(words in problem for words in NAMESPACE_WORDS):
        cause, repair = of_namespaces(root)
        own = re.search(r"sysctl (\S+=\d+)", problem)  # bwrap's own advice
        repair = repair or (f"sudo sysctl -w {own[1]}" if own else REPRODUCE)
        return f"{problem} ({cause})" if cause else problem, repair
    return problem, REPRODUCE


def of_groups(root: str = "/") -> str:
    """The command or advice that makes control groups available."""
    kind = container(root)
    if kind in ("Podman", "Docker"):
        return f"{kind.lower()} run --privileged …, by root and as root in the container"
    if kind is not None:
        return "let the container write its control groups, and run the arena in it as root"
    if os.geteuid() == 0:
        return "mount -t cgroup2 none /sys/fs/cgroup (with the controllers memory and pids)"
    return ADVICE
