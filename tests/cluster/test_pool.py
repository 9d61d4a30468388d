"""A judge that listens, with real workers in processes of their own, and with strangers: matches
survive the loss of workers, each comes out as it would at home, and no stranger is let in."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import pytest
from msgspec.structs import replace

from arena.api.conditions import make_spec
from arena.api.play import play
from arena.cluster import pool as pools
from arena.cluster.keys import Role, make_keys, tls_context
from arena.cluster.pool import ClusterPool
from arena.cluster.work import encode_message, hello
from arena.errors import UsageError
from arena.match.spec import MatchSpec
from arena.players.entrant import StoredEntrant
from arena.record.verify import verify
from arena.runtime.pool import Played
from arena.sandbox.levels import Level
from tests.cluster.clusters import Cluster, cluster_running, key, kill, read_line
from tests.structure import ROOT
from tests.support.forks import ArenaProcess

BOTS = ROOT / "sample_bots" / "warlight"
PAIR = BOTS / "simple.py", BOTS / "strong.py"
GAMES = 4
Digests: TypeAlias = dict[int, str]
"""Those of matches, by number."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with cluster_running() as cluster:
        yield cluster


def open_pool(tell: Callable[[str], None] = lambda text: None) -> ClusterPool:
    return ClusterPool("127.0.0.1", 0, key(Role.JUDGE), tell=tell)


def specs(
    folder: Path, games: int, *bots: Path, sandbox: str = "off"
) -> Iterator[tuple[int, MatchSpec]]:
    """Short matches between bots, with their numbers as seeds."""
    folder.mkdir(exist_ok=True)
    settings = {"max_rounds": 12}
    first = make_spec("warlight", [silent] * 2, {"sandbox": sandbox, "settings": settings})
    entrants = tuple(StoredEntrant(bot.stem, bot) for bot in bots)
    for number in range(games):
        record = folder / f"{number}.jsonl.gz"
        yield number, replace(first, entrants=entrants, seed=str(number), replay=record)


def silent(lines: list[str]) -> str:
    return ""


def digest_of(played: Played) -> str:
    digest = getattr(played, "digest", None)
    assert digest is not None, played
    return str(digest)


@pytest.fixture(scope="module")
def records(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Digests]:
    """A folder of records, and the digests as they came in, of matches during which a worker is
    killed, and then all connections are cut."""
    folder = tmp_path_factory.mktemp("records")
    cluster.ensure(2)
    digests: Digests = {}
    with open_pool() as pool:
        cluster.wire.lead_to(pool.address)
        for number, played in pool.play(specs(folder, GAMES, *PAIR)):
            assert number not in digests, "a match came twice"
            digests[number] = digest_of(played)
            if len(digests) == 1:
                kill(random.Random("who is killed").choice(cluster.alive))
                cluster.ensure(2)
            if len(digests) == 2:
                cluster.wire.cut()
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
    (bot / "bot.toml").write_text('name = "Odd"\nrun = "odd-python bot.py"\n')
    (bot / "bot.py").write_text(PAIR[0].read_text())
    (tools / "odd-python").symlink_to(sys.executable)
    poor = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{tools}:{poor}")
    told: list[str] = []
    with cluster_running() as cluster, open_pool(told.append) as pool:
        cluster.wire.lead_to(pool.address)
        cluster.add_worker(PATH=poor)
        ((_, alone),) = pool.play(specs(tmp_path / "alone", 1, bot, PAIR[0]))
        assert "odd-python" in str(alone)
        cluster.add_worker()
        wait_for_workers(pool, 2)
        both = dict(pool.play(specs(tmp_path / "both", GAMES, bot, PAIR[0])))
    assert all(map(digest_of, both.values()))
    header = gzip.decompress((tmp_path / "both" / "0.jsonl.gz").read_bytes()).splitlines()[0]
    assert json.loads(header)["players"] == ["odd", "simple"]  # as the organiser calls them
    assert any("cannot play a match: " in text and "odd-python" in text for text in told)


class Enough(Exception):
    """Ends a play from what hears of it."""


@pytest.mark.dear
def test_O10_a_worker_that_cannot_keep_the_walls_gets_no_match(tmp_path: Path) -> None:
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 2:
            raise Enough

    with cluster_running() as cluster, open_pool(tell) as pool:
        cluster.wire.lead_to(pool.address)
        weak = cluster.add_worker("off")
        with pytest.raises(Enough):
            list(pool.play(specs(tmp_path, 1, *PAIR, sandbox="strict")))
        said, _ = weak.communicate(timeout=60)
    why = "its level is off, but the matches need strict: arena doctor says what is missing"
    assert told[0] == f"waiting for workers: arena worker {pool.address} --key worker.pem"
    assert told[1] == f"the worker at 127.0.0.1 gets no matches: {why} there"
    assert said.splitlines()[-1].startswith("ERROR the judge at 127.0.0.1:")
    assert why in said


def test_an_interrupted_worker_leaves_in_good_order() -> None:
    with cluster_running() as cluster:
        worker = cluster.add_worker()
        assert read_line(worker).startswith("waiting for a judge at 127.0.0.1:")
        kill(worker, signal.SIGTERM)
        assert read_line(worker) == "interrupted"
        assert worker.wait(60) == 0


# -- strangers -----------------------------------------------------------------------------


def connect(pool: ClusterPool) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(pool.address.rpartition(":")[2])), 30)


def say_hello(stream: socket.socket) -> None:
    data = encode_message(hello(Level.OFF, Level.OFF))
    stream.sendall(len(data).to_bytes(4, "big") + data)


def as_worker(pool: ClusterPool) -> ssl.SSLSocket:
    """What has the key of a worker and says hello."""
    worker = tls_context(key(Role.WORKER), Role.WORKER).wrap_socket(connect(pool))
    say_hello(worker)
    return worker


def plain_bytes(pool: ClusterPool, folder: Path) -> socket.socket:
    stranger = connect(pool)
    stranger.sendall(b"GET / HTTP/1.1\r\nHost: judge\r\n\r\n")
    return stranger


def frames_without_tls(pool: ClusterPool, folder: Path) -> socket.socket:
    return connect(pool)


def without_a_certificate(pool: ClusterPool, folder: Path) -> socket.socket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connect(pool))


def with_a_foreign_key(pool: ClusterPool, folder: Path) -> socket.socket:
    make_keys(folder / "foreign")
    context = tls_context(folder / "foreign" / "worker.pem", Role.WORKER)
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(connect(pool))


def with_the_key_of_the_judge(pool: ClusterPool, folder: Path) -> socket.socket:
    context = tls_context(key(Role.WORKER), Role.WORKER)
    context.load_cert_chain(key(Role.JUDGE))
    return context.wrap_socket(connect(pool))


def with_older_tls(pool: ClusterPool, folder: Path) -> socket.socket:
    context = tls_context(key(Role.WORKER), Role.WORKER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    stranger = context.wrap_socket(connect(pool), do_handshake_on_connect=False)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        stranger.do_handshake()
    return stranger


STRANGERS = (
    plain_bytes,
    frames_without_tls,
    without_a_certificate,
    with_a_foreign_key,
    with_the_key_of_the_judge,
    with_older_tls,
)


def wait_for_workers(pool: ClusterPool, count: int) -> None:
    deadline = time.monotonic() + 30
    while len(pool._dispatcher.workers) != count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def has_hung_up(stranger: socket.socket) -> bool:
    try:
        return stranger.recv(100) == b""
    except (ConnectionError, ssl.SSLError):
        return True


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda one: one.__name__)
def test_a_stranger_is_turned_away(
    stranger: Callable[[ClusterPool, Path], socket.socket], tmp_path: Path
) -> None:
    """On the loopback too: other accounts of the machine have that."""
    with open_pool() as pool:
        with stranger(pool, tmp_path) as one:
            with suppress(OSError):
                say_hello(one)
            assert has_hung_up(one)
        assert not pool._dispatcher.workers
        with as_worker(pool):
            wait_for_workers(pool, 1)
        wait_for_workers(pool, 0)


def test_a_slow_handshake_has_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "HANDSHAKE_WITHIN", 0.5)
    with open_pool() as pool, connect(pool) as slow, as_worker(pool):
        wait_for_workers(pool, 1)
        assert has_hung_up(slow)


def test_a_crowd_of_connections_keeps_no_worker_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "MAX_NEWCOMERS", 8)
    monkeypatch.setattr(pools, "HANDSHAKE_WITHIN", 1000)
    with open_pool() as pool, ExitStack() as stack:
        crowd = [stack.enter_context(connect(pool)) for _ in range(40)]
        with as_worker(pool):
            wait_for_workers(pool, 1)
            assert len(pool._newcomers._scopes) <= 8
        assert all(has_hung_up(one) for one in crowd[:32])


def test_cannot_listen_is_told_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}: .*in use"),
            ClusterPool("127.0.0.1", port, key(Role.JUDGE)),
        ):
            pass
    with (
        pytest.raises(UsageError, match=r"cannot listen on 192\.0\.2\.1:8786: .*free"),
        ClusterPool("192.0.2.1", 8786, key(Role.JUDGE)),
    ):
        pass


@pytest.mark.dear
def test_a_worker_opens_no_port(cluster: Cluster, tmp_path: Path) -> None:
    """Neither itself nor any child, while it plays."""
    cluster.ensure(1)
    with open_pool() as pool:
        cluster.wire.lead_to(pool.address)
        matches = pool.play(specs(tmp_path, 2, *PAIR))
        next(matches)
        for worker in cluster.alive:
            assert open_ports(psutil.Process(worker.pid)) == []


def open_ports(process: psutil.Process) -> list[Any]:
    """Where it and its children can be reached."""
    found: list[Any] = []
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            found += one.net_connections(kind="inet")
    return [one for one in found if one.status == psutil.CONN_LISTEN or not one.raddr]


# -- leagues -------------------------------------------------------------------------------

LEAGUE = [sys.executable, "-m", "arena", "league"]


def start_league(*words: object) -> subprocess.Popen[str]:
    ran: subprocess.Popen[str] = ArenaProcess(
        [*LEAGUE, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    return ran


def new_league(file: Path) -> None:
    terms = (
        "--game",
        "warlight",
        "--seed",
        "a seed for both leagues",
        "--sandbox",
        "off",
        "--set",
        "max_rounds=5",
    )
    for words in (("new", file, *terms), ("add", file, *PAIR)):
        ran = start_league(*words)
        _, err = ran.communicate(timeout=120)
        assert ran.returncode == 0, err


def run_on(cluster: Cluster, file: Path) -> subprocess.Popen[str]:
    """A judge that listens anywhere, and the workers connected with it."""
    options = ("--cluster", "127.0.0.1:0", "--key", key(Role.JUDGE))
    judge = start_league("run", file, "--rounds", 2, *options)
    assert judge.stderr is not None
    said = judge.stderr.readline()
    waiting = re.search(r"waiting for workers: arena worker (\S+) --key worker.pem", said)
    assert waiting, said
    cluster.wire.lead_to(waiting[1])
    return judge


def digest_in(said: str) -> str:
    (digest,) = re.findall(r"^digest ([0-9a-f]{64})$", said, re.MULTILINE)
    return str(digest)


def results(file: Path) -> int:
    """How many matches have their row. (A record without one is of a match that the next judge
    counts as played.)"""
    with closing(sqlite3.connect(file)) as league:
        (count,) = league.execute("SELECT count(*) FROM result").fetchone()
    return int(count)


@pytest.mark.dear
def test_a_league_comes_out_as_at_home(cluster: Cluster, tmp_path: Path) -> None:
    """Table for table, digest for digest, with the commands that the guide names; a judge that is
    killed in between is started again, and its workers have waited for that."""
    cluster.ensure(1)
    home, away = tmp_path / "home.league", tmp_path / "away.league"
    for file in (home, away):
        new_league(file)
    at_home, _ = start_league("run", home, "--rounds", 2).communicate(timeout=120)
    judge = run_on(cluster, away)
    deadline = time.monotonic() + 100
    while not results(away):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    judge.kill()
    judge.communicate()
    said, err = run_on(cluster, away).communicate(timeout=120)
    assert digest_in(said) == digest_in(at_home), err
    assert not said.startswith("4 matches played")  # some are of the judge that was killed
