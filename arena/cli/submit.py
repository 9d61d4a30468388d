"""The command ``arena submit FILE|URL BOT…``."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion
from arena.cli.parameters import JOBS, FilePath
from arena.cli.status import BAD, DONE, fail, print_json, tell
from arena.cli.text.layout import say
from arena.errors import ArenaError, UsageError
from arena.record.output import write_whole
from arena.text import safe, shell_word

if TYPE_CHECKING:
    from arena.league.bots import LeagueSubmission
    from arena.site.uploads import Upload

TOKEN = "ARENA_TOKEN"
"""The variable of the environment that may hold the token."""


class LeaguePlace(FilePath):
    """The file of a league, or the address of a contest on a site, which stays text."""

    def convert(self, value: Any, *where: Any) -> Any:
        """See `click.ParamType`."""
        if isinstance(value, str) and value.startswith(("http://", "https://")):
            return value
        return super().convert(value, *where)


@click.command(name="submit")
@click.argument("place", metavar="FILE|URL", type=LeaguePlace())
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
@click.option(
    "--token",
    metavar="FILE",
    type=FilePath(),
    help=f"For a URL: the file with your token.  [default: the variable {TOKEN}]",
)
@click.option(
    "--jobs", type=JOBS, help="Bots at a time.  [default: all cores; 1 on the wall clock]"
)
@click.option(
    "--traceback",
    is_flag=True,
    help="If the arena itself fails, show where.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    place: Path | str,
    bots: tuple[Path, ...],
    name: str | None,
    pages: Path | None,
    token: Path | None,
    jobs: int | None,
    traceback: bool,
    as_json: bool,
) -> int:
    """Hand bots in to the league in FILE, even during a run, or to the contest at URL, for which
    you need a token of your account there. Each bot is tested under the conditions of the league;
    one that passes plays from the next round on. The report says what was tried, and what the
    compiler and the bot said. Each bot is tested in a process of its own, so none can prevent the
    test of another. Ctrl-C ends the tests under way; what has passed stays, and the rest is named.
    Exit status 1 if one does not pass.

    \b
    arena submit cup.league my_bot.py
    arena submit https://cup.example.org/cup my_bot.zip --name nina --token token.txt
    """
    from arena.cli.text.league import submission_text, submissions_text

    if not bots:
        raise UsageError(f"name a bot: arena submit {shell_word(place)} my_bot.py")
    if name is not None and len(bots) > 1:
        raise UsageError(f"{len(bots)} bots cannot all play as {name!r}: add them one by one")
    if pages is not None:
        _make(pages)
    hear = _ignore if as_json else tell
    left: list[Path] = []
    if isinstance(place, str):
        if jobs is not None or traceback:
            raise UsageError("--jobs and --traceback are for a league in a file: leave them out")
        each = _at_site(place, _token(token), bots, name, hear)
    else:
        if token is not None:
            raise UsageError("--token is for the URL of a contest: leave it out")
        each = _in_file(place, bots, name, jobs, hear, _show if traceback else _ignore, left)
    found: list[LeagueSubmission] = []
    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        for one in each:
            found.append(one)
            _write_page(one, pages)
            if not as_json:
                say(submission_text(one, None if isinstance(place, str) else place))
    except (KeyboardInterrupt, ArenaError) as error:
        if len(bots) == 1:
            raise
        stopped = error
        left = left or list(bots[len(found) :])
    names = [str(bot) for bot in left]
    if as_json:
        print_json({"submissions": found, "not_tested": names})
    elif len(bots) > 1:
        say(submissions_text(found, names))
    if stopped is not None:
        return fail(stopped)
    return DONE if all(one.ok for one in found) else BAD


def _in_file(
    file: Path,
    bots: Sequence[Path],
    name: str | None,
    jobs: int | None,
    hear: Any,
    trace: Any,
    left: list[Path],
) -> Iterator[LeagueSubmission]:
    """Hand each in; those that Ctrl-C or a full disk prevents are added to `left`."""
    from arena.league.bots import hand_in_each, tests_at_a_time
    from arena.league.league import League

    with League(file) as league:
        if len(bots) > 1:
            jobs = tests_at_a_time(league.terms, jobs, hear)
        yield from hand_in_each(
            league, bots, name, jobs=jobs or 1, tell=hear, traceback=trace, left=left.append
        )


def _at_site(
    url: str, token: str, bots: Sequence[Path], name: str | None, hear: Any
) -> Iterator[LeagueSubmission]:
    """Upload each and follow its report. A file that the site does not take ends the command: what
    was uploaded before stays."""
    from arena.site.client import SiteClient

    for bot in bots:
        if bot.is_dir():
            pack = shlex.join(["tar", "czf", "bot.tar.gz", "-C", f"{bot.parent}", bot.name])
            raise UsageError(f"{bot} is a folder: put it into an archive ({pack})")
        if not bot.is_file():
            raise UsageError(f"there is no file {bot}: name an archive, or a source file")
    site = SiteClient(url, token)
    if not site.is_secret:
        tell(f"the token goes to {site.host} unencrypted: who is on the way can read it")
    game = site.game()
    for bot in bots:
        known = name or bot.name.partition(".")[0] or bot.name
        hear(f"uploading {bot} as {known}")
        made = site.upload(known, bot)
        hear(f"its report: {made.report.replace('/api/', '/')}")
        yield _submission(game, site.follow(made.number, hear))


def _submission(game: str, found: Upload) -> LeagueSubmission:
    """What became of an upload, in the words of a league."""
    from arena.api.submission import refused
    from arena.league.bots import LeagueSubmission

    report = found.report
    if report is None and found.problem:
        report = refused(game, found.bot, found.problem)
    address = report.address if report else ""
    return LeagueSubmission(found.bot, address, found.submission is not None, report)


def _token(file: Path | None) -> str:
    """The token of the author. Raises UsageError."""
    if file is None:
        found = os.environ.get(TOKEN, "")
        if not found:
            raise UsageError(
                f"a site asks for a token: make one on the page of your account there, write it "
                f"into a file, and add --token FILE (or set {TOKEN})"
            )
        return found.strip()
    try:
        with file.open(encoding="utf-8", errors="replace") as text:
            return text.read(4096).strip()
    except OSError as error:
        raise UsageError(f"cannot read the token in {file}: {error.strerror}") from None


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
    write_whole(pages / _file_name(found.name), submission.page(found.report))


def _file_name(name: str) -> str:
    """The file name of a bot's page; unlike the bot's name never a path, and unique."""
    plain = re.sub(r"[^\w.-]|^\.", "_", name)
    told_apart = "" if plain == name else f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return f"{plain}{told_apart}.html"
