"""Many matches at once, in processes that play some of them each.

For PettingZoo's interfaces, which have no vectors of their own. Those of Gymnasium take `SeatEnv`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaFault, UsageError
from arena.sandbox.keeper.bots import signal_name
from arena.train.aec import AECMatch
from arena.train.episode import checked_seed
from arena.train.parallel import ParallelMatch

AnyMatch: TypeAlias = AECMatch | ParallelMatch
LEAVE_TIME = 5.0
"""Seconds that processes have to leave by themselves."""


class ManyTurns(NamedTuple):
    """Where the matches are, one after the other in each field."""

    asked: NDArray[Any]
    """The seat that is asked, of an `AECMatch`; of a `ParallelMatch`, for each seat whether it
    is."""
    observations: Any
    """What the asked seat observes, or else each seat: stacked arrays by name, without the mask;
    texts as a list."""
    masks: NDArray[np.int8] | None
    """The masks of actions; None where actions are text."""
    rewards: NDArray[np.float64]
    """For each seat what the last action has brought."""
    terminations: NDArray[np.bool_]
    """Whether that action has ended the match by its rules. The other fields show the next match
    then, which has begun."""
    truncations: NDArray[np.bool_]
    """Whether that action has ended the match in another way, which is as above."""


class MatchVector:
    """Matches that are played at once in several processes::

        with MatchVector(partial(AECMatch, "toroid"), matches=16, jobs=2) as vector:
            turns = vector.reset(seed=7)
            while training:
                turns = vector.step(policy(turns.observations, turns.masks))

    Match `i` begins with the seed `seed + i`. One that has ended goes on to the next of its seeds.
    What is played does not depend on the number of processes.

    A process that ends raises ArenaFault, which names its matches. So does whatever `make` or an
    environment raises, as itself. Either closes all.
    """

    def __init__(
        self, make: Callable[[], AnyMatch], matches: int, *, jobs: int | None = None
    ) -> None:
        """`make` makes an environment in another process, so it must be picklable, as a
        `functools.partial` of a class is; and a script needs its ``if __name__ == "__main__":``.
        `jobs` is the number of processes: as many as cores if it is absent. Raises UsageError."""
        if jobs is None:
            jobs = os.cpu_count() or 1
        if not all(isinstance(one, int | np.integer) and one > 0 for one in (matches, jobs)):
            raise UsageError(f"matches={matches!r}, jobs={jobs!r}: give whole numbers from 1")
        _check_sendable(make)
        jobs = min(matches, jobs)
        self.matches = matches
        self._busy = threading.Lock()
        ends = [matches * job // jobs for job in range(jobs + 1)]
        self._hands: list[_Hand] = []
        try:
            for first, end in pairwise(ends):
                self._hands.append(_Hand(make, range(first, end)))
            self._call([("make", None)] * jobs)
        except BaseException:
            self.close()
            raise

    def reset(self, seed: int | None = None) -> ManyTurns:
        """Begin all matches anew. Without a seed they are those of a seed that is drawn."""
        drawn = int.from_bytes(os.urandom(4)) if seed is None else checked_seed(seed)
        return self._turns([("reset", [drawn + i for i in one.numbers]) for one in self._hands])

    def step(self, actions: Sequence[Any] | NDArray[Any]) -> ManyTurns:
        """One action in each match: a number or a text of an `AECMatch`, one for each seat of a
        `ParallelMatch`. Raises UsageError for a wrong number of actions, before any is taken."""
        if not hasattr(actions, "__len__"):
            raise UsageError(f"the actions {actions!r:.80} are no list: give one for each match")
        if len(actions) != self.matches:
            raise UsageError(
                f"{len(actions)} actions for {self.matches} matches: give one for each"
            )
        return self._turns(
            [("step", actions[one.numbers.start : one.numbers.stop]) for one in self._hands]
        )

    def _turns(self, orders: list[tuple[str, Any]]) -> ManyTurns:
        parts = self._call(orders)
        return ManyTurns(*map(_joined, zip(*parts, strict=True)))

    def _call(self, orders: list[tuple[str, Any]]) -> list[Any]:
        """Give an order to each process, and wait for all. Raises what one of them raises."""
        if not self._hands:
            raise UsageError("the vector is closed: make another")
        if not self._busy.acquire(blocking=False):
            raise UsageError("another thread is in a step or reset of this vector: wait for it")
        try:
            for hand, order in zip(self._hands, orders, strict=True):
                hand.send(order)
            return [hand.receive() for hand in self._hands]
        except BaseException:
            self.close()
            raise
        finally:
            self._busy.release()

    def close(self) -> None:
        """End all processes. One that does not leave by itself is killed."""
        hands, self._hands = self._hands, []
        for hand in hands:
            hand.pipe.close()
        until = time.monotonic() + LEAVE_TIME
        for hand in hands:
            hand.process.join(max(0.0, until - time.monotonic()))
            if hand.process.is_alive():
                hand.process.kill()
                hand.process.join()

    def __enter__(self) -> MatchVector:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Hand:
    """A process, as its maker sees it."""

    def __init__(self, make: Callable[[], AnyMatch], numbers: range) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy threads of libraries
        self.numbers = numbers
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(theirs, make, len(numbers)), daemon=True, name="arena-matches"
        )
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:  # Ctrl-C is for the maker, who closes the pipe
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()

    def send(self, order: tuple[str, Any]) -> None:
        try:
            self.pipe.send(order)
        except OSError:
            raise self._ended() from None

    def receive(self) -> Any:
        try:
            error, found = self.pipe.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        if error is not None:
            raise error
        return found

    def _ended(self) -> ArenaFault:
        self.process.join(LEAVE_TIME)
        code = self.process.exitcode
        how = "ended" if code is None else f"was ended by {signal_name(-code)}" if code < 0 else ""
        first, last = self.numbers[0], self.numbers[-1]
        which = f"match {first}" if first == last else f"the matches {first} to {last}"
        return ArenaFault(
            f"the process {self.process.pid}, which played {which}, "
            f"{how or f'exited with status {code}'}: make the vector again"
        )


def _check_sendable(make: Any) -> None:
    """Raise UsageError for what cannot make an environment in another process."""
    if not callable(make):
        raise UsageError(f"make={make!r:.80} is not allowed: give a function without arguments")
    try:
        ForkingPickler.dumps(make)
    except Exception as error:
        raise UsageError(
            f"make cannot be sent to another process ({error}): give a functools.partial of a "
            "class, or a function of a module"
        ) from None


def _joined(parts: tuple[Any, ...]) -> Any:
    """One field of all processes."""
    first = parts[0]
    if first is None:
        return None
    if isinstance(first, dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in first}
    if isinstance(first, list):
        return [one for part in parts for one in part]
    return np.concatenate(parts)


# -- in the other process --------------------------------------------------------------------


def _serve(pipe: Connection, make: Callable[[], AnyMatch], count: int) -> None:
    """Take orders until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    matches: list[_Match] = []
    with suppress(EOFError, OSError):
        while True:
            name, given = pipe.recv()
            try:
                found = None
                if name == "make":
                    matches = [_Match(make()) for _ in range(count)]
                else:
                    does = _Match.reset if name == "reset" else _Match.step
                    found = _stacked([does(*pair) for pair in zip(matches, given, strict=True)])
            except Exception as error:
                pipe.send((_sendable(error), None))
            else:
                pipe.send((None, found))


def _sendable(error: Exception) -> Exception:
    """The error, or one with its words if it cannot be pickled and read back."""
    try:
        ForkingPickler.loads(ForkingPickler.dumps(error))
    except Exception:
        return ArenaFault(f"{type(error).__name__}: {error}")
    return error


def _stacked(rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The fields of several matches, each joined."""
    asked, seen, masks, *numbers = zip(*rows, strict=True)
    return (
        np.array(asked),
        _stack(list(seen)),
        None if masks[0] is None else np.stack(masks),
        *map(np.array, numbers),
    )


def _stack(seen: list[Any]) -> Any:
    if isinstance(seen[0], dict):
        return {name: np.stack([one[name] for one in seen]) for name in seen[0]}
    return seen


class _Match:
    """One environment. It begins the next match when one has ended."""

    def __init__(self, env: AnyMatch) -> None:
        if not isinstance(env, AECMatch | ParallelMatch):
            raise UsageError(
                f"{type(env).__name__} is no AECMatch and no ParallelMatch: make one of these, or "
                "use the vectors of Gymnasium for SeatEnv"
            )
        self._env = env
        self._seats = env.possible_agents
        self._nothing = [0.0] * len(self._seats), False, False

    def reset(self, seed: int | None) -> tuple[Any, ...]:
        """The first turn of a match."""
        return (*self._begin(seed), *self._nothing)

    def _begin(self, seed: int | None) -> tuple[Any, ...]:
        if isinstance(self._env, ParallelMatch):
            return self._all_see(*self._env.reset(seed))
        self._env.reset(seed)
        return self._one_sees(self._env)

    def step(self, action: Any) -> tuple[Any, ...]:
        """The turn after an action, which may be that of the next match."""
        env, seats = self._env, self._seats
        if isinstance(env, ParallelMatch):
            if len(action) != len(seats):
                raise UsageError(f"{len(action)} actions for {len(seats)} seats: give one for each")
            seen, rewards, ends, cuts, infos = env.step(dict(zip(seats, action, strict=True)))
            now = self._all_see(seen, infos) if env.agents else self._begin(None)
        else:
            env.step(action)
            rewards, ends, cuts = env.rewards, env.terminations, env.truncations
            is_over = ends[seats[0]] or cuts[seats[0]]
            now = self._begin(None) if is_over else self._one_sees(env)
        return (*now, [rewards[seat] for seat in seats], ends[seats[0]], cuts[seats[0]])

    def _one_sees(self, env: AECMatch) -> tuple[Any, ...]:
        agent = env.agent_selection
        seen, mask = env.observe(agent), env.infos[agent].get("action_mask")
        return self._seats.index(agent), _without_mask(seen), mask

    def _all_see(self, seen: dict[str, Any], infos: dict[str, Any]) -> tuple[Any, ...]:
        asked = [infos[seat]["asked"] for seat in self._seats]
        masks = [infos[seat].get("action_mask") for seat in self._seats]
        all_seen = _stack([_without_mask(seen[seat]) for seat in self._seats])
        return asked, all_seen, None if masks[0] is None else np.stack(masks)


def _without_mask(seen: Any) -> Any:
    if isinstance(seen, dict):
        return {name: part for name, part in seen.items() if name != "action_mask"}
    return seen
