"""Reruns one bot against a recorded match, from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.api.conditions import Bot, check_passed, find_entrant, sandbox_mode
from arena.api.inside import refuse_inside_trio
from arena.core.registry import find_game
from arena.core.settings import parse
from arena.errors import UsageError
from arena.match.play import level_for
from arena.match.report import Rerun, RerunEnd
from arena.players.entrant import Entrant
from arena.players.terms import PlayerTerms, Timing
from arena.record.reader import MAX_RECORD_SIZE, Match, Transcript, transcript
from arena.sandbox.environment import hash_seeds, passed
from arena.sandbox.levels import SandboxWish
from arena.sandbox.session import keeper_running, run_with

if TYPE_CHECKING:
    from arena.record.reader import Exchange
    from arena.sandbox.children import Children


class RerunReport(Struct, frozen=True):
    """The result of a rerun, as `arena rerun --json` prints it."""

    game: str
    seed: str
    seat: int
    """The seat, from 0."""
    name: str
    """The name of the bot that was run."""
    round: int
    """The first round that was compared."""
    earlier: list[Rerun]
    """Its answers in the rounds before."""
    answers: list[Rerun]
    """Its answers from that round on; empty when it ended before."""
    end: RerunEnd

    @property
    def first_difference(self) -> Rerun | None:
        """The first answer that differs from the recorded one; None if all are the same."""
        return next((one for one in self.answers if not one.same), None)


def seat_transcript(match: Match, seat: int, first: int = 0) -> Transcript:
    """The transcript of a seat (from 0) of the match. Raises UsageError for an invalid seat, and
    when the seat has no request from round `first` on."""
    if not 0 <= seat < len(match.players):
        raise UsageError(
            f"there is no player{seat + 1}: the match has player1 to player{len(match.players)}"
        )
    found = transcript(match, seat)
    rounds = [exchange.given.round for exchange in found.exchanges]
    if not rounds:
        raise UsageError(f"player{seat + 1} got no request in this match: name another player")
    if rounds[-1] < first:
        raise UsageError(
            f"player{seat + 1} was last asked in round {rounds[-1]}: name that round or an earlier "
            "one"
        )
    return found


def rerun(
    match: Match | str | Path,
    seat: int,
    bot: Bot,
    *,
    round: int = 0,
    sandbox: str | SandboxWish = "off",
    pass_env: Sequence[str] = (),
    clock: bool = False,
    each: Callable[[Rerun], None] = lambda answer: None,
    asking: Callable[[Exchange], None] = lambda exchange: None,
    waiting: Callable[[Exchange], None] = lambda exchange: None,
) -> RerunReport:
    """Tell a bot what a seat (from 0) of a recorded match was told, and compare its answers with
    the recorded ones::

        report = arena.rerun("lost.jsonl.gz", 0, "my_bot.py", round=34)
        print(report.first_difference)

    The answers from `round` on are compared. The bot is asked the earlier requests too, as one
    that remembers answers by all that it was asked. It may take all its time, unless `clock` gives
    it the time banks of the record. `each` is called with each answer from `round` on, `asking`
    before each request, `waiting` when there is no answer to it after 3 s.

    Raises ReplayError and UsageError for the record, BotError for a bot that cannot be built or
    started.
    """
    refuse_inside_trio("rerun", "match.rerun.rerun")
    match = match if isinstance(match, Match) else Match.read(match, largest=MAX_RECORD_SIZE)
    found = seat_transcript(match, seat, round)
    mode = sandbox_mode(sandbox)
    entrant = find_entrant(bot, mode, pass_env := check_passed(pass_env))
    run = partial(
        _run,
        match,
        found,
        entrant,
        mode,
        pass_env,
        first=round,
        clock=clock,
        each=each,
        asking=asking,
        waiting=waiting,
    )
    with keeper_running(mode) as keeper:
        end, earlier, answers = run_with(keeper, run)
    return RerunReport(
        game=match.game,
        seed=match.seed,
        seat=seat,
        name=entrant.name,
        round=round,
        earlier=earlier,
        answers=answers,
        end=end,
    )


async def _run(
    match: Match,
    found: Transcript,
    entrant: Entrant,
    mode: SandboxWish,
    pass_env: Sequence[str],
    children: Children,
    *,
    first: int,
    clock: bool,
    each: Callable[[Rerun], None],
    asking: Callable[[Exchange], None],
    waiting: Callable[[Exchange], None],
) -> tuple[RerunEnd, list[Rerun], list[Rerun]]:
    """How it ended; its answers before round `first`, and from then on."""
    from arena.match.rerun import rerun  # with Trio, while the keeper starts

    earlier: list[Rerun] = []
    answers: list[Rerun] = []

    def keep(answer: Rerun) -> None:
        answers.append(answer)
        each(answer)

    level = await level_for([entrant], mode, children)
    game = find_game(match.game)
    budget = game.budget(parse(game.settings, dict(match.settings)))
    terms = PlayerTerms(
        timing=Timing(match.clock),
        level=level,
        budget=budget,
        environment=(*hash_seeds(match.seed), *passed(pass_env)),
    )
    end = await rerun(
        found,
        entrant,
        terms,
        children,
        first=first,
        clock=clock,
        each=keep,
        earlier=earlier.append,
        asking=asking,
        waiting=waiting,
    )
    return end, earlier, answers
