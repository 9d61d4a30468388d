"""Causes of missing levels, and what repairs them."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from arena.sandbox.keeper.cgroup import ADVICE
from arena.sandbox.keeper.hierarchies import read
from arena.sandbox.keeper.scopes import SYSTEMD
from arena.sandbox.levels import Level

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
APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
SWITCHES = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "28633"),
    APPARMOR: ("1", "0"),
}
"""Settings that can forbid user namespaces to ordinary users, with the value that forbids them and
one that allows them."""
REPRODUCE = "bwrap --ro-bind / / --unshare-all true; dmesg | tail"
"""Reproduces the problem; the kernel's log may say what refused it."""


def of_level(level: Level, problem: str, root: str = "/") -> tuple[str, str]:
    """The cause and the repair of a missing level. `problem` is what was seen of it, and `root`
    the root of the file system."""
    if sys.platform != "linux":
        return "walls are a matter of Linux", "run the arena on Linux"
    if level is Level.GUARD:
        return problem, "Linux 6.12 or newer, with landlock in /sys/kernel/security/lsm"
    if level is Level.CGROUP and (advised := problem.removesuffix(f": {ADVICE}")) != problem:
        return advised, _of_groups(root)
    if "not installed" in problem:
        return problem.partition(": ")[0], "sudo apt-get install bubblewrap"
    for tool in ("setpriv", "prlimit"):
        if tool in problem:
            return problem, "sudo apt-get install util-linux"
    if any(words in problem for words in NAMESPACE_WORDS):
        cause, repair = _of_namespaces(problem, root)
        return f"{problem} ({cause})" if cause else problem, repair
    return problem, REPRODUCE


def container(root: str = "/") -> str | None:
    """The kind of container that we run in; None if none is detected."""
    for name, mark in (("Docker", ".dockerenv"), ("Podman", "run/.containerenv")):
        if os.path.exists(os.path.join(root, mark)):
            return name
    with suppress(OSError):
        return read(os.path.join(root, "run/systemd/container")).strip() or None
    return "Kubernetes" if "KUBERNETES_SERVICE_HOST" in os.environ else None


def _closed_switch(root: str) -> str | None:
    """The setting of this kernel that forbids user namespaces; None when none does."""
    for name, (closed, _) in SWITCHES.items():
        with suppress(OSError):
            if Path(root, "proc/sys", name.replace(".", "/")).read_text().strip() == closed:
                return name
    return None


def _of_namespaces(problem: str, root: str) -> tuple[str, str]:
    """Why namespaces are refused here (empty if unknown), and the repair.

    A container comes first: it has the host's settings in its /proc, but cannot change them, and
    root in it needs none of them."""
    kind, switch = container(root), _closed_switch(root)
    user = "root" if os.geteuid() == 0 else "user"
    if kind is not None:
        cause = f"inside a container ({kind}), which may forbid it"
        flags = CONTAINERS.get((kind, user), OTHER_CONTAINER[user])
        if switch is None or user == "root":
            return cause, flags
        return f"{cause}, as does {_closed(switch)}", f"{flags}; on the host: {_setting(switch)}"
    if switch is not None:
        return _closed(switch), _setting(switch)
    if advised := re.search(r"sysctl (\S+)=\d+", problem):  # bwrap's own advice
        return "", _setting(advised[1]) if advised[1] in SWITCHES else REPRODUCE
    return "", REPRODUCE


def _closed(switch: str) -> str:
    return f"{switch} is {SWITCHES[switch][0]}"


def _setting(switch: str) -> str:
    """The command that opens a switch, also after the next boot."""
    line = f"{switch}={SWITCHES[switch][1]}"
    command = f"echo {line} | sudo tee /etc/sysctl.d/60-arena.conf && sudo sysctl --system"
    if switch != APPARMOR:
        return command
    return f"{command} (a profile for bwrap alone opens less: arena guide safety)"


def _of_groups(root: str) -> str:
    """The command or advice that makes control groups available."""
    kind = container(root)
    if kind in ("Podman", "Docker"):
        return f"{kind.lower()} run --privileged …, by root and as root in the container"
    if kind is not None:
        return "let the container write its control groups, and run the arena in it as root"
    if os.geteuid() == 0 and not os.path.isdir(SYSTEMD):
        return "mount -t cgroup2 none /sys/fs/cgroup (with the controllers memory and pids)"
    return ADVICE
