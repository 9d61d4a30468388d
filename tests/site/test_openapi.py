"""What ``/openapi.json`` says holds for the answers, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
import trio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import ignored_auth

from arena.league.league import League
from arena.site import accounts, api
from arena.site.contest import Contest
from tests.site.browsing import URL, Site
from tests.site.test_accounts import joined

pytestmark = pytest.mark.dear
EXAMPLES = 6
"""Calls of each endpoint."""


@pytest.fixture
def site(league_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(api, "LONGEST_STREAM", -1.0)  # a stream says how far an upload is, and ends
    with Contest(league_file) as contest, League(league_file, any_thread=True) as league:
        yield Site(contest, league)


def call(site: Site, token: str, case: Any) -> httpx.Response:
    """Send what was made up, in this process."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(site.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport) as client:
            asked = case.as_transport_kwargs(base_url=URL)
            asked.pop("cookies", None)
            if isinstance(asked.get("data"), bytes):  # httpx calls it so
                asked["content"] = asked.pop("data")
            if asked.get("files"):
                asked["files"] = [(name, _sendable(file)) for name, file in asked["files"]]
            if not _has_wrong_headers(case):
                asked["headers"] = {**asked["headers"], "Authorization": f"Bearer {token}"}
            request = client.build_request(**asked)
            await request.aread()  # so that the check reads it too
            return await client.send(request)

    return trio.run(send)


def _sendable(file: Any) -> Any:
    """A part of a form, made up as any value, as one that httpx sends."""
    if isinstance(file, tuple):
        return (file[0], _sendable(file[1]), *file[2:])
    return file if isinstance(file, str | bytes) else str(file)


def _has_wrong_headers(case: Any) -> bool:
    """Whether its token was left out or made wrong on purpose."""
    return any(
        kind.value == "header" and part.mode is GenerationMode.NEGATIVE
        for kind, part in case.meta.components.items()
    )


def test_answers_are_as_described(site: Site) -> None:
    who = joined(site.league, "Nina")
    with site.league.store.changing() as change:
        change.add("owner", bot="bot1", team=who.team)
    owner = joined(site.league, "Olga", "owner")
    tokens = {
        scope: accounts.add_token(site.league, number, scope, "test").secret
        for scope, number in (
            *(("read", who.number), ("upload", who.number), ("team", who.number)),
            ("organise", owner.number),
        )
    }
    document = trio.run(partial(_document, site))
    schema = schemathesis.openapi.from_dict(document)
    told = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        _hold(site, operation, tokens[operation.definition.raw.get("x-scopes", ["upload"])[0]])
        told += 1
    assert told == len(api.ENDPOINTS)
    site.league.check_rows()


def _hold(site: Site, operation: Any, token: str) -> None:
    """Call one endpoint with whatever is made up, and hold the answers against the description."""
    kinds = [operation.as_strategy(mode) for mode in GenerationMode]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(*kinds))
    def holds(case: Any) -> None:
        answer = call(site, token, case)
        assert answer.status_code < 500, answer.text
        case.validate_response(answer, excluded_checks=[ignored_auth])

    holds()


async def _document(site: Site) -> Any:
    transport = httpx.ASGITransport(site.app)
    async with httpx.AsyncClient(transport=transport) as client:
        return (await client.get(f"{URL}/openapi.json")).json()
