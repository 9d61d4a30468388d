"""The command ``arena compare GAME BASELINE CANDIDATE [--pool BOT…]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.api.compare import ComparisonReport
from arena.cli import completion, parameters
from arena.cli.parameters import (
    NUMBER,
    FilePath,
    WholeNumber,
    name_game,
    refuse_to_overwrite,
    refuse_unquoted,
    refuse_where_bots_play,
)
from arena.cli.status import BAD, DONE, fail, print_json, tell
from arena.cli.text.layout import say, styled
from arena.core.registry import find_game
from arena.errors import ArenaError, UsageError
from arena.text import counted, safe
from arena.tournament.sprt import Estimate, SprtVerdict
from arena.tournament.standings import Standing

if TYPE_CHECKING:
    from arena.api.compare import Comparison


@click.command(name="compare")
@click.argument("game", required=False, shell_complete=completion.games)
@click.argument("bots", nargs=-1, metavar="BASELINE CANDIDATE", shell_complete=completion.bots)
@parameters.options
@click.option(
    "--elo0", type=NUMBER, default=0.0, help="H0: the candidate is better by this many Elo."
)
@click.option("--elo1", type=NUMBER, default=20.0, help="H1: it is better by this many Elo.")
@click.option(
    "--alpha", type=NUMBER, default=0.05, help="How often H1 is accepted although H0 holds."
)
@click.option(
    "--beta", type=NUMBER, default=0.05, help="How often H0 is accepted although H1 holds."
)
@click.option("--normalised", is_flag=True, help="--elo0 and --elo1 are normalised Elo.")
@click.option(
    "--games",
    type=WholeNumber(2),
    help="The most matches to play; an even number.  [default: 10000; with --book, all of it]",
)
@parameters.book_option
@click.option("--jobs", type=WholeNumber(1), default=1, help="Matches at a time.")
@click.option(
    "--pin/--no-pin",
    default=None,
    help="Keep each match and its bots on one core.  [default: if --jobs is the number of cores]",
)
@parameters.pool_options
@click.option("--history", type=FilePath(), help="With --pool: add the result to this file.")
@click.option("--junit", type=FilePath(), help="With --pool: write the result as JUnit XML.")
@click.option("--gate", is_flag=True, help="Exit status 1 unless the candidate is better.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(game: str | None, bots: tuple[str, ...], **options: Any) -> int:
    """Test whether the bot CANDIDATE is better than the bot BASELINE: play mirrored pairs of
    matches until a sequential test (SPRT) decides. With --pool both meet the same opponents on the
    same seeds, instead of each other.

    \b
    arena compare warlight old.py new.py --jobs 2
    arena compare warlight old.py new.py --pool rivals/ --run today.jsonl
    """
    game = name_game("compare", game, bots)
    find_game(game)
    refuse_unquoted("compare", game, bots)
    refuse_where_bots_play(bots)
    if len(bots) != 2:
        raise UsageError(f"compare is for two bots, not {len(bots)}: name two")
    if options["pool"]:
        if options["book"] is not None:
            raise UsageError(
                "--book is for two bots that meet each other: leave out --book or --pool"
            )
        return _play_pool(game, bots, options)
    parameters.refuse_without_pool(options, "maps", "seats", "run", "history", "junit", "cluster")
    comparison = _comparison(game, bots, options)
    refuse_to_overwrite(options, games=comparison.series.games)
    return _play(comparison, options["as_json"], options["gate"])


def _comparison(game: str, bots: tuple[str, ...], options: dict[str, Any]) -> Comparison:
    from arena.api.compare import compare
    from arena.tournament.sprt import Sprt

    asked = {name: options[name] for name in ("elo0", "elo1", "alpha", "beta", "normalised")}
    return compare(
        game,
        *bots,
        test=Sprt(**asked),
        games=options["games"],
        jobs=options["jobs"],
        pin=options["pin"],
        replay=options["replay"],
        book=options["book"],
        overwrite=True,  # it was refused above, unless that was asked for
        tell=tell,
        **parameters.conditions(options),
    )


def _play_pool(game: str, bots: tuple[str, ...], options: dict[str, Any]) -> int:
    """Compare two versions against a pool, and write all that was asked for."""
    from arena.cli.text.workbench import pool_cases, pool_text, pooled
    from arena.tournament.sprt import Sprt
    from arena.workbench.history import append_to_history, entry_of, read_history
    from arena.workbench.junit import write_junit
    from arena.workbench.pool import GAMES, compare_with_pool, pool_bots

    games = options["games"] or GAMES
    refuse_to_overwrite(options, games=games)
    if options["history"] is not None:
        read_history(options["history"], may_be_absent=True)  # refuse a wrong file at once
    asked = {name: options[name] for name in ("elo0", "elo1", "alpha", "beta", "normalised")}
    stopped: KeyboardInterrupt | ArenaError | None = None
    with (
        parameters.workers(options) as workers,
        compare_with_pool(
            game,
            bots[0],
            bots[1],
            pool_bots(options["pool"]),
            test=Sprt(**asked),
            games=games,
            replay=options["replay"],
            **parameters.pool_arguments(options, workers),
            **parameters.conditions(options),
        ) as comparison,
    ):
        try:
            with pooled(comparison, options["as_json"]) as advance:
                for _ in comparison:
                    advance()
        except (KeyboardInterrupt, ArenaError) as error:
            if not comparison.played:
                raise
            stopped = error
        report = comparison.report(stopped)
        if stopped is None and options["history"] is not None:
            append_to_history(options["history"], entry_of(comparison))
    if options["junit"] is not None:
        write_junit(options["junit"], f"arena compare {game}", pool_cases(report))
    print_json(report) if options["as_json"] else say(pool_text(report))
    return fail(stopped) if stopped is not None else _status(report.verdict, options["gate"])


def _status(verdict: SprtVerdict, gate: bool) -> int:
    return BAD if gate and verdict is not SprtVerdict.BETTER else DONE


def _play(comparison: Comparison, as_json: bool, gate: bool) -> int:
    """Play a comparison and print it; if it ends early, print what is known so far."""
    from arena.cli.text.live import pairs

    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        with pairs(comparison, as_json) as advance:
            for _ in comparison:
                advance()
    except (KeyboardInterrupt, ArenaError) as error:
        if not comparison.played:
            raise
        stopped = error
    report = comparison.report(stopped)
    print_json(report) if as_json else say(compare_text(report))
    return _status(report.verdict, gate) if stopped is None else fail(stopped)


# Text for people.


def compare_text(report: ComparisonReport) -> str:
    """The verdict, why the test ended, and the evidence."""
    test, found = report.test, report.estimate
    unit = "normalised Elo" if test.normalised else "Elo"
    low, high = report.bounds
    lines = [
        f"{report.game}, seed {report.seed}, {counted(report.played, 'game')}, "
        f"{counted(found.pairs, 'pair')} judged",
        f"pairs with 0, ½, 1, 1½, 2 points for {safe(report.candidate)}: "
        + " ".join(map(str, report.pairs)),
        f"score {found.score:.1%}, {elo_text(found)}; "
        f"better at all with a probability of {found.superiority:.1%}",
        f"LLR {report.llr:.2f} ({low:.2f} to {high:.2f}; H0: {test.elo0:g}, H1: {test.elo1:g} "
        f"{unit}; alpha {test.alpha:g}, beta {test.beta:g})",
        *(line for row in report.standings for line in _faults(row)),
        f"ended because {safe(report.stopped)}",
        "",
        styled(safe(report.sentence), bold=True),
    ]
    if report.void:
        lines.insert(1, f"{report.void} × void: those matches were played again")
    return "\n".join(lines)


def elo_text(found: Estimate) -> str:
    """An estimate as text: ``+25.6 Elo (95 % interval -0.7 to +52.2)``."""
    if found.elo is None and found.low is None and found.high is None:
        return "Elo unknown"
    middle = "without bound" if found.elo is None else _signed(found.elo)
    low = "no bound" if found.low is None else _signed(found.low)
    high = "no bound" if found.high is None else _signed(found.high)
    return f"Elo {middle} (95 % interval {low} to {high})"


def _signed(elo: float) -> str:
    """A rating difference with its sign; zero is never negative."""
    return f"{round(elo, 1) + 0.0:+.1f}"


def _faults(row: Standing) -> list[str]:
    """A bot's faults, and the number of matches in which its program was stopped."""
    parts = [f"{count} × {kind}" for kind, count in row.faults.items()]
    parts += [f"stopped in {count}: {why}" for why, count in row.stopped.items()]
    return [f"faults of {safe(row.name)}: {', '.join(parts)}"] if parts else []
