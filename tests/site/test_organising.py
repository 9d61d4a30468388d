"""What organisers and teams do by the JSON API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from arena.site import accounts, deeds, moments
from tests.site.browsing import Site, visited
from tests.site.test_accounts import joined
from tests.site.test_api import author, error, own, program

READS = (
    *("organise", "organise/people", "organise/invitations", "organise/log"),
    *("organise/grades.csv", "organise/results.csv"),
)
WHY = {"reason": "why not"}
DEEDS: dict[str, Any] = {
    "organise/moments": {"kind": "close", **WHY},
    "organise/names": {"show": False},
    "organise/lines": {"show": True},
    "organise/play": {"who": "play-off"},
    "announcements": {"text": "Hello."},
    "organise/invitations": {"role": "author", "uses": 2},
    "organise/registration": {"open": True},
    "organise/people/1/role": {"role": "tester", **WHY},
    "organise/people/1/ban": {"withdraw": True, **WHY},
    "organise/bots/bot2/withdraw": WHY,
    "organise/matches/1/rematch": WHY,
    "finals": {"rounds": 2, **WHY},
    "announcements/1/end": None,
    "organise/invitations/1/end": None,
    "finals/1/start": {"seed": "x"},
}
"""All that an organiser changes."""
LOGGED = {
    "organise/moments": "set the deadline for uploads",
    "organise/names": "hid names",
    "organise/lines": "showed what bots write",
    "organise/play": "said who may play",
    "announcements": "announced",
    "organise/invitations": "invited",
    "organise/registration": "opened registration",
    "organise/people/1/role": "gave a role",
    "organise/people/1/ban": "banned",
    "organise/bots/bot2/withdraw": "withdrew a bot",
    "finals": "declared a final",
}


async def post(client: httpx.AsyncClient, path: str) -> httpx.Response:
    body = DEEDS[path]
    return await (client.post(path) if body is None else client.post(path, json=body))


async def test_organisers_do_by_program_what_they_do_on_pages(league_file: Path) -> None:
    async with visited(league_file) as site:
        joined(site.league, "Nina")
        token = author(site, "Olga", "organise", "organiser")
        async with program(site, token) as client:
            for path, deed in LOGGED.items():
                answer = await post(client, path)
                assert answer.status_code in (200, 201), answer.text
                assert (await client.get("organise/log")).json()[0]["deed"] == deed
                assert deeds.audit_log(site.league)[0].account == "Olga"
            for path in READS:
                assert (await client.get(path)).status_code == 200
            state = (await client.get("organise")).json()
            assert state["since"]["close"]
            assert state["names_hidden"]
            assert state["lines_shown"]
            people = {
                one["name"]: one["role"] for one in (await client.get("organise/people")).json()
            }
            assert people == {"Nina": "banned", "Olga": "organiser"}
        site.league.check_rows()


async def test_an_invitation_by_program_makes_an_account(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        token = author(site, "Olga", "organise", "organiser")
        async with program(site, token) as client:
            made = (await post(client, "organise/invitations")).json()
            assert "/spring-cup/join#" in made["link"]
            secret = made["link"].partition("#")[2]
            joins = await browser.send_form("join", invitation=secret, name="Tom")
            assert joins.status_code == 200
            ended = await client.post(f"organise/invitations/{made['number']}/end")
            assert ended.json() == []
            refused = await client.post("organise/invitations", json={"role": "owner"})
            assert refused.status_code == 409  # an organiser makes no owner
            assert "only an owner" in error(refused)


async def test_a_final_by_program(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Olga", "organise", "organiser")
        async with program(site, token) as client, program(site, None) as visitor:
            made = (await post(client, "finals")).json()
            (shown,) = (await visitor.get("finals")).json()
            assert (shown["hash"], shown["seed"]) == (made["hash"], "")
            wrong = await post(client, "finals/1/start")
            assert wrong.status_code == 409
            missing = await client.post("finals/9/start", json={"seed": "x"})
            assert missing.status_code == 404
            begun = await client.post("finals/1/start", json={"seed": made["seed"]})
            assert begun.json()[0]["seed"] == made["seed"]


async def test_evidence_by_program(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Olga", "organise", "organiser")
        async with program(site, token) as client:
            assert (await client.get("organise/matches/99/evidence")).status_code == 404
            numbers = [one["number"] for one in (await client.get("matches")).json()["matches"]]
            for number in numbers[:1]:
                found = await client.get(f"organise/matches/{number}/evidence")
                assert found.json()["match"] == number


@pytest.mark.parametrize("scope", ["read", "upload", "team"])
async def test_only_a_token_for_organising_organises(league_file: Path, scope: str) -> None:
    async with visited(league_file) as site:
        await _refused(site, author(site, "Olga", scope, "owner"), 403)
        await _refused(site, None, 401)
        await _refused(site, "no-such-token", 401)


async def test_the_role_counts_and_not_what_the_token_was_made_for(league_file: Path) -> None:
    async with visited(league_file) as site:
        olga = joined(site.league, "Olga", "organiser")
        token = accounts.add_token(site.league, olga.number, "organise", "test").secret
        deeds.give_role(site.league, None, olga.number, "author", "no more")
        await _refused(site, token, 403)
        deeds.ban(site.league, None, olga.number, "no more")
        await _refused(site, token, 401)


async def _refused(site: Site, token: str | None, status: int) -> None:
    before = site.league.store.one("SELECT max(number) FROM chain")
    logged = site.league.count("deed")
    async with program(site, token) as client:
        for path in READS:
            assert (await client.get(path)).status_code == status
        assert (await client.get("organise/matches/1/evidence")).status_code == status
        for path in DEEDS:
            assert (await post(client, path)).status_code == status, path
    assert site.league.store.one("SELECT max(number) FROM chain") == before
    assert site.league.count("deed") == logged


async def test_wrong_wishes(league_file: Path) -> None:
    async with visited(league_file) as site:
        token = author(site, "Olga", "organise", "owner")
        async with program(site, token) as client:
            for path, body, status in (
                ("organise/moments", {"kind": "explode", **WHY}, 400),
                ("organise/moments", {"kind": "thaw", **WHY}, 409),
                ("organise/moments", {"kind": "close", "due": "soon", **WHY}, 409),
                ("organise/moments", {"kind": "close", "reason": ""}, 409),
                ("organise/names", {"show": True}, 409),
                ("organise/lines", {"show": False}, 409),
                ("organise/lines", {"show": "perhaps"}, 400),
                ("organise/play", {"who": "cats"}, 400),
                ("organise/invitations", {"role": "king"}, 400),
                ("organise/invitations", {"role": "author", "uses": 0}, 400),
                ("organise/invitations", {"role": "author", "uses": 2000}, 409),
                ("organise/invitations", {"role": "author", "team": 77}, 409),
                ("organise/people/77/ban", WHY, 404),
                ("organise/people/1/ban", WHY, 409),  # nobody bans the own account
                ("organise/people/1/role", {"role": "author", **WHY}, 409),  # the only owner
                ("organise/bots/nobody/withdraw", WHY, 409),
                ("organise/matches/99/rematch", WHY, 409),
                ("announcements", {"text": " "}, 409),
                ("announcements", {"text": "x", "more": 1}, 400),
            ):
                answer = await client.post(path, json=body)
                assert answer.status_code == status, (path, body, answer.text)
                assert error(answer)


# -- names -----------------------------------------------------------------------------------------


async def test_pseudonyms_hold_in_every_answer(league_file: Path) -> None:
    """What another team, and a visitor, reads of a contest with hidden names."""
    async with visited(league_file) as site:
        nina, tom = author(site, "Nina Secret"), author(site, "Tom Hidden")
        own(site, 1, "bot1")
        own(site, 2, "bot2")
        async with program(site, nina) as client:
            wish = {"bot": "bot1", "rivals": ["bot2"]}
            assert (await client.post("scrimmages", json=wish)).status_code == 201
        deeds.hide_names(site.league, None, hide=True)
        deeds.announce(site.league, None, "Hello.")
        moments.declare_final(site.league, None, None, 1, "why")
        paths = [
            *("standings", "queue", "bots", "bots/bot1/versions", "matches", "matches/1"),
            *("announcements", "finals", "scrimmages", "scrimmages/1", "uploads", "me"),
        ]
        async with program(site, tom) as client, program(site, None) as visitor:
            for path in paths:
                for reader in (client, visitor):
                    answer = await reader.get(path)
                    assert "Nina Secret" not in answer.text, path
                    if reader is visitor:
                        assert "Tom Hidden" not in answer.text, path
            (asked,) = (await client.get("scrimmages")).json()
            assert asked["team_name"].startswith("Team ")
            assert asked["team"] is None
        async with program(site, nina) as client:
            assert (await client.get("scrimmages")).json()[0]["team"] == 1
        async with site.browser() as browser:
            key = accounts.add_token(site.league, 2, "sign-in", "key").secret
            await browser.send_form("sign-in", key=key)
            for path in ("scrimmages", "scrimmages/1"):
                page = await browser.get(path)
                assert page.status_code == 200
                assert "Nina Secret" not in page.text


# -- teams -----------------------------------------------------------------------------------------


async def test_a_team_by_program(league_file: Path) -> None:
    async with visited(league_file) as site:
        nina, tom = author(site, "Nina", "team"), author(site, "Tom", "team")
        async with program(site, nina) as client, program(site, tom) as other:
            named = await client.post("team/name", json={"name": "Lions"})
            assert named.json()["name"] == "Lions"
            made = (await client.post("team/invitations")).json()
            assert [one["number"] for one in (await client.get("team")).json()["invitations"]] == [
                made["number"]
            ]
            team = (await other.post("team/join", json={"invitation": made["link"]})).json()
            assert [one["name"] for one in team["members"]] == ["Nina", "Tom"]
            again = await other.post("team/join", json={"invitation": made["link"]})
            assert again.status_code == 409
            left = (await other.post("team/leave")).json()
            assert [one["name"] for one in left["members"]] == ["Tom"]
            made = (await client.post("team/invitations")).json()
            foreign = await other.post(f"team/invitations/{made['number']}/end")
            assert foreign.status_code == 409
            ended = await client.post(f"team/invitations/{made['number']}/end")
            assert ended.json()["invitations"] == []


@pytest.mark.parametrize("scope", ["read", "upload", "organise"])
async def test_only_a_token_for_teams_deals_with_them(league_file: Path, scope: str) -> None:
    """An upload token that lies beside a build lets nobody into the team."""
    async with visited(league_file) as site:
        token = author(site, "Nina", scope, "organiser" if scope == "organise" else "author")
        async with program(site, token) as client:
            assert (await client.get("team")).status_code == 403
            for path, body in (
                ("team/name", {"name": "Lions"}),
                ("team/invitations", None),
                ("team/invitations/1/end", None),
                ("team/join", {"invitation": "x"}),
                ("team/leave", None),
            ):
                answer = await (client.post(path, json=body) if body else client.post(path))
                assert answer.status_code == 403
        assert site.league.count("invitation") == 1  # by which the account came


async def test_a_token_for_teams_uploads_nothing(league_file: Path) -> None:
    async with visited(league_file) as site, program(site, author(site, "Nina", "team")) as client:
        answer = await client.post("bots/new/versions?file=bot.py", content=b"print(1)")
        assert answer.status_code == 403
