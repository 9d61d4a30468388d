"""The command ``arena check GAME BOT``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arena.cli import completion, parameters
from arena.cli.parameters import refuse_to_overwrite, tell_missing
from arena.cli.status import BAD, DONE, print_json, tell
from arena.cli.text.layout import folded, say, styled
from arena.text import safe, safe_lines

if TYPE_CHECKING:
    from arena.trial.report import Check, CheckStep

REQUEST_WIDTH = 400
"""Maximum length of a request or an answer as shown, in characters."""


@click.command(name="check")
@click.argument("game", required=False, shell_complete=completion.games)
@click.argument("bot", nargs=-1, shell_complete=completion.bots)
@parameters.options
@click.option("-v", "--verbose", is_flag=True, help="Show the command that runs the bot.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    game: str | None, bot: tuple[str, ...], verbose: bool, as_json: bool, **options: Any
) -> int:
    """Test one bot in whole matches of GAME, from each seat, against a partner with random moves.
    If the bot does not play, the report says why, and what to do. Exit status 1 if the bot does
    not keep the protocol."""
    from arena.api.check import check
    from arena.cli.parameters import name_one_bot
    from arena.cli.text import live
    from arena.core.registry import find_game

    game, word = name_one_bot("check", game, bot)
    conditions = parameters.conditions(options)
    if click.get_current_context().get_parameter_source("sandbox") is ParameterSource.DEFAULT:
        del conditions["sandbox"]  # the check plays first without walls, then with a judge's
    found = find_game(game)
    refuse_to_overwrite(options, games=found.seats[0])
    if not as_json:
        _tell_of(word)
    shown: list[Check] = []

    def show(result: Check) -> None:
        say(_more(result, shown[-1]) if shown else _text(result, verbose))
        shown.append(result)

    with live.rounds(found, quiet=as_json) as listeners:
        result = check(
            found,
            word,
            replay=options["replay"],
            overwrite=True,  # it was refused above, unless that was asked for
            tell=(lambda text: None) if as_json else tell,
            seen=(lambda result: None) if as_json else show,
            listeners=listeners,
            **conditions,
        )
    print_json(result) if as_json else show(result)
    tell_missing("", word, result.stderr)
    return DONE if result.ok else BAD


def _tell_of(word: str) -> None:
    """Say what is checked, and whether its #! line is ignored."""
    from pathlib import Path

    from arena.bots.executables import passed_over

    tell(f"checking {word}")
    if problem := passed_over(Path(word)):
        tell(f"{word} runs by its ending, not by its #! line: {problem}")


def _text(result: Check, verbose: bool) -> str:
    lines = [_cause(result)] if result.cause else []
    if verbose and result.argv:
        lines.append(f"runs     {safe(shlex.join(result.argv))}")
    if result.cause is None or not result.cause.fails:
        lines.append(f"{_mark('ok', 'green')}  builds and starts: {safe(result.name)}")
    said = result.cause.sentence if result.cause else None
    lines += [_step(step) for step in result.steps if step.detail != said]
    if not result.ok:
        lines += [
            "",
            f"last request: {_start_of(result.last_request) or '(nothing)'}",
            f"last answer: {_start_of(result.last_answer) or '(nothing)'}",
            "its stderr:",
            *(f"  {line}" for line in safe_lines(result.stderr)[-20:] or ["(nothing)"]),
        ]
    return "\n".join(lines)


def _more(result: Check, shown: Check) -> str:
    """The steps of the check that have not been shown yet."""
    return "\n".join(map(_step, result.steps[len(shown.steps) :]))


def _start_of(line: str) -> str:
    return safe(line[:REQUEST_WIDTH]) + (" …" if len(line) > REQUEST_WIDTH else "")


def _cause(result: Check) -> str:
    """The one cause of the failure, with advice."""
    assert result.cause is not None
    mark = _mark("FAILED", "red") if result.cause.fails else _mark("warning", "yellow")
    sentence, fix = folded(safe(result.cause.sentence), 9), folded(safe(result.cause.fix), 11)
    return f"{mark}  {sentence}\n{'':7}  → {fix}"


def _step(step: CheckStep) -> str:
    if step.ok:
        mark = _mark("ok", "green")
    else:
        mark = _mark("warning", "yellow") if step.warning else _mark("FAILED", "red")
    return f"{mark}  {folded(f'{step.name}: {safe(step.detail)}', 9)}"


def _mark(word: str, colour: str) -> str:
    return styled(f"{word:7}", fg=colour)
