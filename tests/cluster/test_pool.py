"""A real scheduler with workers in processes of their own: matches survive the loss of workers,
and each comes out as it would at home."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from arena.api.play import play
from arena.record.verify import verify
from tests.cluster.clusters import Cluster, cluster_running, kill, read_line, wire
from tests.cluster.imported import ClusterProcess
from tests.structure import ROOT

BOTS = Path(__file__).parents[2] / "sample_bots" / "warlight"
PAIR = BOTS / "simple.py", BOTS / "strong.py"
GAMES = 4
Digests: TypeAlias = dict[int, str]
"""Those of matches, by number."""


@pytest.fixture(scope="module")
def cluster() -> Any:
    with cluster_running() as cluster:
        yield cluster


def played(judge: Any, cluster: Cluster, every: int) -> Digests:
    """The digests of the matches as they come in. After every few of them a worker is killed, and
    another one started."""
    digests: Digests = {}
    chance = random.Random("who is killed")
    for line in judge.stdout:
        what, number, digest = line.split(maxsplit=2)
        assert what == "PLAYED", line
        assert int(number) not in digests, "a match came twice"
        digests[int(number)] = digest.strip()
        if len(digests) % every == 0:
            alive = [worker for worker in cluster.workers if worker.poll() is None]
            kill(chance.choice(alive))
            cluster.add_worker()
    return digests


@pytest.fixture(scope="module")
def records(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Digests]:
    """A folder of records, and the digests as they came in, of matches in which a worker is
    lost."""
    folder = tmp_path_factory.mktemp("records")
    cluster.ensure(2)
    before = len(cluster.workers)
    digests = played(cluster.judge(folder, GAMES, *PAIR), cluster, every=3)
    assert len(cluster.workers) == before + GAMES // 3
    return folder, digests


@pytest.mark.dear
def test_O08_lost_workers_lose_no_match(records: tuple[Path, Digests]) -> None:
    folder, digests = records
    assert sorted(digests) == list(range(GAMES))
    for number in (0, GAMES - 1):
        verdict = verify(folder / f"{number}.jsonl.gz")
        assert (verdict.ok, verdict.digest) == (True, digests[number])
        home = play("warlight", PAIR, seed=number, settings={"max_rounds": 12})
        assert home.digest == digests[number]


def test_O09_what_a_partitioned_worker_reports_late_is_dropped() -> None:
    ran = ClusterProcess(
        [sys.executable, "-m", "tests.cluster.partitioned", *map(str, PAIR)],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    said, _ = ran.communicate(timeout=100)
    assert (ran.returncode, said) == (0, "match: try 2, of 2 tokens\n")


@pytest.mark.dear
def test_a_record_names_no_place_of_the_worker(records: tuple[Path, Digests]) -> None:
    record = gzip.decompress((records[0] / "0.jsonl.gz").read_bytes()).decode()
    assert json.loads(record.splitlines()[0])["players"] == ["simple", "strong"]
    assert "parcels" not in record


@pytest.mark.dear
def test_what_a_worker_cannot_start_is_played_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, tools = tmp_path / "odd", tmp_path / "tools"
    for folder in (bot, tools):
        folder.mkdir()
    (bot / "bot.toml").write_text('run = "odd-python bot.py"\n')
    (bot / "bot.py").write_text(PAIR[0].read_text())
    (tools / "odd-python").symlink_to(sys.executable)
    poor = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{tools}:{poor}")
    with cluster_running() as cluster:
        cluster.add_worker(PATH=poor)
        alone = [*cluster.judge(tmp_path / "alone", 1, bot, PAIR[0]).stdout]
        assert [line for line in alone if "odd-python" in line and line.startswith("PLAYED 0")]
        cluster.add_worker()
        lines = [*cluster.judge(tmp_path / "both", GAMES, bot, PAIR[0]).stdout]
    assert len([one for one in lines if re.match(r"PLAYED \d [0-9a-f]{64}$", one)]) == GAMES
    assert [one for one in lines if one.startswith("TOLD the worker tcp://")] == [
        one for one in lines if "leaves matches to others, if they can: " in one
    ]


@pytest.mark.dear
def test_O10_a_worker_that_cannot_keep_the_walls_gets_no_match(tmp_path: Path) -> None:
    with cluster_running() as cluster:
        weak = cluster.add_worker("off")
        judge = cluster.judge(tmp_path, 1, *PAIR, sandbox="strict")
        told = [read_line(judge), read_line(judge)]
        assert any("its walls are off, and the matches ask for strict" in line for line in told)
        assert any("waiting for a worker that can play" in line for line in told)
        kill(weak, signal.SIGTERM)
        assert read_line(weak) == "interrupted"
        cluster.scheduler.kill()
        assert read_line(judge).startswith("ERROR the scheduler at tcp://127.0.0.1:")


def test_O08_a_judge_that_is_cut_off_from_the_scheduler_says_so(
    cluster: Cluster, tmp_path: Path
) -> None:
    cluster.ensure(1)
    with wire(cluster.address) as by:
        judge = cluster.judge(tmp_path, 100, *PAIR, by=by.address)
        assert any(line.startswith("PLAYED") for line in judge.stdout)  # perhaps after a wait
        by.close()
        last = [line for line in judge.stdout if not line.startswith("PLAYED")]
    assert last == [
        f"ERROR the scheduler at {by.address} is gone: start it and its workers, and run this again"
        "\n"
    ]


@pytest.mark.dear
def test_a_league_comes_out_as_at_home(cluster: Cluster, tmp_path: Path) -> None:
    """Table for table, digest for digest, with the commands that the guide names."""
    cluster.ensure(1)
    arena = [sys.executable, "-m", "arena", "league"]
    home, away = tmp_path / "home.league", tmp_path / "away.league"
    terms = ("--game", "warlight", "--seed", "5", "--sandbox", "off", "--set", "max_rounds=5")
    runs: dict[Path, tuple[str, ...]] = {home: (), away: ("--cluster", cluster.address)}
    digests = []
    for file, options in runs.items():
        for words in (("new", file, *terms), ("add", file, *PAIR), ("run", file, *options)):
            done = subprocess.run(
                [*arena, *map(str, words)], capture_output=True, text=True, check=True, timeout=120
            )
        digests += re.findall(r"^digest ([0-9a-f]{64})$", done.stdout, re.MULTILINE)
    assert len(digests) == 2
    assert digests[0] == digests[1]
