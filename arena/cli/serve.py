"""The command ``arena serve LEAGUE…``."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from arena.cli import completion, parameters
from arena.cli.parameters import FilePath, WholeNumber
from arena.cli.status import DONE, tell, warn_of_logout
from arena.cli.text.layout import say
from arena.errors import UsageError
from arena.text import joined, safe

PORT = 8080
AUTHORS = 100
"""Accounts that the first invitation of authors is for."""
MISSING = "a site needs libraries that are not installed ({}): pip install '.[web]' in a clone"


@click.command(name="serve")
@click.argument("files", metavar="LEAGUE…", nargs=-1, type=FilePath())
@click.option(
    "--new",
    "game",
    metavar="GAME",
    help="Begin a league of GAME, with its sample bots.  [file: GAME.league]",
    shell_complete=completion.games,
)
@click.option("--host", default="127.0.0.1", help="Where to listen.  [default: 127.0.0.1]")
@click.option("--port", type=WholeNumber(0, 65535), default=PORT, help=f"[default: {PORT}]")
@click.option("--url", help="How browsers reach the site, behind a proxy or on a network.")
@click.option(
    "--jobs", type=WholeNumber(1), default=1, help="Matches at a time of each league.  [default: 1]"
)
@click.option(
    "--examiners",
    type=WholeNumber(1, 64),
    default=1,
    help="Uploads that are examined at a time for each league.  [default: 1]",
)
@click.option("--judge/--no-judge", default=True, help="Play matches too.  [default: --judge]")
@parameters.sandbox_option("strict")
@click.option("--traceback", is_flag=True, help="Show where the arena itself failed.")
def command(
    files: tuple[Path, ...],
    game: str | None,
    host: str,
    port: int,
    url: str | None,
    jobs: int,
    examiners: int,
    judge: bool,
    sandbox: str,
    traceback: bool,
) -> int:
    """Serve the web site of leagues: standings for everybody; accounts, uploads and reports for
    those who were invited. Uploads are built and tested, and matches are played, beside it. Ctrl-C
    ends all of it; nothing is lost.

    \b
    arena serve --new warlight
    arena serve cup.league
    arena serve cup.league --url https://cup.example.org
    """
    try:
        from arena.site import run
        from arena.site.contest import slug_of
    except ImportError as error:
        raise UsageError(MISSING.format(error)) from error

    if game is not None:
        if len(files) > 1:
            raise UsageError("--new begins one league: name one FILE, or none")
        files = (files[0] if files else Path(f"{game}.league"),)
    if not files:
        raise UsageError("name a league: arena serve cup.league (or begin one: --new GAME)")
    warn_of_logout()
    with run.listen(host, port) as listening:
        address = run.address_of(host, listening.getsockname()[1], url)
        if game is not None:
            _begin(files[0], game, sandbox)
        for file in files:
            if (secret := run.invite_owner(file)) is not None:
                say(f"for you, the owner:  {address.join_link(slug_of(file), secret)}")
        if game is not None:
            secret = run.invite_by_command(files[0], "author", AUTHORS)
            say(f"for {AUTHORS} authors:     {address.join_link(slug_of(files[0]), secret)}")
        run.run_site(
            files,
            listening,
            address,
            jobs=jobs,
            examiners=examiners,
            judge=judge,
            tell=lambda text: tell(safe(text)),
            traceback_of=(lambda text: say(safe(text), err=True)) if traceback else _ignore,
        )
    return DONE


def _begin(file: Path, game: str, sandbox: str) -> None:
    """Make a league with its sample bots."""
    from arena.league.league import League, undone_on_failure
    from arena.league.types import settle
    from arena.site import run

    with undone_on_failure(file):
        with League.begin(file, settle(game, None, {"sandbox": sandbox})):
            pass
        with tempfile.TemporaryDirectory() as folder:
            names = run.add_samples(file, Path(folder), tell)
    say(f"{file}: a league of {game}" + (f" with {joined(names)}" if names else ""))


def _ignore(text: str) -> None:
    pass
