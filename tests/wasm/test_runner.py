"""The runner alone, as a process: what it counts, what it hands over, what it refuses."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from wasmtime import wat2wasm

from arena.wasm import RUNNER, library
from arena.wasm.runner import OUT_OF_INSTRUCTIONS, TRAPPED
from tests.wasm.modules import ANSWER, FOR_EVER, at_request, bot, save, spin

TALK = b"settings a 1\ngo action 100\nround 2\ngo action 100\ngo action 100\n"
BUSY = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass\n"
COUNTED = "--count-to=1000000"


class Ran(NamedTuple):
    status: int
    out: list[str]
    err: str

    @property
    def counts(self) -> list[int]:
        return [int(line.split()[0]) for line in self.out]

    @property
    def answers(self) -> list[str]:
        return [line.partition(" ")[2] for line in self.out]


def command(*words: str) -> list[str]:
    return [sys.executable, "-I", RUNNER, f"--library={library()}", *words]


def execute(
    module: bytes | Path, folder: Path, *options: str, talk: Iterable[bytes] = (TALK,)
) -> Ran:
    """Run a module on the pieces of a conversation."""
    name = save(module, folder / "bot.wasm") if isinstance(module, bytes) else str(module)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command(*options, name), stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0
    ) as process:
        assert process.stdin is not None
        try:
            for piece in talk:
                process.stdin.write(piece)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return Ran(process.returncode, out.decode().split("\n")[:-1], err.decode())


# -- counting ------------------------------------------------------------------------------------


def test_every_answer_has_its_count(tmp_path: Path) -> None:
    ran = execute(bot(), tmp_path, COUNTED)
    assert ran.status == 0
    assert ran.err == ""
    assert ran.answers == ["No moves"] * 3
    assert ran.counts[0] > ran.counts[1] > ran.counts[2] > 2000  # fewer lines and bytes to read


def test_work_is_counted_wherever_it_is_done(tmp_path: Path) -> None:
    plain = execute(bot(), tmp_path, COUNTED).counts
    before, between, within = (
        execute(module, tmp_path, COUNTED).counts
        for module in (
            bot(start=spin(10_000)),
            bot(ANSWER + at_request(1, spin(10_000))),
            bot(at_request(3, spin(10_000)) + ANSWER),
        )
    )
    for counts, request in ((before, 0), (between, 1), (within, 2)):
        more = [count - without for count, without in zip(counts, plain, strict=True)]
        assert 30_000 < more[request] < 100_000
        assert max(more[:request] + more[request + 1 :]) < 100  # but for finding out when


def test_counts_do_not_depend_on_the_pipe(tmp_path: Path) -> None:
    whole = execute(bot(), tmp_path, COUNTED)
    drops = [bytes([byte]) for byte in TALK]
    lines = TALK.splitlines(keepends=True)
    assert execute(bot(), tmp_path, COUNTED, talk=drops) == whole
    assert execute(bot(), tmp_path, COUNTED, talk=lines) == whole


def test_counts_do_not_depend_on_the_load(tmp_path: Path) -> None:
    module = bot(spin(50_000) + ANSWER)
    quiet = execute(module, tmp_path, COUNTED)
    with ExitStack() as stack:
        for _ in range(2):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            stack.callback(busy.kill)
        assert execute(module, tmp_path, COUNTED) == quiet


def test_the_limit_is_exact(tmp_path: Path) -> None:
    count = execute(bot(), tmp_path, COUNTED).counts[0]
    assert execute(bot(), tmp_path, f"--count-to={count}").counts[0] == count
    ran = execute(bot(), tmp_path, f"--count-to={count - 1}")
    assert ran.status == OUT_OF_INSTRUCTIONS
    assert ran.out == [f"{count} "]


def test_the_count_cannot_be_forged(tmp_path: Path) -> None:
    ran = execute(bot(spin(10_000) + "{1 No moves\n}"), tmp_path, COUNTED)
    assert ran.answers == ["1 No moves"] * 3
    assert min(ran.counts) > 30_000


@pytest.mark.parametrize(
    ("module", "counts"),
    [
        (bot(at_request(2, FOR_EVER) + ANSWER), 1),
        (bot(ANSWER + at_request(2, FOR_EVER)), 2),  # found out before the request comes
        (bot(start=FOR_EVER), 0),
        (bot("(loop $ever {.} (br $ever))"), 0),
        (
            bot(
                "(loop $ever (drop (call $random_get (i32.const 0) (i32.const 65536))) (br $ever))"
            ),
            0,
        ),
        (bot("(loop $ever (memory.fill (i32.const 0) (i32.const 0) (i32.const 9)) (br $ever))"), 0),
        (bot("(loop $ever (drop (memory.grow (i32.const 0))) (br $ever))"), 0),
    ],
    ids=["within", "between", "start", "write", "random", "fill", "grow"],
)
def test_whatever_goes_on_for_ever_is_ended(module: bytes, counts: int, tmp_path: Path) -> None:
    start = time.monotonic()
    ran = execute(module, tmp_path, "--count-to=3000000")
    assert time.monotonic() - start < 30
    assert ran.status == OUT_OF_INSTRUCTIONS
    assert ran.answers == ["No moves"] * counts + [""]
    assert ran.counts[counts] == 3_000_001
    assert ran.err == (
        "arena: the bot was ended: it took more than 3000000 instructions for one answer\n"
    )


def test_without_a_limit_nothing_is_counted(tmp_path: Path) -> None:
    assert execute(bot(spin(1_000_000) + ANSWER), tmp_path).out == ["No moves"] * 3


# -- which line is the answer --------------------------------------------------------------------


def test_lines_that_nobody_asked_for(tmp_path: Path) -> None:
    """P09, P10: reported with the next answer, and what they cost is not forgotten."""
    ran = execute(bot(ANSWER + "{more\n}{\n}{yet more\n}"), tmp_path, COUNTED)
    assert [line.split(" ", 1)[1] for line in ran.out] == ["No moves", "more"] * 2 + ["No moves"]
    assert [line.split()[0] for line in ran.out[1::2]] == ["-2", "-2"]
    plain = execute(bot(), tmp_path, COUNTED).counts[1]
    assert ran.counts[2] > plain + 3000  # three calls of fd_write


def test_an_empty_line_is_the_answer_if_no_other_follows(tmp_path: Path) -> None:
    """P22"""
    assert execute(bot("{\n}"), tmp_path, COUNTED).answers == [""] * 3
    assert execute(bot("{\n}{5\n}"), tmp_path, COUNTED).answers == ["5"] * 3
    assert execute(bot("{5\n}{\n}"), tmp_path, COUNTED).answers == ["5"] * 3
    ended = execute(bot("{\n}(return)"), tmp_path, COUNTED)
    assert (ended.status, ended.answers) == (0, [""])


def test_an_answer_in_pieces_is_one_line(tmp_path: Path) -> None:
    assert execute(bot("{No }{moves}{\n}"), tmp_path, COUNTED).answers == ["No moves"] * 3


def test_a_line_that_does_not_end(tmp_path: Path) -> None:
    """P02: the arena sees a line that is too long, and ends the bot for it."""
    ran = execute(bot("(loop $ever {xxxxxxxxxx} (br $ever))"), tmp_path, "--count-to=1000000000")
    assert ran.status == TRAPPED
    assert ran.err == "arena: the bot was ended: it wrote a line longer than 65536 bytes\n"


# -- what a module has ---------------------------------------------------------------------------


def test_its_exit_code(tmp_path: Path) -> None:
    ran = execute(bot("{bye\n}(call $proc_exit (i32.const 7))"), tmp_path, COUNTED)
    assert (ran.status, ran.answers) == (7, ["bye"])


@pytest.mark.parametrize("options", [(), (COUNTED,)], ids=["time", "counted"])
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("unreachable", "wasm trap: wasm `unreachable` instruction executed"),
        ("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "integer divide by zero"),
        ("(drop (i32.load (i32.const -4)))", "out of bounds memory access"),
        (
            "(drop (call $path_open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0)"
            " (i32.const 0) (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 0)))",
            "it called path_open, and a bot has only its stdin, stdout and stderr",
        ),
        ("(call $say (i32.const 0) (i32.const -1))", "it gave WASI a place outside its memory"),
        (
            "(drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 0)))",
            "it gave a call of WASI more than 1024 pieces",
        ),
    ],
)
def test_a_trap_is_a_crash_with_its_text(
    code: str, words: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    ran = execute(bot("{5\n}" + at_request(2, code)), tmp_path, *options)
    assert ran.status == TRAPPED
    assert ran.err.startswith("arena: the bot was ended: ")
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.out) == 2


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


def test_no_chance_and_no_time_of_the_machine(tmp_path: Path) -> None:
    """Random bytes and the clock, as letters, are the same in every run."""
    letters = (
        "(drop (call $random_get (i32.const 2048) (i32.const 8)))"
        "(drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 2056)))"
        "(local.set $i (i32.const 2048))"
        "(loop $each"
        " (i32.store8 (local.get $i)"
        "  (i32.add (i32.const 97) (i32.and (i32.load8_u (local.get $i)) (i32.const 15))))"
        " (br_if $each (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))"
        "  (i32.const 2064))))"
        "(i32.store8 (i32.const 2064) (i32.const 10))"
        "(call $say (i32.const 2048) (i32.const 17))"
    )
    first = execute(bot(letters), tmp_path, COUNTED)
    assert execute(bot(letters), tmp_path, COUNTED) == first
    assert len(set(first.answers)) == 3


# -- translating ---------------------------------------------------------------------------------


def translate(module: bytes, folder: Path) -> tuple[int, str]:
    out = folder / "out"
    out.mkdir(exist_ok=True)
    name = save(module, folder / "bot.wasm")
    done = subprocess.run(command("--compile", name, str(out)), capture_output=True, text=True)
    return done.returncode, done.stderr


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
