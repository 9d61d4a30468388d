"""What fails for want of something can be done again once it is there, by the same command."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from arena.record.reader import save
from tests.cli.conftest import QUICK, Arena, arena_process
from tests.support.forks import ARENA, ArenaProcess
from tests.support.past import played


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tries") / "r.jsonl"
    save(played("warlight"), path)
    return path


def limited(kind: int, number: int) -> Callable[[], None]:
    """Set a limit of a new process."""
    return partial(resource.setrlimit, kind, (number, resource.getrlimit(kind)[1]))


def ran(folder: Path, *words: object, limit: Callable[[], None] | None = None) -> tuple[int, str]:
    """Run a command in a folder, and return its status and what it said on stderr. (Python would
    leave what it compiled cut off where there is no room.)"""
    process = ArenaProcess(
        [*ARENA, *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"} if limit else None,
        preexec_fn=limit,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.dear_for("cut*", "rows*", "play*")
@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("view RECORD -o page.html", "page.html"),
        ("cut RECORD --round 2 -o a.pos", "a.pos"),
        ("rows RECORD -o rows.jsonl", "rows.jsonl"),
        ("rows RECORD -o rows.jsonl.gz", "rows.jsonl.gz"),
        ("new warlight python bot", "bot"),
        (f"play warlight {QUICK} {QUICK} --sandbox off --seed 1 --replay r.jsonl", "r.jsonl"),
    ],
)
def test_a_full_disk(words: str, result: str, record: Path, tmp_path: Path) -> None:
    command = words.replace("RECORD", str(record)).split()
    status, err = ran(tmp_path, *command, limit=limited(resource.RLIMIT_FSIZE, 100))
    assert status == 75, err
    assert "Traceback" not in err
    assert [*tmp_path.iterdir()] == []
    status, err = ran(tmp_path, *command)
    assert status == 0, err
    assert [path.name for path in tmp_path.iterdir()] == [result]


def test_few_open_files(tmp_path: Path) -> None:
    words = ("play", "warlight", QUICK, QUICK, "--sandbox", "off", "--seed", "1")
    status, err = ran(tmp_path, *words, limit=limited(resource.RLIMIT_NOFILE, 20))
    assert status == 4
    assert err == ("arena: too many open files: allow more (ulimit -n 1024), and run it again\n")
    assert ran(tmp_path, *words)[0] == 0


def test_a_temporary_folder_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", ".")
    words = ("play", "warlight", QUICK, QUICK, "--sandbox", "off", "--set", "max_rounds=2")
    command = subprocess.run([*ARENA, *words], cwd=tmp_path, capture_output=True, text=True)
    assert command.returncode == 0, command.stderr


def test_a_port_that_another_program_has(arena: Arena, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="pip install '.[web]'")
    league = tmp_path / "cup.league"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        first = arena("serve", league, "--new", "warlight", "--port", port, "--sandbox", "off")
    assert first.status == 2
    assert "choose another --port" in first.err
    assert [*tmp_path.iterdir()] == []


def test_a_site_that_could_not_get_its_first_bots(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stood there before stays: the bots of a league whose file is gone, for example."""
    run = pytest.importorskip("arena.site.run", reason="pip install '.[web]'")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "add_samples", fail)
    kept = tmp_path / "old.league.d" / "bots"
    kept.mkdir(parents=True)
    words = ("--new", "warlight", "--port", "0", "--sandbox", "off")
    for name in ("new.league", "old.league"):
        assert arena("serve", tmp_path / name, *words).status == 130
    assert [path.name for path in tmp_path.iterdir()] == ["old.league.d"]
    assert kept.is_dir()


def test_an_interrupted_series_whose_reader_is_gone_too(tmp_path: Path) -> None:
    """As Ctrl-C ends ``arena play … | tee log``, both of it: the status says so."""
    words = ("play", "warlight", QUICK, QUICK, "--sandbox", "off", "--games", "10000")
    with arena_process(*words, "--replay", str(tmp_path / "r.jsonl")) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while len([*tmp_path.iterdir()]) < 5:  # some are over: there is a table to print
            time.sleep(0.01)
        process.stdout.close()
        os.killpg(process.pid, signal.SIGINT)
        assert "Traceback" not in process.stderr.read()
    assert process.returncode == 130
