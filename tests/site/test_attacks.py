"""Attacks on the site: what strangers, authors and other sites send, and what becomes of it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
from msgspec.structs import replace

from arena.league.bots import hand_in
from arena.site import accounts, deeds, examining, pages, settings, uploads
from arena.site.app import make_app
from arena.site.contest import Contest
from arena.site.pages import FORM, SiteAddress
from arena.trial.diagnosis import Cause
from arena.trial.report import CheckStep
from tests.league.making import passes
from tests.site.browsing import ADDRESS, HOST, URL, Browser, Site, visited
from tests.site.test_uploads import BOT

NOT_SIGNED_IN, FORBIDDEN, MISSING = 401, 403, 404


@asynccontextmanager
async def attacked(path: Path, *names: str) -> AsyncIterator[tuple[Any, ...]]:
    """A site, and for each name a browser; an empty name has no account."""
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(visited(path))
        browsers = [await stack.enter_async_context(site.browser()) for _ in names]
        for browser, name in zip(browsers, names, strict=True):
            if name:
                await browser.join(name)
        yield site, *browsers


def kept(site: Site) -> list[str]:
    """The files of uploads on the disk."""
    folder = uploads.folder_of(site.league)
    return sorted(f"{one.relative_to(folder)}" for one in folder.rglob("*") if one.is_file())


# -- scripts in every field that a stranger fills --------------------------------------------------

SCRIPT = "'\"></p><x-evil onload=a()>{{7*191}}"


class Tags(HTMLParser):
    """Raises an error for what a script of a stranger would leave on a page."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "x-evil"
        assert not [name for name, _ in attrs if name.startswith("on")]


async def _name(site: Site, browser: Browser) -> list[Any]:
    await browser.join(SCRIPT)
    return ["account"]


async def _refused_name(site: Site, browser: Browser) -> list[Any]:
    return [await browser.send_form("join", invitation="x", name=SCRIPT)]


async def _label(site: Site, browser: Browser) -> list[Any]:
    await browser.join("Nina")
    await browser.send_form("account/tokens", scope="read", label=SCRIPT)
    return ["account/access"]


async def _scope(site: Site, browser: Browser) -> list[Any]:
    await browser.join("Nina")
    return [await browser.send_form("account/tokens", scope=SCRIPT, label="x")]


async def _bot(site: Site, browser: Browser) -> list[Any]:
    await browser.join("Nina")
    await browser.upload(SCRIPT, "bot.py", BOT)
    return ["account", "uploads/1"]


async def _file(site: Site, browser: Browser) -> list[Any]:
    await browser.join("Nina")
    await browser.upload("nina", SCRIPT, BOT)
    assert kept(site) == ["1/p__x-evil_onload_a_____7_191__"]
    return []


async def _problem(site: Site, browser: Browser) -> list[Any]:
    await browser.join("Nina")
    await browser.upload("nina", "bot.py", BOT)
    uploads.tell_step(site.league, 1, SCRIPT)
    shown = await browser.get("uploads/1")
    uploads.end(site.league, 1, SCRIPT)
    return [shown, "uploads/1"]


async def _announcement(site: Site, browser: Browser) -> list[Any]:
    with site.league.store.changing() as change:
        change.add("announcement", account=None, text=SCRIPT)
    return [""]


async def _report(site: Site, browser: Browser) -> list[Any]:
    """All that compilers and bots say, and the name of a bot that plays."""

    def test(terms: Any, bot: Any) -> Any:
        said = dict.fromkeys(("compiler", "stderr", "last_request", "last_answer"), SCRIPT)
        steps = [CheckStep(SCRIPT, False, SCRIPT)]
        return replace(passes(terms, bot), steps=steps, cause=Cause("x", SCRIPT, SCRIPT), **said)

    def hand_in_each(league: Any, bots: list[Path], name: str, *, tell: Any) -> Any:
        yield hand_in(league, bots[0], name, test=test)

    await browser.join("Nina")
    await browser.upload(SCRIPT, "bot.py", BOT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examining, "hand_in_each", hand_in_each)
        examining.examine_upload(site.contest.path, 1)
    return ["uploads/1", "standings", "account"]


FIELDS: dict[str, Callable[[Site, Browser], Any]] = {
    "the name of an account": _name,
    "a name that is refused": _refused_name,
    "the label of a token": _label,
    "a scope that is none": _scope,
    "the name of a bot": _bot,
    "the name of a file": _file,
    "a step and a problem": _problem,
    "an announcement": _announcement,
    "a report": _report,
}


@pytest.mark.parametrize("field", FIELDS)
async def test_scripts_are_text(league_file: Path, field: str) -> None:
    async with attacked(league_file, "") as (site, browser):
        for page in await FIELDS[field](site, browser):
            found = await browser.get(page) if isinstance(page, str) else page
            Tags().feed(found.text)
            assert "x-evil" in found.text
            assert f"{7 * 191}" not in found.text


# -- sessions --------------------------------------------------------------------------------------


async def _ended(site: Site, nina: Browser) -> str:
    session = nina.cookies["session"]
    await nina.send_form("sign-out")
    return session


async def _rotated(site: Site, nina: Browser) -> str:
    session = nina.cookies["session"]
    made = accounts.add_token(site.league, 1, "sign-in", "x")
    assert (await nina.send_form("sign-in", key=made.secret)).status_code == 303
    return session


async def _banned(site: Site, nina: Browser) -> str:
    deeds.ban(site.league, None, 1, "cheated")
    return nina.cookies["session"]


def _always(cookie: str) -> Callable[[Site, Browser], Any]:
    async def found(site: Site, nina: Browser) -> str:
        return cookie

    return found


async def _hash(site: Site, nina: Browser) -> str:
    return accounts.secret_hash(nina.cookies["session"])


async def _key(site: Site, nina: Browser) -> str:
    return accounts.add_token(site.league, 1, "sign-in", "x").secret


async def _invitation(site: Site, nina: Browser) -> str:
    return deeds.invite(site.league, None, "owner").secret


async def _form_token(site: Site, nina: Browser) -> str:
    return accounts.form_token(nina.cookies["session"])


COOKIES = {
    "nothing": _always(""),
    "a guess": _always("1"),
    "SQL": _always("' OR 1=1 --"),
    "10,000 characters": _always("x" * 10_000),
    "no ASCII": _always("\u00e4\udc80"),
    "after signing out": _ended,
    "after signing in again": _rotated,
    "of who was banned": _banned,
    "its hash, from a stolen file": _hash,
    "a key": _key,
    "an invitation": _invitation,
    "the token of a form": _form_token,
}


@pytest.mark.parametrize("name", COOKIES)
async def test_forged_and_stolen_sessions(league_file: Path, name: str) -> None:
    async with attacked(league_file, "Nina", "") as (site, nina, eve):
        cookie = await COOKIES[name](site, nina)
        raw = b"session=" + cookie.encode("utf-8", "surrogateescape")
        answer = await eve.get("account", headers=[(b"Cookie", raw)])
        assert answer.status_code == NOT_SIGNED_IN
        assert "Nina" not in answer.text


async def test_a_planted_session_is_not_taken_over(league_file: Path) -> None:
    async with attacked(league_file, "") as (site, nina):
        nina.cookies.set("session", "planted", domain="127.0.0.1", path="/spring-cup/")
        invitation = deeds.invite(site.league, None, "author").secret
        answer = await nina.post("join", data={"invitation": invitation, "name": "Nina"})
        assert "planted" not in answer.headers["set-cookie"]
        assert accounts.who(site.league, "planted") is None


@pytest.mark.parametrize("secret", ["session", "read", "upload", "invitation", "hash"])
async def test_nothing_else_signs_in(league_file: Path, secret: str) -> None:
    async with attacked(league_file, "Nina", "") as (site, nina, eve):
        found = {
            "session": nina.cookies["session"],
            "read": accounts.add_token(site.league, 1, "read", "x").secret,
            "upload": accounts.add_token(site.league, 1, "upload", "x").secret,
            "invitation": deeds.invite(site.league, None, "owner").secret,
            "hash": site.league.store.one("SELECT hash FROM token")[0],
        }
        answer = await eve.send_form("sign-in", key=found[secret])
        assert answer.status_code == FORBIDDEN
        assert "set-cookie" not in answer.headers


async def test_a_session_of_another_league_on_the_same_site(league_file: Path) -> None:
    """Neither its cookie nor its numbers hold there."""
    other = league_file.with_name("other.league")
    shutil.copy(league_file, other)
    shutil.copytree(f"{league_file}.d", f"{other}.d")
    async with attacked(league_file, "Nina") as (site, nina):
        await nina.upload("nina", "bot.py", BOT)
        with Contest(other) as second:
            app = make_app({site.contest.slug: site.contest, second.slug: second}, ADDRESS)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
                client.cookies = nina.cookies
                assert (await client.get("/spring-cup/uploads/1")).status_code == 200
                assert (await client.get("/other/account")).status_code == NOT_SIGNED_IN
                cookie = {"Cookie": f"session={nina.cookies['session']}"}  # in spite of its path
                for path in ("account", "uploads/1"):
                    answer = await client.get(f"/other/{path}", headers=cookie)
                    assert answer.status_code == NOT_SIGNED_IN


# -- forms of other sites, and links that change something -----------------------------------------

FORGED: dict[str, dict[str, str]] = {
    "another site": {"Origin": "https://evil.example"},
    "a file": {"Origin": "null"},
    "another port": {"Origin": "http://127.0.0.1:8001"},
    "no origin": {"Origin": ""},
    "a name that begins like it": {"Origin": f"{URL}.evil.example"},
}


@pytest.mark.parametrize("name", FORGED)
async def test_forms_of_others(league_file: Path, name: str) -> None:
    """Even with the right token."""
    async with attacked(league_file, "Nina") as (site, nina):
        nina.headers.update(FORGED[name])
        answer = await nina.send_form("account/tokens", scope="upload", label="evil")
        assert answer.status_code == FORBIDDEN
        assert len(accounts.tokens(site.league, 1)) == 1


@pytest.mark.parametrize("site_of", ["cross-site", "same-site", "none"])
async def test_forms_without_origin(league_file: Path, site_of: str) -> None:
    async with attacked(league_file, "Nina") as (_, nina):
        del nina.headers["Origin"]
        nina.headers["Sec-Fetch-Site"] = site_of
        assert (await nina.send_form("sign-out")).status_code == FORBIDDEN
        assert (await nina.get("account")).status_code == 200


@pytest.mark.parametrize("path", ["sign-out", "account/tokens/1/end", "upload", "join", "sign-in"])
async def test_links_change_nothing(league_file: Path, path: str) -> None:
    async with attacked(league_file, "Nina") as (site, nina):
        before = site.league.store.one("PRAGMA data_version"), site.league.count("session_end")
        for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE", "X"):
            answer = await nina.request(method, path, params={"_method": "POST", "form_token": "x"})
            assert answer.status_code < 500
        assert (await nina.get("account")).status_code == 200
        assert before == (
            site.league.store.one("PRAGMA data_version"),
            site.league.count("session_end"),
        )


# -- what belongs to others ------------------------------------------------------------------------


async def test_tokens_of_others(league_file: Path) -> None:
    async with attacked(league_file, "Nina", "Eve") as (site, _, eve):
        answer = await eve.send_form("account/tokens/1/end")
        assert answer.status_code == 400
        assert accounts.tokens(site.league, 1)
        missing = await eve.send_form("account/tokens/999/end")
        assert missing.text == answer.text  # nothing tells which numbers there are


@pytest.mark.parametrize(
    "number", ["0", "-1", "1.0", "\uff11", "1e0", "0x1", "9" * 15, "9" * 400, "1%00", "1;", "1 "]
)
async def test_numbers_that_are_none(league_file: Path, number: str) -> None:
    async with attacked(league_file, "Nina", "Eve") as (_, nina, eve):
        await nina.upload("nina", "bot.py", BOT)
        answer = await eve.get(f"uploads/{number}")
        assert answer.status_code == MISSING
        assert (await eve.send_form(f"account/tokens/{number}/end")).status_code in (MISSING, 400)


@pytest.mark.parametrize("scope", ["organise", "own", "", "ORGANISE"])
async def test_an_author_gets_no_token_of_an_organiser(league_file: Path, scope: str) -> None:
    async with attacked(league_file, "Eve") as (site, eve):
        answer = await eve.send_form("account/tokens", scope=scope, label="x")
        assert answer.status_code == 400
        assert len(accounts.tokens(site.league, 1)) == 1


async def test_a_refused_invitation_does_not_tell_which_names_there_are(league_file: Path) -> None:
    async with attacked(league_file, "Nina", "") as (_, _, eve):
        answers = [
            (await eve.send_form("join", invitation="x", name=name)).text.replace(name, "")
            for name in ("Nina", "Tom")
        ]
        assert answers[0] == answers[1]
        assert "invitation was used" in answers[0]


async def test_secrets_are_looked_up_by_their_hash_alone(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the time of an answer does not depend on how much of a guess is right."""
    async with attacked(league_file, "Nina") as (site, nina):
        asked: list[Any] = []
        original = site.league.store.one

        def one(query: str, values: Any = ()) -> Any:
            asked.append((query, values))
            return original(query, values)

        monkeypatch.setattr(site.league.store, "one", one)
        session = nina.cookies["session"]
        for guess in (session[:-1] + "\u00e4", "x"):
            assert accounts.who(site.league, guess) is None
            assert accounts.sign_in(site.league, guess) is None
        assert len(asked) == 4
        assert {len(values[0]) for _, values in asked} == {64}


# -- races -----------------------------------------------------------------------------------------


async def at_once(times: int, work: Callable[[int], Any]) -> list[Any]:
    found: list[Any] = []

    async def one(number: int) -> None:
        found.append(await work(number))

    async with trio.open_nursery() as nursery:
        for number in range(times):
            nursery.start_soon(one, number)
    return found


async def test_a_race_at_the_limit_of_uploads(league_file: Path) -> None:
    async with attacked(league_file, "Nina") as (site, nina):
        settings.change(site.league, None, settings.TEAM_BOTS, "9")
        answers = await at_once(6, lambda number: nina.upload(f"bot {number}", "bot.py", BOT))
        assert sorted(one.status_code for one in answers) == [303] * uploads.WAITING + [400] * 4
        assert site.league.count("upload") == len(kept(site)) == uploads.WAITING


async def test_a_race_for_a_name(league_file: Path) -> None:
    async with attacked(league_file, "Nina", "Eve") as (site, *both):
        await at_once(2, lambda number: both[number].upload("best", "bot.py", BOT))
        assert site.league.count("owner") == site.league.count("upload") == 1


async def test_a_race_for_an_invitation(league_file: Path) -> None:
    async with attacked(league_file, "") as (site, eve):
        secret = deeds.invite(site.league, None, "author").secret
        form = {"invitation": secret}
        await at_once(5, lambda number: eve.post("join", data={**form, "name": f"Eve {number}"}))
        assert site.league.count("account") == 1


async def test_a_race_at_the_limit_of_tokens(league_file: Path) -> None:
    async with attacked(league_file, "Eve") as (site, eve):
        for number in range(accounts.TOKENS - 3):
            accounts.add_token(site.league, 1, "read", f"{number}")
        await at_once(5, lambda _: eve.send_form("account/tokens", scope="read", label="x"))
        assert len(accounts.tokens(site.league, 1)) == accounts.TOKENS


async def test_the_file_does_not_grow_without_end(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By signing in, or by making and ending tokens: no row is ever removed."""
    monkeypatch.setattr(accounts, "HOURLY", 4)
    async with attacked(league_file, "Eve", "Nina") as (site, eve, nina):
        key = accounts.add_token(site.league, 1, "sign-in", "x").secret
        answers = [await eve.send_form("sign-in", key=key) for _ in range(5)]
        assert [one.status_code for one in answers] == [303] * 3 + [400] * 2
        for _ in range(4):
            made = await eve.send_form("account/tokens", scope="read", label="x")
            (*_, newest) = accounts.tokens(site.league, 1)
            await eve.send_form(f"account/tokens/{newest.number}/end")
        assert made.status_code == 400
        assert (await nina.send_form("sign-out")).status_code == 303  # nobody else is kept out


# -- forms -----------------------------------------------------------------------------------------


def part(headers: str, content: str = "x") -> str:
    return f"--b\r\n{headers}\r\n\r\n{content}\r\n"


def field(name: str, content: str = "x") -> str:
    return part(f'Content-Disposition: form-data; name="{name}"', content)


def a_file(name: str = "file") -> str:
    return part(f'Content-Disposition: form-data; name="{name}"; filename="bot.py"', "import sys")


MULTIPART = "multipart/form-data; boundary=b"
FORMS = {
    # a content type, a body in which TOKEN is the token of the form, and statuses
    "no boundary": ("multipart/form-data", "TOKEN" + a_file()),
    "a boundary of 1,000 characters": (f"multipart/form-data; boundary={'b' * 1000}", a_file()),
    "an empty boundary": ("multipart/form-data; boundary=", a_file()),
    "another boundary": ("multipart/form-data; boundary=c", a_file()),
    "no end": (MULTIPART, "TOKEN" + a_file()[:50]),
    "nested parts": (
        MULTIPART,
        "TOKEN"
        + field("bot", "nina")
        + part(
            'Content-Disposition: form-data; name="file"\r\n'
            "Content-Type: multipart/mixed; boundary=c",
            "--c\r\nContent-Disposition: file; filename=bot.py\r\n\r\nx\r\n--c--",
        ),
    ),
    "100 fields": (MULTIPART, "TOKEN" + field("bot") * 100 + a_file()),
    "two files": (MULTIPART, "TOKEN" + field("bot", "nina") + a_file() * 2),
    "two files of one form": (MULTIPART, "TOKEN" + field("bot", "nina") + a_file() + a_file("bot")),
    "a part without a name": (MULTIPART, "TOKEN" + part("Content-Disposition: form-data")),
    "a part without headers": (MULTIPART, "TOKEN--b\r\n\r\nx\r\n"),
    "a huge name of a field": (MULTIPART, "TOKEN" + field("x" * 60_000) + a_file()),
    "100 headers of a part": (MULTIPART, "TOKEN" + part("X: y\r\n" * 100 + "X: y") + a_file()),
    "a huge field": (MULTIPART, "TOKEN" + field("bot", "x" * (FORM + 1)) + a_file()),
    "the name as a file": (MULTIPART, "TOKEN" + a_file("bot") + field("file")),
    "the token as a file": (MULTIPART, field("bot", "nina") + a_file("form_token")),
    "a file without a name": (
        MULTIPART,
        "TOKEN"
        + field("bot", "nina")
        + part('Content-Disposition: form-data; name="file"; filename=""'),
    ),
    "a charset that is none": (f"{MULTIPART}; charset=x-evil", "TOKEN" + field("bot")),
    "a charset with a state": (f"{MULTIPART}; charset=utf-7", "TOKEN" + field("bot")),
    "a codec that is no charset": (f"{MULTIPART}; charset=zlib", "TOKEN" + field("bot")),
    "100,000 fields": ("application/x-www-form-urlencoded", "a&" * 100_000),
    "30,000 fields": ("application/x-www-form-urlencoded", "a&" * 30_000),
    "text": ("text/plain", "form_token=x"),
    "JSON": ("application/json", '{"form_token": "x"}'),
    "no type": ("", "TOKEN"),
    "nothing": (MULTIPART, ""),
}


class Content:
    """A body that need not be read to its end."""

    def __init__(self, content: bytes) -> None:
        self._parts = [content] if content else []

    def __aiter__(self) -> Content:
        return self

    async def __anext__(self) -> bytes:
        if not self._parts:
            raise StopAsyncIteration
        return self._parts.pop()


@pytest.mark.filterwarnings("ignore:Async generator 'httpx:ResourceWarning")  # its rest is not read
@pytest.mark.parametrize("name", FORMS)
async def test_forms_that_cannot_be_read(league_file: Path, name: str) -> None:
    kind, body = FORMS[name]
    async with attacked(league_file, "Nina") as (site, nina):
        token = accounts.form_token(nina.cookies["session"])
        content = body.replace("TOKEN", field("form_token", token))
        if body and kind.startswith("multipart") and name != "no end":
            content += "--b--\r\n"
        headers = {"Content-Type": kind, "Content-Length": f"{len(content)}"}
        answer = await nina.post("upload", content=Content(content.encode()), headers=headers)
        assert answer.status_code in (400, 403, 411, 413), answer.text
        assert not site.league.count("upload")
        assert not kept(site)
        assert (await nina.upload("nina", "bot.py", BOT)).status_code == 303


async def test_the_room_for_a_file_is_for_nothing_else(league_file: Path) -> None:
    """Fields of a form that is no multipart are kept in memory."""
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    async with attacked(league_file, "Nina") as (_, nina):
        answer = await nina.post("upload", content=b"a=" + b"b" * 2 * FORM, headers=kind)
        assert answer.status_code == 413


async def test_a_form_must_say_how_large_it_is(league_file: Path) -> None:
    async with attacked(league_file, "Nina") as (_, nina):
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        assert (
            await nina.post("sign-in", content=Content(b"key=x"), headers=kind)
        ).status_code == 411


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "..",
        "/etc/passwd",
        "..\\..\\x.py",
        "a\0b.py",
        "x.py\r\nX-Evil: 1",
        "-rf",
        "draft-1-2",
        "CON",
        "~root",
        "$(id).py",
        "x" * 3000,
        "\u202egnp.py",
        "%2e%2e%2fx.py",
    ],
)
async def test_names_of_files(league_file: Path, name: str) -> None:
    async with attacked(league_file, "Nina") as (site, nina):
        answer = await nina.upload("nina", name, BOT)
        assert answer.status_code == 303
        assert "x-evil" not in answer.headers
        (found,) = kept(site)
        assert found.startswith("1/")
        assert found.count("/") == 1
        assert found[2:].strip(".")
        assert set(found[2:]).isdisjoint(" $()~%\\\r\n\0\u202e")


@pytest.mark.parametrize("bot", ["'; DROP TABLE upload; --", "../x", "a\r\nb", "bot\u202e", "\0"])
async def test_names_of_bots(league_file: Path, bot: str) -> None:
    async with attacked(league_file, "Nina") as (site, nina):
        await nina.upload(bot, "bot.py", BOT)
        (found,) = site.league.store.one("SELECT bot FROM upload")
        assert found.isprintable()
        assert (await nina.get("account")).status_code == 200
        assert kept(site) == ["1/bot.py"]


# -- addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/healthz/account",
        "/healthz/api/me",
        "/-/account",
        "/robots.txt/uploads/1",
        "/openapi.json/join",
        "/-/..%2f..%2fetc/passwd",
        "/-/0/..%2fsite.css",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/spring-cup/samples/..%2f..%2fpyproject.toml",
        "/spring-cup/samples/%2e%2e",
        "/spring-cup/kits/..%5c..%5cx.zip",
        "/spring-cup/samples/a%00b",
        "/spring-cup/%ff%fe",
        "/spring-cup%00/",
        "/spring-cup/account%2f..%2f..%2f",
        "//evil.example/spring-cup",
        "/\\evil.example",
        "/" + "x/" * 2000,
    ],
)
async def test_addresses_that_are_none(league_file: Path, path: str) -> None:
    async with attacked(league_file) as (site,):
        answer = await asked(site, path)
        assert answer.status_code == MISSING
        assert "evil" not in answer.headers.get("location", "")
        assert f"{league_file.parent}" not in answer.text


async def asked(site: Site, path: str, *headers: tuple[bytes, bytes]) -> httpx.Response:
    """The answer to a target that a client library would tidy up."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(site.app)) as client:
        request = client.build_request("GET", URL)
        request.url = httpx.URL(f"{URL}/").copy_with(raw_path=path.encode())
        request.headers = httpx.Headers([(b"Host", HOST.encode()), *headers])
        return await client.send(request)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example@" + HOST,
        HOST + ", evil.example",
        HOST + ".",
        HOST + "\tevil.example",
        "127.0.0.1:80",
        "2130706433:8000",
        "0x7f.1:8000",
        "[::ffff:127.0.0.1]:8000",
        "evil.example#" + HOST,
    ],
)
async def test_hosts(league_file: Path, host: str) -> None:
    async with attacked(league_file, "") as (_, eve):
        assert (await eve.get("", headers={"Host": host})).status_code == FORBIDDEN


async def test_what_proxies_say_is_not_believed(league_file: Path) -> None:
    async with attacked(league_file, "") as (site, _):
        for name in (b"X-Forwarded-Host", b"X-Forwarded-Server", b"Forwarded", b"X-Original-URL"):
            answer = await asked(site, "/spring-cup", (name, b"evil.example"))
            assert answer.headers["location"] == f"{URL}/spring-cup/"
            page = await asked(site, "/spring-cup/", (name, b"evil.example"))
            assert "evil" not in page.text


async def test_a_site_behind_tls_sends_nobody_to_http(league_file: Path) -> None:
    async with attacked(league_file, "Nina") as (site, _):
        address = SiteAddress("https", ("cup.example.org",))
        app = make_app({site.contest.slug: site.contest}, address)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=address.url) as client:
            request = client.build_request("GET", "/spring-cup")
            request.extensions["scheme"] = "http"
            request.url = request.url.copy_with(scheme="http")  # as a proxy asks
            answer = await client.send(request)
            assert answer.headers["location"] == "https://cup.example.org/spring-cup/"
            key = accounts.add_token(site.league, 1, "sign-in", "x").secret
            origin = {"Origin": address.url}
            answer = await client.post("/spring-cup/sign-in", data={"key": key}, headers=origin)
            assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "path", ["account", "account/access", "uploads/1", "join", "sign-in", "", "standings"]
)
async def test_pages_of_who_is_signed_in_are_not_kept(league_file: Path, path: str) -> None:
    async with attacked(league_file, "Nina") as (_, nina):
        await nina.upload("nina", "bot.py", BOT)
        answer = await nina.get(path)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"


async def test_a_key_is_not_kept(league_file: Path) -> None:
    async with attacked(league_file, "Nina") as (_, nina):
        answer = await nina.send_form("account/tokens", scope="sign-in", label="x")
        assert 'class="secret"' in answer.text
        assert answer.headers["cache-control"] == "no-store"


async def test_strangers_cannot_cut_off_an_account(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connections are known to the server; those of a stranger with a guess are not."""
    known: list[str] = []
    is_open = True

    def mark_known(scope: Any, client: str, limit: int) -> bool:
        known.append(client)
        return is_open

    monkeypatch.setattr(pages, "mark_known", mark_known)
    async with attacked(league_file, "Nina", "") as (site, nina, _):
        known.clear()
        await asked(site, "/spring-cup/account", (b"Cookie", b"session=x"))
        assert not known
        await nina.get("account")
        token = accounts.add_token(site.league, 1, "read", "x").secret
        await asked(site, "/spring-cup/api/me", (b"Authorization", f"Bearer {token}".encode()))
        assert known == ["spring-cup/1"] * 2
        is_open = False
        assert (await nina.get("account")).status_code == 429
        answer = await asked(
            site, "/spring-cup/api/me", (b"Authorization", f"Bearer {token}".encode())
        )
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")


async def test_many_cookies(league_file: Path) -> None:
    async with attacked(league_file, "") as (site, _):
        for cookie in (b"session=x; " * 1000, b"=;;=" * 1000, b"session", b'session="\\0'):
            answer = await asked(site, "/spring-cup/account", (b"Cookie", cookie))
            assert answer.status_code == NOT_SIGNED_IN
