"""Where a match was lost: chances by round, turning points, and what another bot makes of one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Unpack

from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import Bot, Conditions
from arena.api.positions import spec_at
from arena.core.game import AnyGame
from arena.core.ranking import shares
from arena.core.registry import find_game
from arena.core.replies import Answer
from arena.core.view import GameView, find_view
from arena.errors import ReplayError, UsageError
from arena.players.player import Stopped
from arena.record.position import cut
from arena.record.reader import GivenReply, Match
from arena.runtime.retry import play_all
from arena.view.chances import (
    LEAST,
    MOST,
    ChanceModel,
    TurningPoint,
    find_model,
    look,
    match_chances,
    turning_points,
    won,
)


class RoundChances(Struct, frozen=True):
    """The chances of all seats at the end of a round."""

    round: int
    chances: list[float]


class TurningPointReport(Struct, frozen=True):
    """A turning point, with what was asked and answered, and the commands that look into it."""

    seat: int
    """The seat, from 0."""
    round: int
    """The round of the answers with which the chance began to fall."""
    last: int
    """The round in which the fall ends."""
    request: int
    """The number of its first request in `round`, from 1."""
    chances: list[float]
    """Its chance before `round` and after `last`."""
    forces: list[float]
    """The same of its share in the forces."""
    regained: int | None
    """The round after which its chance was as high again; None if it never was."""
    cost: float
    """The chance that was lost: for good or, where forces were thrown away, for a while."""
    exchanges: list[list[str | None]]
    """Each request of the round, and the answer to it; null for silence."""
    rerun: str
    cut: str


class SeatFault(Struct, frozen=True):
    """A kind of fault that a seat committed."""

    seat: int
    """The seat, from 0."""
    code: str
    count: int
    round: int
    """The round of the first."""
    detail: str
    """The first in words."""
    stopped: bool
    """Whether the program was stopped for it."""


class Analysis(Struct, frozen=True):
    """Where one match was lost."""

    replay: str
    game: str
    seed: str
    players: list[str]
    ranks: list[int] | None
    """None if the record ends before the match does."""
    end: str | None
    """How the match ended, as a sentence."""
    faults: list[SeatFault]
    """Those for which programs were stopped first."""
    matches: int
    """The number of matches that the model was fitted to; 0 without a model."""
    turning_points: list[TurningPointReport]
    """What was lost for good first, then answers that threw forces away; the costliest first."""
    rounds: list[RoundChances]
    """Empty without a model."""


class AnalysisReport(Struct, frozen=True):
    """What `arena analyse --json` prints."""

    analyses: list[Analysis]
    """By replay."""


def game_with_view(name: str) -> tuple[AnyGame, GameView[object]]:
    """A game and its view. Raises UsageError for one without."""
    game = find_game(name)
    view = find_view(game)
    if view is None:
        raise UsageError(f"{name} has no view.py, which says how its players stand: add one")
    return game, view


def analyse(
    match: Match,
    file: str,
    model: ChanceModel | None = None,
    *,
    least: float = LEAST,
    most: int = MOST,
) -> Analysis:
    """The analysis of a recorded match; `file` is how commands name its record. Without a model it
    tells of faults alone. Raises UsageError for the model of another game, ReplayError for a record
    without rounds or of other rules."""
    game, view = game_with_view(match.game)
    model = model or find_model(game)
    _check(match, file, game, model)
    points, rounds = list[TurningPoint](), list[RoundChances]()
    if model is not None:
        found = match_chances(model, view, match.frames)
        points = turning_points(match, found, least=least, most=most)
        rounds = [
            RoundChances(frame["round"], [round(one, 4) for one in row])
            for frame, row in zip(match.frames, found.chances, strict=True)
        ]
    return Analysis(
        file,
        match.game,
        match.seed,
        list(match.players),
        None if match.outcome is None else list(match.outcome.ranks),
        None if match.outcome is None else match.outcome.sentence,
        _faults(match),
        0 if model is None else model.matches,
        [_report(match, file, one) for one in points],
        rounds,
    )


def _check(match: Match, file: str, game: AnyGame, model: ChanceModel | None) -> None:
    if not match.frames:
        raise ReplayError(f"{file} ends before the first round: there is nothing to analyse")
    versions = {"the record": match.header.rules_version}
    if model is not None:
        if model.game != game.name:
            raise UsageError(f"the model is one of {model.game}, and {file} one of {game.name}")
        versions["the model"] = model.rules_version
    for what, version in versions.items():
        if version != game.rules_version:
            raise ReplayError(
                f"{file} cannot be analysed: {what} is of version {version} of the rules of "
                f"{game.name}, and version {game.rules_version} is installed"
            )


def _faults(match: Match) -> list[SeatFault]:
    """The faults of all seats, by kind."""
    kinds = dict[tuple[int, str], SeatFault]()
    for seat in range(len(match.players)):
        for one in match.faults(seat):
            known = kinds.get((seat, one.code)) or SeatFault(
                seat, one.code, 0, one.round, one.detail, one.code in set(Stopped)
            )
            kinds[seat, one.code] = replace(known, count=known.count + one.count)
    return sorted(kinds.values(), key=lambda one: (not one.stopped, one.seat, -one.count))


def _report(match: Match, file: str, one: TurningPoint) -> TurningPointReport:
    given = [reply for reply in match.replies(one.seat) if reply.round == one.round]
    where = f"{shlex.quote(file)} --player {one.seat + 1} --round {one.round}"
    return TurningPointReport(
        one.seat,
        one.round,
        one.last,
        one.request,
        [round(chance, 4) for chance in one.chances],
        [round(share, 4) for share in one.forces],
        one.regained,
        round(one.cost, 4),
        [[reply.request, _answer(reply)] for reply in given],
        f"arena rerun {where} BOT",
        f"arena cut {where} -o POS",
    )


def _answer(given: GivenReply) -> str | None:
    return given.reply.text if isinstance(given.reply, Answer) else None


# What if another bot had been there?


class WhatIf(Struct, frozen=True):
    """What `arena analyse --what-if --json` prints: what became of matches that were played on with
    another bot."""

    round: int
    """The round of the position."""
    seat: int
    """The seat of the other bot, from 0."""
    bot: str
    against: list[str]
    """The bots at the other seats."""
    games: int
    distinct: int
    """How many of them differ: matches between bots that draw no chance of their own are the same,
    and count as one."""
    won: float
    """The matches that it won; ties for the first place count in part."""
    score: float
    """The mean share of opponents that it beat, ties half."""
    chance: float | None
    """The chance of the seat there by the model; None without a model."""


def what_if(
    match: Match,
    round: int,
    bot: Bot,
    *,
    seat: int | None = None,
    against: Sequence[Bot] = (),
    games: int = 1,
    jobs: int = 1,
    model: ChanceModel | None = None,
    each: Callable[[WhatIf], None] = lambda found: None,
    **conditions: Unpack[Conditions],
) -> WhatIf:
    """Play on from the first request of a seat in `round` or later, with `bot` at that seat, by
    default the one that came in last. The other seats have the bots of `against`: one for all, or
    one each in their order; without any, the same bot.

    What is random in the game comes with the position. `each` is called with the result so far,
    after each match. Raises UsageError for a position or bots that cannot be, and what matches
    raise.
    """
    seat = _last(match) if seat is None else seat
    if not 0 <= seat < len(match.players):
        raise UsageError(
            f"there is no player{seat + 1}: the match has player1 to player{len(match.players)}"
        )
    others = len(match.players) - 1
    if len(against) not in (0, 1, others):
        raise UsageError(
            f"{others} other seats, and --against names {len(against)} bots: name one, or {others}"
        )
    rivals = list(against) * (others if len(against) == 1 else 1) or [bot] * others
    position = cut(match, round, seat)
    bots = [*rivals[:seat], bot, *rivals[seat:]]
    spec = spec_at(match.game, bots, position, conditions)
    names = [entrant.name for entrant in spec.entrants]
    found = WhatIf(
        round=position.round or 0,
        seat=seat,
        bot=names[seat],
        against=names[:seat] + names[seat + 1 :],
        games=0,
        distinct=0,
        won=0.0,
        score=0.0,
        chance=_chance_at(match, position.round or 0, seat, model),
    )
    digests = set[str | None]()
    with TemporaryDirectory(prefix="arena-what-if-") as folder:  # a record gives its digest
        specs = (replace(spec, replay=Path(folder, f"{number}.jsonl")) for number in range(games))
        for number, report in play_all(specs, jobs=jobs):
            Path(folder, f"{number}.jsonl").unlink()
            digests.add(report.digest)
            ranks = [player.rank for player in report.players]
            score = found.score * found.games + shares(ranks)[seat]
            found = replace(
                found,
                games=found.games + 1,
                distinct=len(digests),
                won=found.won + won(ranks)[seat],
                score=score / (found.games + 1),
            )
            each(found)
    return found


def _last(match: Match) -> int:
    if match.outcome is None:
        raise UsageError("the record does not tell who came in last: name a player with --player")
    ranks = match.outcome.ranks
    last = [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]
    if len(last) != 1:
        raise UsageError("no player alone came in last: name one with --player")
    return last[0]


def _chance_at(match: Match, round: int, seat: int, model: ChanceModel | None) -> float | None:
    """The chance of a seat before a round."""
    game, view = game_with_view(match.game)
    model = model or find_model(game)
    before = [frame for frame in match.frames if frame["round"] < round]
    if model is None or not before:
        return None
    return model.chances(look(view, before[-1]))[seat]
