"""`arena submit URL BOT…`: against a real server, and against servers that are none."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import run
from arena.errors import UsageError
from arena.league.bots import hand_in
from arena.league.league import League
from arena.site import accounts, api, client, examining, settings
from arena.site.client import SiteClient
from tests.league.making import fails, passes
from tests.site.browsing import served
from tests.site.test_accounts import joined
from tests.site.test_uploads import BOT


@pytest.fixture
def token(league_file: Path) -> str:
    with League(league_file) as league:
        league.store.add_site()
        who = joined(league)
        return accounts.add_token(league, who.number, "upload", "test").secret


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "nina.py"
    path.write_bytes(BOT)
    return path


@contextmanager
def examiner(league_file: Path, test: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examine each upload once its report is asked for."""

    def each(league: League, bots: list[Path], name: str, *, tell: Any) -> Iterator[Any]:
        tell("builds")
        yield hand_in(league, bots[0], name, test=test)

    told = api._event

    def event(kind: str, *data: Any) -> bytes:
        if kind == "state":
            with League(league_file) as league:
                number = (league.store.one("SELECT min(number) FROM waiting") or (None,))[0]
            if number is not None:
                examining.examine_upload(league_file, number)
        return told(kind, *data)

    with monkeypatch.context() as patch:
        patch.setattr(examining, "hand_in_each", each)
        patch.setattr(api, "_event", event)
        patch.setattr(api, "POLL", 0.01)
        yield


def test_a_bot_is_submitted_and_followed(
    league_file: Path,
    token: str,
    bot: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", token)
    with League(league_file) as league:
        settings.change(league, None, settings.TEAM_BOTS, "2")
    other = tmp_path / "other.tar.py"
    other.write_bytes(BOT + b"#")
    with served(league_file) as url, examiner(league_file, passes, monkeypatch):
        assert run(["submit", url, str(bot), str(other)]) == 0
        told = capfd.readouterr()
        assert "nina: passed, plays from now on" in told.out
        assert "2 of 2 play" in told.out
        assert "builds" in told.err
        assert f"{url}uploads/1" in told.err
        site = url.rpartition("spring-cup")[0]
        assert run(["submit", site, str(bot), "--json"]) == 0  # the only contest of its site
        (same,) = json.loads(capfd.readouterr().out)["submissions"]
        assert (same["name"], same["is_new"]) == ("nina", False)


def test_a_bot_that_is_refused(
    league_file: Path,
    token: str,
    bot: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    with served(league_file) as url:
        more = ["--token", str(file), "--name", "best"]
        with examiner(league_file, fails, monkeypatch):
            assert run(["submit", url, str(bot), *more]) == 1
        assert "best: refused" in capfd.readouterr().out
        with examiner(league_file, _impossible, monkeypatch):
            assert run(["submit", url, str(bot), *more]) == 1
        assert "no such language here" in capfd.readouterr().out


def _impossible(*_: object) -> Any:
    raise UsageError("no such language here")


def test_what_the_site_refuses(
    league_file: Path,
    token: str,
    bot: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with served(league_file) as url:
        for found, words, why in (
            ("", [], "a site asks for a token"),
            ("x", [], "This token does not hold (any more). Make one at"),
            (token, ["--name", "bot1"], "nother bot is called 'bot1' already"),
            (token, ["--jobs", "2"], "--jobs and --traceback are for a league in a file"),
            (token, ["--token", "/no/such"], "cannot read the token"),
        ):
            monkeypatch.setenv("ARENA_TOKEN", found)
            assert run(["submit", url, str(bot), *words]) == 2
            assert why in " ".join(capfd.readouterr().err.split())
        monkeypatch.setenv("ARENA_TOKEN", token)
        wrong = url.replace("spring-cup", "autumn")
        assert run(["submit", wrong, str(bot)]) == 2
        assert "There is no such page" in capfd.readouterr().err
        for given in (str(bot.parent), str(bot.parent / "none.py")):
            assert run(["submit", url, given]) == 2
    assert run(["submit", str(league_file), str(bot), "--token", str(bot)]) == 2


@pytest.mark.parametrize(
    "url", ["https://", "https://u:p@h/cup", "http://h:99999/cup", "ftp://h/cup", "http://[/"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(UsageError, match="is no address of a contest"):
        SiteClient(url, "x")


@pytest.mark.parametrize("token", ["", "a b", "a\r\nHost: x", "é"])
def test_tokens_that_are_none(token: str) -> None:
    with pytest.raises(UsageError, match="the token is empty or no token"):
        SiteClient("http://127.0.0.1/cup", token)


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that gives these answers, one a connection, and what it was asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            for one in answers:
                accepted, _ = listening.accept()
                with closing(accepted):
                    asked.append(accepted.recv(65536))
                    accepted.sendall(one)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/cup", asked
        thread.join()


def test_the_token_goes_to_no_other_address() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"
    with answering(moved) as (url, _), pytest.raises(UsageError, match="another address"):
        SiteClient(url, "x").game()


def test_the_first_page_is_asked_without_the_token() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: //evil.example/\r\nContent-Length: 0\r\n\r\n"
    with (
        answering(moved) as (url, asked),
        pytest.raises(UsageError, match="name the contest too"),
    ):
        SiteClient(url.removesuffix("/cup"), "secret")
    assert b"secret" not in asked[0]


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0\r\n", b"HTTP/1.1 200 OK\r\n\r\nno JSON"])
def test_what_is_no_site(answer: bytes) -> None:
    with answering(answer) as (url, _), pytest.raises(UsageError, match=r"answer"):
        SiteClient(url, "x").game()


@pytest.mark.parametrize("event", [b"step", b"state", b"tea", None])
def test_a_site_that_tells_without_end(
    event: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PAUSE", 0.0)
    monkeypatch.setattr(client, "EVENTS", 20)
    data = {b"step": '{"number":%d,"step":"x"}', b"state": '{"state":"queued","ahead":%d}'}

    def events(self: SiteClient, path: str) -> Iterator[tuple[str, bytes]]:
        if event is not None:
            for number in itertools.count(1):
                text = data.get(event, '{"number":%d}') % number
                yield event.decode(), text.encode()

    monkeypatch.setattr(SiteClient, "_events", events)
    told: list[str] = []
    with pytest.raises(UsageError, match="tells without end"):
        SiteClient("http://127.0.0.1:1/cup", "x").follow(1, told.append)
    assert len(told) <= 20


def test_a_report_that_breaks_off_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PAUSE", 0.0)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    first = b'event: step\ndata: {"number":1,"step":"builds"}\n\n'
    second = first + b':\n\nevent: step\ndata: {"number":2,"step":"tests"}\n\n'
    whole = {
        "number": 1,
        "bot": "n",
        "team": 1,
        "file": "f",
        "size": 1,
        "at": "",
        "steps": [],
        "submission": 1,
        "problem": "",
        "is_over": True,
        "version": 1,
        "report": None,
        "ahead": 0,
    }
    last = b"event: report\ndata: " + json.dumps(whole).encode() + b"\n\n"
    told: list[str] = []
    with answering(head + first, b"", head + second + last) as (url, _):
        assert SiteClient(url, "x").follow(1, told.append).version == 1
    assert told == ["builds", "tests"]
    with pytest.raises(UsageError, match=r"does not answer.*the upload goes on there: .*/cup/upl"):
        SiteClient(url, "x").follow(1, told.append)
