"""Causes of trouble, and what repairs them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.doctor import capability

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

FORBIDDEN = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl "
    "kernel.unprivileged_userns_clone=1'."
)


def root_with(folder: Path, name: str = "nothing", text: str = "") -> str:
    """A root of a file system with one file."""
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(text)
    return str(folder)


def test_causes_and_repairs_of_a_sandbox_that_fails(tmp_path: Path) -> None:
    plain = root_with(tmp_path / "plain")
    off = root_with(tmp_path / "off", "proc/sys/user/max_user_namespaces", "0\n")
    switch = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
    armoured = root_with(tmp_path / "armoured", switch, "1\n")
    podman = root_with(tmp_path / "podman", "run/.containerenv")
    nspawn = root_with(tmp_path / "nspawn", "run/systemd/container", "systemd-nspawn\n")
    for problem, root, cause, repair in [
        ("bubblewrap is not installed", plain, "not installed", "apt-get install bubblewrap"),
        ("sh: /usr/bin/setpriv: not found", plain, "setpriv", "apt-get install util-linux"),
        (FORBIDDEN, plain, "No permissions", "sysctl -w kernel.unprivileged_userns_clone=1"),
        (FORBIDDEN, off, "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces="),
        (FORBIDDEN, armoured, "apparmor", "apparmor_restrict_unprivileged_userns=0"),
        (FORBIDDEN, nspawn, "container (systemd-nspawn)", "give the container"),
        ("bwrap: Can't mount proc: Operation not permitted", podman, "Podman", "podman run --"),
        ("bwrap: something else", plain, "something else", "bwrap --ro-bind"),
    ]:
        told = capability.of_sandbox(problem, root)
        assert cause in told[0], (problem, root)
        assert repair in told[1], (problem, root)


def test_in_a_container_the_repair_is_what_was_tried_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With podman 4.3 and runc 1.1 as root: these flags gave the levels, and those that were told
    before did not."""
    podman = root_with(tmp_path / "podman", "run/.containerenv")
    docker = root_with(tmp_path / "docker", ".dockerenv")
    loopback = "bwrap: loopback: Failed RTM_NEWADDR: No child processes"
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert capability.of_sandbox(loopback, podman)[1] == (
        "podman run --cap-add SYS_ADMIN --cap-add NET_ADMIN …"
    )
    assert "apparmor=unconfined" in capability.of_sandbox(loopback, docker)[1]
    assert capability.of_groups(podman).startswith("podman run --privileged …")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert capability.of_sandbox("bwrap: Can't set hostname: Operation not permitted", podman)[
        1
    ] == ("podman run --security-opt seccomp=unconfined --security-opt unmask=ALL …")
