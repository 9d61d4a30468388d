"""The JSON API: tokens and scopes, uploads, streams, matches, records, and its description."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
import trio

from arena.league.bots import hand_in
from arena.league.league import League
from arena.site import accounts, api, deeds, examining, teams, uploads
from tests.league.making import ANSWERS, fails, lay_out, passes
from tests.site.browsing import HOST, URL, Site, visited
from tests.site.test_accounts import joined
from tests.site.test_scrimmages import play
from tests.site.test_uploads import BOT


def program(site: Site, token: str | None) -> httpx.AsyncClient:
    """A program with a token; it sends neither cookies nor where it comes from."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(site.app, raise_app_exceptions=False),
        base_url=f"{URL}/{site.contest.slug}/api/",
        headers={"Authorization": f"Bearer {token}"} if token is not None else {},
    )


def author(site: Site, name: str, scope: str = "upload", role: str = "author") -> str:
    """A token of a new account."""
    who = joined(site.league, name, role)
    return accounts.add_token(site.league, who.number, scope, "test").secret


def own(site: Site, team: int, *bots: str) -> None:
    with site.league.store.changing() as change:
        for bot in bots:
            change.add("owner", bot=bot, team=team)


def error(answer: httpx.Response) -> str:
    assert answer.headers["content-type"] == "application/json"
    return str(answer.json()["error"])


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examining takes no time."""

    def each(league: League, bots: list[Path], name: str, *, tell: Any) -> Iterator[Any]:
        tell("builds")
        yield hand_in(league, bots[0], name, test=passes)

    monkeypatch.setattr(examining, "hand_in_each", each)


# -- who calls -------------------------------------------------------------------------------------


async def test_what_was_refused_is_its_teams_business(league_file: Path) -> None:
    async with visited(league_file) as site:
        for name, number in (("bot1", 5), ("secret", 6)):
            bot = lay_out(league_file.parent, f"r{number}", ANSWERS.format(answer=number))
            hand_in(site.league, bot, test=fails, name=name)
        tokens = [author(site, name) for name in ("Nina", "Tom")]
        olga = author(site, "Olga", "organise", "organiser")
        own(site, 1, "bot1", "secret")
        counts = []
        for token in (tokens[0], olga, tokens[1], None):
            async with program(site, token) as client:
                bots = {bot["name"]: bot["versions"] for bot in (await client.get("bots")).json()}
                counts.append((bots["bot1"], bots.get("secret")))
                states = {one["state"] for one in (await client.get("bots/bot1/versions")).json()}
                sees = token in (tokens[0], olga)
                assert ("refused" in states) is sees
                path = "bots/secret/versions"
                assert (await client.get(path)).status_code == (200 if sees else 404)
        assert counts == [(2, 1), (2, 1), (1, None), (1, None)]


async def test_everybody_reads_what_is_public(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, None) as client:
        table = (await client.get("standings")).json()
        assert table["matches"] == 6
        assert [row["name"] for row in table["standings"]][2] == "bot3"
        bots = (await client.get("bots")).json()
        assert bots[0] == {"name": "bot1", "team": None, "versions": 1, "plays": True}
        assert (await client.get("queue")).json() == {"uploads": 0, "scrimmages": 0, "matches": 0}
        (version,) = (await client.get("bots/bot1/versions")).json()
        assert (version["number"], version["state"]) == (1, "plays")
        assert "no bot of that name" in error(await client.get("bots/no/versions"))


async def test_tokens_that_do_not_hold(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Nina")
        ended = author(site, "Tom")
        number = accounts.tokens(site.league, 2)[-1].number
        accounts.end_token(site.league, 2, number)
        _, key = accounts.accept(site.league, deeds.invite(site.league, None, "author").secret, "K")
        session = accounts.begin_session(site.league, 1)
        for wrong in ("", "x", token[:-1], ended, key, session, "ä", "x" * 5000):
            header = {b"Authorization": f"Bearer {wrong}".encode()}
            async with program(site, None) as client:
                for path in ("me", "standings"):
                    answer = await client.get(path, headers=header)
                    assert answer.status_code == 401
                    assert "/spring-cup/account/access" in error(answer)
                    assert answer.headers["www-authenticate"] == "Bearer"
        async with program(site, token) as client:
            assert (await client.get("me")).json()["team"] == "Nina"
            basic = await client.get("me", headers={"Authorization": f"Basic {token}"})
            assert basic.status_code == 401


async def test_cookies_mean_nothing_here(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        assert (await browser.get("api/me")).status_code == 401
        answer = await browser.post("api/bots/nina/versions", content=BOT)
        assert answer.status_code == 401
        answer = await browser.post("api/scrimmages", json={}, headers={"Origin": "http://evil"})
        assert answer.status_code == 403


async def test_a_scope_does_nothing_else(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Nina", "read")
        own(site, 1, "bot1")
        wish = {"bot": "bot1", "rivals": ["bot2"]}
        async with program(site, token) as client:
            for answer in (
                await client.post("bots/nina/versions", content=BOT),
                await client.post("bots/bot1/versions/1/withdraw"),
                await client.post("bots/bot1/versions/1/activate"),
                await client.post("scrimmages", json=wish),
            ):
                assert answer.status_code == 403
                assert "This token is for: read. This needs one for: upload." in error(answer)
            assert (await client.get("scrimmages")).json() == []
        organise = author(site, "Olga", "organise", "organiser")
        async with program(site, organise) as client:
            assert (await client.post("bots/x/versions", content=BOT)).status_code == 403
        assert site.league.count("upload") == site.league.count("request") == 0


async def test_an_organisers_upload_token_reads_nothing_of_others(
    league_file: Path, examined: None
) -> None:
    async with visited(league_file) as site:
        async with program(site, author(site, "Nina")) as nina:
            await nina.post("bots/nina/versions?file=bot.py", content=BOT)
        olga = joined(site.league, "Olga", "organiser")
        for scope, status in (("upload", 404), ("read", 404), ("organise", 200)):
            token = accounts.add_token(site.league, olga.number, scope, scope).secret
            async with program(site, token) as client:
                assert (await client.get("uploads/1")).status_code == status


async def test_who_is_banned_or_no_organiser_any_more(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Olga", "organise", "organiser")
        async with program(site, author(site, "Nina")) as nina:
            await nina.post("bots/nina/versions?file=bot.py", content=BOT)
        async with program(site, token) as client:
            assert (await client.get("uploads/1")).status_code == 200
            deeds.give_role(site.league, None, 1, "author", "on request")
            assert (await client.get("uploads/1")).status_code == 404
            deeds.ban(site.league, None, 1, "cheated")
            assert (await client.get("me")).status_code == 401


# -- uploads ---------------------------------------------------------------------------------------


async def test_an_upload_and_its_report_as_a_stream(league_file: Path, examined: None) -> None:
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        answer = await client.post("bots/nina bot/versions", params={"file": "b.py"}, content=BOT)
        assert answer.status_code == 202
        made = answer.json()
        assert answer.headers["location"] == made["report"] == f"{URL}/spring-cup/api/uploads/1"
        assert not (await client.get(made["report"])).json()["is_over"]
        await trio.to_thread.run_sync(examining.examine_upload, league_file, 1)
        stream = await client.get(made["events"])
        assert stream.headers["content-type"].startswith("text/event-stream")
        kinds = re.findall(r"^event: (\w+)$", stream.text, re.MULTILINE)
        assert kinds == ["step", "step", "report"]
        last = json.loads(stream.text.rpartition("data: ")[2])
        assert last == (await client.get(made["report"])).json()
        assert (last["bot"], last["version"], last["report"]["ok"]) == ("nina bot", 1, True)
        assert last["file"] == "b.py"


async def test_a_report_is_told_while_it_goes_on(
    league_file: Path, monkeypatch: pytest.MonkeyPatch, examined: None
) -> None:
    event = api._event

    def examine(kind: str, *data: Any) -> bytes:
        """Let the examiner come when the stream has told that the upload waits."""
        made = event(kind, *data)
        if kind == "state" and not uploads_over():
            examining.examine_upload(league_file, 1)
        return made

    def uploads_over() -> bool:
        with League(league_file) as league:
            return league.count("outcome") > 0

    monkeypatch.setattr(api, "POLL", 0.01)
    monkeypatch.setattr(api, "_event", examine)
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        await client.post("bots/nina/versions?file=b.py", content=BOT)
        text = (await client.get("uploads/1/events")).text
        assert text.startswith('event: state\ndata: {"state":"queued","ahead":0}\n\n')
        assert text.count("event: step") == 2
        assert text.count("event: report") == 1
        assert not api._open_streams[league_file, 1]


async def test_a_stream_ends_with_its_token(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "POLL", 0.01)
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        await client.post("bots/nina/versions?file=b.py", content=BOT)
        event = api._event

        def ends(kind: str, *data: Any) -> bytes:
            if kind == "state" and accounts.required(site.league, 1).role != "banned":
                deeds.ban(site.league, None, 1, "cheated")
            return event(kind, *data)

        monkeypatch.setattr(api, "_event", ends)
        text = (await client.get("uploads/1/events")).text
        assert re.findall(r"event: (\w+)", text) == ["state"]


async def test_an_account_has_so_many_streams(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "STREAMS", 0)
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        await client.post("bots/nina/versions?file=b.py", content=BOT)
        answer = await client.get("uploads/1/events")
        assert answer.status_code == 429
        assert "end one" in error(answer)


async def test_an_upload_as_a_form(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        answer = await client.post("bots/nina/versions", files={"file": ("../b.py", BOT)})
        assert answer.status_code == 202
        assert uploads.path_of(site.league, 1, "b.py").read_bytes() == BOT
        for files in ({"other": ("b.py", BOT)}, {"file": ("", BOT)}):
            answer = await client.post("bots/nina/versions", files=files)
            assert answer.status_code == 400
        broken = {"Content-Type": "multipart/form-data; boundary=x"}
        answer = await client.post("bots/nina/versions", content=b"--x\r\nno", headers=broken)
        assert answer.status_code == 400


@pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")  # its rest is not read
async def test_uploads_that_are_too_large_or_empty(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "LARGEST", 1000)
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:

        async def parts() -> Any:
            for _ in range(20):
                yield b"#" * 100

        path = "bots/nina/versions?file=b.py"
        for content in (b"#" * 1001, parts()):  # the second does not say how large it is
            answer = await client.post(path, content=content)
            assert answer.status_code == 413
            assert "larger than" in error(answer)
        assert "not empty" in error(await client.post(path, content=b""))
        lies = {"Content-Length": "9" * 30}
        assert (await client.post(path, content=b"#", headers=lies)).status_code == 413
        assert site.league.count("upload") == 0
        assert not uploads.folder_of(site.league).exists() or not list(
            uploads.folder_of(site.league).iterdir()
        )


@pytest.mark.parametrize("change", ["banned", "team"])
async def test_who_has_left_meanwhile_uploads_nothing(league_file: Path, change: str) -> None:
    async with visited(league_file) as site:
        league, token = site.league, author(site, "Nina")
        own(site, 1, "nina")
        tom = joined(league, "Tom")
        teams.join(league, tom, teams.invite(league, accounts.required(league, 1)).secret)

        async def body() -> Any:
            yield BOT[:10]
            if change == "banned":
                deeds.ban(league, None, 1, "cheated")
            else:
                teams.leave(league, accounts.required(league, 1))
            yield BOT[10:]

        async with program(site, token) as client:
            answer = await client.post("bots/nina/versions?file=b.py", content=body())
        assert answer.status_code == 409
        assert league.count("upload") == 0
        assert not list(uploads.folder_of(league).iterdir())


@pytest.mark.parametrize("kind", ["application/zip", "multipart/form-data; boundary=x"])
async def test_half_an_upload_leaves_nothing(league_file: Path, kind: str) -> None:
    async with visited(league_file) as site:
        token = author(site, "Nina")
        told: list[Any] = []
        begun = b"--x\r\nContent-Disposition: form-data; name=file; filename=b.py\r\n\r\nhalf"
        parts = [
            {"type": "http.request", "body": begun, "more_body": True},
            {"type": "http.disconnect"},
        ]

        async def receive() -> Any:
            return parts.pop(0)

        async def send(message: Any) -> None:
            told.append(message)

        given = {"host": HOST, "authorization": f"Bearer {token}", "content-type": kind}
        path = "/spring-cup/api/bots/nina/versions"
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"file=b.py",
            "scheme": "http",
            "server": None,
            "client": None,
            "http_version": "1.1",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        await site.app(scope, receive, send)
        assert told[0]["status"] == 400
        assert site.league.count("upload") == 0
        assert not uploads.folder_of(site.league).exists()


async def test_who_may_not_upload_is_told_before_the_body_is_read(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        read = []

        async def body() -> Any:
            read.append(1)
            yield BOT

        answer = await client.post("bots/bot1/versions?file=b.py", content=body())
        assert "another bot is called 'bot1' already" in error(answer).lower()
        answer = await client.post(
            "bots/n/versions", content=body(), headers={"Authorization": "Bearer x"}
        )
        assert answer.status_code == 401
        assert not read


async def test_reports_and_bots_of_other_teams(league_file: Path, examined: None) -> None:
    async with (
        visited(league_file) as site,
        program(site, author(site, "Nina")) as nina,
        program(site, author(site, "Tom")) as tom,
    ):
        await nina.post("bots/nina/versions?file=b.py", content=BOT)
        await trio.to_thread.run_sync(examining.examine_upload, league_file, 1)
        for path in ("uploads/1", "uploads/1/events"):
            answer = await tom.get(path)
            assert answer.status_code == 404
            assert answer.text == (await tom.get(path.replace("1", "9"))).text
        for deed in ("withdraw", "activate"):
            answer = await tom.post(f"bots/nina/versions/1/{deed}")
            assert answer.status_code == 404
            assert answer.text == (await tom.post(f"bots/no/versions/1/{deed}")).text
        assert "another team" in error(await tom.post("bots/nina/versions", content=BOT)).lower()
        assert [one["upload"] for one in (await nina.get("bots/nina/versions")).json()] == [1]
        assert [one["upload"] for one in (await tom.get("bots/nina/versions")).json()] == [None]
        assert (await tom.get("uploads")).json() == []


async def test_a_version_plays_again(league_file: Path, examined: None) -> None:
    async with visited(league_file) as site, program(site, author(site, "Nina")) as client:
        for number, source in enumerate((BOT, BOT + b"#"), 1):
            await client.post("bots/nina/versions?file=b.py", content=source)
            await trio.to_thread.run_sync(examining.examine_upload, league_file, number)
        again = await client.post("bots/nina/versions/1/activate")
        assert again.json() == {"version": 3}
        found = (await client.get("bots/nina/versions")).json()
        assert [one["state"] for one in found] == ["plays", "replaced", "replaced"]
        first, last = site.league.store.all(
            "SELECT bot, content FROM submission WHERE name = 'nina' ORDER BY number"
        )[:: len(found) - 1]
        assert first[0] != last[0]  # another bot for the table: it begins without matches
        assert first[1] == last[1]
        for wrong, why in (("3", "plays already"), ("1", "the content of"), ("7", "no version 7")):
            answer = await client.post(f"bots/nina/versions/{wrong}/activate")
            assert why in error(answer)
        found = (await client.post("bots/nina/versions/3/withdraw")).json()
        assert [one["state"] for one in found] == ["plays", "withdrawn", "replaced", "replaced"]
        assert "is withdrawn already" in error(await client.post("bots/nina/versions/3/withdraw"))
        site.league.check_rows()
        with site.league.store.changing() as change:
            change.add("moment", kind="close", due="2020-01-01 00:00:00", account=None, reason="")
        for deed in ("withdraw", "activate"):
            answer = await client.post(f"bots/nina/versions/1/{deed}")
            assert "fixed since 2020" in error(answer)


# -- matches and records ---------------------------------------------------------------------------


async def test_matches_by_cursor(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, None) as client:
        found: list[Any] = []
        after = 0
        while page := (await client.get("matches", params={"after": after, "limit": 4})).json():
            found += page["matches"]
            if after == page["next"]:
                break
            after = page["next"]
        assert len(found) == 6
        assert len({one["number"] for one in found}) == 6
        mine = (await client.get("matches", params={"bot": "bot3"})).json()["matches"]
        assert len(mine) == 4
        assert all("bot3" in [seat["name"] for seat in one["seats"]] for one in mine)
        one = (await client.get(f"matches/{mine[0]['number']}")).json()
        assert one == mine[0]
        crashed = next(seat for seat in one["seats"] if seat["name"] == "bot3")
        assert (crashed["stopped"], crashed["version"]) == ("crashed", 1)
        number = one["number"]
        site.league.annul([number], "the machine was busy")
        assert (await client.get(f"matches/{number}")).status_code == 404
        for wrong in ("limit=0", "limit=501", "after=-1", "after=x", "no=1", "limit=1&limit=2"):
            answer = await client.get(f"matches?{wrong}")
            assert answer.status_code == 400, wrong
            assert error(answer)


async def test_a_record_with_its_tag(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Nina")
        own(site, 1, "bot3")
        async with program(site, token) as nina, program(site, None) as visitor:
            found = (await nina.get("matches?bot=bot3&limit=1")).json()["matches"][0]
            path = f"matches/{found['number']}/record"
            ours, theirs = await nina.get(path), await visitor.get(path)
            assert b"alas" in gzip.decompress(ours.content)
            assert b"alas" not in gzip.decompress(theirs.content)
            assert ours.headers["etag"] != theirs.headers["etag"]
            for client, answer in ((nina, ours), (visitor, theirs)):
                tag = {"If-None-Match": answer.headers["etag"]}
                assert (await client.get(path, headers=tag)).status_code == 304
            stolen = {"If-None-Match": ours.headers["etag"]}
            assert (await visitor.get(path, headers=stolen)).status_code == 200
            with site.league.store.changing() as change:
                due = "2020-01-01 00:00:00"
                change.add("moment", kind="show", due=due, account=None, reason="")
            shown = await visitor.get(path)
            assert hashlib.sha256(shown.content).hexdigest() == found["sha256"]  # as stored
        async with program(site, None) as visitor:
            assert (await visitor.get("matches/999/record")).status_code == 404
            assert (await visitor.get(f"matches/{10**30}/record")).status_code == 404


async def test_documents_have_tags(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, None) as client:
        for path in ("standings", "bots", f"{URL}/openapi.json"):
            first = await client.get(path)
            tag = first.headers["etag"]
            for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
                answer = await client.get(path, headers={"If-None-Match": known})
                assert (answer.status_code, answer.content) == (304, b"")
            assert (await client.get(path, headers={"If-None-Match": '"x"'})).status_code == 200


# -- scrimmages ------------------------------------------------------------------------------------


async def test_scrimmages_by_program(league_file: Path) -> None:
    async with visited(league_file) as site:
        token, eve = author(site, "Nina"), author(site, "Eve")
        own(site, 1, "bot1")
        async with program(site, token) as client, program(site, eve) as other:
            made = await client.post("scrimmages", json={"bot": "bot1", "rivals": ["bot2"]})
            assert made.status_code == 201
            number = made.json()["number"]
            assert (await client.get(f"scrimmages/{number}/record")).status_code == 404
            assert await trio.to_thread.run_sync(play, site.league) == []
            over = (await client.get(f"scrimmages/{number}")).json()
            record = await client.get(f"scrimmages/{number}/record")
            assert record.status_code == 200
            assert hashlib.sha256(record.content).hexdigest() != over["sha256"]  # without bot2's
            for path in (f"scrimmages/{number}", f"scrimmages/{number}/record"):
                assert (await other.get(path)).status_code == 404
            for wish, why in (
                ({"bot": "bot2", "rivals": ["bot1"]}, "your team has no such bot"),
                ({"bot": "bot1", "version": 9, "rivals": ["bot1"]}, "no such bot or version"),
                ({"bot": "bot1", "rivals": []}, "1 rival"),
                ({"bot": "bot1"}, "missing required field `rivals`"),
                ({"bot": "bot1", "rivals": ["bot2"], "ranked": True}, "unknown field"),
            ):
                answer = await client.post("scrimmages", json=wish)
                assert answer.status_code == (400 if "field" in why else 409)
                assert why.lower() in error(answer).lower()
            for body, status in (
                (b"{", 400),
                (b"\xff", 400),
                (b"[" * 9999, 400),
                (b" " * 70000, 413),
            ):
                kind = {"Content-Type": "application/json"}
                answer = await client.post("scrimmages", content=body, headers=kind)
                assert answer.status_code == status
                assert error(answer)
            assert (await client.post("scrimmages", content=b"x=1")).status_code == 415


# -- errors and the description --------------------------------------------------------------------


async def test_all_errors_are_sentences_in_json(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visited(league_file) as site, program(site, None) as client:
        assert "openapi.json" in error(await client.get("no/such/path"))
        answer = await client.put("standings")
        assert (answer.status_code, "openapi.json" in error(answer)) == (405, True)

        async def fails() -> None:
            raise RuntimeError("/a/path of the machine")

        monkeypatch.setattr(site.contest, "table", fails)
        answer = await client.get("standings")
        assert answer.status_code == 500
        assert error(answer) == "That failed here. Try again, or tell the organiser."
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_description_is_of_every_route(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, None) as client:
        found = (await client.get(f"{URL}/openapi.json")).json()
        told = {
            (method.upper(), path)
            for path, entry in found["paths"].items()
            for method in entry
            if method != "parameters"
        }
        assert len(told) == len(api.ENDPOINTS)
        schemas = found["components"]["schemas"]
        for schema in schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)
        assert {"Standings", "Upload", "Scrimmage", "ApiProblem"} <= schemas.keys()
