"""`arena worker` and `arena cluster`: what they refuse before anything is started, and what is left
when they are killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from arena.cluster import keys
from arena.cluster.keys import Role
from tests.cli.conftest import Arena
from tests.cluster.clusters import key
from tests.sandbox.programs import linux_only


@pytest.mark.parametrize(
    "address",
    ["judge.example", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", ":8786", "tcp://127.0.0.1:1",
     "127.0.0.1:1/x", "user@127.0.0.1:1", "::1:1", ""],
)  # fmt: skip
def test_addresses_that_it_refuses(arena: Arena, address: str) -> None:
    ran = arena("worker", address, "--key", key(Role.WORKER))
    assert ran.status == 2
    assert f"{address!r} is not an address: give HOST:PORT, as in 127.0.0.1:8786" in ran.err


@pytest.mark.parametrize("jobs", ["0", "257", "99999999999"])
def test_more_workers_than_any_judge_takes(arena: Arena, jobs: str) -> None:
    ran = arena("worker", "127.0.0.1:1", "--key", key(Role.WORKER), "--jobs", jobs)
    assert ran.status == 2
    assert f"'--jobs': '{jobs}' is not a whole number from 1 to 256" in ran.err


def test_keys_are_not_made_in_no_folder(arena: Arena) -> None:
    ran = arena("cluster", "keys", "")
    assert ran.status == 2
    assert "the path is empty: name a file or folder" in ran.err
    assert not Path("judge.pem").exists()


def test_without_an_address_it_says_what_is_missing(arena: Arena) -> None:
    ran = arena("worker")
    assert ran.status == 2
    assert "HOST:PORT" in ran.err


def test_without_a_key_it_reaches_for_nobody(arena: Arena) -> None:
    """Also on the loopback, which all accounts of the machine have."""
    ran = arena("worker", "127.0.0.1:1")
    assert ran.status == 2
    assert "a worker needs --key worker.pem: make it with arena cluster keys DIR" in ran.err


def test_the_key_of_the_other_end_is_told_at_once(arena: Arena, tmp_path: Path) -> None:
    ran = arena("worker", "127.0.0.1:1", "--key", key(Role.JUDGE))
    assert ran.status == 2
    assert "judge.pem is the key of judges: give worker.pem" in ran.err
    (tmp_path / "c.league").write_text("")
    judge = ("league", "run", tmp_path / "c.league", "--cluster", "127.0.0.1:0")
    ran = arena(*judge, "--key", key(Role.WORKER))
    assert ran.status == 2
    assert "worker.pem is the key of workers: give judge.pem" in ran.err


@pytest.mark.dear
def test_a_host_that_does_not_exist_is_told(arena: Arena) -> None:
    ran = arena("worker", "judge.invalid:1", "--key", key(Role.WORKER), "--sandbox", "off")
    assert ran.status == 2
    assert "there is no host 'judge.invalid'" in ran.err


def test_a_judge_that_cannot_listen_prints_a_sentence_and_no_table(
    arena: Arena, tmp_path: Path
) -> None:
    cup = tmp_path / "c.league"
    assert arena("league", "new", cup, "--game", "warlight").status == 0
    ran = arena("league", "run", cup, "--cluster", "192.0.2.1:1", "--key", key(Role.JUDGE))
    assert (ran.status, ran.out) == (2, "")
    assert "cannot listen on 192.0.2.1:1: " in ran.err


def test_keys_are_made_by_one_command(arena: Arena, tmp_path: Path) -> None:
    ran = arena("cluster", "keys", tmp_path / "keys")
    assert ran.status == 0
    assert ran.out.startswith(f"{tmp_path}/keys/judge.pem: for arena league run --cluster")
    again = arena("cluster", "keys", tmp_path / "keys")
    assert again.status == 2
    assert "already: name another folder" in again.err


def test_without_the_library_it_says_what_to_install(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(folder: Path) -> None:
        raise ImportError

    monkeypatch.setattr(keys, "make_keys", missing)
    ran = arena("cluster", "keys", tmp_path)
    assert ran.status == 2
    assert "keys are made with the library cryptography: pip install '.[cluster]'" in ran.err


@pytest.mark.dear
@linux_only
def test_the_processes_of_a_killed_worker_end_with_it() -> None:
    words = ("127.0.0.1:1", "--key", str(key(Role.WORKER)), "--sandbox", "off", "--jobs", "2")
    command = [sys.executable, "-m", "arena", "worker", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as worker:
        assert worker.stderr is not None
        waiting = [worker.stderr.readline() for _ in range(2)]
        each = psutil.Process(worker.pid).children()
        worker.kill()
        assert psutil.wait_procs(each, timeout=60)[1] == []
    assert len(each) == 2
    assert waiting == ["arena: waiting for a judge at 127.0.0.1:1\n"] * 2
