"""A guest: its image, its boot, what is typed in it, and power cuts.

User-Mode Linux serves where no hypervisor does. It has kernel 6.1 with all of systemd, namespaces,
seccomp and control groups v2, but no Landlock and no pressure. System calls are 20 to 60 times
slower, and there is one processor: verdicts count, times do not.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NUMBER = 9
"""The guest has the address 10.77.NUMBER.2."""
ADDRESS, GATEWAY = f"10.77.{NUMBER}.2", f"10.77.{NUMBER}.1"
PACKAGES = (
    *("hatchling", "editables", "pytest>=8.3", "pytest-xdist", "hypothesis>=6.138", "pexpect"),
    *("jsonschema", "httpx", "numpy", "cryptography", "wasmtime>=50,<51"),
)
"""What the tests in the guest need besides the arena's own requirements."""
BOOTS_WITHIN = 240.0


class Machine:
    """The guest of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.share = self.folder / "share"
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> str:
        """Make the image and fetch wheels, if there are none; pack this checkout. Returns the name
        of its folder in ``/host``. (What the guest has seen of that is cached: each has its own.)
        """
        if not (self.folder / "base.raw").exists():
            _run(HERE / "image.sh", self.folder)
        if not any((self.share / "wheels").iterdir()):
            python = "3.13", "--only-binary=:all:", "--dest", str(self.share / "wheels")
            wanted = f"{ROOT}[web,archives]", *PACKAGES
            _run(
                sys.executable, "-m", "pip", "download", "-q", "--python-version", *python, *wanted
            )
        name = f"arena-{time.time_ns()}"
        (self.share / name).mkdir()
        _run("git", "-C", ROOT, "archive", "-o", self.share / name / "source.tar", "HEAD")
        return name

    def boot(self, memory: int, *, fresh: bool = False) -> None:
        """Boot with so many MiB of memory, and wait for the network; `fresh` from the image."""
        if fresh:
            (self.folder / "vm.cow").unlink(missing_ok=True)
        tap = f"tap{NUMBER}"
        if not Path("/sys/class/net", tap).exists():
            _run("ip", "tuntap", "add", "dev", tap, "mode", "tap")
            _run("ip", "addr", "add", f"{GATEWAY}/30", "dev", tap)
            _run("ip", "link", "set", tap, "up")
        network = f"ip={ADDRESS}::{GATEWAY}:255.255.255.252:vm:eth0:off"
        with (self.folder / "console").open("wb") as console:
            self._process = subprocess.Popen(
                f"linux.uml mem={memory}M ubd0=vm.cow,base.raw root=/dev/ubda rw quiet con=null "
                f"con0=fd:0,fd:1 eth0=tuntap,{tap},, {network}".split(),
                cwd=self.folder,
                env={**os.environ, "TMPDIR": str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        deadline = time.monotonic() + BOOTS_WITHIN
        while self.sh("systemctl is-system-running --wait", user="root").startswith("ssh:"):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise SystemExit(f"it does not boot: see {self.folder / 'console'}")
            time.sleep(1)

    def cut_power(self) -> None:
        """End the guest at once, as if its plug were pulled."""
        if self._process is None:
            return
        ours = [psutil.Process(self._process.pid)]
        ours += ours[0].children(recursive=True)
        for process in ours:
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = None

    def sh(self, script: str, user: str = "ada", within: float = 1800) -> str:
        """What a script prints at a login of the user, errors included, without spaces at its ends;
        a line that begins with ``ssh:`` when there is no login."""
        words = ["ssh", "-i", str(self.folder / "key"), "-o", "BatchMode=yes"]
        for option in (
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "LogLevel=ERROR",
        ):
            words += ["-o", option]
        command = f"bash -c {shlex.quote(script)} 2>&1"
        try:
            ran = subprocess.run(
                [*words, "-o", "ConnectTimeout=5", f"{user}@{ADDRESS}", command],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=within,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"nothing within {within:.0f} s"
        return "ssh: no login" if ran.returncode == 255 else ran.stdout.strip()


def _run(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True)
