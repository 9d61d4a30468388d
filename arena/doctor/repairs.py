"""Why a wall cannot be put up, and what repairs that."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from arena.sandbox.keeper.hierarchies import read

NAMESPACE_WORDS = (
    "No permissions to creat",
    "Creating new namespace failed",
    "setting up uid map",
    "Operation not permitted",
    "Permission denied",
    "No space left on device",  # the limit on namespaces is zero
)
CONTAINER_REPAIR = (
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined --cap-add SYS_ADMIN …"
)
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
        return f"inside a container ({kind}), which may forbid it", CONTAINER_REPAIR
    return "", ""


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
    if container(root):
        return "docker run --cgroupns private -v /sys/fs/cgroup:/sys/fs/cgroup:rw --privileged …"
    if os.geteuid() == 0:
        return "mount -t cgroup2 none /sys/fs/cgroup (with the controllers memory and pids)"
    return "systemd-run --user --scope -p Delegate=yes arena …"
