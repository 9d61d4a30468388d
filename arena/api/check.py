"""The input test of a bot, from Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from msgspec.structs import replace

from arena.api.conditions import (
    Bot,
    Conditions,
    check_passed,
    find_entrant,
    game_of,
    make_spec,
    sandbox_mode,
)
from arena.api.inside import children_running, refuse_inside_trio
from arena.api.play import record_path
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.errors import BotError, UsageError
from arena.match.spec import MatchSpec
from arena.players.entrant import ProgramEntrant
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running, one_error, run_with
from arena.trial.report import Check, CheckStep

if TYPE_CHECKING:
    from arena.sandbox.children import Children

WALLED_WITHIN = 60.0
"""Seconds that the test behind walls may take."""
SEED = "check"
"""What chance comes from unless the caller gives a seed: the same test each time."""


def check(
    game: str | AnyGame,
    bot: Bot,
    *,
    replay: str | Path | None = None,
    overwrite: bool = False,
    tell: Callable[[str], None] = lambda text: None,
    seen: Callable[[Check], None] = lambda result: None,
    listeners: Sequence[Listener] = (),
    **conditions: Unpack[Conditions],
) -> Check:
    """Test one bot: whole matches from each seat of the smallest table, against partners that make
    random legal moves::

        result = arena.check("warlight", "my_bot.py")
        print(result.cause)
        for step in result.steps:
            print(step.name, step.ok, step.detail)

    Without a `sandbox`, a program that passes without walls is tested again behind the walls that a
    judge would use (``sandbox="auto"``); before that, `seen` is called with the result so far.
    `replay` names the records, numbered by seat; see `arena.play` for `overwrite`. `tell` is called
    with the progress. Raises as `arena.play` does. Inside Trio use `check_async`.
    """
    refuse_inside_trio("check", "check_async")
    path = record_path(replay, overwrite=overwrite, games=game_of(game).seats[0])
    spec = _spec(game, bot, conditions, path)
    _tell_choice(spec, tell)
    run = partial(_check, tell=tell, listeners=listeners)
    has_judge = "sandbox" not in conditions and spec.entrants[0].is_program
    with keeper_running(SandboxMode.AUTO if has_judge else spec.terms.sandbox) as keeper:
        result = run_with(keeper, partial(run, spec))
        if not result.ok or not has_judge:
            return result
        seen(result)
        tell("testing behind walls (--sandbox auto)")
        try:
            alone: Conditions = {**conditions, "sandbox": "auto", "keep_files": None}
            judged = _spec(game, bot, alone, None)
            walled = run_with(keeper, partial(_within, partial(run, judged, places=[0])))
        except (BotError, UsageError) as error:
            return _with_judge(result, error)
    return _with_judge(result, walled)


async def check_async(
    game: str | AnyGame,
    bot: Bot,
    *,
    replay: str | Path | None = None,
    overwrite: bool = False,
    tell: Callable[[str], None] = lambda text: None,
    listeners: Sequence[Listener] = (),
    **conditions: Unpack[Conditions],
) -> Check:
    """Like `check`, inside Trio, but only behind the walls of the conditions."""
    import trio

    path = record_path(replay, overwrite=overwrite, games=game_of(game).seats[0])
    spec = await trio.to_thread.run_sync(partial(_spec, game, bot, conditions, path))
    _tell_choice(spec, tell)
    with one_error():
        async with children_running(spec.terms.sandbox) as children:
            return await _check(spec, children, tell=tell, listeners=listeners)


def _spec(game: str | AnyGame, bot: Bot, conditions: Conditions, replay: Path | None) -> MatchSpec:
    """A match of the bot with itself; the check replaces its opponents."""
    found = game_of(game)
    mode = sandbox_mode(conditions.get("sandbox", "off"))
    entrant = find_entrant(bot, mode, check_passed(conditions.get("pass_env", ())))
    spec = make_spec(found, [entrant] * found.seats[0], {"seed": SEED, **conditions})
    return replace(spec, replay=replay)


def _tell_choice(spec: MatchSpec, tell: Callable[[str], None]) -> None:
    """Say which of several sources is tested."""
    first = spec.entrants[0]
    if isinstance(first, ProgramEntrant) and first.program.choice:
        tell(f"it plays {first.program.choice}")


async def _check(
    spec: MatchSpec,
    children: Children,
    *,
    tell: Callable[[str], None],
    listeners: Sequence[Listener],
    places: Sequence[int] | None = None,
) -> Check:
    from arena.trial import check as checks  # with Trio, while the keeper starts

    result = await checks.check(spec, children, tell=tell, listeners=listeners, places=places)
    first = spec.entrants[0]
    argv = list(first.program.words) if isinstance(first, ProgramEntrant) else []
    return replace(result, argv=argv)


async def _within(run: Callable[[Children], Awaitable[Check]], children: Children) -> Check | None:
    """The result of `run`; None if that takes too long."""
    import trio

    with trio.move_on_after(WALLED_WITHIN):
        return await run(children)
    return None


def _with_judge(result: Check, walled: Check | BotError | UsageError | None) -> Check:
    return replace(result, steps=[*result.steps, _judge_step(walled)])


def _judge_step(walled: Check | BotError | UsageError | None) -> CheckStep:
    """The result of the same test behind walls, as one step."""
    name = "plays behind walls"
    if walled is None:
        slow = f"not known after {WALLED_WITHIN:.0f} s: arena check --sandbox auto waits longer"
        return CheckStep(name, False, slow, warning=True)
    if isinstance(walled, Exception):
        return CheckStep(name, False, str(walled).partition("\n")[0], warning=True)
    if walled.sandbox is Level.OFF:
        return CheckStep(name, True, "not tried: this machine has no walls (see arena doctor)")
    if walled.ok:
        return CheckStep(name, True, f"the same at the level {walled.sandbox}")
    failed = next((one for one in walled.steps if not one.ok and not one.warning), None)
    why = walled.cause.sentence if walled.cause else failed.detail if failed else ""
    return CheckStep(name, False, f"not at the level {walled.sandbox}: {why}", warning=True)
