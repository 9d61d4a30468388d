"""What `site.md` says to authors is so."""

from __future__ import annotations

import re

from arena.league.judge import RANKED
from arena.site import api, organising, scrimmages, teams, uploads
from tests.guide.reading import flat

TEXT = flat("site")


def test_the_limits_of_a_team() -> None:
    assert (
        f"have {uploads.WAITING} uploads waiting or on their way, and upload {uploads.HOURLY} times"
        in TEXT
    )
    assert f"A team invites at most {teams.MEMBERS} accounts" in TEXT
    assert f"changes its team at most {teams.MOVES} times in a day" in TEXT
    assert f"at most one after every {RANKED} ranked matches" in TEXT
    assert f"have {scrimmages.WAITING} that wait or are played" in TEXT
    assert f"ask for {scrimmages.HOURLY} in an hour" in TEXT


def test_every_endpoint_of_the_guide_is_one() -> None:
    known = {
        (one.method, re.sub(r"\{name:path\}", "NAME", re.sub(r"\{\w+:int\}", "#", one.path)))
        for one in api.ENDPOINTS
    }
    assert organising.ROUTES  # it declares a part of them
    told = re.findall(r"`(GET|POST) ([\w/]+)", TEXT)
    assert len(told) == 27
    for method, path in told:
        assert (method, re.sub(r"/(NUMBER|3)(?=/|$)", "/#", path)) in known, path
    public = {one.path.partition("/")[0] for one in api.ENDPOINTS if not one.scopes}
    assert public == {"standings", "queue", "bots", "matches", "announcements", "finals"}
    assert f"limit={api.PAGE}" in TEXT
