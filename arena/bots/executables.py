"""Existing programs: finding a command, and explaining why a file would not start.

The system's message for a failed start ("No such file or directory" for a script whose interpreter
is missing) is misleading, so the common causes are checked beforehand. Anything else shows when the
program is started.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from arena.text import nearest, printable

HEAD = 512
"""Leading bytes of a file that identify its format."""
UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_ELF = b"\x7fELF"
_MACHINES = {3: "x86", 40: "ARM", 62: "x86-64", 183: "ARM64", 243: "RISC-V"}
_EMULATORS = ("qemu", "wine", "wsl", "box", "fex", "rosetta")
_ALSO_RUNS = {62: 3, 183: 40}
"""64-bit machines (ELF numbers) and the 32-bit machine of their family that they also run."""


def find_command(name: str) -> str | None:
    """The absolute path of a program named as in a shell; None if there is none."""
    found = shutil.which(name) if name else None
    return os.path.abspath(found) if found else None


def commands() -> set[str]:
    """The names of all programs in PATH, for hints."""
    folders = [folder for folder in os.get_exec_path() if os.path.isdir(folder)]
    return {name for folder in folders for name in os.listdir(folder)}


def mounted_noexec(path: Path) -> bool:
    """Whether the file system of `path` is mounted noexec."""
    return bool(os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0))


def head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file. Never blocks: a bot may be a link to a file that would block
    forever (``/proc/kmsg``)."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        return file.read(size) or b""


def _peek(path: Path) -> bytes:
    """The first bytes; empty for a program that may be executed but not read."""
    try:
        return head(path)
    except PermissionError:
        return b""


def is_script(path: Path) -> bool:
    """Whether the file names its own interpreter."""
    return _peek(path).startswith(b"#!")


def looks_executable(path: Path) -> bool:
    """Whether the file is meant to be executed, even if something prevents it."""
    return bool(path.stat().st_mode & 0o111) or _peek(path).startswith((b"#!", _ELF))


def start_problem(path: Path) -> str | None:
    """Why executing the file would fail, and what to do; None if it would start."""
    if not os.access(path, os.X_OK):
        if path.stat().st_mode & 0o111 and mounted_noexec(path):
            return "its file system is mounted noexec: move it to another one"
        return f"it is not executable: run chmod +x {printable(path.name)}"
    if path.stat().st_size == 0:
        return "it is empty: write or build it again"
    start = _peek(path)
    if start.startswith(UTF16):
        return "it is saved as UTF-16: save it as UTF-8"
    if start.startswith(_UTF8_MARK + b"#!"):
        return "a byte order mark hides its #! line: save it as UTF-8 without BOM"
    if start.startswith(b"#!"):
        return _bad_interpreter(start, printable(path.name))
    if start and b"\0" not in start:
        return "it is text without a #! line: write its interpreter there (#!/usr/bin/env python3)"
    if sys.platform == "linux" and not _has_emulators():
        return _foreign(start)
    return None


def passed_over(path: Path) -> str | None:
    """Why an executable script does not run by its #! line; None if it does, or if the file is not
    an executable script."""
    is_one = os.path.isfile(path) and os.access(path, os.X_OK) and is_script(path)
    return start_problem(path) if is_one else None


def _bad_interpreter(start: bytes, name: str) -> str | None:
    line = start.split(b"\n")[0]
    if line.endswith(b"\r"):
        return f"its lines end as on Windows (CR LF): run sed -i 's/\\r$//' {name}"
    words = os.fsdecode(line[2:]).split(None, 1)
    if not words:
        return "its first line names no program after #!: write #!/usr/bin/env and a name"
    interpreter, *argument = words
    if not os.access(interpreter, os.X_OK):
        return (
            f"its first line names {interpreter!r}, which does not exist: {_instead(interpreter)}"
        )
    if os.path.basename(interpreter) == "env" and argument and argument[0][0] != "-":
        wanted = argument[0].strip()
        if find_command(wanted) is None:
            return f"its first line names {wanted!r}, which is not installed: {_instead(wanted)}"
    return None


def _instead(interpreter: str) -> str:
    name = os.path.basename(interpreter)
    if find_command(name) is not None:
        return f"write #!/usr/bin/env {name}"
    near = nearest(name, commands())
    return f"did you mean {near!r}?" if near else "install it, or change that line"


def _has_emulators() -> bool:
    """Whether this Linux is configured to run programs of other systems."""
    folder = "/proc/sys/fs/binfmt_misc"
    known = os.listdir(folder) if os.path.isdir(folder) else []
    return any(name.lower().startswith(_EMULATORS) for name in known)


def _foreign(start: bytes) -> str | None:
    if start.startswith(_ELF):
        theirs, ours = _machine(start), _machine(head(Path(sys.executable)))
        if theirs == ours or theirs == _ALSO_RUNS.get(ours):
            return None
        kind = _MACHINES.get(theirs, f"number {theirs}")
        return f"it is a program for another processor ({kind}): build it for this machine"
    if start.startswith(b"MZ"):
        return "it is a Windows program: build it for Linux"
    if start.startswith((b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")):
        return "it is a macOS program or a Java class: build it for Linux, or quote a command"
    return None


def _machine(start: bytes) -> int:
    return int.from_bytes(start[18:20], "little" if start[5:6] == b"\x01" else "big")
