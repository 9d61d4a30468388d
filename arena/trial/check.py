"""The input test of a bot: whole matches against a random legal partner, once from each seat, and
their findings, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from arena.core.clock import to_ms
from arena.core.listener import Listener
from arena.errors import MachineError
from arena.match.play import level_for, not_drawn, terms_of
from arena.match.report import PROTOCOL
from arena.match.seat import Seat
from arena.match.spec import MatchSpec
from arena.sandbox.children import Children
from arena.sandbox.session import one_error
from arena.trial.diagnosis import Cause, diagnose, pass_hint
from arena.trial.match import Examination, Trial
from arena.trial.report import Check, CheckStep, Use

ATTEMPTS = 3
"""How many times a match is tried if the machine makes it void."""


async def check(
    spec: MatchSpec,
    children: Children | None = None,
    *,
    tell: Callable[[str], None] = lambda text: None,
    listeners: Iterable[Listener] = (),
    places: Sequence[int] | None = None,
) -> Check:
    """Test the first entrant of a match: it plays from each seat, against partners in all others. A
    program needs `children`. The test ends with the first missing answer.

    `tell` receives progress messages. With `places` the bot plays only from those seats. Raises
    BotError when the bot cannot be started, UsageError when its walls are not available.
    """
    entrant = spec.entrants[0]
    level = await level_for([entrant], spec.terms.sandbox, children)
    terms = terms_of(spec, level)
    examination = Examination(
        spec=spec, terms=terms, children=children, tell=tell, listeners=tuple(listeners)
    )
    trials: list[Trial] = []
    for place in places or range(len(spec.entrants)):
        trials.append(await _try_from(place, examination))
        if not trials[-1].is_whole:
            break
    found = [cause for trial in trials if (cause := diagnose(trial.evidence)) is not None]
    cause = min(found, key=lambda one: not one.fails, default=None)
    steps = _steps(trials, cause)
    telling = next((one.seat for one in trials if one.seat.tally.faults), trials[-1].seat)
    return Check(
        name=entrant.name,
        ok=(cause is None or not cause.fails) and all(step.ok or step.warning for step in steps),
        cause=cause,
        steps=steps,
        sandbox=level,
        last_request=telling.last_request,
        last_answer=telling.last_answer,
        stderr=telling.player.stderr.text(),
        use=_use([trial.seat for trial in trials], spec),
    )


async def _try_from(place: int, examination: Examination) -> Trial:
    """Play the match from that seat, again if the machine makes it void."""
    for _ in range(ATTEMPTS - 1):
        with suppress(MachineError), one_error():
            return await examination.try_from(place)
        examination.tell("the machine held the arena up: trying again")
    return await examination.try_from(place)


def _steps(trials: list[Trial], cause: Cause | None) -> list[CheckStep]:
    """All findings. If the bot does not play, one failure and the warnings: the rest was not
    checked or follows from it."""
    steps = _seen(trials)
    if cause is None or not cause.fails:
        return steps
    warnings = [step for step in steps if step.warning and not step.ok]
    return [CheckStep("plays", False, cause.sentence), *warnings]


def _seen(trials: list[Trial]) -> list[CheckStep]:
    seats = [trial.seat for trial in trials]
    rounds = " and ".join(str(trial.rounds) for trial in trials)
    answers, asked = sum(seat.answers for seat in seats), sum(s.tally.requests for s in seats)
    if not trials[-1].is_whole:
        asked = max(asked, answers + 1)
    protocol, rules = _faults(seats, protocol=True), _faults(seats, protocol=False)
    stopped = [seat.player.stopped_detail for seat in seats if seat.player.stopped]
    whole = f"matches of {rounds} rounds" if trials[-1].is_whole else "ended early by the check"
    lives = "; ".join(stopped) or whole
    return [
        CheckStep(
            "answers requests",
            answers == asked,
            f"{answers} of {asked}, the slowest after {_most(seats)}",
        ),
        CheckStep("lives to the end", not stopped, lives),
        CheckStep("keeps the protocol", not protocol, "; ".join(protocol) or "no fault"),
        CheckStep("gives legal orders", not rules, "; ".join(rules) or "no fault", warning=True),
        CheckStep("exits at the end of its input", *_leaves(seats), warning=True),
        *_drawings(trials),
    ]


def _drawings(trials: list[Trial]) -> list[CheckStep]:
    """A warning if some of the bot's drawings in the replay cannot be shown."""
    for trial in trials:
        if notes := not_drawn(trial.seat.totals().drawn, trial.rounds):
            return [CheckStep("draws", False, "; ".join(notes), warning=True)]
    return []


def _use(seats: list[Seat], spec: MatchSpec) -> Use:
    cpu = [seat.player.cpu_ms for seat in seats if seat.player.cpu_ms is not None]
    memory = [seat.player.peak_memory for seat in seats if seat.player.peak_memory is not None]
    return Use(
        slowest_ms=to_ms(max(seat.tally.charged.most for seat in seats)),
        bank_ms=spec.settings.timebank,
        cpu_ms=max(cpu, default=None),
        memory=max(memory, default=None),
        memory_limit=spec.terms.limits.memory,
        start_up_ms=_start_up(seats),
        start_up_limit_ms=spec.terms.timing.start_up,
    )


def _start_up(seats: list[Seat]) -> float | None:
    """The longest time that the bot took of its start-up time."""
    found = [seat.player.start_up_ms for seat in seats if seat.player.start_up_ms is not None]
    return max(found, default=None)


def _most(seats: list[Seat]) -> str:
    """The slowest answer, and the start if it has its own time."""
    counts = [seat.tally.instructions for seat in seats]
    most = max((count.most for count in counts if count is not None), default=0)
    if most:
        return f"{most} instructions"
    start = _start_up(seats)
    started = "" if start is None else f", after a start of {start:.1f} ms"
    return f"{to_ms(max(seat.tally.charged.most for seat in seats)):.1f} ms{started}"


def _faults(seats: list[Seat], *, protocol: bool) -> list[str]:
    """Faults of one class over all matches: count, code, first example."""
    return [
        f"as player{seat.index + 1} {fault.count} × {code}, first in round {fault.round}: "
        f"{'; '.join(filter(None, [fault.detail, pass_hint(fault.detail)]))}"
        for seat in seats
        for code, fault in seat.tally.faults.items()
        if (code in PROTOCOL) == protocol
    ]


def _leaves(seats: list[Seat]) -> tuple[bool, str]:
    for seat in seats:
        ending = seat.player.ending
        if ending is not None and ending.by_arena and seat.player.stopped is None:
            return False, "still running after 100 ms, and was ended: exit when the input ends"
    return True, "by itself"
