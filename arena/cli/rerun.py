"""The command ``arena rerun REPLAY --player N BOT``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.api.rerun import RerunReport, rerun, seat_transcript
from arena.bots.find import find_bot
from arena.cli import completion
from arena.cli import parameters as sandbox_option
from arena.cli.completion import REPLAY
from arena.cli.parameters import PLAYER, FilePath, WholeNumber, require_replays
from arena.cli.status import DONE, print_json, tell
from arena.cli.text.layout import say, styled
from arena.cli.text.terminal import at_terminal, has_keyboard
from arena.errors import UsageError
from arena.record.reader import MAX_RECORD_SIZE, Match
from arena.text import counted, milliseconds, safe, safe_lines

if TYPE_CHECKING:
    from arena.match.report import Rerun, RerunEnd
    from arena.record.reader import Exchange

REQUEST_WIDTH = 400
"""Maximum length of a request or an answer as shown, in characters."""


@click.command(name="rerun")
@click.argument("replay", type=FilePath(), shell_complete=completion.replays)
@click.argument("bot", required=False, shell_complete=completion.bots)
@click.option(
    "--player", "--seat", "player", type=PLAYER, help="The player whose input to use.  [required]"
)
@click.option(
    "--round",
    "first",
    type=WholeNumber(0),
    default=0,
    help="Compare from this round on; the bot gets the earlier input too.  [default: the start]",
)
@click.option("--timed", is_flag=True, help="Use the time banks of the match instead of no limit.")
@click.option("--debug", is_flag=True, help="Let breakpoint() in Python talk to this terminal.")
@click.option("--dump", is_flag=True, help="Print the input instead of running a bot.")
@sandbox_option.sandbox_option("off")
@sandbox_option.pass_env_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    replay: Path,
    bot: str | None,
    player: int | None,
    first: int,
    timed: bool,
    debug: bool,
    dump: bool,
    sandbox: str,
    pass_env: tuple[str, ...],
    as_json: bool,
) -> int:
    """Replay the input of one recorded player to a bot, and compare its answers with the recorded
    ones. There is no time limit, so you can use a debugger. The report has the first answer that
    differs and the slowest one; with --json, all answers and their times.

    \b
    arena rerun lost.jsonl.gz --player 1 my_bot.py --round 34
    arena rerun lost.jsonl.gz --player 1 my_bot.py --debug
    arena rerun lost.jsonl.gz --player 1 --dump > input.txt
    """
    if bot is not None and bot.endswith(REPLAY) and not str(replay).endswith(REPLAY):
        words = f"arena rerun {bot} --player {player or 'N'} {replay}"
        raise UsageError(f"name the replay first, then the bot: {words}")
    require_replays([replay])
    if dump and (bot is not None or timed or as_json or debug or first):
        raise UsageError(
            "--dump prints all lines and runs no bot: leave out BOT, --round, --timed, --debug and "
            "--json"
        )
    if debug:
        _refuse_to_debug(timed=timed, walls=sandbox != "off")
    match = Match.read(replay, largest=MAX_RECORD_SIZE)
    if player is None:
        raise UsageError(f"say whose input the bot gets: {_players(match)}")
    if dump:
        found = seat_transcript(match, player - 1)
        say("\n".join(found.dump()))  # plain text, unless a stranger made the record
        return DONE
    if bot is None:
        raise UsageError("name a bot to run, or add --dump to print only the input")
    shown = _Progress(quiet=as_json, timed=timed, waits=not debug)
    try:
        report = rerun(
            match,
            player - 1,
            at_terminal(find_bot(bot, pass_env=pass_env)) if debug else bot,
            round=first,
            sandbox=sandbox,
            pass_env=pass_env,
            clock=timed,
            each=shown.answered,
            asking=shown.asking,
            waiting=shown.waiting,
        )
    except KeyboardInterrupt:
        shown.interrupted()
        raise
    if as_json:
        print_json(report)
    else:
        say(_text(report, replay, match))
    return DONE


def _players(match: Match) -> str:
    """The valid values of ``--player``."""
    return ", ".join(
        f"--player {number} for {name}" for number, name in enumerate(match.players, 1)
    )


def _refuse_to_debug(*, timed: bool, walls: bool) -> None:
    if timed:
        raise UsageError("--debug has no time limit: leave out --timed")
    if walls:
        raise UsageError("a debugger cannot reach a bot behind walls: leave out --sandbox")
    if not has_keyboard():
        raise UsageError("--debug needs a terminal to talk to: run it in one, without a pipe")


class _Progress:
    """Reports the first difference as soon as it is known, and the request being waited for."""

    def __init__(self, *, quiet: bool, timed: bool, waits: bool) -> None:
        self._quiet = quiet
        self._waits = waits
        """Whether to show the pending request; not with a debugger, where the author types."""
        self._time = "its time bank" if timed else "no time limit; --timed gives it a time bank"
        self._waiting: Exchange | None = None
        self._told = quiet

    def asking(self, exchange: Exchange) -> None:
        self._waiting = exchange

    def answered(self, answer: Rerun) -> None:
        self._waiting = None
        if not answer.same and not self._told:
            self._told = True
            say(_difference(answer))

    def waiting(self, exchange: Exchange) -> None:
        given = exchange.given
        if self._waits and not self._quiet:
            tell(
                f"no answer yet to {given.request[:REQUEST_WIDTH]!r} of round {given.round}: "
                f"the bot has {self._time} (Ctrl-C ends it)"
            )

    def interrupted(self) -> None:
        if self._waiting is not None and not self._quiet:
            given = self._waiting.given
            tell(
                f"the bot had not answered {given.request[:REQUEST_WIDTH]!r} of round {given.round}"
            )


def _difference(answer: Rerun) -> str:
    return "\n".join(
        [
            f"round {answer.round}, request {answer.request}: {_line(answer.asked)}",
            f"  recorded  {styled(_line(answer.recorded), fg='green')}",
            f"  now       {styled(_line(answer.answered), fg='yellow')}",
            *(f"  {code}: {_line(detail)}" for code, detail in answer.faults.items()),
        ]
    )


def _text(report: RerunReport, replay: Path, match: Match) -> str:
    asked = [*report.earlier, *report.answers]
    since = f" from round {report.round} on" if report.round else ""
    lines = [
        f"{safe(report.name)} as player{report.seat + 1} of {safe(str(replay))} ({report.game}, "
        f"seed {safe(report.seed)}){since}: {_compared(report.answers, report.round)}",
        *_slowest_line(report.answers),
        *_earlier_line(report),
        *_end_lines(report.end, asked[-1]),
        *_chance_line(report, match),
    ]
    return "\n".join(lines)


def _compared(answers: Sequence[Rerun], first: int) -> str:
    if not answers:
        return f"no answer to compare: the bot ended before round {first}"
    different = sum(not one.same for one in answers)
    verdict = "as recorded" if not different else f"{different} not as recorded"
    return f"{counted(len(answers), 'answer')}, {verdict}"


def _slowest_line(answers: Sequence[Rerun]) -> list[str]:
    if not answers:
        return []
    slowest = max(answers, key=lambda one: one.wall_ms)
    recorded = milliseconds(max(one.recorded_ms for one in answers))
    took = milliseconds(slowest.wall_ms)
    return [f"slowest answer {took} in round {slowest.round}, in the record {recorded}"]


def _earlier_line(report: RerunReport) -> list[str]:
    """A line for a bot whose answers differed before the first round."""
    different = [one for one in report.earlier if not one.same]
    if not different:
        return []
    return [
        f"before round {report.round} it got {counted(len(report.earlier), 'request')} and "
        f"answered {len(different)} not as recorded, the first in round {different[0].round}, so "
        "it may remember another match"
    ]


def _chance_line(report: RerunReport, match: Match) -> list[str]:
    """A line for the recorded bot itself, if it answers differently."""
    is_same = all(one.same for one in (*report.earlier, *report.answers))
    if is_same or report.name != match.players[report.seat]:
        return []
    return ["a bot that draws random numbers answers differently each time, unless it sets a seed"]


def _end_lines(end: RerunEnd, last: Rerun) -> list[str]:
    if end.stopped is None:
        return []
    stderr = safe_lines(end.stderr)[-20:]
    return [
        styled(f"{end.stopped} in round {last.round}, request {last.request}: ", fg="red")
        + safe(end.stopped_detail),
        "its stderr:",
        *(f"  {line}" for line in stderr or ["(nothing)"]),
    ]


def _line(text: str) -> str:
    return safe(text[:REQUEST_WIDTH].replace("\n", "\\n")) or "(a blank line)"
