"""A league of untrusted bots that is killed repeatedly and continues each time::

    python -m tests.experiments.kills [--points 30] [--rounds 4] [--sandbox strict] [--seed 1]
    python -m tests.experiments.kills --cluster

Eight bots in seven languages, two of them hostile, play 224 short matches. At random moments the
judge, one of its workers or one of its keepers gets kill -9; with ``--cluster`` the judge, a worker
or its keeper, or all connections between them. Each kill happens while matches remain. The exit
status is 1 if any digest differs from an uninterrupted league, a match counts twice, or there were
fewer kills than requested.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

import psutil

from arena.cluster.keys import Role
from arena.league.audit import audit
from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.table import league_table
from arena.league.types import settle
from arena.sandbox.keeper.main import KEEPER_NAME
from tests.cluster.clusters import cluster_running, key
from tests.league.making import passes

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_bots" / "warlight"
IDLE = {
    "idle.pl": '$| = 1; while (<STDIN>) { print "No moves\\n" if /^(go|pick)/ }\n',
    "idle.rb": "$stdout.sync = true\n"
    "STDIN.each_line { |line| puts 'No moves' if line =~ /^(go|pick)/ }\n",
}
HOSTILE = {
    "daemons.py": """import os, signal, sys
for line in sys.stdin:
    if line.startswith("go attack"):  # leave daemons that hold stdout and cannot be asked to end
        for _ in range(4):
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                while True:
                    pass
        os._exit(7)
    if line.startswith(("go", "pick")):
        print("No moves", flush=True)
""",
    "bomb.c": """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char line[65536];
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "go attack", 9))
            for (;;) { char *p = malloc(1 << 24); if (p) memset(p, 1, 1 << 24); }
        if (!strncmp(line, "go", 2) || !strncmp(line, "pick", 4)) puts("No moves");
        fflush(stdout);
    }
}
""",
}
"""What they do at the first attack of a match, which is no test of theirs."""
STRANGERS = (*(SAMPLES / name for name in ("simple.py", "border.sh", "greedy.js", "raider.cpp")),)
TERMS = {"seed": "the seed of kills", "settings": {"max_rounds": "4"}, "memory": 256 << 20}


class Contest(Protocol):
    """Where a league is played, and who can be killed there."""

    victims: Sequence[str]
    """Their names, the likely ones more than once."""

    def judge(self, path: Path, rounds: int) -> subprocess.Popen[bytes]:
        """A judge that plays a league, in a process of its own."""

    def kill(self, judge: subprocess.Popen[bytes], who: str) -> bool:
        """End a victim with -9; false when there is none now."""


def keepers_of(parents: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Their keepers. (What a keeper starts are bots: to kill one of these is to kill a bot, and its
    crash would be right.)"""
    return [child for one in parents for child in one.children() if is_keeper(child)]


def is_keeper(process: psutil.Process) -> bool:
    """Whether it is one, by its name."""
    return bool(process.name() == KEEPER_NAME)


def strike(found: Sequence[psutil.Process]) -> bool:
    """Kill one of them, if there are any."""
    if found:
        random.choice(found).kill()
    return bool(found)


def start_judge(path: Path, rounds: int, *more: str) -> subprocess.Popen[bytes]:
    words = ["league", "run", str(path), "--rounds", str(rounds), "--json", *more]
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


class AtHome:
    """The judge's own workers play, and each has a keeper. (After void matches the judge itself
    plays, one at a time, and has a keeper.)"""

    victims: Sequence[str] = ("judge", "judge", "worker", "keeper")

    def judge(self, path: Path, rounds: int) -> subprocess.Popen[bytes]:
        return start_judge(path, rounds, "--jobs", "2")

    def kill(self, judge: subprocess.Popen[bytes], who: str) -> bool:
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(judge.pid)
            workers = [one for one in process.children() if not is_keeper(one)]
            keepers = keepers_of([process, *workers])
            return strike({"judge": [process], "keeper": keepers, "worker": workers}[who])
        return False


class OnCluster:
    """Three workers on this machine, which reach the judge by a wire."""

    victims: Sequence[str] = ("worker", "worker", "keeper", "keeper", "judge", "judge", "wire")

    def __init__(self, level: str) -> None:
        self._level = level
        self._open = ExitStack()
        self._cluster = self._open.enter_context(cluster_running())

    def close(self) -> None:
        self._open.close()

    def judge(self, path: Path, rounds: int) -> subprocess.Popen[bytes]:
        options = ("--cluster", "127.0.0.1:0", "--key", str(key(Role.JUDGE)))
        judge = start_judge(path, rounds, *options)
        assert judge.stderr is not None
        if words := judge.stderr.readline().decode().split():  # none where all is played
            self._cluster.wire.lead_to(words[-3])
        while len(self._cluster.alive) < 3:
            self._cluster.add_worker(self._level)
        return judge

    def kill(self, judge: subprocess.Popen[bytes], who: str) -> bool:
        alive = [one.pid for one in self._cluster.alive]
        if who == "wire":
            self._cluster.wire.cut()
        elif who == "keeper":
            with suppress(psutil.NoSuchProcess):
                return strike(keepers_of(map(psutil.Process, alive)))
            return False
        elif who == "worker":
            strike([psutil.Process(pid) for pid in alive])
            self._cluster.add_worker(self._level)
        else:
            judge.kill()
        return True


def new_league(path: Path, sandbox: str, bots: int = 8) -> None:
    """A league of the last so many bots of the eight; the two hostile ones come last."""
    path.parent.mkdir(exist_ok=True)
    sources = [*STRANGERS]
    for name, code in (IDLE | HOSTILE).items():
        sources.append(path.parent / name)
        sources[-1].write_text(code)
    terms = settle("warlight", None, {**TERMS, "sandbox": sandbox})  # type: ignore[typeddict-item]  # conditions by name
    with League.begin(path, terms) as league:
        for source in sources[-bots:]:
            hand_in(league, source, source.name, test=passes)


def finish(contest: Contest, path: Path, rounds: int) -> None:
    """Let it be played to its end."""
    process = contest.judge(path, rounds)
    _, err = process.communicate(timeout=1200)
    assert process.returncode == 0, err.decode()


def results(path: Path) -> int:
    """How many there are."""
    with League(path) as league:
        return league.count("result")


def kill_once(
    contest: Contest, path: Path, rounds: int, who: str, more: int = 1, seconds: float = 0.0
) -> str:
    """Run it, and kill a victim so many seconds after so many further results. What came of it, in
    words; empty when there was nothing to kill."""
    process, wanted = contest.judge(path, rounds), results(path) + more
    deadline = time.monotonic() + 120
    while results(path) < wanted and process.poll() is None:
        assert time.monotonic() < deadline, "it plays nothing"
        time.sleep(0.02)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=seconds)
    if process.poll() is not None or not contest.kill(process, who):
        process.kill()
        process.communicate()
        return ""
    return f"{who} killed, {_ended(process, who)}"


def _ended(process: subprocess.Popen[bytes], who: str) -> str:
    """What the judge does then. It may go on for a while, or say why it does not."""
    with suppress(subprocess.TimeoutExpired):
        _, said = process.communicate(timeout=60 if who == "judge" else random.uniform(0.3, 2.0))
        return f"status {process.returncode}: {' '.join(said.decode().split()[-24:])}"
    process.kill()
    process.communicate(timeout=60)
    return "the judge went on, and was killed"


def end_strays(place: Path) -> None:
    """End what bots of leagues in that folder have left. At `off` their daemons outlive a keeper
    that is killed: nothing else knows of them, and these would compute for ever."""
    for process in psutil.process_iter(["cmdline"]):
        if any(str(place) in word for word in process.info["cmdline"] or ()):
            with suppress(psutil.NoSuchProcess):
                process.kill()


def broken(path: Path, whole: Path, matches: int) -> list[str]:
    """The promises that were not kept, in words."""
    found = []
    with League(path) as league, League(whole) as other:
        ours, theirs = league_table(league), league_table(other)
        if (ours.digest, ours.table) != (theirs.digest, theirs.table):
            found.append("another table than the uninterrupted run")
        found += differences(league, other)
        if not league.count("result") == league.count("fixture") == matches:
            found.append(f"{league.count('result')} results for {matches} matches")
        if league.count("seat") != 2 * matches:
            found.append("a result without its seats")
        found += [f"match {one.match}: {one.problem}" for one in audit(league).wrong]
        records = list((league.folder.path / "records").rglob("*.jsonl.gz"))
        if len(records) != matches:
            found.append(f"{len(records)} records for {matches} matches")
        found += [f"left: {one}" for one in (league.folder.path / "drafts").iterdir()]
    return found


def differences(league: League, other: League) -> Iterator[str]:
    """The matches that came out otherwise, with what each said of its seats."""
    theirs = {played.fixture.id: played.result for played in other.results()}
    for played in league.results():
        fixture, one, two = played.fixture, played.result, theirs.get(played.fixture.id)
        if two is None or one.digest != two.digest:
            names = [league.copy_of(bot)[0] for bot in fixture.seats]
            yield f"{' '.join(names)} on {fixture.seed}: {one.seats}, and {two and two.seats}"


def kills(
    contest: Contest,
    place: Path,
    points: int,
    rounds: int,
    sandbox: str,
    bots: int = 8,
    tell: Callable[[str], None] = lambda text: None,
) -> list[str]:
    """See above. What is broken."""
    whole, path = place / "whole" / "l.league", place / "killed" / "l.league"
    for one in (whole, path):
        new_league(one, sandbox, bots)
    matches, began = rounds * bots * (bots - 1), time.monotonic()
    finish(AtHome(), whole, rounds)
    tell(f"uninterrupted: {matches} matches in {time.monotonic() - began:.1f} s")
    done = 0
    while done < points and results(path) < matches:
        who = random.choice(contest.victims)
        was = kill_once(
            contest, path, rounds, who, *_moment(matches - results(path), points - done)
        )
        done += bool(was)
        tell(f"kill {done}: {was or f'no {who} there'}; {results(path)} results")
    finish(contest, path, rounds)
    few = [f"only {done} kills while matches remained"] if done < points else []
    return few + broken(path, whole, matches)


def _moment(matches: int, kills: int) -> tuple[int, float]:
    """After how many further results, and how many seconds, the next of so many kills strikes,
    where so many matches remain: now and then before the first one, while the judge starts."""
    if random.random() < 0.2:
        return 0, random.uniform(0, 3.0)
    return random.randint(1, max(1, matches // kills - 4)), random.uniform(0, 0.5)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.kills")
    parser.add_argument("--points", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sandbox", default="strict")
    parser.add_argument("--cluster", action="store_true")
    asked = parser.parse_args()
    random.seed(asked.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    contest = OnCluster("sandbox+cgroup") if asked.cluster else AtHome()
    place = Path(tempfile.mkdtemp(prefix="leagues-"))
    try:
        found = kills(
            contest, place, asked.points, asked.rounds, asked.sandbox,
            tell=lambda text: print(text, flush=True),
        )  # fmt: skip
        if found:
            print(f"both leagues are kept in {place}")
        else:
            shutil.rmtree(place)
    finally:
        if isinstance(contest, OnCluster):
            contest.close()
        end_strays(place)
    print("\n".join(found) or "all promises were kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
