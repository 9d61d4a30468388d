"""The command ``arena play GAME BOT…``.

The modules that play are imported once the command line is known to be valid: the import takes
longer than the whole handling of an invalid one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion, parameters
from arena.cli.parameters import (
    PLAYER,
    WholeNumber,
    refuse_in_series,
    refuse_to_overwrite,
    tell_missing,
)
from arena.cli.status import DONE, fail, print_json, tell
from arena.cli.text.layout import say
from arena.errors import ArenaError, UsageError
from arena.sandbox.levels import Level
from arena.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from arena.api.series import Series
    from arena.core.listener import Listener
    from arena.match.report import MatchReport, PlayerReport
    from arena.match.spec import MatchSpec


@click.command(name="play")
@click.argument("game", required=False, shell_complete=completion.games)
@click.argument("bots", nargs=-1, metavar="BOT…", shell_complete=completion.players)
@parameters.options
@click.option(
    "--games",
    type=WholeNumber(1),
    help="Play a series of this many matches; seats rotate. With more bots than seats: this many "
    "for each pair of bots.  [default: 1; with --book, all of it]",
)
@click.option(
    "--from",
    "position",
    metavar="POS",
    help="Play on from a position (arena cut); FILE:3 is the third of a file.",
)
@parameters.book_option
@click.option(
    "--seats",
    type=WholeNumber(2),
    metavar="K",
    help="Bots in each match of a series.  [default: all bots, if the game allows that many, "
    "otherwise its fewest]",
)
@click.option(
    "--as",
    "names",
    metavar="NAME",
    multiple=True,
    help="A name in the record, for each bot in turn.",
)
@click.option("--jobs", type=WholeNumber(1), default=1, help="Matches at a time.  [default: 1]")
@click.option("--watch", is_flag=True, help="Draw the board after each round, slowly.")
@click.option("--live", is_flag=True, help="Play on a page in the browser, on this machine.")
@click.option("--show-stderr", is_flag=True, help="Print what bots write to stderr as it comes.")
@click.option(
    "--debug",
    type=PLAYER,
    help="Run the bot of this player without a clock, and wait for a debugger.",
)
@click.option(
    "--pin/--no-pin",
    default=None,
    help="Keep each match and its bots on one core.  [default: if --jobs is the number of cores]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    game: str | None,
    bots: tuple[str, ...],
    games: int | None,
    seats: int | None,
    jobs: int,
    book: Path | None,
    **options: Any,
) -> int:
    """Play a match of GAME between bots. A BOT is a source file, an executable, a folder, an
    archive, or a quoted command; human, or human:NAME, is a person at this terminal.

    \b
    arena play warlight my_bot.py "java -jar other.jar" --seed 7
    arena play warlight my_bot.py other.js --games 100 --jobs 2
    arena play warlight one.py two.js three.jar --games 20
    arena play --from lost.pos my_bot.py other.js
    """
    from arena.cli.parameters import name_game, refuse_unquoted
    from arena.core.registry import find_game

    if options["position"] is not None:
        game, bots = _begin(game, bots, options, book)
    game = name_game("play", game, bots)
    find_game(game)
    refuse_unquoted("play", game, bots)
    if book is None and games in (None, 1) and seats is None:
        refuse_to_overwrite(options)
        if options["position"] is None:
            _refuse_a_crowd(game, bots, options)
        return _play_one(game, bots, options)
    refuse_in_series(bots, options)
    if options["position"] is not None:
        raise UsageError("--from plays one match: give --book FILE for a series from positions")
    from arena.api.series import series  # not needed for a single match

    matches = series(
        game,
        bots,
        games=games if book is not None else games or 1,
        seats=seats,
        jobs=jobs,
        pin=options["pin"],
        replay=options["replay"],
        book=book,
        overwrite=True,  # it was refused above, unless that was asked for
        tell=tell,
        **parameters.conditions(options),
    )
    refuse_to_overwrite(options, games=matches.games)
    _tell_choices(matches.first)
    return _play_series(matches, bots, options)


def _begin(
    game: str | None, bots: tuple[str, ...], options: dict[str, Any], book: Path | None
) -> tuple[str, tuple[str, ...]]:
    """Read the position of ``--from``, whose game need not be named."""
    from arena.api.positions import find_position
    from arena.core.registry import is_game

    if book is not None:
        raise UsageError("--from begins at one position, --book at many: choose one")
    options["position"] = position = find_position(options["position"])
    if game is None or is_game(game):
        return game or position.game, bots
    return position.game, (game, *bots)


def _refuse_a_crowd(game: str, bots: tuple[str, ...], options: dict[str, Any]) -> None:
    """Raise UsageError when there are more bots than seats, and say how all of them can play."""
    from arena.core.registry import find_game

    try:
        find_game(game).check_seats(len(bots), on_map=options["map_file"] is not None)
    except UsageError as error:
        if len(bots) < 3:
            raise
        text = f"{error}, or add --games 10 to play all against all"
        raise UsageError(text) from None


def _play_one(game: str, bots: tuple[str, ...], options: dict[str, Any]) -> int:
    from arena.api.inside import play_spec
    from arena.cli.single import prepare
    from arena.cli.text.match import match_text
    from arena.runtime.retry import fitting_jobs

    spec, show = prepare(game, bots, options)
    _tell_choices(spec)
    if spec.has_programs:
        fitting_jobs(1, len(spec.entrants), spec.terms.limits.memory, tell)
    with show as listeners:
        play = _play_live if options["live"] else play_spec
        report = play(spec, listeners=listeners, pin=bool(options["pin"]))
    _tell_level(report, options)
    print_json(report) if options["as_json"] else say(match_text(report))
    for bot, player in zip(bots, report.players, strict=True):
        tell_missing(f"player{player.seat + 1}: ", bot, _stderr(player))
    return DONE


def _tell_choices(spec: MatchSpec) -> None:
    """Say which source of a folder plays, where several could."""
    from arena.players.entrant import ProgramEntrant

    programs = [one.program for one in spec.entrants if isinstance(one, ProgramEntrant)]
    for name, choice in dict.fromkeys((one.name, one.choice) for one in programs if one.choice):
        tell(f"{name} plays {choice}")


def _play_live(spec: MatchSpec, *, listeners: Sequence[Listener], pin: bool) -> MatchReport:
    from arena.api.live import play_live
    from arena.cli.text.browser import opening_secretly

    def announce(seat: int | None, address: str) -> None:
        if seat is None:
            tell(f"the match begins when this page is opened: {address}")
        else:
            name = safe(spec.entrants[seat].name)
            tell(f"{name} plays as player{seat + 1} on this page, for no one else: {address}")
        addresses[seat] = address
        open_page(address)

    def missed(seat: int, back: bool) -> None:
        name = safe(spec.entrants[seat].name)
        waits = "the match waits" if spec.entrants[seat].untimed else "the clock goes on"
        left = f"{name} has closed the page, and {waits}. It is opened again at {addresses[seat]}"
        tell(f"{name} is back" if back else left)

    addresses: dict[int | None, str] = {}
    with opening_secretly() as open_page:
        return play_live(spec, announce, missed=missed, listeners=listeners, pin=pin)


def _play_series(matches: Series, bots: tuple[str, ...], options: dict[str, Any]) -> int:
    """Play and print a series; if it ends early, print the matches so far."""
    from arena.cli.text import live

    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        with live.games(matches, options["as_json"]) as advance:
            for _ in matches:
                advance()
    except (KeyboardInterrupt, ArenaError) as error:
        if not matches.reports and not matches.voids:
            raise
        stopped = error
    for report in list(matches.reports.values())[:1]:
        _tell_level(report, options)
    if options["as_json"]:
        print_json(matches.report(stopped))
    else:
        from arena.cli.text.table import series_text

        say(series_text(matches))
    for bot, said in _first_words(matches).items():
        tell_missing(f"{matches.names[bot]}: ", bots[bot], said)
    return DONE if stopped is None else fail(stopped)


def _first_words(matches: Series) -> dict[int, str]:
    """Each bot's stderr from the first match in which it wrote any."""
    found: dict[int, str] = {}
    for game, report in sorted(matches.reports.items()):
        for bot, player in zip(matches.schedule[game].order, report.players, strict=True):
            if player.stderr:
                found.setdefault(bot, _stderr(player))
    return found


def _stderr(player: PlayerReport) -> str:
    return "".join(turn.text for turn in player.stderr)


def _tell_level(report: MatchReport, options: dict[str, Any]) -> None:
    """Tell a user who left the level to the arena that no sandbox was available."""
    level = report.sandbox
    if options["sandbox"] == "auto" and level in (Level.GUARD, Level.OFF):
        tell(
            f"this machine has no sandbox: played at the level {level} "
            "(arena doctor says what is missing)"
        )
