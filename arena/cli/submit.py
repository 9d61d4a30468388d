"""The command ``arena submit FILE BOT…``."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import completion, parameters
from arena.cli.parameters import JOBS, FilePath
from arena.cli.status import BAD, DONE, print_json, tell
from arena.cli.text.layout import say
from arena.errors import UsageError
from arena.text import safe

if TYPE_CHECKING:
    from arena.league.bots import LeagueSubmission


@click.command(name="submit")
@parameters.league_argument
@click.argument(
    "bots",
    nargs=-1,
    metavar="BOT…",
    type=FilePath(),
    shell_complete=completion.bots,
)
@click.option("--name", help="The name of the player. An existing name makes this its new version.")
@click.option(
    "--pages",
    metavar="DIR",
    type=FilePath(file_okay=False),
    help="Write the report on each bot as a page for its author: DIR/NAME.html.",
)
@click.option("--jobs", type=JOBS, default=1, help="Bots at a time.")
@click.option(
    "--traceback",
    is_flag=True,
    help="If the arena itself fails, show where.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    file: Path,
    bots: tuple[Path, ...],
    name: str | None,
    pages: Path | None,
    jobs: int,
    traceback: bool,
    as_json: bool,
) -> int:
    """Hand bots in to the league in FILE, even during a run. Each bot is tested under the
    conditions of the league; one that passes plays from the next round on. The report says what was
    tried, and what the compiler and the bot said. Each bot is tested in a process of its own, so
    none can prevent the test of another. Exit status 1 if one does not pass."""
    from arena.cli.text.league import submission_text, submissions_text
    from arena.league.bots import hand_in_each
    from arena.league.league import League

    if not bots:
        raise UsageError(f"name a bot: arena league add {file} my_bot.py")
    if name is not None and len(bots) > 1:
        raise UsageError(f"{len(bots)} bots cannot all play as {name!r}: add them one by one")
    if pages is not None:
        _make(pages)
    found: list[LeagueSubmission] = []
    hear = _ignore if as_json else tell
    with League(file) as open_league:
        each = hand_in_each(
            open_league, bots, name, jobs=jobs, tell=hear, traceback=_show if traceback else _ignore
        )
        for one in each:
            found.append(one)
            _write_page(one, pages)
            if not as_json:
                say(submission_text(one, file))
    if as_json:
        print_json({"submissions": found})
    elif len(found) > 1:
        say(submissions_text(found))
    return DONE if all(one.ok for one in found) else BAD


def _show(trace: str) -> None:
    say(safe(trace), err=True)


def _ignore(text: str) -> None:
    pass


def _make(pages: Path) -> None:
    """Create the folder of the reports, before the long tests of bots."""
    try:
        pages.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {pages}: {error.strerror}: name another folder") from None


def _write_page(found: LeagueSubmission, pages: Path | None) -> None:
    from arena.cli.text import submission

    if pages is None or found.report is None:
        return
    (pages / _file_name(found.name)).write_text(submission.page(found.report), "utf-8")


def _file_name(name: str) -> str:
    """The file name of a bot's page; unlike the bot's name never a path, and unique."""
    plain = re.sub(r"[^\w.-]|^\.", "_", name)
    told_apart = "" if plain == name else f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return f"{plain}{told_apart}.html"
