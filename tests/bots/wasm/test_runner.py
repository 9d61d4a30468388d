"""The runner: how modules are run, limited, translated and refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from wasmtime import wat2wasm

from arena.bots.wasm.runner import TRAPPED
from tests.bots.wasm.modules import at_request, bot, save
from tests.bots.wasm.running import COUNTED, command, execute


def test_its_exit_code(tmp_path: Path) -> None:
    ran = execute(bot("{bye\n}(call $proc_exit (i32.const 7))"), tmp_path, COUNTED)
    assert (ran.status, ran.answers) == (7, ["bye"])


def test_its_memory_is_limited(tmp_path: Path) -> None:
    """R01: no more is given, and what was given still works."""
    code = at_request(1, "(drop (memory.grow (i32.const 98)))") + (
        "(if (i32.eq (memory.size) (i32.const 100)) (then {100\n}) (else {other\n}))"
        "(if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))"
    )
    limit = f"--memory={100 << 16}"
    assert execute(bot(code), tmp_path, limit, COUNTED).answers == ["100"] * 3
    ran = execute(bot(pages=101), tmp_path, limit)
    assert ran.status == TRAPPED
    assert "memory minimum size of 101 pages exceeds memory limits" in ran.err


def translate(module: bytes, folder: Path) -> tuple[int, str]:
    out = folder / "out"
    out.mkdir(exist_ok=True)
    name = save(module, folder / "bot.wasm")
    done = subprocess.run(command("--compile", name, str(out)), capture_output=True, text=True)
    return done.returncode, done.stderr


@pytest.mark.dear
def test_a_translated_module_gives_the_same_counts(tmp_path: Path) -> None:
    assert translate(bot(), tmp_path) == (0, "")
    from_file = execute(bot(), tmp_path, COUNTED)
    assert execute(tmp_path / "out", tmp_path, COUNTED) == from_file
    assert execute(tmp_path / "out", tmp_path).out == ["No moves"] * 3


def test_a_translation_that_is_not_for_here_is_not_used(tmp_path: Path) -> None:
    translate(bot(), tmp_path)
    (tmp_path / "out" / "counted.cwasm").write_bytes(b"of another release")
    assert execute(tmp_path / "out", tmp_path, COUNTED) == execute(bot(), tmp_path, COUNTED)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (b"\0asm\1\0\0\0\xff", "WebAssembly"),
        (b"int main() {}", "expected"),
        (bytes(wat2wasm('(module (import "env" "f" (func)))')), "it imports env.f: build it for"),
        (bytes(wat2wasm("(module (memory 1))")), "it does not export _start and memory"),
    ],
    ids=["broken", "text", "web", "library"],
)
def test_what_is_no_bot(module: bytes, words: str, tmp_path: Path) -> None:
    status, err = translate(module, tmp_path)
    assert status == TRAPPED
    assert words in err
    assert "Traceback" not in err
