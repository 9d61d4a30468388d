"""Foreign text in every message: it commands no terminal, as text and as JSON."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.core.registry import GAMES
from tests.cli.conftest import SIMPLE, Arena
from tests.structure import ROOT

EVIL = "\x1b[31m\x9b31m\u202e\u2066\u2028\x07\x85"
"""A colour (twice), marks that turn a line's direction, and line ends that are none."""
SHORT = ("--set", "max_rounds=1", "--timebank", "2000", "--seed", EVIL)
TALKER = f"""import sys
print({EVIL!r}, flush=True)
for line in sys.stdin:
    print({EVIL!r}, file=sys.stderr)
    print({EVIL!r}, flush=True)
sys.exit({EVIL!r})
"""


def source(folder: Path) -> str:
    path = folder / f"{EVIL}.py"
    path.write_text(TALKER)
    return str(path)


def uncompiled(folder: Path) -> str:
    path = folder / f"{EVIL}.c"
    path.write_text(f"int {EVIL};")
    return str(path)


def folder_bot(folder: Path, toml: str) -> str:
    bot = folder / EVIL
    bot.mkdir()
    (bot / "bot.toml").write_text(toml)
    program = bot / f"{EVIL}x"
    program.write_text(f"#!/bin/sh\necho '{EVIL}'\nexit 1\n")
    program.chmod(0o755)
    return str(bot)


def build_program(folder: Path) -> str:
    name = json.dumps(f"./{EVIL}x", ensure_ascii=True)
    return folder_bot(folder, f'run = "true"\nbuild = [{name}]\n')


def bad_toml(folder: Path) -> str:
    return folder_bot(folder, f"run = {EVIL}\n")


def unknown_key(folder: Path) -> str:
    return folder_bot(folder, f"{json.dumps(EVIL)} = 1\n")


def no_toml(folder: Path) -> str:
    bot = folder / EVIL
    bot.mkdir()
    (bot / f"{EVIL}.py").write_text("")
    return str(bot)


def dangling_link(folder: Path) -> str:
    link = folder / f"{EVIL}link"
    link.symlink_to(f"/nowhere/{EVIL}")
    return str(link)


def link_out(folder: Path) -> str:
    bot = folder_bot(folder, f'run = "true"\nbuild = "true"\nname = {json.dumps(EVIL)}\n')
    Path(bot, f"{EVIL}out").symlink_to(folder)
    return bot


def no_shebang(folder: Path) -> str:
    path = folder / EVIL
    path.write_text(f"#!/nowhere/{EVIL}\n")
    path.chmod(0o755)
    return str(path)


def command(folder: Path) -> str:
    return f"python3 {source(folder)!r}"


BOTS: list[Callable[[Path], str]] = [
    source, uncompiled, build_program, bad_toml, unknown_key, no_toml, dangling_link, link_out,
    no_shebang, command, lambda folder: EVIL, lambda folder: f"{EVIL} x",
]  # fmt: skip


def assert_harmless(*texts: str) -> None:
    for text in texts:
        assert {char for char in text if not char.isprintable()} <= {"\n"}, ascii(text)


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("make", BOTS)
def test_a_bot_cannot_command_the_terminal(
    arena: Arena, tmp_path: Path, make: Callable[[Path], str], as_json: bool
) -> None:
    bot, more = make(tmp_path), ("--json",) if as_json else ()
    for words in (("check", "warlight", bot), ("play", "warlight", bot, SIMPLE)):
        ran = arena(*words, *SHORT, *more)
        assert_harmless(ran.out, ran.err)
        if as_json:
            assert json.loads(ran.out)["format"]


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_other_word_can(
    arena: Arena, tmp_path: Path, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ("--json",) if as_json else ()
    record = tmp_path / f"{EVIL}.jsonl"
    record.write_text(f'{{"type": "{EVIL}"}}\n')
    played = tmp_path / f"{EVIL}2.jsonl"
    play = ("play", "warlight", source(tmp_path), SIMPLE, *SHORT, *more)
    for words in (
        (*play, "--replay", str(played)),
        (*play, "--replay", str(played)),  # it is there
        (*play, "--games", "2"),
        (*play, "--map", str(record)),
        (*play, "--set", f"{EVIL}=1"),
        (*play, "--set", f"luck={EVIL}"),
        (*play, "--memory", EVIL),
        (*play, f"--{EVIL}"),
        ("verify", str(record), *more),
        ("verify", str(played), *more),
        ("verify", EVIL, *more),
        ("games", EVIL, *more),
        ("guide", EVIL),
        (EVIL, *more),
        ("check", source(tmp_path), *more),
    ):
        ran = arena(*words)
        assert_harmless(ran.out, ran.err)
    monkeypatch.setitem(GAMES, EVIL, f"tests.tiny:{EVIL}")
    for words in (("games", *more), ("games", EVIL, *more), ("play", EVIL, SIMPLE, SIMPLE, *more)):
        ran = arena(*words)
        assert_harmless(ran.out, ran.err)


def test_one_place_prints() -> None:
    """All that commands print goes through `say` or `print_json`; `guide` has a pager, `rich` draws
    what is live."""
    printers = {}
    for path in (ROOT / "arena" / "cli").rglob("*.py"):
        calls = [
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        ]
        found = {ast.unparse(call.func) for call in calls}
        if found & {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}:
            printers[path.relative_to(ROOT / "arena" / "cli").as_posix()] = 1
    assert set(printers) == {"text/layout.py", "status.py"}
