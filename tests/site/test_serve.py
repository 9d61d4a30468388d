"""`arena serve` as a process: from the invitation to the report, ended and killed."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from arena.cli.main import run
from arena.site.watching import BROKEN_OFF, NO_JUDGE
from tests.site.test_uploads import BOT

pytestmark = pytest.mark.dear
BROKEN = b"int main( { return 0; }\n"
PATIENCE = 120
"""Seconds: a busy machine."""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A league without bots."""
    path = tmp_path / "cup.league"
    assert run(["league", "new", str(path), "--game", "tncc", "--sandbox", "auto"]) == 0
    return path


@contextmanager
def served(
    cup: Path, *options: str, name: str = "cup"
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address, and what it printed before."""
    command = [sys.executable, "-m", "arena", "serve", str(cup), "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(rf"(http://127\.0\.0\.1:\d+)/{name}/$", line)
            assert found, line + process.stderr.read()
            yield process, found[1], line
        finally:
            process.kill()


def client(url: str, cookies: httpx.Cookies | None = None) -> httpx.Client:
    return httpx.Client(
        base_url=f"{url}/cup/", headers={"Origin": url}, cookies=cookies, timeout=PATIENCE
    )


def token_of(page: str) -> str:
    found = re.search(r'name="form_token" value="(\w+)"', page)
    assert found, page
    return found[1]


def upload(browser: httpx.Client, name: str, content: bytes) -> str:
    """Upload a bot. Returns the address of its report."""
    token = token_of(browser.get("account").text)
    answer = browser.post(
        "upload", data={"form_token": token, "bot": "nina"}, files={"file": (name, content)}
    )
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/cup/")


def outcome(browser: httpx.Client, report: str) -> str:
    """The page of a report that is over."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        answer = browser.get(report)
        assert answer.status_code == 200, answer.text
        if "refresh" not in answer.headers:
            return answer.text
        time.sleep(0.2)
    raise TimeoutError(answer.text)


def test_from_the_invitation_to_the_table(cup: Path) -> None:
    with served(cup) as (process, url, _):
        assert process.stdout is not None
        invitation = process.stdout.readline().rpartition(" ")[2].strip()
        assert invitation.startswith(f"{url}/cup/join#")
        with client(url) as browser:
            joined = browser.post("join", data={"invitation": invitation, "name": "Nina"})
            assert joined.status_code == 200
            text = outcome(browser, upload(browser, "bot.c", BROKEN))
            assert "refused" in text
            assert "error" in text
            assert str(cup.parent) not in text
            assert "nina" in outcome(browser, upload(browser, "bot.py", BOT))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_a_site_that_is_killed_loses_nothing(cup: Path) -> None:
    with served(cup, "--no-judge") as (process, url, _):
        assert process.stdout is not None
        invitation = process.stdout.readline().rpartition("#")[2].strip()
        with client(url) as browser:
            browser.post("join", data={"invitation": invitation, "name": "Nina"})
            cookies = browser.cookies
            report = upload(browser, "bot.py", BOT)
        process.kill()
    with served(cup, "--no-judge") as (process, url, _), client(url, cookies) as browser:
        assert "nina" in outcome(browser, report)  # the session is good, and the upload goes on
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None
        assert process.stdout.read() == ""  # the league has an owner: nobody else is invited
    with closing(sqlite3.connect(cup)) as file:
        assert file.execute("SELECT count(*) FROM submission").fetchone() == (1,)
        assert file.execute("SELECT count(*) FROM outcome").fetchone() == (1,)
    assert run(["verify", str(cup)]) == 0


SLOW = "import time\nfor line in open(0):\n    if line.startswith('go'):\n"
SLOW += "        time.sleep(0.03)\n        print('No moves', flush=True)\n"


def kill_judge(server: int) -> None:
    """Kill the judge that a site has started, once there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for child in psutil.Process(server).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "arena.site.judging" in child.cmdline():
                    child.kill()
                    return
        time.sleep(0.02)
    raise TimeoutError("there is no judge")


def event_of(events: Iterator[str]) -> dict[str, Any]:
    """The next message of a stream."""
    data = next(line for line in events if line.startswith("data: "))
    return dict(json.loads(data.removeprefix("data: ")))


def test_a_match_is_watched_while_it_is_played_and_its_judge_is_killed(tmp_path: Path) -> None:
    cup = tmp_path / "cup.league"
    assert run(["league", "new", str(cup), "--game", "tncc", "--sandbox", "strict"]) == 0
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"# {name}\n{SLOW}")
        assert run(["submit", str(cup), str(tmp_path / f"{name}.py")]) == 0
    assert run(["site", "set", str(cup), "live-delay", "0"]) == 0  # the game hides something
    with served(cup) as (process, url, _), client(url) as visitor:
        kill = partial(kill_judge, process.pid)
        while "over" in (end := watched_to_its_end(visitor, kill)):
            pass  # before the judge was killed
        assert end in (
            {"ended": BROKEN_OFF},  # the next judge has begun it anew
            {"ended": NO_JUDGE},
        )
        while "ended" in (end := watched_to_its_end(visitor)):
            pass  # it was what the killed one has left
        assert end == {"over": True}
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert run(["verify", str(cup)]) == 0


def watched_to_its_end(
    visitor: httpx.Client, meanwhile: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """Watch the match that is played now, from its story on. Returns the last message."""
    path = f"api/matches/{played_now(visitor)}/events"
    with visitor.stream("GET", path, timeout=PATIENCE) as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines()
        if "story" in (event := event_of(lines)):  # else it has just ended
            meanwhile()
            while "part" in (event := event_of(lines)):
                pass
    return event


def played_now(visitor: httpx.Client) -> int:
    """The number of a match that can be watched."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := re.search(r"matches/(\d+)/live", visitor.get("now").text):
            return int(found[1])
        time.sleep(0.2)
    raise TimeoutError("no match is played")
