"""Programs that exist, and every sentence about one that would not start."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

import pytest

from arena.bots import executables
from arena.bots.find import find_bot
from arena.errors import BotError
from tests.bots.programs import ELF, program, sentence


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (
            b"#!/bin/sh\r\necho\r\n",
            "its lines end as on Windows (CR LF): run sed -i 's/\\r$//' bot",
        ),
        (b"\xff\xfe#\0!\0", "it is saved as UTF-16: save it as UTF-8"),
        (
            b"\xef\xbb\xbf#!/bin/sh\n",
            "a byte order mark hides its #! line: save it as UTF-8 without BOM",
        ),
        (
            b"print('x')\n",
            "it is text without a #! line: write its interpreter there (#!/usr/bin/env python3)",
        ),
        (b"", "it is empty: write or build it again"),
        (b"#!\n", "its first line names no program after #!: write #!/usr/bin/env and a name"),
        (
            b"#!/nowhere/python3 -u\n",
            "its first line names '/nowhere/python3', which does not exist:"
            " write #!/usr/bin/env python3",
        ),
        (
            b"#!/nowhere/qqqqqqq\n",
            "its first line names '/nowhere/qqqqqqq', which does not exist:"
            " install it, or change that line",
        ),
        (
            b"#!TOOLS/env pyton3\n",
            "its first line names 'pyton3', which is not installed: did you mean 'python3'?",
        ),
        (
            ELF + b"\xf3\xf3",
            "it is a program for another processor (number 62451): build it for this machine",
        ),
        (b"MZ\0", "it is a Windows program: build it for Linux"),
        (
            b"\xca\xfe\xba\xbe\0",
            "it is a macOS program or a Java class: build it for Linux, or quote a command",
        ),
    ],
)
def test_A14_an_executable_that_would_not_start(
    content: bytes, error: str, here: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if b"\0" in content and b"#" not in content:
        if sys.platform != "linux":
            pytest.skip("says what Linux cannot run")
        monkeypatch.setattr(executables, "_has_emulators", lambda: False)
    program(here / "bot", content.replace(b"TOOLS", os.fsencode(tools)))
    assert sentence(BotError, "bot") == f"cannot start bot: {error}"


def test_an_emulator_may_run_what_the_machine_cannot(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executables, "_has_emulators", lambda: True)
    path = program(here / "bot", ELF + b"\xf3\xf3")
    assert find_bot("bot").argv == (path,)


@pytest.mark.parametrize("content", [b"#!/bin/sh\n", ELF])
def test_a_program_without_the_execute_bit(content: bytes, here: Path) -> None:
    program(here / "bot", content, 0o644)
    error = "cannot start bot: it is not executable: run chmod +x bot"
    assert sentence(BotError, "bot") == error


def test_O20_a_program_on_a_file_system_mounted_noexec(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(here / "bot", b"#!/bin/sh\n")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.X_OK)
    monkeypatch.setattr(executables, "mounted_noexec", lambda path: True)
    error = "cannot start bot: its file system is mounted noexec: move it to another one"
    assert sentence(BotError, "bot") == error


def elf(machine: int, order: Literal["little", "big"] = "little") -> bytes:
    kind = b"\x01" if order == "little" else b"\x02"
    return b"\x7fELF\x02" + kind + bytes(12) + machine.to_bytes(2, order)


@pytest.mark.skipif(sys.platform != "linux", reason="says what Linux cannot run")
@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        (elf(62), elf(62), None),
        (elf(62), elf(3), None),  # 32-bit programs of the family
        (elf(183), elf(40), None),
        (elf(62), elf(183), "ARM64"),
        (elf(3), elf(62), "x86-64"),
        (elf(62), elf(243), "RISC-V"),
        (elf(62), elf(22, "big"), "number 22"),
        (elf(22, "big"), elf(22, "big"), None),
    ],
)
def test_which_processors_a_machine_can_stand_for(
    ours: bytes, theirs: bytes, kind: str | None, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executables, "_has_emulators", lambda: False)
    monkeypatch.setattr(sys, "executable", program(here / "python3", ours))
    problem = executables.start_problem(Path(program(here / "bot", theirs)))
    text = f"it is a program for another processor ({kind}): build it for this machine"
    assert problem == (text if kind else None)


def test_options_of_env_are_left_to_it(here: Path) -> None:
    path = program(here / "bot", b"#!/usr/bin/env -S no-such-thing -u\n")
    assert executables.start_problem(Path(path)) is None


def test_a_program_that_may_not_be_read_is_left_to_the_system(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    path = Path(program(here / "bot", b"#!/nowhere\n"))
    monkeypatch.setattr(executables, "head", refused)
    assert not executables.is_script(path)
    assert executables.looks_executable(path)


def test_reading_a_file_never_waits(here: Path) -> None:
    """As it would for a pipe that nothing writes to."""
    os.mkfifo(here / "pipe")
    assert executables.head(here / "pipe") == b""
