"""The loop of the keeper: what it is asked, what it answers, and what it does in between."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from arena.sandbox import launch
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.messages import (
    Exited,
    KeeperReady,
    Killed,
    KillRequest,
    ProcessLimits,
    SelfWalls,
    Spawned,
    SpawnRequest,
    StartFailed,
    encode_request,
)
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level
from tests.sandbox.keeper.talk import Talk
from tests.sandbox.programs import linux_only, needs, shell
from tests.support.groups import wait_until

SLEEP = SpawnRequest(("/bin/sleep", "99"), "/", {})
GUARD = SelfWalls(ProcessLimits(64, 1 << 20, 64), (), ("/",), ())


def test_it_says_hello_first() -> None:
    with Talk() as talk:
        assert talk.hear() == KeeperReady("not asked for")
    assert talk.keeper.process.returncode == 0


def test_a_program_from_start_to_end() -> None:
    with Talk() as talk:
        talk.hear()
        spawned, out = talk.spawn(SpawnRequest(shell("echo $A; pwd; exit 3"), "/usr", {"A": "x"}))
        assert isinstance(spawned, Spawned)
        assert spawned.group is None
        exited = talk.hear()
        assert isinstance(exited, Exited)
        assert (exited.pid, exited.exit.code, exited.exit.entered) == (spawned.pid, 3, True)
        with open(out) as file:
            assert file.read() == "x\n/usr\n"
        assert talk.kill(spawned.pid) == Killed(spawned.pid, True)


def test_a_program_that_cannot_be_executed() -> None:
    with Talk() as talk:
        talk.hear()
        failed, out = talk.spawn(SpawnRequest(("/no/such/program",), "/", {}))
        os.close(out)
        assert isinstance(failed, StartFailed)
        assert not failed.ours
        assert "No such file" in failed.error


def test_a_kill_of_what_is_gone_is_clean() -> None:
    with Talk() as talk:
        talk.hear()
        assert talk.kill(2**22 + 1) == Killed(2**22 + 1, True)


def test_requests_may_come_in_pieces_or_together() -> None:
    with Talk() as talk:
        talk.hear()
        first, second = (encode_request(KillRequest(2**22 + number)) for number in (1, 2))
        talk.link.sendall(first[:5])
        wait_until(lambda: _unread(talk.link) == 0)
        talk.link.sendall(first[5:] + second)
        assert talk.hear() == Killed(2**22 + 1, True)
        assert talk.hear() == Killed(2**22 + 2, True)


def _unread(link: socket.socket) -> int:
    """Bytes that the other end has not read yet."""
    import fcntl
    import struct
    import termios

    return int(struct.unpack("i", fcntl.ioctl(link, termios.TIOCOUTQ, bytes(4)))[0])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_do_not_end_it(number: signal.Signals) -> None:
    with Talk() as talk:
        talk.hear()
        talk.process.send_signal(number)
        assert talk.kill(2**22 + 1).clean
    assert talk.keeper.process.returncode == 0


def test_at_the_end_nothing_is_left() -> None:
    needs(Level.GUARD)
    with Talk() as talk:
        talk.hear()
        spawned, out = talk.spawn(SLEEP)
        os.close(out)
        assert isinstance(spawned, Spawned)
        out, gate = talk.ask(SLEEP._replace(walls=GUARD))
        assert isinstance(talk.hear(), Spawned)  # and waits at its gate
        below = [process.pid for process in talk.process.children(recursive=True)]
        assert len(below) == 2
    assert not any(psutil.pid_exists(pid) for pid in below)
    os.close(out)
    os.close(gate)


BROKEN = """
import sys; sys.path.insert(0, sys.argv[1]); sys.stderr = None
from arena.sandbox.keeper import bots, main
def fail(*words): raise RecursionError
bots.KeptBots.kill = fail
main.main()
"""
DAEMON = "setsid sleep 99 & sleep 0.1; echo $!; exec sleep 99"


@linux_only
def test_a_keeper_that_fails_ends_all_it_owns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens to it, and though its own way of ending fails too."""
    monkeypatch.setattr(launch, "KEEPER", BROKEN)
    with Talk() as talk:
        talk.hear()
        spawned, out = talk.spawn(SpawnRequest(shell(DAEMON), "/", {"PATH": "/usr/bin:/bin"}))
        assert isinstance(spawned, Spawned)
        with open(out) as file:
            daemon = int(file.readline())
            below = [process.pid for process in talk.process.children(recursive=True)]
            assert {daemon, spawned.pid} <= set(below)
            talk.send(KillRequest(spawned.pid), [])
            assert file.read() == ""
        wait_until(lambda: not any(psutil.pid_exists(pid) for pid in below))
    assert talk.keeper.process.returncode == 1


@pytest.mark.parametrize("level", [Level.OFF, Level.CGROUP])
def test_it_sweeps_what_dead_arenas_left(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / (tempdirs.prefix().replace(owner(), "999999999-1") + "x")
    alive = tmp_path / (tempdirs.prefix() + "x")
    dead.mkdir()
    alive.mkdir()
    with Talk(level) as talk:
        talk.hear()
        wait_until(lambda: not dead.exists())
        assert alive.exists()


def test_it_does_not_sweep_while_a_bot_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / (tempdirs.prefix().replace(owner(), "999999999-1") + "x")
    with Talk() as talk:
        spawned, out = talk.spawn(SLEEP)  # asked for before it is up
        os.close(out)
        assert spawned == KeeperReady("not asked for")
        spawned = talk.started(talk.hear())
        assert isinstance(spawned, Spawned)
        dead.mkdir()
        time.sleep(0.3)  # it has nothing else to do
        assert talk.kill(2**22 + 1).clean
        assert dead.exists()
        talk.kill(spawned.pid)
        wait_until(lambda: not dead.exists())
