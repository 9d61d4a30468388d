"""The command ``arena suite FILE BOT``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion
from arena.cli.parameters import (
    JOBS,
    FilePath,
    changes,
    pass_env_option,
    refuse_where_bots_play,
    sandbox_option,
)
from arena.cli.status import BAD, DONE, fail, print_json
from arena.cli.text.layout import say, styled
from arena.core.clock import Clock
from arena.errors import ArenaError, UsageError
from arena.text import counted, safe

if TYPE_CHECKING:
    from pathlib import Path

    from arena.api.suite import Suite, SuiteItem, SuiteReport


@click.command(name="suite")
@click.argument("file", type=FilePath())
@click.argument("bot", required=False, shell_complete=completion.bots)
@click.option(
    "--against",
    metavar="BOT",
    help="Who plays the other seats where a score is expected.  [default: the bot itself]",
    shell_complete=completion.bots,
)
@click.option("--jobs", type=JOBS, default=1, help="Positions at a time.")
@click.option("--timebank", metavar="MS", help="Time for each answer.  [default: the position's]")
@click.option("--time-per-move", metavar="MS", help="Time added in matches that are played on.")
@click.option("--memory", metavar="SIZE", help="Limit for each bot, as in 512M.  [default: 1G]")
@sandbox_option("off")
@pass_env_option
@click.option(
    "--clock",
    type=click.Choice([clock.value for clock in Clock]),
    help="What answers are timed with.  [default: fair, where the system can measure it]",
)
@click.option("--junit", type=FilePath(), help="Write the results as JUnit's XML, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    file: Path,
    bot: str | None,
    against: str | None,
    jobs: int,
    junit: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Test BOT on the positions of FILE, each of which says what to expect (arena cut --one-of,
    --none-of, --no-fault, --min-score). Exit status 1 when one is not as expected.

    \b
    arena suite suite.jsonl my_bot.py --jobs 2
    arena suite suite.jsonl my_bot.py --junit results.xml
    """
    if bot is None:
        raise UsageError(f"name a bot: arena suite {file} my_bot.py")
    refuse_where_bots_play([bot, *([against] if against else [])])
    from arena.api.conditions import Conditions
    from arena.api.suite import suite

    times = {key: options[key] for key in ("timebank", "time_per_move")}
    conditions = Conditions(settings=changes((), **times), sandbox=options["sandbox"])
    conditions["pass_env"] = options["pass_env"]
    for key in ("memory", "clock"):
        if options[key] is not None:
            conditions[key] = options[key]
    from arena.cli.status import tell

    return _run(
        suite(file, bot, against=against, jobs=jobs, tell=tell, **conditions),
        file.name,
        junit,
        as_json=as_json,
    )


def _run(tested: Suite, name: str, junit: Path | None, *, as_json: bool) -> int:
    """Test, and print what is known, also when it ends early."""
    stopped: KeyboardInterrupt | ArenaError | None = None
    told = set[int]()

    def tell_of(item: SuiteItem) -> None:
        told.add(item.number)
        if not as_json and not item.ok:
            say(_failure(item))

    try:
        tested.run(tell_of)
    except (KeyboardInterrupt, ArenaError) as error:
        if not tested.items:
            raise
        stopped = error
    report = tested.report(stopped)
    for item in report.items:  # those after one that has not ended
        if item.number not in told:
            tell_of(item)
    if junit is not None:
        _write_junit(junit, name, report)
    print_json(report) if as_json else say(_summary(report))
    if stopped is not None:
        return fail(stopped)
    return BAD if report.failed else DONE


def _failure(item: SuiteItem) -> str:
    """A position that was not as expected."""
    head = styled(f"{_name(item)}: ", fg="red")
    return "\n".join([head + safe(item.problems[0]), *(f"  {safe(o)}" for o in item.problems[1:])])


def _name(item: SuiteItem) -> str:
    """The name of a position: ``3, round 34, player1 (endgame)``."""
    tags = f" ({', '.join(map(safe, item.tags))})" if item.tags else ""
    where = "" if item.round is None else f", round {item.round}"
    return f"{item.number}{where}, player{item.seat + 1}{tags}"


def _summary(report: SuiteReport) -> str:
    tried = "" if not report.stopped else f", {report.positions - len(report.items)} not tried"
    slowest = max((item.wall_ms or 0.0 for item in report.items), default=0.0)
    said = f", slowest answer {slowest:.0f} ms" if slowest else ""
    of = f"{report.passed} of {counted(report.positions, 'position')} as expected"
    return f"{safe(report.bot)}: {of}, {report.failed} not{tried}{said}"


def _write_junit(path: Path, name: str, report: SuiteReport) -> None:
    from arena.workbench.junit import JunitCase, write_junit

    cases = [
        JunitCase(
            _name(item), failure="; ".join(item.problems), seconds=(item.wall_ms or 0.0) / 1000
        )
        for item in report.items
    ]
    write_junit(path, name, cases)
