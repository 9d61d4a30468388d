"""What holds for every request to a site."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.site.contest import require_different, slug_of
from arena.site.pages import SiteAddress
from arena.site.run import address_of
from tests.site.browsing import HOST, URL, visited

PAGES = ("", "standings", "rules", "protocol", "sign-in", "join")


async def test_every_page_has_its_headers(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        for path in (*PAGES, "nothing", f"{URL}/healthz", f"{URL}/"):
            answer = await browser.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["referrer-policy"] == "same-origin"
            assert answer.headers["x-frame-options"] == "DENY"
            assert "style=" not in answer.text
            assert "<script>" not in answer.text


async def test_pages_of_a_contest(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        for path in PAGES[:2]:
            assert (await browser.get(path)).status_code == 200
        standings = (await browser.get("standings")).text
        assert standings.index("bot2") < standings.index("bot1")  # who bids more wins
        assert "4 crashed" in standings
        assert (await browser.get(f"{URL}/")).headers["location"] == "/spring-cup/"
        assert (await browser.get(f"{URL}/healthz")).text == "ok\n"


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "uploads/x",
        "kits/..%2f..%2fx.zip",
        "samples/x",
        f"{URL}/-/0/site.css",
        f"{URL}/x/",
    ],
)
async def test_what_is_not_there_says_nothing_more(league_file: Path, path: str) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        answer = await browser.get(path)
        assert answer.status_code in (404, 401)
        assert str(league_file.parent) not in answer.text


async def test_files_of_pages_may_be_kept_for_ever(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        home = (await browser.get("")).text
        (style,) = [part for part in home.split('"') if part.endswith("site.css")]
        answer = await browser.get(f"{URL}{style}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"].startswith("text/css")


async def test_a_failure_says_nothing_of_the_machine(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visited(league_file) as site, site.browser() as browser:

        async def fails() -> None:
            raise RuntimeError("/a/path of the machine")

        monkeypatch.setattr(site.contest, "table", fails)
        answer = await browser.get("")
        assert answer.status_code == 500
        assert "machine" not in answer.text
        assert "That failed here." in answer.text


@pytest.mark.parametrize("host", ["evil.example:8000", "127.0.0.1", "", "localhost:8000"])
async def test_other_hosts_are_refused(league_file: Path, host: str) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        assert (await browser.get("", headers={"Host": host})).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://{HOST}", f"{URL}1"])
async def test_forms_of_other_sites_are_refused(league_file: Path, origin: str) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        answer = await browser.post("sign-in", data={"key": "x"}, headers={"Origin": origin})
        assert answer.status_code == 403
        assert "for its own address" in answer.text


def test_slugs_are_plain_and_different() -> None:
    assert slug_of(Path("a/Spring Cup_2.league")) == "spring-cup-2"
    assert slug_of(Path("/../.league")) == "league"
    with pytest.raises(UsageError, match="would both be at /cup/"):
        require_different([Path("a/cup.league"), Path("b/Cup.league")])


@pytest.mark.parametrize(
    ("host", "url", "found"),
    [
        ("127.0.0.1", "https://cup.example.org/", SiteAddress("https", ("cup.example.org",))),
        ("0.0.0.0", "http://lab:8080", SiteAddress("http", ("lab:8080",))),
    ],
)
def test_the_address_of_a_site(host: str, url: str, found: SiteAddress) -> None:
    assert address_of(host, 8080, url) == found


@pytest.mark.parametrize("url", [None, "cup.example.org", "ftp://x", "http://", "http://a/b"])
def test_an_address_that_is_none(url: str | None) -> None:
    with pytest.raises(UsageError, match=r"--url|is not the address"):
        address_of("0.0.0.0", 8080, url)
