"""Paired blocks: their schedule, and playing them in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import msgspec
from msgspec import Struct

from arena.core.ranking import shares
from arena.core.rng import Stream
from arena.errors import BotError, UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec, numbered
from arena.players.entrant import ProgramEntrant, StoredEntrant
from arena.runtime.affinity import pins
from arena.runtime.pool import open_pool
from arena.runtime.retry import Voids, fitting_jobs, play_each
from arena.tournament.schedule import seatings
from arena.workbench.paired import PairedResult

if TYPE_CHECKING:
    from arena.players.entrant import Entrant
    from arena.runtime.pool import Pool

Versions: TypeAlias = "tuple[Entrant, Entrant]"
"""The old and the new version."""
OLD, NEW = 0, 1


class PairedBlock(Struct, frozen=True):
    """The matches of both versions against the same opponents on one seed."""

    number: int
    opponents: tuple[int, ...]
    """Numbers in the pool."""
    map: int
    """Number in the list of maps."""
    seed: str
    orders: tuple[tuple[int, ...], ...]
    """For each game, who sits where: 0 is the version, n + 1 is `opponents[n]`."""


class Pairing(Struct, frozen=True):
    """The schedule of a run. A block depends on nothing but its number and these fields."""

    seed: str
    opponents: int
    """Size of the pool."""
    seats: int = 2
    maps: int = 1

    def block(self, number: int) -> PairedBlock:
        """One block. Each round is the whole pool in an order of its own, and each opponent comes
        to each map in turn. With more than two seats, neighbours in that order play together."""
        turn, place = divmod(number, self.opponents)
        order = list(range(self.opponents))
        Stream(self.seed, f"round {turn}").shuffle(order)
        group = tuple(order[(place + i) % self.opponents] for i in range(self.seats - 1))
        return PairedBlock(
            number=number,
            opponents=group,
            map=(turn + group[0]) % self.maps,
            seed=f"{self.seed}.{number + 1}",
            orders=seatings(self.seats, turn % 2 == 1),
        )


class PairedMatches:
    """Plays paired blocks on this machine, or on a given pool, and yields them in their order.

    An open one keeps its worker processes from one call of `play` to the next.
    """

    def __init__(
        self,
        first: MatchSpec,
        maps: Sequence[Any],
        pool: Sequence[Entrant],
        *,
        jobs: int = 1,
        pin: bool | None = None,
        workers: Callable[[int], AbstractContextManager[Pool]] | None = None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`first` is as all matches are, with all bots as its entrants; its replay's name is that
        of all, numbered. `workers` opens the pool of a cluster."""
        self.first = first
        self.maps = maps or [first.map]
        self.pool = pool
        self.played = 0
        """Matches played so far."""
        self._jobs = jobs
        self._pin = pin
        self._workers = workers
        self._tell = tell
        self._voids = Voids()
        self._fitted = False
        self._open = ExitStack()
        self._pools: dict[int, Pool] = {}

    @property
    def voids(self) -> int:
        """Matches that the machine made void; they were played again."""
        return self._voids.total

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    def play(
        self, blocks: Iterable[tuple[PairedBlock, Versions]]
    ) -> Generator[PairedResult, None, None]:
        """Play the blocks, each between its versions; yield the results in the order of the blocks,
        each as soon as it and all before it are known. Raises as the iteration of `Series` does."""
        planned = list(blocks)
        shares_of: dict[int, _Shares] = {}
        seats = len(planned[0][0].orders) if planned else 0
        if not self._fitted:  # what does not fit is told once
            memory = self.first.terms.limits.memory
            self._jobs = fitting_jobs(self._jobs, seats, memory, self._tell)
            self._fitted = True
        matches = play_each(
            self._matches(planned),
            jobs=self._jobs,
            voids=self._voids,
            tell=self._tell,
            pool=self._workers or self._kept,
        )
        waiting = iter(planned)
        following = next(waiting, None)
        with closing(matches):
            for (index, version, game), report in matches:
                if isinstance(report, BotError):
                    raise report
                self.played += 1
                block = planned[index][0]
                found = shares_of.setdefault(block.number, _Shares(block))
                found.add(version, game, report)
                while following and (ready := shares_of.get(following[0].number)):
                    if not ready.is_whole:
                        break
                    yield shares_of.pop(following[0].number).result()
                    following = next(waiting, None)

    def _kept(self, jobs: int) -> AbstractContextManager[Pool]:
        """The pool for so many jobs, which stays open until this object is left."""
        if jobs not in self._pools:
            pin = pins(self._pin, jobs, self.first.terms.timing.clock)
            self._pools[jobs] = self._open.enter_context(open_pool(jobs, pin=pin))
        return nullcontext(self._pools[jobs])

    def _matches(
        self, planned: Sequence[tuple[PairedBlock, Versions]]
    ) -> Iterator[tuple[tuple[int, int, int], MatchSpec]]:
        for index, (block, versions) in enumerate(planned):
            for version, entrant in enumerate(versions):
                for game in range(len(block.orders)):
                    yield (index, version, game), self.spec(block, version, entrant, game)

    def spec(self, block: PairedBlock, version: int, entrant: Entrant, game: int) -> MatchSpec:
        """One match of a block."""
        met = [entrant, *[self.pool[opponent] for opponent in block.opponents]]
        if self._workers is not None:
            met = [stored(one) for one in met]
        games = len(block.orders)
        number = (2 * block.number + version) * games + game + 1
        keep = self.first.keep_files
        return msgspec.structs.replace(
            self.first,
            entrants=tuple(met[seat] for seat in block.orders[game]),
            seed=block.seed,
            map=self.maps[block.map],
            replay=numbered(self.first.replay, number),
            keep_files=keep and keep / f"match-{number}",
        )


def stored(entrant: Entrant) -> Entrant:
    """The entrant for a cluster, whose workers build it. Raises UsageError for one that is neither
    a file nor a folder."""
    source = Path(entrant.command)
    if not isinstance(entrant, ProgramEntrant) or not source.exists():
        raise UsageError(
            f"{entrant.name} cannot be sent to a cluster: name a file or a folder, no command"
        )
    program = entrant.program
    words = program.argv[len(program.argv) - len(program.numbers) :]
    values = tuple([float(word.partition("=")[2]) for word in words])
    return StoredEntrant(entrant.name, source, values)


class _Shares:
    """What is known of a block."""

    def __init__(self, block: PairedBlock) -> None:
        self.block = block
        self._shares: list[dict[int, float]] = [{}, {}]
        """By version: its share of the points by its seat."""
        self._stopped: Counter[str] = Counter()

    def add(self, version: int, game: int, report: MatchReport) -> None:
        """Add one match."""
        seat = self.block.orders[game].index(0)
        ranks = [player.rank for player in report.players]
        self._shares[version][seat] = shares(ranks)[seat]
        if (why := report.players[seat].stopped) is not None:
            self._stopped[f"{('old', 'new')[version]} {why}"] += 1

    @property
    def is_whole(self) -> bool:
        return all(len(known) == len(self.block.orders) for known in self._shares)

    def result(self) -> PairedResult:
        """The result of the whole block."""
        old, new = (tuple(known[seat] for seat in range(len(known))) for known in self._shares)
        stopped = dict(sorted(self._stopped.items()))
        return PairedResult(
            self.block.number, self.block.opponents, self.block.map, old, new, stopped
        )
