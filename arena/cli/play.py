"""``arena play GAME BOT…``"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from arena.bots import find_bot
from arena.builds import behind
from arena.cli import DONE, fail, live, metering, print_json, walls
from arena.cli.text import milliseconds, safe, styled, table
from arena.clock import Clock
from arena.errors import ArenaError, MapError, UsageError
from arena.game import find_game
from arena.games.common import points_text
from arena.limits import Limits
from arena.reports import MatchReport, MatchSpec, PlayerReport
from arena.run import keeper_running, pinned, run_with
from arena.sandbox.levels import WISHES, Level
from arena.series import CONFIDENCE, Pairing, Standing, schedule, standings
from arena.settings import parse_changes
from arena.sizes import parse_size, size_text

if TYPE_CHECKING:
    from arena.referee import Spectator
    from arena.sandbox.children import Children

HELD_UP_MS = 20.0
HELD_UP_SHARE = 0.2
"""A bot was held up when so much of its time, and such a share of it, it was ready and not run."""


@click.command(name="play")
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="BOT…")
@click.option("--seed", help="All chance of the match comes from it. Drawn and printed if absent.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="A setting of the game.")
@click.option("--map", "map_file", type=click.Path(path_type=Path), help="A map file.")
@click.option("--timebank", metavar="MS", help="Thinking time to start with (and to save up to).")
@click.option("--time-per-move", metavar="MS", help="Thinking time added after each request.")
@metering.option
@click.option("--memory", metavar="SIZE", help="Limit for each bot, as in 512M.  [default: 1G]")
@click.option("--replay", type=click.Path(path_type=Path), help="Record the match (.jsonl[.gz]).")
@click.option("--games", type=click.IntRange(1), default=1, help="Play a series; seats rotate.")
@click.option("--jobs", type=click.IntRange(1), default=1, help="Matches at a time.")
@click.option("--watch", is_flag=True, help="Draw the board after each round, slowly.")
@walls.option
@click.option("--pin", is_flag=True, help="Keep each match and its bots on one core.")
@click.option(
    "--clock",
    type=click.Choice([clock.value for clock in Clock]),
    default=Clock.WALL.value,
    help="What time banks are charged with: real time, or the bot's CPU time.  [default: wall]",
)
@click.option("--no-pondering", is_flag=True, help="Freeze each bot while it is not asked.")
@click.option("--sequential", is_flag=True, help="Ask one bot after the other, never two at once.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(game: str, bots: tuple[str, ...], games: int, jobs: int, **options: Any) -> int:
    """Play a match of GAME between bots: source files, executables, folders with a bot.toml, or
    quoted commands.

    \b
    arena play warlight my_bot.py "java -jar other.jar" --seed 7
    arena play warlight my_bot.py other.js --games 100 --jobs 2
    """
    if options["watch"] and games > 1:
        raise UsageError("--watch shows one match: leave out --games")
    specs = _specs(game, bots, games, options)
    if games == 1:
        match_report = _play_one(specs[0][1], options)
        _tell_level(match_report, options)
        if options["as_json"]:
            print_json(match_report)
        else:
            click.echo(match_text(match_report))
        return DONE
    return _play_series(specs, jobs, options)


def _specs(
    name: str, words: tuple[str, ...], games: int, options: dict[str, Any]
) -> list[tuple[Pairing, MatchSpec]]:
    """All matches that the command line asks for, checked; bots are built here."""
    game = find_game(name)
    game.check_seats(len(words), on_map=options["map_file"] is not None)
    settings = metering.settings_for(game, _changes(options), options["meter"])
    map_data = _read_map(options["map_file"])
    limits = Limits(memory=parse_size(options["memory"])) if options["memory"] else Limits()
    wish = WISHES[options["sandbox"]]
    bots = [find_bot(word, run=behind(wish)) for word in words]
    metering.require_countable(options["meter"], bots)
    seed = options["seed"] or new_seed()
    return [
        (
            pairing,
            MatchSpec(
                game=name,
                bots=tuple(bots[i] for i in pairing.order),
                seed=pairing.seed,
                settings=settings,
                map=map_data,
                limits=limits,
                sandbox=wish,
                replay=_replay_path(options["replay"], number, games),
                sequential=options["sequential"],
                clock=Clock(options["clock"]),
                pondering=not options["no_pondering"],
            ),
        )
        for number, pairing in enumerate(schedule(seed, len(bots), games), 1)
    ]


def new_seed() -> str:
    """A seed that nobody chose, short enough to be typed again."""
    return str(int.from_bytes(os.urandom(8), "big") % 10**9)


def _changes(options: dict[str, Any]) -> dict[str, str]:
    """Settings from ``--set KEY=VALUE``, ``--timebank`` and ``--time-per-move``."""
    changes = parse_changes(options["changes"])
    for key in ("timebank", "time_per_move"):
        if options[key] is not None:
            changes[key] = options[key]
    return changes


def _read_map(path: Path | None) -> Any:
    if path is None:
        return None
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise MapError(f"cannot read the map {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise MapError(f"the map {path} is not JSON: {error}") from None


def _replay_path(path: Path | None, number: int, games: int) -> Path | None:
    """The replay of game `number`: ``r.jsonl``, in a series ``r-1.jsonl``, ``r-2.jsonl`` …"""
    if path is None or games == 1:
        return path
    stem, dot, endings = path.name.partition(".")
    return path.with_name(f"{stem}-{number}{dot}{endings}")


def _play_one(spec: MatchSpec, options: dict[str, Any]) -> MatchReport:
    async def play(children: Children, spectator: Spectator | None = None) -> MatchReport:
        from arena.match import play_match  # with Trio, while the keeper starts

        return await play_match(spec, children, spectator)

    game = find_game(spec.game)
    screen = live.board(game) if options["watch"] else live.rounds(game, options["as_json"])
    with (
        pinned(0 if options["pin"] else None),
        keeper_running(spec.sandbox) as keeper,
        screen as spectator,
    ):
        return run_with(keeper, lambda children: play(children, spectator))


def _tell_level(match_report: MatchReport, options: dict[str, Any]) -> None:
    """Whoever left the choice to us hears when there was no sandbox to choose."""
    level = match_report.sandbox
    if options["sandbox"] == "auto" and level in (Level.GUARD, Level.OFF):
        _tell(
            f"this machine has no sandbox: played at the level {level} "
            "(arena doctor says what is missing)"
        )


def _play_series(specs: list[tuple[Pairing, MatchSpec]], jobs: int, options: dict[str, Any]) -> int:
    """Play and print a series. When something ends it early, what was played is printed."""
    from arena.workers import Voids, play_all  # a single match needs no worker processes

    jobs = _fitting(min(jobs, len(specs)), len(specs[0][1].bots))
    voids = Voids()
    reports: dict[int, MatchReport] = {}
    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        with live.games(len(specs), options["as_json"]) as advance:
            matches = [spec for _, spec in specs]
            for index, match_report in play_all(
                matches, jobs=jobs, pin=options["pin"], voids=voids, tell=_tell
            ):
                reports[index] = match_report
                advance()
    except (KeyboardInterrupt, ArenaError) as error:
        if not reports:
            raise
        stopped = error
    _tell_level(next(iter(reports.values())), options)
    played = [(specs[i][0], reports[i]) for i in sorted(reports)]
    if options["as_json"]:
        print_json(_series_document(specs, played, voids.total, stopped))
    else:
        click.echo(series_text(specs, played, voids.total))
    return DONE if stopped is None else fail(stopped)


def _tell(text: str) -> None:
    """A word to whoever runs the matches."""
    click.echo(f"arena: {text}", err=True)


def _fitting(jobs: int, seats: int) -> int:
    """As many matches at a time as there is room for; fewer than wanted are told."""
    if jobs == 1:
        return jobs
    from arena.room import jobs_that_fit

    fitting, why = jobs_that_fit(jobs, seats)
    if fitting < jobs:
        _tell(f"playing {fitting} at a time instead of {jobs}: {why}")
    return fitting


def _series_document(
    specs: list[tuple[Pairing, MatchSpec]],
    played: list[tuple[Pairing, MatchReport]],
    void: int,
    stopped: BaseException | None,
) -> dict[str, Any]:
    return {
        "matches": [match_report for _, match_report in played],
        "summary": {
            "games": len(specs),
            "played": len(played),
            "void": void,
            "stopped": None if stopped is None else str(stopped) or "interrupted",
            "confidence": CONFIDENCE,
            "standings": _standings(specs, played),
        },
    }


def _standings(
    specs: list[tuple[Pairing, MatchSpec]], played: list[tuple[Pairing, MatchReport]]
) -> list[Standing]:
    results = [
        (pairing, [p.rank for p in report.players], [p.points for p in report.players])
        for pairing, report in played
    ]
    return standings(series_names(specs[0][1]), results)


def series_names(first: MatchSpec) -> list[str]:
    """The bots' names, told apart by a number where two are the same."""
    names = [bot.name for bot in first.bots]
    return [
        name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]


# -- text ------------------------------------------------------------------------------------


def match_text(match_report: MatchReport) -> str:
    """The end of a match for people: who won, why, what it cost, what went wrong."""
    counts = ["instructions", "dearest"] if match_report.players[0].instructions else []
    head = ["", "bot", "rank", "points", "time", "slowest", "cpu", "memory", *counts, "fate"]
    rows = [_row(player) for player in match_report.players]
    lines = [
        styled(match_report.sentence, bold=True),
        f"{match_report.game}, seed {match_report.seed}, {match_report.rounds} rounds, "
        f"{match_report.requests} requests in {milliseconds(match_report.wall_ms)}"
        f"{_walls(match_report)}",
        "",
        table(head, rows, left=2),
        *_held_up(match_report),
        *_faults(match_report.players),
    ]
    if match_report.replay:
        lines += ["", f"replay: {match_report.replay} (arena verify {match_report.replay})"]
    return "\n".join(lines)


def _walls(match_report: MatchReport) -> str:
    """Which walls stood, where somebody wished for them."""
    level = match_report.sandbox
    return "" if level is Level.OFF else f", sandbox: {level}"


def _row(player: PlayerReport) -> list[str]:
    return [
        f"player{player.seat + 1}",
        safe(player.name),
        str(player.rank),
        points_text(player.points),
        milliseconds(player.time_ms.total),
        milliseconds(player.time_ms.max),
        milliseconds(player.cpu_ms),
        size_text(player.peak_memory) if player.peak_memory else "-",
        *_counts(player),
        player.fate.value + (f", {player.stopped}" if player.stopped else ""),
    ]


def _held_up(match_report: MatchReport) -> list[str]:
    """Who lost time that was the machine's, where it is worth a word."""
    lines = []
    for player in match_report.players:
        delay, wall = player.delay_ms, player.wall_ms
        if delay and wall and delay.total > max(HELD_UP_MS, wall.total * HELD_UP_SHARE):
            lines.append(
                f"  player{player.seat + 1} {safe(player.name)}: ready but not run for "
                f"{milliseconds(delay.total)} of its {milliseconds(wall.total)} "
                f"(at most {milliseconds(delay.max)} in one request)"
            )
    return ["", "held up by a busy machine:", *lines] if lines else []


def _counts(player: PlayerReport) -> list[str]:
    """Instructions of the match, and of the dearest answer."""
    counts = player.instructions
    return [f"{counts.total:,}", f"{counts.max:,}"] if counts else []


def _faults(players: list[PlayerReport]) -> list[str]:
    """Every kind of fault with its count and first example; the last words of who was stopped."""
    lines: list[str] = []
    for player in players:
        who = f"player{player.seat + 1} {safe(player.name)}"
        for code, count in sorted(player.faults.items()):
            first = player.first_faults[code]
            lines.append(
                f"  {who}: {count} × {code}, first in round {first.round}: {safe(first.detail)}"
            )
        if player.left_behind:
            lines.append(f"  {who} could not be ended, and may still run: look at the machine")
        if player.stopped:
            lines.append(f"  {who} last asked: {safe(player.last_request[:200])}")
            lines.append(
                f"  {who} last answered request {player.last_answered} of {player.requests}"
                f": {safe(player.last_answer[:200]) or '(nothing)'}"
            )
            lines += _stderr(player)[-10:]
    return ["", "faults:", *lines] if lines else []


def _stderr(player: PlayerReport) -> list[str]:
    return [
        f"    stderr, request {turn.request}: {line}"
        for turn in player.stderr
        for line in safe(turn.text).splitlines()
    ]


def series_text(
    specs: list[tuple[Pairing, MatchSpec]],
    played: list[tuple[Pairing, MatchReport]],
    void: int = 0,
) -> str:
    """The table of a series for people. `void` matches were played again."""
    head = ("bot", "games", "wins", "draws", "losses", "points", "score", "95 % interval")
    body = [
        [
            safe(row.name),
            str(row.games),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            points_text(row.points),
            f"{row.score:.1%}",
            f"{row.low:.1%} to {row.high:.1%}",
        ]
        for row in _standings(specs, played)
    ]
    first = specs[0][1]
    lines = [f"{first.game}, seed {first.seed}, {len(played)} of {len(specs)} games"]
    if void:
        lines.append(f"{void} × void: the machine held the arena up; those were played again")
    lines.append("")
    lines += [table(head, body), *_series_faults([report for _, report in played])]
    return "\n".join(lines)


def _series_faults(reports: list[MatchReport]) -> list[str]:
    """Faults by bot and kind over all games, with where to see the first."""
    counts: dict[tuple[str, str], int] = {}
    example: dict[tuple[str, str], str] = {}
    for match_report in reports:
        for player in match_report.players:
            for code, count in player.faults.items():
                key = (safe(player.name), code)
                counts[key] = counts.get(key, 0) + count
                first = player.first_faults[code]
                example.setdefault(
                    key,
                    f"first with seed {match_report.seed} as player{player.seat + 1}, "
                    f"round {first.round}: {safe(first.detail)}",
                )
    lines = [f"  {name}: {n} × {code}, {example[name, code]}" for (name, code), n in counts.items()]
    return ["", "faults:", *sorted(lines)] if lines else []
