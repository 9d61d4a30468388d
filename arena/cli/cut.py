"""The command ``arena cut REPLAY --round R``."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import click

from arena.cli import completion
from arena.cli.parameters import (
    NUMBER,
    PLAYER,
    FilePath,
    WholeNumber,
    refuse_to_replace,
    require_replays,
)
from arena.cli.status import DONE, tell
from arena.cli.text.layout import say
from arena.core.replies import Answer
from arena.errors import UsageError
from arena.record.output import unwritable, write_whole
from arena.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from arena.record.position import Expectation, Position
    from arena.record.reader import Match

SHOWN = 200
"""Characters of a request or an answer that are shown."""


@click.command(name="cut")
@click.argument("replay", type=FilePath(), shell_complete=completion.replays)
@click.option("--round", type=WholeNumber(0), help="The first request of this round or later.")
@click.option("--player", "--seat", "player", type=PLAYER, help="The first to that player.")
@click.option(
    "--request",
    type=WholeNumber(1),
    help="In place of a round: that player's request of this number.",
)
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="Keep a word with the position.")
@click.option("--one-of", multiple=True, metavar="ANSWER", help="Expect one of these answers.")
@click.option("--none-of", multiple=True, metavar="ANSWER", help="Expect none of these answers.")
@click.option("--no-fault", is_flag=True, help="Expect an answer in time, by protocol and rules.")
@click.option("--min-score", type=NUMBER, help="Expect this score, 0 to 1, in matches played on.")
@click.option("--games", type=WholeNumber(1, 10_000), help="How many of them.  [default: 1]")
@click.option("-o", "--output", type=FilePath(), help="The file to write.  [default: stdout]")
@click.option("--append", is_flag=True, help="Add a line to the file.")
@click.option("--overwrite", is_flag=True, help="Let -o replace a file that is there.")
def command(
    replay: Path,
    round: int | None,
    player: int | None,
    request: int | None,
    output: Path | None,
    append: bool,
    overwrite: bool,
    **options: object,
) -> int:
    """Cut a position out of a recorded match: one line of JSON, from which it can be played on
    (arena play --from), or which says what to expect of a bot (arena suite).

    \b
    arena cut lost.jsonl.gz --round 34 -o lost.pos
    arena cut lost.jsonl.gz --round 34 --player 1 --none-of "No moves" -o suite.jsonl --append
    """
    require_replays([replay])
    _refuse(round, player, request, output, append=append, overwrite=overwrite)
    from arena.record.position import cut, position_line
    from arena.record.reader import MAX_RECORD_SIZE, Match

    expect = _expectation(options)
    if expect is not None and player is None:
        raise UsageError("say which player the expectation is for: add --player")
    match = Match.read(replay, largest=MAX_RECORD_SIZE)
    if player is not None:
        from arena.api.rerun import seat_transcript

        seat_transcript(match, player - 1, round or 0)
    position = cut(
        match,
        round or 0,
        None if player is None else player - 1,
        request=request,
        tags=tuple(map(str, options["tags"])),  # type: ignore[call-overload]  # texts, by click
        expect=expect,
    )
    _write(position_line(position), output, append=append)
    tell(_told(match, position, round, request))
    return DONE


def _refuse(
    round: int | None,
    player: int | None,
    request: int | None,
    output: Path | None,
    *,
    append: bool,
    overwrite: bool,
) -> None:
    """Raise UsageError for options that do not go together."""
    if (round is None) == (request is None):
        raise UsageError("say where to cut: give --round, or --player and --request")
    if request is not None and player is None:
        raise UsageError("requests are numbered for each player: add --player")
    if output is None and (append or overwrite):
        raise UsageError("--append and --overwrite are for a file: add -o FILE")
    if append and overwrite:
        raise UsageError("--append keeps what is there, --overwrite does not: choose one")
    if output is not None and not (append or overwrite):
        refuse_to_replace("file", output, "-o")


def _expectation(options: dict[str, object]) -> Expectation | None:
    """What the options say to expect, if anything. Raises UsageError."""
    from arena.record.position import Expectation

    score, games = options["min_score"], options["games"]
    if games is not None and score is None:
        raise UsageError("--games is how many matches make the score: add --min-score")
    if isinstance(score, float) and not 0 <= score <= 1:
        raise UsageError(f"--min-score {score:g} is not allowed: give 0 to 1")
    found = Expectation(
        one_of=options["one_of"],  # type: ignore[arg-type]  # by click
        none_of=options["none_of"],  # type: ignore[arg-type]
        no_fault=bool(options["no_fault"]),
        min_score=score,  # type: ignore[arg-type]
        games=games or 1,  # type: ignore[arg-type]
    )
    return None if found == Expectation() else found


def _write(line: bytes, output: Path | None, *, append: bool) -> None:
    """Write the line, whole or not at all. Raises UsageError when the file cannot be made."""
    if output is None:
        say(line.decode().rstrip("\n"))
        return
    if not append:
        write_whole(output, line)
        return
    try:
        with output.open("ab", buffering=0) as file:
            end = file.tell()
            if file.write(line) != len(line):
                file.truncate(end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        raise unwritable(output, error) from None


def _told(match: Match, position: Position, round: int | None, request: int | None) -> str:
    """Where the position is, and what its player was asked and answered there."""
    later = "" if round in (None, position.round) else f", the next after round {round}"
    begun = (
        f"cut at round {position.round}{later}, after {counted(len(position.answers), 'answer')}"
    )
    if position.seat is None:
        return begun
    replies = match.replies(position.seat)
    given = replies[request - 1] if request else next(o for o in replies if o.round >= (round or 0))
    asked = f"player{position.seat + 1} was asked {_short(given.request)}"
    if isinstance(given.reply, Answer):
        return f"{begun}: {asked} and answered {_short(given.reply.text)}"
    return f"{begun}: {asked} and gave no answer in time"


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
