"""What is counted for which answer, and which line is the answer."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.bots.wasm import counting
from arena.bots.wasm.counting import LINE_CAP, Counted, OutOfInstructions, Uncounted
from arena.bots.wasm.runner import OUT_OF_INSTRUCTIONS, TRAPPED
from arena.bots.wasm.wasi import ModuleRefused
from tests.bots.wasm.modules import ANSWER, FOR_EVER, at_request, bot, spin
from tests.bots.wasm.running import BUSY, COUNTED, TALK, execute


def test_every_answer_has_its_count(tmp_path: Path) -> None:
    ran = execute(bot(), tmp_path, COUNTED)
    assert ran.status == 0
    assert ran.err == ""
    assert ran.answers == ["No moves"] * 3
    assert ran.counts[0] > ran.counts[1] > ran.counts[2] > 2000  # fewer lines and bytes to read


@pytest.mark.dear
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


@pytest.mark.dear
def test_counts_do_not_depend_on_the_pipe(tmp_path: Path) -> None:
    whole = execute(bot(), tmp_path, COUNTED)
    drops = [bytes([byte]) for byte in TALK]
    lines = TALK.splitlines(keepends=True)
    assert execute(bot(), tmp_path, COUNTED, talk=drops) == whole
    assert execute(bot(), tmp_path, COUNTED, talk=lines) == whole


@pytest.mark.dear
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
def test_a_module_that_runs_for_ever_is_ended(module: bytes, counts: int, tmp_path: Path) -> None:
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


def test_lines_that_answer_no_request(tmp_path: Path) -> None:
    """P09, P10: reported with the next answer, and what they cost is not forgotten."""
    ran = execute(bot(ANSWER + "{more\n}{\n}{yet more\n}"), tmp_path, COUNTED)
    assert [line.split(" ", 1)[1] for line in ran.out] == ["No moves", "more"] * 2 + ["No moves"]
    assert [line.split()[0] for line in ran.out[1::2]] == ["-2", "-2"]
    plain = execute(bot(), tmp_path, COUNTED).counts[1]
    assert ran.counts[2] > plain + 3000  # three calls of fd_write


@pytest.mark.dear
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
    writes = bot(f"(loop $ever {{{'x' * 1000}}} (br $ever))")
    ran = execute(writes, tmp_path, "--count-to=1000000000")
    assert ran.status == TRAPPED
    assert ran.err == "arena: the bot was ended: it wrote a line longer than 65536 bytes\n"


# -- exactly, without a module ---------------------------------------------------------------------


class FakeStore:
    """The fuel of a module that executes nothing by itself."""

    def __init__(self) -> None:
        self.fuel = 0

    def set_fuel(self, fuel: int) -> None:
        self.fuel = fuel

    def get_fuel(self) -> int:
        return self.fuel

    def burn(self, instructions: int) -> None:
        self.fuel -= instructions


class Bench:
    """A channel that counts to 100, with what it reads and sends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store, self.sent = FakeStore(), b""
        self.input = io.BytesIO()
        monkeypatch.setattr(counting, "send", self._send)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(self.input))
        self.channel = Counted(self.store, 100)  # type: ignore[arg-type]

    def _send(self, data: bytes) -> None:
        self.sent += data

    def ask(self, text: bytes = b"go action 1\n") -> bytes:
        self.input.seek(0)
        self.input.truncate()
        self.input.write(text)
        self.input.seek(0)
        return self.channel.line()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(monkeypatch)


def test_an_answer_of_just_the_limit(bench: Bench) -> None:
    bench.ask()
    bench.store.burn(100)
    bench.channel.write(b"5\n")
    assert bench.sent == b"100 5\n"
    bench.ask()
    bench.store.burn(101)
    with pytest.raises(OutOfInstructions):
        bench.channel.write(b"5\n")


def test_the_clock_is_all_that_was_executed(bench: Bench) -> None:
    for _ in range(3):
        bench.ask()
        bench.store.burn(20)
        bench.channel.charge(10)
        bench.channel.write(b"5\n")
    bench.store.burn(7)
    assert bench.channel.clock() == 97
    assert bench.sent == b"30 5\n" * 3


def test_a_charge_beyond_the_limit(bench: Bench) -> None:
    bench.channel.charge(100)
    assert bench.store.fuel == 1
    with pytest.raises(OutOfInstructions):
        bench.channel.charge(1)
    bench.channel.write(b"")
    with pytest.raises(OutOfInstructions):
        bench.channel.charge(1000)
    assert bench.store.fuel == 0


def test_excess_lines_are_told_once_with_the_first_of_them(bench: Bench) -> None:
    bench.channel.write(b"early\n\n  \nmore\n")
    bench.ask()
    bench.channel.write(b"5\nlate\n")
    bench.ask()
    bench.channel.write(b"6\n")
    bench.ask()
    bench.channel.write(b"7\n")
    assert bench.sent == b"-2 early\n0 5\n-1 late\n0 6\n0 7\n"


def test_a_line_of_just_the_longest(bench: Bench) -> None:
    bench.ask()
    bench.channel.write(b"x" * LINE_CAP)
    assert bench.sent == b""
    with pytest.raises(ModuleRefused, match="a line longer than 65536 bytes"):
        bench.channel.write(b"x")
    assert bench.sent == b"x" * (LINE_CAP + 1)  # the arena sees for itself


def test_giving_up_waits_for_a_request(bench: Bench) -> None:
    bench.input.write(b"settings a 1\nround 2\ngo action 1\nmore\n")
    bench.input.seek(0)
    bench.channel.give_up()
    assert bench.sent == b"101 \n"
    assert bench.input.readline() == b"more\n"


def test_giving_up_at_the_end_of_input_says_nothing(bench: Bench) -> None:
    bench.channel.give_up()
    assert bench.sent == b""


def test_uncounted_goes_straight_through(monkeypatch: pytest.MonkeyPatch, bench: Bench) -> None:
    channel = Uncounted()
    channel.write(b"5\nhalf a li")
    channel.charge(1 << 60)
    assert bench.sent == b"5\nhalf a li"
    assert channel.line() == b""
    assert 0 <= channel.clock() < 10**12
