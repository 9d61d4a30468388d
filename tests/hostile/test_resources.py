"""R: memory, processes, descriptors, disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.match.report import ExitReport
from arena.sandbox.keeper.messages import SIGNALS
from arena.sandbox.levels import Level
from tests.hostile.arena_runs import MIB, Played, against_honest, bomb, honest, linux_only, play
from tests.hostile.ordinary import pytest_as_ordinary_user, pytest_in_a_container
from tests.sandbox.programs import needs
from tests.support.tools import needs_tool

LIMIT = 64 * MIB
OVERSHOOT = 250 * MIB
"""What a program may take over its limit before the arena looks, where no kernel limit stands."""


def assert_shut_down_for_memory(played: Played, level: Level) -> None:
    assert played.bad.stopped == "memory"
    assert " of 64 MiB" in played.bad.stopped_detail
    peak = played.bad.peak_memory
    assert peak is not None
    room = 0 if level is Level.CGROUP else OVERSHOOT
    assert LIMIT * 0.9 < peak <= LIMIT + room


def eats(level: Level, folder: Path, sin: str, megabytes: int) -> Played:
    rival = honest(folder, pause=0.2)
    return play(level, bomb(folder, sin, 2, megabytes), rival, memory=LIMIT, timebank=10_000)


def test_R01_memory_as_fast_as_it_comes(tmp_path: Path, level: Level) -> None:
    assert_shut_down_for_memory(eats(level, tmp_path, "memory", 3000), level)


def test_R02_memory_slowly(tmp_path: Path, level: Level) -> None:
    played = eats(level, tmp_path, "memory_slowly", 50)
    assert_shut_down_for_memory(played, level)
    assert played.bad.peak_memory is not None
    assert played.bad.peak_memory < LIMIT + 25 * MIB  # it takes 50 MiB a second


def test_R03_memory_in_a_child(tmp_path: Path, level: Level) -> None:
    assert_shut_down_for_memory(eats(level, tmp_path, "memory_in_child", 3000), level)


@pytest.mark.dear
def test_R04_every_writable_place_filled(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "hog.fill_disk", timebank=20_000)
    counts = played.counts
    assert 0 < counts["home"] <= 64 * MIB
    assert 0 < counts["shm"] <= 16 * MIB
    assert counts["tmp"] <= 64 * MIB
    assert counts["root"] <= 1 * MIB
    assert played.answers == ["1", "1", "1"]


@pytest.mark.dear
def test_R05_memory_that_hides(tmp_path: Path, level: Level) -> None:
    free = against_honest(tmp_path / "off", Level.OFF, "hog.hidden_memory")
    assert free.attempts["memfd"] == free.attempts["sysv"] == "ok"  # it can be done
    played = against_honest(tmp_path, level, "hog.hidden_memory")
    assert played.attempts["memfd"] == "refused"
    assert played.attempts["sysv"] == "refused"
    assert played.attempts["posix_queue"] == "refused"
    assert played.attempts["pipes"] == "ok"  # bounded by the number of descriptors


def test_R06_a_fork_bomb(tmp_path: Path, level: Level) -> None:
    rival = honest(tmp_path, pause=0.2)
    bot = bomb(tmp_path, "fork_bomb", 2, 300)
    played = play(level, bot, rival, processes=32, timebank=5000, time_per_move=0)
    assert played.bad.stopped in ("processes", "timeouts", None)
    if level is Level.OFF:
        assert played.bad.stopped == "processes"


def test_R06_no_more_processes_than_allowed(tmp_path: Path, level: Level) -> None:
    bot = bomb(tmp_path, "many_children", 2, 200)
    played = play(level, bot, honest(tmp_path), processes=32, timebank=10_000)
    if level is Level.OFF:
        assert played.bad.stopped == "processes"
    else:
        assert 0 < played.counts[""] <= 32
    if level is Level.CGROUP:  # the kernel tells
        assert played.bad.first_faults["refused"].detail.startswith("used 32 of 32 processes")


@pytest.mark.parametrize("sin", ["chain", "zombies"])
def test_R07_forks_and_exits(tmp_path: Path, level: Level, sin: str) -> None:
    number = 400 if sin == "chain" else 20
    played = play(level, bomb(tmp_path, sin, 2, number), honest(tmp_path))
    assert played.bad.stopped is None
    buried_late = (
        sin == "chain" and level is Level.CGROUP
    )  # on a full machine: they count till then
    assert set(played.bad.faults) <= ({"refused"} if buried_late else set())
    assert played.answers == ["1", "1", "1"]


@pytest.mark.dear
def test_R08_a_bomb_of_threads(tmp_path: Path, level: Level) -> None:
    threads = bomb(tmp_path / "off", "many_threads", 2, 200)
    free = play(Level.OFF, threads, honest(tmp_path / "off"), processes=1000, timebank=10_000)
    assert free.counts[""] == 200  # it can be done
    threads = bomb(tmp_path, "many_threads", 2, 200)
    played = play(level, threads, honest(tmp_path), processes=32, timebank=10_000)
    assert 0 < played.counts[""] <= 32


def test_R09_many_descriptors(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "hog.many_descriptors", timebank=10_000)
    assert 200 < played.counts["descriptors"] <= 256
    assert 200 < played.counts["sockets"] <= 256
    assert played.answers == ["1", "1", "1"]


@pytest.mark.dear_for("off")
def test_R10_files_too_many(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "hog.many_files", timebank=30_000)
    assert played.counts["files"] > 1000
    assert played.answers == ["1", "1", "1"]


def test_R10_files_too_large(tmp_path: Path, strict: Level) -> None:
    played = against_honest(tmp_path, strict, "hog.one_large_file", timebank=20_000)
    assert 0 < played.counts["large"] <= 64 * MIB
    assert played.attempts == {"sparse": "refused"}


def test_R11_no_core_is_dumped(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "hog.dump_core")
    assert played.bad.exit == ExitReport(signal="SIGSEGV", by_arena=False)
    assert played.counts["core"] == 0


def test_R12_no_memory_is_locked(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "hog.lock_memory")
    assert played.attempts == {"mlock": "refused", "mlockall": "refused"}


@pytest.mark.dear
def test_R13_the_page_cache(tmp_path: Path, level: Level) -> None:
    limit = 64 * MIB
    played = against_honest(tmp_path, level, "hog.read_everything", memory=limit, timebank=30_000)
    assert played.counts["read"] > limit  # more than it may hold, and yet it lives
    assert played.bad.stopped is None


UNSEEN = ("empty_files", "page_tables", "full_sockets")
"""Sins that take memory of the kernel."""


@pytest.mark.dear_for("empty_files", "page_tables")
@linux_only
@pytest.mark.parametrize("sin", ["ownerless_memory", *UNSEEN])
def test_R17_memory_that_belongs_to_no_process(tmp_path: Path, strict: Level, sin: str) -> None:
    """The kernel may end any process of the control group, bubblewrap too: it is the bot's loss."""
    played = eats(strict, tmp_path, sin, 400_000 if sin == "empty_files" else 400)
    if sin == "ownerless_memory" and strict is Level.SANDBOX:
        assert played.attempts == {"shared": "refused"}
    else:
        assert played.bad.stopped == "memory"


@pytest.mark.dear
@linux_only
def test_R17_memory_is_not_taken_where_no_kernel_counts_it(tmp_path: Path) -> None:
    needs(Level.SANDBOX)
    for sin in ("ownerless_memory", "zero_device"):
        played = eats(Level.SANDBOX, tmp_path / sin, sin, 400)
        assert played.attempts == {"shared": "refused"}
        assert played.bad.stopped is None


@pytest.mark.dear
@linux_only
@pytest.mark.parametrize("sin", UNSEEN)
def test_R17_memory_is_looked_at_where_no_kernel_counts_it(tmp_path: Path, sin: str) -> None:
    needs(Level.SANDBOX)
    number = 400_000 if sin == "empty_files" else 400
    played = eats(Level.SANDBOX, tmp_path, sin, number)
    if (played.bad.peak_memory or 0) > LIMIT + OVERSHOOT:  # a look that was late, on a full machine
        played = eats(Level.SANDBOX, tmp_path / "again", sin, number)
    assert_shut_down_for_memory(played, Level.SANDBOX)


@linux_only
@pytest.mark.parametrize("sin", ["full_pipes", "all_watches"])
def test_R18_descriptors_are_looked_at_where_no_kernel_counts_them(
    tmp_path: Path, sin: str
) -> None:
    """Of 60 processes, each with 250."""
    needs(Level.SANDBOX)
    assert eats(Level.SANDBOX, tmp_path, sin, 60).bad.stopped == "memory"


@linux_only
def test_R18_no_bot_uses_up_the_signals_of_its_user(tmp_path: Path, strict: Level) -> None:
    played = play(strict, bomb(tmp_path, "queued_signals", 2, 5000), honest(tmp_path))
    assert 0 < played.counts["queued"] <= SIGNALS
    assert played.answers == ["1", "1", "1"]


HERE = "not ordinary and not container"


@linux_only
@pytest.mark.parametrize(
    ("chosen", "delegated"),
    [
        pytest.param(chosen, delegated, marks=pytest.mark.dear)
        for chosen, delegated in (
            ("(no_kernel_counts or uses_up_the_signals)", False),
            ("belongs_to_no_process", True),
        )
    ],
)
def test_R17_R18_the_same_for_an_ordinary_user(strict: Level, chosen: str, delegated: bool) -> None:
    """Without control groups, and with some of its own."""
    assert_all_passed(pytest_as_ordinary_user(f"{chosen} and {HERE}", delegated=delegated))


@linux_only
@pytest.mark.dear
def test_R17_no_void_match_in_a_container(strict: Level) -> None:
    assert_all_passed(pytest_in_a_container(f"belongs_to_no_process and {HERE}"))


def assert_all_passed(ran: subprocess.CompletedProcess[str]) -> None:
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout
    assert " skipped" not in ran.stdout


JAVA = """
public class Bot {
    public static void main(String[] words) throws Exception {
        var in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        long most = Runtime.getRuntime().maxMemory() >> 20;
        System.err.println("COUNT heap " + most);
        for (String line; (line = in.readLine()) != null; )
            if (line.startsWith("go")) System.out.println(1);
    }
}
"""


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> BotProgram:
    """A bot in Java that says how much memory it may have, compiled once."""
    needs_tool("javac", "default-jdk-headless")
    folder = tmp_path_factory.mktemp("java")
    (folder / "Bot.java").write_text(JAVA)
    return find_bot(str(folder / "Bot.java"), cache=folder / "cache")


@pytest.mark.dear
def test_R14_java_knows_its_limit(tmp_path: Path, level: Level, java: BotProgram) -> None:
    rival = honest(tmp_path, pause=0.1)
    played = play(level, java, rival, memory=256 * MIB, timebank=20_000, time_per_move=0)
    assert played.bad.faults == {}
    assert 100 <= played.counts["heap"] <= 256


GO = """
package main

import ("bufio"; "fmt"; "os"; "strings")

func main() {
    lines := bufio.NewScanner(os.Stdin)
    for lines.Scan() {
        if strings.HasPrefix(lines.Text(), "go") { fmt.Println(1) }
    }
}
"""
NODE = """
require('readline').createInterface({input: process.stdin}).on('line', line => {
    if (line.startsWith('go')) console.log(1)
})
"""


@pytest.mark.dear
@pytest.mark.parametrize(
    ("tool", "package", "name", "source"),
    [("node", "nodejs", "bot.js", NODE), ("go", "golang-go", "bot.go", GO)],
)
def test_R15_runtimes_with_much_address_space(
    tmp_path: Path, level: Level, tool: str, package: str, name: str, source: str
) -> None:
    needs_tool(tool, package)
    (tmp_path / name).write_text(source)
    bot = find_bot(str(tmp_path / name))
    rival = honest(tmp_path)
    played = play(level, bot, rival, memory=256 * MIB, timebank=20_000, time_per_move=0)
    assert played.bad.faults == {}
    assert played.answers == ["1", "1", "1"]


@pytest.mark.dear
def test_R16_processor_time_in_short_children(tmp_path: Path, level: Level) -> None:
    bot = bomb(tmp_path, "burn_in_children", 2, 300)
    played = play(level, bot, honest(tmp_path), timebank=20_000)
    assert played.bad.cpu_ms is not None
    # All of it, though no child lived long enough to be looked at; but bubblewrap keeps from us
    # what its processes used, so that in a sandbox only a control group knows.
    assert played.bad.cpu_ms > (250 if level is not Level.SANDBOX else 0)
