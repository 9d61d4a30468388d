"""What a module has of a machine, and what it has not."""

from __future__ import annotations

from pathlib import Path

import pytest
from wasmtime import Limits, Memory, MemoryType, Store

from arena.bots.wasm.runner import TRAPPED
from arena.bots.wasm.wasi import BADF, CALL_COST, INVAL, OK, SPIPE, ModuleRefused, ProcExit, Wasi
from tests.bots.wasm.modules import at_request, bot
from tests.bots.wasm.running import COUNTED, execute


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
            "it called path_open, but a bot has only its stdin, stdout and stderr",
        ),
        (
            "(call $say (i32.const 0) (i32.const -1))",
            "it passed WASI an address outside its memory",
        ),
        (
            "(drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 0)))",
            "it passed a WASI call more than 1024 pieces",
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


# -- exactly, without a module ---------------------------------------------------------------------

PAGE = 1 << 16


class FakeChannel:
    """Two lines of input, and what was written and charged."""

    def __init__(self) -> None:
        self.lines = [b"one\n", b"two\n"]
        self.written = b""
        self.charged = 0

    def line(self) -> bytes:
        return self.lines.pop(0) if self.lines else b""

    def write(self, data: bytes) -> None:
        self.written += data

    def charge(self, instructions: int) -> None:
        self.charged += instructions

    def clock(self) -> int:
        return 1 << 40


class Bench:
    """The functions, with a memory of one page."""

    def __init__(self) -> None:
        self.store, self.channel = Store(), FakeChannel()
        self.memory = Memory(self.store, MemoryType(Limits(1, 1)))
        self.wasi = Wasi(self.store, self.channel, ["bot", "näme"])
        self.wasi.memory = self.memory

    def call(self, name: str, *words: int) -> int:
        result: int = self.wasi.function(name)(*words)
        return result

    def put(self, place: int, *numbers: int) -> None:
        data = b"".join(number.to_bytes(4, "little") for number in numbers)
        self.memory.write(self.store, data, place)

    def get(self, place: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, place, place + size))

    def number(self, place: int, size: int = 4) -> int:
        return int.from_bytes(self.get(place, size), "little")


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_one_read_gives_one_line_in_pieces(bench: Bench) -> None:
    bench.put(0, 100, 2, 200, 50)
    assert bench.call("fd_read", 0, 0, 2, 16) == OK
    assert (bench.number(16), bench.get(100, 2), bench.get(200, 2)) == (4, b"on", b"e\n")
    assert bench.channel.charged == CALL_COST + 4
    assert bench.channel.lines == [b"two\n"]


def test_a_read_of_nothing_takes_no_line(bench: Bench) -> None:
    bench.put(0, 100, 0)
    assert bench.call("fd_read", 0, 0, 1, 16) == OK
    assert bench.number(16) == 0
    assert len(bench.channel.lines) == 2


def test_what_is_left_of_a_line_comes_first(bench: Bench) -> None:
    bench.put(0, 100, 3)
    seen = []
    for _ in range(5):
        bench.call("fd_read", 0, 0, 1, 16)
        seen.append(bench.get(100, bench.number(16)))
    assert seen == [b"one", b"\n", b"two", b"\n", b""]


def test_writing_costs_its_bytes(bench: Bench) -> None:
    bench.put(0, 100, 3, 200, 2)
    bench.memory.write(bench.store, b"abc", 100)
    bench.memory.write(bench.store, b"d\n", 200)
    assert bench.call("fd_write", 1, 0, 2, 16) == OK
    assert (bench.channel.written, bench.number(16)) == (b"abcd\n", 5)
    assert bench.channel.charged == CALL_COST + 5


def test_stderr_is_no_answer(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    bench.put(0, 100, 3)
    bench.memory.write(bench.store, b"abc", 100)
    bench.call("fd_write", 2, 0, 1, 16)
    assert (bench.channel.written, capfd.readouterr().err) == (b"", "abc")


@pytest.mark.parametrize(("name", "descriptor"), [("fd_read", 0), ("fd_write", 1), ("fd_write", 2)])
def test_what_was_closed_stays_closed(name: str, descriptor: int, bench: Bench) -> None:
    bench.put(0, 100, 1)
    assert bench.call("fd_close", descriptor) == OK
    assert bench.call(name, descriptor, 0, 1, 16) == BADF
    assert bench.call("fd_fdstat_get", descriptor, 32) == BADF
    assert bench.call("fd_close", descriptor) == BADF


@pytest.mark.parametrize(
    ("name", "descriptor"), [("fd_read", 1), ("fd_read", 3), ("fd_write", 0), ("fd_write", 3)]
)
def test_what_is_not_open_for_that(name: str, descriptor: int, bench: Bench) -> None:
    bench.put(0, 100, 1)
    assert bench.call(name, descriptor, 0, 1, 16) == BADF


def test_the_last_byte_of_its_memory_is_its_own_and_the_next_is_not(bench: Bench) -> None:
    assert bench.call("random_get", PAGE - 4, 4) == OK
    assert bench.call("clock_res_get", 0, PAGE - 8) == OK
    with pytest.raises(ModuleRefused, match="an address outside its memory"):
        bench.call("random_get", PAGE - 4, 5)
    for place in (PAGE - 7, -8, -1, 1 << 31):
        with pytest.raises(ModuleRefused, match="an address outside its memory"):
            bench.call("clock_res_get", 0, place)


def test_pieces_are_checked_before_any_is_written(bench: Bench) -> None:
    bench.put(0, 100, 1, PAGE - 1, 2)
    with pytest.raises(ModuleRefused, match="an address outside its memory"):
        bench.call("fd_write", 1, 0, 2, 16)
    assert bench.channel.written == b""


def test_as_many_pieces_as_allowed(bench: Bench) -> None:
    assert bench.call("fd_write", 1, 0, 1024, PAGE - 4) == OK
    for count in (1025, -1):
        with pytest.raises(ModuleRefused, match="more than 1024 pieces"):
            bench.call("fd_write", 1, 0, count, PAGE - 4)


def test_its_arguments(bench: Bench) -> None:
    assert bench.call("args_sizes_get", 0, 4) == OK
    assert (bench.number(0), bench.number(4)) == (2, 10)
    assert bench.call("args_get", 16, 100) == OK
    assert (bench.number(16), bench.number(20)) == (100, 104)
    assert bench.get(100, 10) == b"bot\0" + "näme".encode() + b"\0"
    assert bench.call("environ_sizes_get", 0, 4) == OK
    assert (bench.number(0), bench.number(4)) == (0, 0)


def test_time_is_what_is_counted(bench: Bench) -> None:
    assert bench.call("clock_time_get", 0, 0, 32) == OK
    assert bench.number(32, 8) == 1 << 40


def test_random_bytes_are_the_same_for_all_and_cost_their_number(bench: Bench) -> None:
    bench.call("random_get", 0, 1000)
    assert bench.channel.charged == CALL_COST + 1000
    other = Bench()
    other.call("random_get", 0, 1000)
    assert other.get(0, 1000) == bench.get(0, 1000) != bytes(1000)


def test_sleeping_takes_no_time(bench: Bench) -> None:
    """A subscription to a clock, with a number of its own: the event has the same number."""
    bench.memory.write(bench.store, (77).to_bytes(8, "little") + bytes(40), 0)
    assert bench.call("poll_oneoff", 0, 200, 1, 300) == OK
    assert (bench.number(200, 8), bench.number(208, 8), bench.number(300)) == (77, 0, 1)
    assert bench.channel.charged == CALL_COST + 48
    assert [bench.call("poll_oneoff", 0, 200, count, 300) for count in (0, 1025)] == [INVAL, INVAL]


def test_each_event_has_its_own_place(bench: Bench) -> None:
    asked = b"".join(number.to_bytes(8, "little") + bytes(40) for number in (77, 78, 79))
    bench.memory.write(bench.store, asked, 0)
    assert bench.call("poll_oneoff", 0, 200, 3, 400) == OK
    assert [bench.number(200 + 32 * n, 8) for n in range(3)] == [77, 78, 79]


def test_exit_codes_are_of_one_byte(bench: Bench) -> None:
    for code, seen in ((0, 0), (7, 7), (256, 0), (-1, 255)):
        with pytest.raises(ProcExit) as caught:
            bench.call("proc_exit", code)
        assert caught.value.code == seen


def test_a_write_of_no_pieces_is_a_write_of_nothing(bench: Bench) -> None:
    assert bench.call("fd_write", 1, 0, 0, 300) == OK
    assert (bench.channel.written, bench.number(300)) == (b"", 0)


def test_all_that_is_told_of_a_stream_is_written(bench: Bench) -> None:
    bench.memory.write(bench.store, b"\xff" * 25, 32)
    assert bench.call("fd_fdstat_get", 0, 32) == OK
    assert bench.get(40, 17) == (1 << 1).to_bytes(16, "little") + b"\xff"


def test_streams_are_like_terminals(bench: Bench) -> None:
    assert bench.call("fd_fdstat_get", 1, 32) == OK
    assert (bench.number(32, 1), bench.number(40, 8)) == (2, 1 << 6)
    assert bench.call("fd_seek", 1, 0, 0, 0) == SPIPE
    assert bench.call("fd_prestat_get", 3, 0) == BADF
