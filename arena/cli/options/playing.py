"""The options that say under which conditions a match is played, shared by ``play`` and
``check``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.options import keep, metering, replay, sandbox, settings
from arena.cli.options.files import FilePath
from arena.core.clock import Clock

if TYPE_CHECKING:
    from arena.api.conditions import Conditions

F = TypeVar("F", bound=Callable[..., Any])

_GAME = (
    click.option("--seed", help="Decides all chance in the match."),
    settings.option,
    click.option(
        "--map",
        "map_file",
        type=FilePath(),
        help="A map file, where the game has them.",
    ),
    click.option(
        "--timebank", metavar="MS", help="Thinking time to start with (and to save up to)."
    ),
    click.option("--time-per-move", metavar="MS", help="Thinking time added after each request."),
    metering.option,
    click.option("--memory", metavar="SIZE", help="Limit for each bot, as in 512M.  [default: 1G]"),
)
"""What is played."""
_FILES = (
    click.option("--replay", type=FilePath(), help="Record the match (.jsonl[.gz])."),
    replay.overwrite("--replay"),
    keep.option,
)
_TIMES = (
    click.option(
        "--clock",
        type=click.Choice([clock.value for clock in Clock]),
        help="What time banks are charged with: real time (wall), real time less that in which the "
        "bot was ready to run and the machine ran something else (fair), or the bot's CPU time "
        "(cpu).  "
        "[default: fair, where the system can measure it]",
    ),
    click.option("--no-pondering", is_flag=True, help="Freeze each bot while it is not asked."),
    click.option(
        "--sequential", is_flag=True, help="Ask one bot after the other, never two at once."
    ),
)
"""How bots are timed."""


def options(command: F) -> F:
    """Add all of them to a command, in this order."""
    verdicts = _start_up(0), _forfeit(False)
    return _added(command, (*_GAME, *_FILES, sandbox.option("off"), *_TIMES, *verdicts))


def terms(command: F) -> F:
    """Those under which a league is played."""
    verdicts = _start_up(10_000), _forfeit(True)
    return _added(command, (*_GAME, sandbox.option("strict"), *_TIMES, *verdicts))


def _start_up(default: int) -> Callable[[F], F]:
    return click.option(
        "--start-up",
        metavar="MS",
        type=int,
        default=default,
        help="Time from the start of a bot to its first answer that its bank is not charged.  "
        f"[default: {default}]",
    )


def _forfeit(default: bool) -> Callable[[F], F]:
    return click.option(
        "--forfeit/--no-forfeit",
        default=default,
        help="Rank a bot that was stopped below all that were not, and end the match when one is "
        f"left.  [default: {'yes' if default else 'no'}]",
    )


def _added(command: F, options: Sequence[Callable[[F], F]]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def conditions(given: Mapping[str, Any]) -> Conditions:
    """The conditions that the options ask for. Raises SettingError."""
    from arena.api.conditions import Conditions

    times = {key: given[key] for key in ("timebank", "time_per_move")}
    asked = Conditions(
        settings=settings.changes(given["changes"], **times),
        map=given["map_file"],
        sandbox=given["sandbox"],
        meter=given["meter"],
        pondering=not given["no_pondering"],
        sequential=given["sequential"],
        start_up=given["start_up"],
        forfeit=given["forfeit"],
        keep_files=given.get("keep_files"),
    )
    for key in ("seed", "memory", "clock"):
        if given[key] is not None:
            asked[key] = given[key]
    return asked
