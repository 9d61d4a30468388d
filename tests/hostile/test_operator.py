"""O: what operators, machines and bad luck do to the arena itself."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pexpect
import psutil
import pytest

from arena.cli import main
from arena.core.registry import find_game
from arena.core.settings import keys
from arena.errors import ReplayError
from arena.record.reader import Match
from arena.record.verify import verify
from arena.runtime.capacity import jobs_that_fit
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.hierarchies import hierarchies
from arena.sandbox.keeper.main import KEEPER_NAME
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level
from tests.hostile.arena_runs import SIMPLE, arena, honest, hostile, instant, linux_only, play
from tests.support.forks import ArenaTerminal
from tests.support.tools import dear

ROOT = Path(__file__).parents[2]
INSTANT = instant()
GONE_WITHIN = 20.0
"""Seconds. The promise is two; the rest is for a busy machine."""


def family(pid: int) -> list[psutil.Process]:
    """A process and all below it."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def plays(pid: int, matches: int = 1) -> bool:
    """Whether both bots have been started in so many matches of an arena."""
    return sum(len(bots_of(keeper)) >= 2 for keeper in keepers_of(pid)) >= matches


def keepers_of(pid: int) -> list[psutil.Process]:
    """The keepers of an arena, without the copies of itself that each has forked ahead."""
    return [one for one in family(pid) if is_keeper(one) and not is_keeper(parent_of(one))]


def bots_of(keeper: psutil.Process) -> list[psutil.Process]:
    """What a keeper has started: bots, or the walls around them."""
    with suppress(psutil.NoSuchProcess):
        return [one for one in keeper.children() if command_line(one) and not is_keeper(one)]
    return []


def is_keeper(process: psutil.Process | None) -> bool:
    """Whether it is a keeper, or a copy of one."""
    with suppress(psutil.Error):
        return process is not None and bool(process.name() == KEEPER_NAME)
    return False


def parent_of(process: psutil.Process) -> psutil.Process | None:
    """None when the process is gone."""
    with suppress(psutil.NoSuchProcess):
        parent: psutil.Process | None = process.parent()
        return parent
    return None


def command_line(process: psutil.Process) -> list[str]:
    """Its command line."""
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again, for what no event announces."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)


def assert_gone(processes: list[psutil.Process]) -> None:
    assert processes
    _, alive = psutil.wait_procs(processes, timeout=GONE_WITHIN)
    assert alive == []


@contextmanager
def match_under_way(
    folder: Path, *options: str, sin: str = "mute", matches: int = 1, **how: Any
) -> Iterator[subprocess.Popen[str]]:
    """An arena in the middle of a match with a bot that has daemons and never answers."""
    bot = hostile(folder, sin, 3)
    words = ("play", "warlight", bot.command, INSTANT, "--timebank", "60000", *options)
    process = arena(*words, **how)
    try:
        wait_until(lambda: plays(process.pid, matches))
        yield process
    finally:
        for one in family(process.pid):
            with suppress(psutil.NoSuchProcess):
                one.kill()
        process.communicate()


SHORT = ("--set", "max_rounds=20")


@contextmanager
def series_under_way(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """An arena in the middle of a long series that is recorded in `folder`."""
    folder.mkdir(exist_ok=True)
    replays = ("--replay", str(folder / "s.jsonl"))
    words = ("play", "warlight", INSTANT, INSTANT, "--games", "500", "--jobs", "2", "--seed", "1")
    process = arena(*words, *SHORT, *replays, *options)
    try:
        wait_until(lambda: len(list(folder.iterdir())) >= 5)  # two at a time: some are finished
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


# -- endings of the arena --------------------------------------------------------------------------


def test_O01_an_arena_that_is_killed_leaves_nothing_but_whole_records(tmp_path: Path) -> None:
    with series_under_way(tmp_path / "first") as process:
        processes = family(process.pid)
        process.kill()
        assert_gone(processes)
    first = sorted((tmp_path / "first").iterdir())
    finished = [path for path in first if verify(path).problem == ""]
    assert 3 <= len(finished) < 500
    assert len(first) - len(finished) <= 2  # those under way, and each a readable beginning
    for path in set(first) - set(finished):
        assert "everything up to there is right" in verify(path).problem
    again = arena("play", "warlight", INSTANT, INSTANT, "--games", "3", "--seed", "1", *SHORT,
                  "--replay", tmp_path / "s.jsonl", "--json")  # fmt: skip
    out, _ = again.communicate(timeout=60)
    digests = [match["digest"] for match in json.loads(out)["matches"]]
    both = [n for n in (1, 2, 3) if tmp_path / "first" / f"s-{n}.jsonl" in finished]
    assert both
    for number in both:  # run again, it is the same
        assert verify(tmp_path / "first" / f"s-{number}.jsonl").digest == digests[number - 1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_O07_asked_to_end_the_arena_ends_its_bots(tmp_path: Path, number: int) -> None:
    with match_under_way(tmp_path, "--json") as process:
        processes = family(process.pid)
        start = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert time.monotonic() - start < GONE_WITHIN
        assert process.returncode == 130
        assert err.strip() == "arena: interrupted"
        assert json.loads(out)["error"] == "interrupted"
        assert_gone(processes)


@pytest.mark.parametrize(
    ("number", "to_all"),
    [
        pytest.param(signal.SIGTERM, False, marks=pytest.mark.dear),
        (signal.SIGINT, True),  # as from a terminal
    ],
)
def test_O07_what_was_played_is_kept(tmp_path: Path, number: int, to_all: bool) -> None:
    with series_under_way(tmp_path / "s", "--json") as process:
        processes = family(process.pid)
        (os.killpg if to_all else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.strip() == "arena: interrupted"
        document = json.loads(out)
        assert 0 < document["summary"]["played"] == len(document["matches"]) < 500
        assert_gone(processes)


def test_O07_nohup_is_respected(tmp_path: Path) -> None:
    bot = honest(tmp_path, pause=0.05)
    words = ("play", "warlight", bot.command, INSTANT, "--set", "max_rounds=3", "--json")
    process = arena(*words, preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: plays(process.pid))
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["status"] == "completed"


PATIENT = (
    "import arena.runtime.pool as pool; pool.WORKER_GRACE = 600; "
    "from arena.cli.main import main; main()"
)
"""An arena that would wait long for its workers: what ends it is not its patience."""


def has_heard(pid: int, number: int) -> bool:
    """Whether a signal was delivered to a process, which sleeps again. (Only Linux tells.)"""
    if sys.platform != "linux":
        return True
    status = Path(f"/proc/{pid}/status").read_text()
    pending = re.findall(r"^(?:Sig|Shd)Pnd:\t(\w+)$", status, re.MULTILINE)
    is_due = any(int(mask, 16) >> (number - 1) & 1 for mask in pending)
    return "\nState:\tS" in status and not is_due


@pytest.mark.dear
@pytest.mark.parametrize("jobs", dear([1, 2], but=lambda jobs: jobs == 2))
def test_O07_the_second_ctrl_c_leaves_at_once(tmp_path: Path, jobs: int) -> None:
    bot = hostile(tmp_path, "stubborn", 1)
    words = ("play", "warlight", bot.command, INSTANT, "--games", "50", "--jobs", jobs)
    process = arena(*words, "--timebank", "60000", program=("-c", PATIENT))
    wait_until(lambda: plays(process.pid, matches=jobs))
    processes = family(process.pid)
    for keeper in keepers_of(process.pid):  # one that stands still holds up every good order
        keeper.suspend()
    try:
        process.send_signal(signal.SIGINT)
        wait_until(lambda: has_heard(process.pid, signal.SIGINT))  # two at once are one
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=GONE_WITHIN)
        assert process.returncode == 130
    finally:
        for one in processes:
            with suppress(psutil.NoSuchProcess):
                one.resume()
    assert_gone(processes)
    process.communicate()


@pytest.mark.dear
@pytest.mark.parametrize("jobs", dear([1, 2], but=lambda jobs: jobs == 2))
def test_the_second_ctrl_c_leaves_no_folder(tmp_path: Path, jobs: int) -> None:
    """The keepers clear away what an arena leaves that has no time to."""
    games = ("--games", str(jobs), "--jobs", str(jobs))
    with match_under_way(tmp_path, *games, matches=jobs) as process:
        processes = family(process.pid)
        assert len(list((tmp_path / "t").iterdir())) >= 2 * jobs
        for _ in range(2):
            process.send_signal(signal.SIGINT)
        process.wait(timeout=GONE_WITHIN)
        assert_gone(processes)
    assert list((tmp_path / "t").iterdir()) == []


def test_an_arena_that_is_killed_leaves_no_folder(tmp_path: Path, level: Level) -> None:
    wish = "off" if level is Level.OFF else "strict"
    with match_under_way(tmp_path, "--sandbox", wish) as process:
        processes, groups = family(process.pid), our_groups(keeper_of(process).pid)
        process.kill()
        assert_gone(processes)
    assert list((tmp_path / "t").iterdir()) == []
    assert not any(group.exists() for group in groups)


@pytest.mark.dear_for("strict")
def test_a_series_leaves_no_folder(tmp_path: Path, level: Level) -> None:
    wish = "off" if level is Level.OFF else "strict"
    words = ("--games", "3", "--jobs", "2", "--set", "max_rounds=2", "--sandbox", wish)
    process = arena("play", "warlight", INSTANT, INSTANT, *words)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert list((tmp_path / "t").iterdir()) == []


@pytest.mark.parametrize(("number", "jobs"), [(signal.SIGTERM, "2"), (signal.SIGHUP, "1")])
def test_a_job_in_the_background_of_a_script_ends_when_asked(
    tmp_path: Path, number: int, jobs: str
) -> None:
    """A shell starts it with SIGINT ignored."""
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    games = ("--games", "9", "--jobs", jobs, "--json")
    with match_under_way(tmp_path, *games, preexec_fn=ignore) as process:
        processes = family(process.pid)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.strip() == "arena: interrupted"
        assert_gone(processes)
    assert list((tmp_path / "t").iterdir()) == []


@pytest.mark.dear
def test_O07_a_terminal_that_closes(tmp_path: Path) -> None:
    bot = hostile(tmp_path, "mute", 3)
    words = ["-m", "arena", "play", "warlight", bot.command, INSTANT, "--timebank", "60000"]
    terminal = ArenaTerminal(sys.executable, words, cwd=str(ROOT), timeout=60)
    wait_until(lambda: plays(terminal.pid))
    processes = family(terminal.pid)
    terminal.close(force=False)  # the other end of the terminal is gone: SIGHUP
    assert_gone(processes)


def test_O07_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    bot = hostile(tmp_path, "mute", 3)
    words = ["-m", "arena", "play", "warlight", bot.command, INSTANT, "--timebank", "60000"]
    terminal = ArenaTerminal(sys.executable, words, cwd=str(ROOT), timeout=60)
    wait_until(lambda: plays(terminal.pid))
    processes = family(terminal.pid)
    terminal.sendintr()
    terminal.expect("interrupted")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130
    assert_gone(processes)


def test_O07_a_reader_that_has_read_enough() -> None:
    """As ``arena play | head -1``."""
    with arena("play", "warlight", INSTANT, INSTANT, *SHORT, "--games", "2") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("warlight, seed")
        process.stdout.close()
        assert process.stderr.read() == ""


# -- the disk --------------------------------------------------------------------------------------


def limited(kind: int, number: int) -> Callable[[], None]:
    """To be run in a new process: set one of its limits."""
    return partial(resource.setrlimit, kind, (number, resource.getrlimit(kind)[1]))


def test_O03_a_disk_without_room_for_the_record(tmp_path: Path) -> None:
    replay = tmp_path / "r.jsonl"
    words = ("play", "warlight", INSTANT, INSTANT, "--seed", "1", "--replay", replay, "--json")
    process = arena(*words, preexec_fn=limited(resource.RLIMIT_FSIZE, 20_000))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 75
    assert json.loads(out)["status"] == "void"
    assert "cannot write the replay" in err
    assert "Traceback" not in err
    assert not replay.exists()  # half a record is no result, and would refuse the next try


@pytest.mark.dear
def test_O03_a_series_keeps_what_was_played(tmp_path: Path) -> None:
    words = ("play", "warlight", INSTANT, INSTANT, *SHORT, "--seed", "1", "--replay")
    alone = arena(*words, tmp_path / "r.jsonl")
    alone.communicate(timeout=60)
    size = (tmp_path / "r.jsonl").stat().st_size
    folder = tmp_path / "small"
    folder.mkdir()
    with small_disk(folder, size * 3):
        process = arena(*words, folder / "s.jsonl", "--games", "30", "--json")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 75, err
        summary = json.loads(out)["summary"]
        assert 0 < summary["played"] < 30
        assert "cannot write the replay" in summary["stopped"]
        whole = [path for path in folder.iterdir() if verify(path).problem == ""]
        assert len(whole) == summary["played"]


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A file system of so many bytes, mounted there."""
    options = ["-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("needs root, who may mount a small file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_O03_a_full_stdout(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        words = ("play", "warlight", INSTANT, INSTANT, "--set", "max_rounds=2", "--json")
        process = arena(*words, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 75
    assert "No space left" in err
    assert "Traceback" not in err


# -- clocks and load -------------------------------------------------------------------------------


def test_O05_nothing_reads_the_wall_clock() -> None:
    clock = re.compile(r"\btime\.time\(|datetime\.now|utcnow|CLOCK_REALTIME|localtime\(")
    sources = (ROOT / "arena").rglob("*.py")
    readers = {path.name for path in sources if clock.search(path.read_text())}
    # The age of files in a cache is told by the wall clock, for how long keys, invitations and
    # sessions hold, when a freeze begins, what a day changed, and the dates of a history.
    site = {"accounts.py", "moments.py", "trends.py"}
    assert readers <= {"build.py", "keys.py", "history.py", *site}


def test_O05_a_wall_clock_that_jumps_moves_no_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_time, days = time.time, iter([1, -1, 365, -365, 0] * 10_000)
    monkeypatch.setattr(time, "time", lambda: true_time() + 86400 * next(days))
    assert abs(datetime.now().timestamp() - time.time()) > 3600  # it does jump
    played = play(Level.OFF, honest(tmp_path, 0.1, "slow"), honest(tmp_path))
    assert played.bad.faults == {}
    assert played.seconds < 10


def answers_in(replay: Path) -> int:
    """How many answers a record has so far."""
    return replay.read_text().count('"answer"') if replay.exists() else 0


@pytest.mark.dear
def test_O05_O11_an_arena_that_stood_still_blames_no_bot(tmp_path: Path) -> None:
    """Stopped across the deadline of an answer: it was there at the first look. (Of a suspension
    the clocks tell, and that voids a match: tests/match/test_fairness.py.)"""
    thinks = honest(tmp_path, pause=0.15)
    words = ("play", "warlight", thinks.command, thinks.command, "--set", "max_rounds=20", "--json")
    replay = tmp_path / "r.jsonl"
    times = ("--timebank", "1500", "--time-per-move", "1000", "--replay", replay)
    process = arena(*words, *times)
    wait_until(lambda: answers_in(replay) >= 4)  # past the set-up
    process.send_signal(signal.SIGSTOP)
    time.sleep(2.5)
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert [player["faults"].get("timeout", 0) for player in json.loads(out)["players"]] == [0, 0]


def test_O12_as_many_matches_as_there_are_descriptors_for(tmp_path: Path) -> None:
    words = ("play", "warlight", INSTANT, INSTANT, "--games", "12", "--jobs", "60", "--json")
    few = limited(resource.RLIMIT_NOFILE, 80)
    process = arena(*words, "--set", "max_rounds=1", preexec_fn=few)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert json.loads(out)["summary"]["played"] == 12
    said = re.search(r"playing (\d+) at a time instead of 12: .*80 open files", err)
    assert said
    assert 1 <= int(said[1]) < 12


def test_O12_as_many_matches_as_there_are_processes_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.runtime import capacity

    assert jobs_that_fit(2, 2) == (2, "")
    monkeypatch.setattr(capacity, "_of_the_user", lambda: (100, "one user may have 300 processes"))
    jobs, why = jobs_that_fit(64, 2)
    assert 1 <= jobs <= 10
    assert why == "one user may have 300 processes"
    monkeypatch.setattr(capacity, "_of_the_user", lambda: (-5, "one user may have 300 processes"))
    assert jobs_that_fit(64, 2)[0] == 1


# -- what a machine lacks --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def without_bubblewrap(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which everything is to be found but one tool."""
    place = tmp_path_factory.mktemp("bin")
    for part in os.environ["PATH"].split(":"):
        for path in Path(part).iterdir() if os.access(part, os.R_OK | os.X_OK) else ():
            with suppress(FileExistsError):
                if path.name != "bwrap":
                    (place / path.name).symlink_to(path)
    return str(place)


def forbidding(folder: Path) -> str:
    """A PATH whose `bwrap` fails as the real one does where namespaces are forbidden."""
    program = folder / "bwrap"
    words = "bwrap: No permissions to create new namespace, likely because the kernel does not"
    program.write_text(f"#!/bin/sh\necho '{words} allow it.' >&2\nexit 1\n")
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


SHORTAGES = {
    "no bubblewrap": "bubblewrap is not installed",
    "no namespaces": "No permissions to create new namespace",
}
"""What a machine lacks, and the words that must name it."""


@pytest.fixture(params=SHORTAGES)
def poor(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    without_bubblewrap: str,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """Make this a machine that lacks something. The words that name it."""
    path = without_bubblewrap if request.param == "no bubblewrap" else forbidding(tmp_path)
    monkeypatch.setenv("PATH", path)
    return SHORTAGES[request.param]


QUICK = ("play", "warlight", INSTANT, INSTANT, "--set", "max_rounds=1", "--sandbox")


@pytest.mark.dear_for("no bubblewrap")
@linux_only
def test_O13_strict_refuses_and_names_what_is_missing(
    poor: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main.run([*QUICK, "strict"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count(poor) == 1
    assert "the level sandbox lacks" in err
    assert "arena doctor" in err


@linux_only
def test_O13_auto_plays_on_and_says_at_which_level(
    poor: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Once, also in a series."""
    status = main.run([*QUICK, "auto", "--games", "2", "--json"])
    out, err = capfd.readouterr()
    assert status == 0, err
    level = json.loads(out)["matches"][0]["sandbox"]
    assert level in ("guard", "off")
    assert err.count(f"played at the level {level}") == 1
    assert "arena doctor" in err


@linux_only
def test_O13_the_doctor_names_the_cause(poor: str, capfd: pytest.CaptureFixture[str]) -> None:
    status = main.run(["doctor", "--json", "--sandbox", "strict"])
    out, err = capfd.readouterr()
    assert status == 1, err
    document = json.loads(out)
    rows = {row["name"]: row for row in document["capabilities"]}
    assert document["granted"] is False
    assert document["level"] in ("guard", "off")
    assert document["next_step"]["level"] == "sandbox"
    assert poor in document["next_step"]["lacks"]
    assert rows["bubblewrap"]["status"] == "FAIL"
    assert poor in rows["bubblewrap"]["found"]
    assert rows["bubblewrap"]["consequence"]
    repair = rows["bubblewrap"]["repair"]
    assert repair == document["next_step"]["step"]
    assert repair == "sudo apt-get install bubblewrap" or not poor.startswith("bubblewrap")
    assert repair.startswith(("sudo ", "echo ", "docker run", "bwrap "))


@pytest.mark.dear
@linux_only
def test_O13_the_doctor_is_content_with_what_auto_takes(tmp_path: Path) -> None:
    process = arena("doctor", env={"PATH": forbidding(tmp_path)})
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    assert SHORTAGES["no namespaces"] in out
    assert "--sandbox strict is refused" in out
    assert "Next step:\n" in out


# -- control groups and what is left of them -------------------------------------------------------


def our_groups(keeper: int) -> list[Path]:
    """The control groups that an arena's keeper has made, in all trees: its own and its bots'."""
    names = f"arena-{owner(keeper)}", f"arena-{owner(keeper)}.*"
    folders = [Path(tree.folder) for tree in hierarchies()]
    return [path for folder in folders for name in names for path in folder.glob(name)]


def keeper_of(process: subprocess.Popen[str]) -> psutil.Process:
    return keepers_of(process.pid)[0]


@contextmanager
def walled_match(folder: Path, level: Level) -> Iterator[tuple[subprocess.Popen[str], list[Path]]]:
    """A match of two bots that think for long, and the control groups of their arena."""
    if level is not Level.CGROUP:
        pytest.skip("this machine has no control groups")
    record = folder / "r.jsonl"
    options = ("--sandbox", "strict", "--json", "--replay", str(record))
    with match_under_way(folder, *options, sin="sleep_for_ever") as process:
        keeper = keeper_of(process).pid
        wait_until(lambda: len(with_limits(our_groups(keeper))) >= 2)
        wait_until(lambda: answered(record))  # before, the arena still begins
        yield process, our_groups(keeper)


def answered(record: Path) -> bool:
    """Whether both bots have answered by now."""
    with suppress(OSError, ReplayError):
        match = Match.read(record)
        return all(match.answers(seat) for seat in (0, 1))
    return False


def with_limits(groups: list[Path]) -> list[Path]:
    """The limits on the processes of bots that run."""
    files = [path for group in groups for path in group.glob("pids.max")]
    return [path for path in files if path.read_text().strip() == "256"]


def assert_void(process: subprocess.Popen[str], word: str) -> None:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4, (out, err)
    assert json.loads(out)["status"] == "void"
    assert word in err
    assert "Traceback" not in err


REWRITTEN = (
    ("pids.max", "255"),
    ("memory.max", "900M"),
    ("memory.limit_in_bytes", "900M"),
)


@pytest.mark.dear
def test_O14_a_limit_that_another_program_rewrites(tmp_path: Path, strict: Level) -> None:
    for i, (name, value) in enumerate(REWRITTEN):
        with walled_match(tmp_path / str(i), strict) as (process, groups):
            seats = {path.parent.name for path in with_limits(groups)}
            files = [path for g in groups if g.name in seats for path in g.glob(name)]
            for file in files:
                with suppress(FileNotFoundError):  # of the program that proved the walls
                    file.write_text(value)
            if files:
                wait_until(partial(end_bots, process))
                assert_void(process, "another program changed the limits")


def end_bots(process: subprocess.Popen[str]) -> bool:
    """Kill a bot as another program would, which ends the match; true when there was one."""
    ended = False
    for one in family(process.pid):
        with suppress(psutil.NoSuchProcess):
            if "bot.pyc" in str(one.cmdline()) and one.name().startswith("python"):
                one.kill()
                ended = True
    return ended


def test_O14_a_group_that_another_program_removes(tmp_path: Path, strict: Level) -> None:
    with walled_match(tmp_path, strict) as (process, groups):
        seats = {path.parent.name for path in with_limits(groups)}
        bots = [group for group in groups if group.name in seats]
        wait_until(lambda: all(move_out_and_remove(bot) for bot in bots))
        assert_void(process, "another program removed the control group")


def move_out_and_remove(group: Path) -> bool:
    """Whether the group is gone; its processes live on in our own."""
    with suppress(OSError):
        place = next(tree.folder for tree in hierarchies() if group.is_relative_to(tree.folder))
        for pid in (group / "cgroup.procs").read_text().split():
            Path(place, "cgroup.procs").write_text(pid)
        group.rmdir()
    return not group.exists()


@pytest.mark.dear
def test_O15_what_a_dead_arena_left_is_cleared_away(tmp_path: Path, level: Level) -> None:
    wish = "off" if level is Level.OFF else "strict"
    with match_under_way(tmp_path, "--sandbox", wish) as living:
        kept = settled(living.pid) + our_groups(keeper_of(living).pid)
        with match_under_way(tmp_path / "2", "--sandbox", wish) as dead:
            left = settled(dead.pid) + our_groups(keeper_of(dead).pid)
            assert bool(our_groups(keeper_of(dead).pid)) == (level is Level.CGROUP)
            assert all(path.exists() for path in left)
            kill_at_once(family(dead.pid))  # from now on any arena may sweep
        foreign = [Path(tempfile.gettempdir(), name) for name in NOT_OURS]
        for path in foreign:
            path.mkdir()
        again = arena("play", "warlight", INSTANT, INSTANT, *SHORT, "--sandbox", wish)
        assert again.wait(timeout=60) == 0
        again.communicate()
        assert [path for path in left if path.exists()] == []
        assert [path for path in kept + foreign if path.exists()] == kept + foreign


NOT_OURS = ("arena-1-1", "arena-999999999-1-1-ab", "arena-tests-1-2-3", "xarena-999999999-1-1-ab")
"""Names that are nearly those of folders of dead arenas."""


def leftovers(arena_pid: int) -> list[Path]:
    """The private folders that an arena has made."""
    place = Path(tempfile.gettempdir())
    return sorted(place.glob(f"arena-{owner(arena_pid)}-*"))


def settled(arena_pid: int) -> list[Path]:
    """The same, once the programs with which it proves its walls are gone."""
    seen: list[Path] = []
    while len(seen) < 2 or leftovers(arena_pid) != seen:
        seen = leftovers(arena_pid)
        time.sleep(0.5)
    return seen


def kill_at_once(processes: list[psutil.Process]) -> None:
    """None of them has the time to clean up."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for one in processes:
            with suppress(psutil.NoSuchProcess):
                one.send_signal(number)
    assert_gone(processes)


def test_O15_links_and_strangers_are_spared(tmp_path: Path) -> None:
    name = tempdirs.prefix().replace(owner(), "999999999-1")
    (tmp_path / "precious").mkdir()
    (tmp_path / f"{name}link").symlink_to(tmp_path / "precious")
    (tmp_path / f"{name}file").write_text("kept")
    (tmp_path / f"{name}full" / "deep").mkdir(parents=True)
    (tmp_path / f"{name}full" / "link").symlink_to(tmp_path / "precious")
    assert tempdirs.sweep(str(tmp_path), lambda owner: False) == []
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "t") == sorted(
        ["precious", f"{name}link", f"{name}file"]
    )
    assert tempdirs.sweep("/no/such/folder", lambda owner: False) == []


def test_O17_typing_errors_are_refused_with_what_is_allowed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def refused(*words: str) -> str:
        capfd.readouterr()
        assert main.run(["play", "warlight", INSTANT, INSTANT, *words]) == 2, words
        out, err = capfd.readouterr()
        assert out == ""
        return err

    assert "did you mean 'max_rounds'" in refused("--set", "max_round=3")
    for key, value in (("max_rounds", "0"), ("timebank", "-1"), ("timebank", "soon")):
        err = refused("--set", f"{key}={value}")
        known = {one.name: one.allowed for one in keys(find_game("warlight").settings)}
        assert key in err
        assert known[key] in err
    assert "with a unit, as in 512M" in refused("--memory", "512")
    assert "give at least 1M" in refused("--memory", "0M")
    assert "--jobs" in refused("--jobs", "0", "--games", "2")
    assert "--games" in refused("--games", "-1")
    assert "--sandbox" in refused("--sandbox", "strickt")
    assert "did you mean --timebank" in refused("--timebnk", "5").replace("'", "").lower()


def test_O17_a_typing_error_in_a_bot_toml(tmp_path: Path) -> None:
    bot = honest(tmp_path)
    (Path(bot.command) / "bot.toml").write_text('rum = "./honest"\n')
    process = arena("play", "warlight", bot.command, INSTANT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "there is no key 'rum': did you mean 'run'?" in err


def test_O19_bots_of_root_are_not_root(tmp_path: Path, level: Level) -> None:
    played = play(level, hostile(tmp_path, "spy.itself"), honest(tmp_path))
    match = re.search(r"^IDENTITY (.*)$", played.said, re.MULTILINE)
    assert match
    uid, effective, pid = json.loads(match[1])
    assert uid == effective != 0
    assert pid < 100  # its own processes only


C_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
POOR: dict[str, dict[str, Any]] = {
    "no home, C locale, open mask": {"env": {"HOME": None, **C_LOCALE}, "umask": 0},
    "no such home, no such TMPDIR, closed mask": {
        "env": {"HOME": "/no/such/home", "TMPDIR": "/no/such/folder"},
        "umask": 0o777,
    },
}
"""Options for a process that has to live with several shortages."""


@pytest.mark.dear_for("*open mask")
@pytest.mark.parametrize("shortages", POOR)
def test_O20_a_poor_environment(level: Level, shortages: str) -> None:
    assert_played(level, **POOR[shortages])


def test_O20_a_temporary_folder_without_exec(tmp_path: Path, level: Level) -> None:
    folder = tmp_path / "noexec"
    folder.mkdir()
    with small_disk(folder, 32 << 20):
        subprocess.run(["mount", "-o", "remount,noexec", str(folder)], check=True)
        assert_played(level, env={"TMPDIR": str(folder)})


def assert_played(level: Level, **how: Any) -> None:
    """Two bots in Python play two rounds in an arena that was started so."""
    words = ("play", "warlight", SIMPLE, SIMPLE, "--set", "max_rounds=2", "--json", "--sandbox")
    process = arena(*words, "off" if level is Level.OFF else "strict", **how)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == 0, err
    assert [player["faults"] for player in json.loads(out)["players"]] == [{}, {}]
