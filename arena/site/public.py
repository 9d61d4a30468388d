"""The pages for everybody: the contest, rules and protocol, what to begin with, the standings."""

from __future__ import annotations

import hashlib
import io
import zipfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import Response

from arena import __version__
from arena.api.games import kits
from arena.core.registry import find_game
from arena.guide.pages import find_guide
from arena.league.final import finals
from arena.league.league import League
from arena.league.plan import PLACEMENT
from arena.league.table import LeagueTable
from arena.site import deeds, moments, results, trends
from arena.site.contest import slug_of
from arena.site.pages import TEMPLATES, Visit, not_found, page

SAMPLES = "samples"


@page("")
async def home(visit: Visit) -> Response:
    """The contest."""
    terms = visit.contest.terms
    game = find_game(terms.game)
    return visit.page(
        "home.html",
        game=game,
        terms=terms,
        found=await visit.contest.table(),
        announcements=await visit.ask(deeds.announcements),
        frozen=await visit.ask(moments.visible_until, visit.account),
        finals=await visit.ask(finals),
        kits=list(kits(game)),
        samples=list(samples(terms.game)),
    )


@page("standings")
async def standings(visit: Visit) -> Response:
    """The table of the contest. Its rows are made once for each table. Organisers may ask for that
    behind a freeze."""
    may_see_all = visit.account is not None and visit.account.may("organise")
    whole = may_see_all and visit.request.query_params.get("whole") == "yes"
    frozen = await visit.ask(moments.since, moments.FREEZE)
    content, tag = await visit.contest.derived(standings_content, whole=whole)
    shown: dict[str, Any] = {
        "content": content,
        "frozen": frozen,
        "whole": whole,
        "may_see_all": may_see_all,
    }
    if visit.account is not None:  # their name is on the page, which nothing may keep
        return visit.page("standings.html", **shown)
    etag = f'"{hashlib.sha256(f"{tag}-{frozen}".encode()).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if visit.request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    made = visit.page("standings.html", **shown)
    made.headers.update(headers)
    return made


def standings_content(league: League, found: LeagueTable) -> tuple[Markup, str]:
    """The standings as a part of a page, and a tag that changes with them."""
    rows = sorted(found.table.standings, key=lambda row: (not row.games, row.rank, row.bot))
    bounds = [row.elo - row.error for row in rows if row.games]
    bounds += [row.elo + row.error for row in rows if row.games]
    names = results.bot_names(league)
    text = TEMPLATES.get_template("standings_content.html").render(
        root=f"/{slug_of(league.path)}",
        seats=league.terms.seats,
        found=found,
        rows=rows,
        names=names,
        least=min(bounds, default=0.0),
        most=max(bounds, default=1.0),
        changes=trends.changes(league, found),
        placing={bot.name: matches for bot, matches in results.placing(league)},
        placement=PLACEMENT,
    )
    return Markup(text), hashlib.sha256(f"{__version__}{text}".encode()).hexdigest()


@page("rules")
async def rules(visit: Visit) -> Response:
    """The rules of the game."""
    return visit.page("text.html", title="Rules", html=_rules(visit.contest.terms.game))


@page("protocol")
async def protocol(visit: Visit) -> Response:
    """The protocol that bots speak."""
    return visit.page("text.html", title="Protocol", html=_guide("protocol"))


@cache
def _rules(game: str) -> str:
    return _html(find_game(game).rules)


@cache
def _guide(name: str) -> str:
    return _html(find_guide(name).text)


def _html(text: str) -> str:
    """Markdown of this package as HTML; HTML in it stays text. Blocks that scroll sideways can be
    reached by keys."""
    found = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return str(found).replace("<pre>", '<pre tabindex="0">')


# -- what to begin with ----------------------------------------------------------------------------


def samples(game: str) -> dict[str, Traversable]:
    """The sample bots of a game or its library, by file name. In a clone they are at its top."""
    for root in (
        resources.files("arena.site") / SAMPLES,
        Path(__file__).parents[2] / "sample_bots",
    ):
        folder = root / game.partition(":")[0]
        if folder.is_dir():
            files = [one for one in folder.iterdir() if one.is_file()]
            return {one.name: one for one in sorted(files, key=lambda one: one.name)}
    return {}


@page("kits/{name}")
async def kit(visit: Visit) -> Response:
    """A starter kit as a .zip file."""
    name = visit.request.path_params["name"]
    game = visit.contest.terms.game
    found = {f"{one}.zip": one for one in kits(find_game(game))}
    if name not in found:
        raise not_found()
    return _download(_zipped(game, found[name]), f"{game}_{name}", "application/zip")


@cache
def _zipped(game: str, language: str) -> bytes:
    """A kit in a folder of its own, with fixed dates, so that it is the same each time."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted(kits(find_game(game))[language].iterdir(), key=lambda one: one.name):
            if source.is_file():
                archive.writestr(
                    zipfile.ZipInfo(f"{game}_{language}/{source.name}"), source.read_bytes()
                )
    return file.getvalue()


@page("samples/{name}")
async def sample(visit: Visit) -> Response:
    """The source of a sample bot."""
    name = visit.request.path_params["name"]
    found = samples(visit.contest.terms.game)
    if name not in found:
        raise not_found()
    return _download(found[name].read_bytes(), name, "text/plain; charset=utf-8")


def _download(content: bytes, name: str, kind: str) -> Response:
    """A file to keep. `name` is one of ours and needs no escapes."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


ROUTES = (home, standings, rules, protocol, kit, sample)
