"""What is started for a bot, by its runtime."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram, Runtime
from arena.bots.runtimes import require_countable, with_runtime
from arena.bots.wasm.command import RUNNER, RUNNER_MEMORY, parts
from arena.core.limits import Limits
from arena.errors import UsageError
from tests.bots.wasm.modules import bot, save

NATIVE = BotProgram("bot", ("/bin/bot", "--fast"), None, None, "bot --fast", (Path("/bin/bot"),))
WASM = BotProgram(
    *("bot", ("/bin/python3", "-I", RUNNER, "--library=/lib", "/bot.wasm", "x"), None, None),
    *("bot.wasm x", (Path("/bot.wasm"),), Runtime.WASM),
)


def test_a_native_bot_is_started_as_it_is() -> None:
    assert with_runtime(NATIVE, Limits(), 1000) == (NATIVE, Limits())
    named = replace(NATIVE, argv=("/bin/python3", RUNNER))  # by accident, or to look like one
    assert with_runtime(named, Limits()) == (named, Limits())


def test_the_runner_keeps_the_limits_of_a_module() -> None:
    program, limits = with_runtime(WASM, Limits(memory=1 << 20, files=7), 1000)
    options = ("--memory=1048576", "--count-to=1000")
    assert program.argv == (*WASM.argv[:3], *options, *WASM.argv[3:])
    assert limits == Limits(memory=(1 << 20) + RUNNER_MEMORY, files=7)
    assert replace(program, argv=WASM.argv, parts=WASM.parts) == WASM


def test_the_runner_is_shown_what_it_consists_of() -> None:
    program, _ = with_runtime(WASM, Limits())
    assert program.parts == (Path("/bot.wasm"), *parts())
    assert Path(RUNNER).parent in program.parts
    assert any(part.name == "wasmtime" for part in program.parts)


def test_without_limits_the_runner_is_told_none() -> None:
    limits = Limits(memory=None)
    program, same = with_runtime(WASM, limits)
    assert program.argv == WASM.argv
    assert same == limits


@pytest.mark.parametrize("word", ["bot.wasm", "bot.wasm --fast", "folder", "folder/bot.toml"])
def test_webassembly_is_known_however_it_is_named(word: str, here: Path) -> None:
    save(bot(), here / "bot.wasm")
    (here / "folder").mkdir()
    save(bot(), here / "folder" / "bot.wasm")
    (here / "folder" / "bot.toml").write_text('main = "bot.wasm"')
    found = find_bot(word)
    assert found.runtime is Runtime.WASM
    assert RUNNER in found.argv
    require_countable([found])


def test_all_that_is_not_webassembly_is_native(here: Path) -> None:
    save(bot(), here / "bot.wasm")
    (here / "bot.py").write_text("#")
    (here / "bot.toml").write_text('run = ["python3", "bot.py", "bot.wasm"]')
    for word in ("bot.py", "bot.py bot.wasm", "python3 bot.wasm", "."):
        assert find_bot(word).runtime is Runtime.NATIVE


def test_only_webassembly_can_be_counted() -> None:
    require_countable([])
    require_countable([WASM, WASM])
    with pytest.raises(UsageError) as caught:
        require_countable([WASM, NATIVE])
    assert str(caught.value) == (
        "the instructions of bot --fast cannot be counted: --meter instructions needs "
        "WebAssembly: compile it for wasm32-wasip1 and name the .wasm file"
    )
