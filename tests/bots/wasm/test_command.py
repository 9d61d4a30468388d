"""The command of a WebAssembly bot, and the library that it needs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from arena.bots.wasm import command
from arena.bots.wasm.command import RUNNER, library, parts, release, runner_facts, with_options
from arena.errors import BotError


def test_the_library_is_found_and_not_imported() -> None:
    script = (
        "import sys; from arena.bots.wasm.command import library, parts;"
        "print(library()); parts(); print('wasmtime' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    place, imported = ran.stdout.splitlines()
    assert Path(place, "__init__.py").is_file()
    assert imported == "False"
    assert place == str(library())


def test_the_library_is_found_under_another_name(tmp_path: Path) -> None:
    """A sandbox may show its folder under one, where it is not installed beside Python."""
    (tmp_path / "bot1").symlink_to(str(library()))
    code = (
        "import sys; from arena.bots.wasm.runner import load_library;"
        "load_library(sys.argv[1]); import wasmtime; wasmtime.Engine(); print(wasmtime.__file__)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "bot1")]
    root = Path(__file__).parents[3]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout == f"{tmp_path}/bot1/__init__.py\n"


def test_what_the_commands_need() -> None:
    assert runner_facts(Path(), "bot.wasm") == {"runner": RUNNER, "library": str(library())}
    assert Path(RUNNER).is_file()
    assert parts() == (Path(RUNNER).parent, library())
    assert release() == f"wasmtime {version('wasmtime')}"


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert library() is None
    assert parts() == (Path(RUNNER).parent,)
    with pytest.raises(BotError) as caught:
        runner_facts(Path(), "bot.wasm")
    text = "cannot run bot.wasm: wasmtime is not installed: pip install '.[wasm]'"
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("memory", "count_to", "options"),
    [
        (None, None, []),
        (0, None, ["--memory=0"]),
        (1 << 20, 7, ["--memory=1048576", "--count-to=7"]),
        (None, 0, ["--count-to=0"]),
    ],
)
def test_limits_stand_before_the_module(
    memory: int | None, count_to: int | None, options: list[str]
) -> None:
    argv = ("python3", "-I", command.RUNNER, "--library=x", "bot.wasm", "--memory")
    assert with_options(argv, memory, count_to) == (*argv[:3], *options, *argv[3:])
