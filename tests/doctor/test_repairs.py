"""Causes of missing levels, and what repairs them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.doctor import repairs
from arena.sandbox.keeper.cgroup import ADVICE
from arena.sandbox.levels import Level

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

FORBIDDEN = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl "
    "kernel.unprivileged_userns_clone=1'."
)
UBUNTU = {"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}
DOCKER = {".dockerenv": ""}
PODMAN = {"run/.containerenv": ""}


def of_sandbox(problem: str, folder: Path, files: dict[str, str]) -> tuple[str, str]:
    """Cause and repair where the file system has these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return repairs.of_level(Level.SANDBOX, problem, str(folder))


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)


@pytest.mark.parametrize(
    ("problem", "files", "cause", "repair"),
    [
        ("bubblewrap is not installed", {}, "not installed", "apt-get install bubblewrap"),
        ("sh: /usr/bin/setpriv: not found", {}, "setpriv", "apt-get install util-linux"),
        (FORBIDDEN, {}, "No permissions", "echo kernel.unprivileged_userns_clone=1 | "),
        (
            FORBIDDEN,
            {"proc/sys/user/max_user_namespaces": "0\n"},
            "user.max_user_namespaces is 0",
            "echo user.max_user_namespaces=28633 | sudo tee /etc/sysctl.d/60-arena.conf && ",
        ),
        (
            "bwrap: setting up uid map: Permission denied",
            UBUNTU,
            "kernel.apparmor_restrict_unprivileged_userns is 1",
            "(a profile for bwrap alone opens less: arena guide safety)",
        ),
        (
            FORBIDDEN,
            {"run/systemd/container": "systemd-nspawn\n"},
            "container (systemd-nspawn)",
            "give the container",
        ),
        ("bwrap: Can't mount proc: Operation not permitted", PODMAN, "Podman", "podman run --"),
        ("bwrap: something else", {}, "something else", "bwrap --ro-bind"),
    ],
)
def test_causes_and_repairs_of_a_sandbox_that_fails(
    tmp_path: Path, problem: str, files: dict[str, str], cause: str, repair: str
) -> None:
    told = of_sandbox(problem, tmp_path, files)
    assert cause in told[0]
    assert repair in told[1]


def test_a_setting_outlives_the_next_boot(tmp_path: Path) -> None:
    _, step = of_sandbox(FORBIDDEN, tmp_path, {})
    assert "/etc/sysctl.d/" in step
    assert "sysctl -w" not in step


def test_in_a_container_the_flags_come_before_the_settings_of_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container on Ubuntu sees the host's switch and cannot turn it; root in it does not need
    to."""
    cause, step = of_sandbox(FORBIDDEN, tmp_path, UBUNTU | DOCKER)
    assert "inside a container (Docker)" in cause
    assert step.startswith("docker run --security-opt seccomp=unconfined")
    assert "; on the host: echo kernel.apparmor_restrict_unprivileged_userns=0 | " in step
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert of_sandbox(FORBIDDEN, tmp_path, {}) == (
        f"{FORBIDDEN} (inside a container (Docker), which may forbid it)",
        "docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined …",
    )


def test_in_a_container_the_repair_is_what_was_tried_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With podman 4.3 and runc 1.1 as root: these flags gave the levels, and those that were told
    before did not."""
    hostname = "bwrap: Can't set hostname: Operation not permitted"
    assert of_sandbox(hostname, tmp_path, PODMAN)[1] == (
        "podman run --security-opt seccomp=unconfined --security-opt unmask=ALL …"
    )
    monkeypatch.setattr("os.geteuid", lambda: 0)
    loopback = "bwrap: loopback: Failed RTM_NEWADDR: No child processes"
    assert of_sandbox(loopback, tmp_path, PODMAN)[1] == (
        "podman run --cap-add SYS_ADMIN --cap-add NET_ADMIN …"
    )


def test_missing_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The repair replaces the advice of the error, which knows less."""
    lacks = "no writable memory controller"
    told = repairs.of_level(Level.CGROUP, f"{lacks}: {ADVICE}", str(tmp_path))
    assert told == (lacks, ADVICE)
    (tmp_path / ".dockerenv").touch()
    told = repairs.of_level(Level.CGROUP, f"{lacks}: {ADVICE}", str(tmp_path))
    assert told[1].startswith("docker run --privileged …")
    walls = repairs.of_level(Level.CGROUP, "bubblewrap is not installed", str(tmp_path))
    assert walls[1] == "sudo apt-get install bubblewrap"
