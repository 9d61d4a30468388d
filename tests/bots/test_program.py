"""The value that travels from a word to a player."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from arena.bots.program import BotProgram, BuildOptions, Runtime
from arena.sandbox.levels import Level

BOT = BotProgram("bot", ("/bin/bot",), None, None, "bot")


def test_a_program_is_native_and_complete_unless_said_otherwise() -> None:
    assert BOT.runtime is Runtime.NATIVE
    assert BOT.parts == ()


def test_a_program_is_a_value() -> None:
    assert dataclasses.replace(BOT) == BOT
    assert len({BOT, dataclasses.replace(BOT), dataclasses.replace(BOT, name="other")}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        BOT.name = "other"  # type: ignore[misc]


def test_a_program_travels_between_processes() -> None:
    wasm = dataclasses.replace(BOT, runtime=Runtime.WASM)
    assert msgspec.convert(msgspec.to_builtins(wasm), BotProgram) == wasm


def test_ones_own_bots_are_built_without_walls_in_the_users_cache() -> None:
    assert BuildOptions() == BuildOptions(cache=None, sandbox=Level.OFF)
