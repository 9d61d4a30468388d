"""Compares two versions of a bot against a pool of opponents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import msgspec
from msgspec import Struct

from arena.api.compare import of_living, sentence_of, why_ended
from arena.api.conditions import Bot, Conditions, game_of, make_spec, read_map, seats_of
from arena.bots.address import content_address
from arena.core.game import AnyGame
from arena.errors import BotError, UsageError
from arena.match.spec import MatchSpec
from arena.text import distinct
from arena.tournament.ratings import z_of_all
from arena.tournament.results import often_stopped
from arena.tournament.sprt import FLOOR, Sprt, SprtVerdict
from arena.workbench.blocks import PairedMatches, Pairing
from arena.workbench.journal import Journal
from arena.workbench.paired import PairedResult, PairedTally, VersionDifference, faults, moved

if TYPE_CHECKING:
    from arena.players.entrant import Entrant
    from arena.runtime.pool import Pool

GAMES = 20_000
"""Default number of matches after which a comparison ends undecided."""
CHANGED = 10
"""Blocks that a report lists as changed most."""


class PoolPart(Struct, frozen=True):
    """The difference against one opponent, at one seat or on one map."""

    name: str
    found: VersionDifference
    changed: str
    """``better`` or ``worse`` where that is sure, all rows of this kind together; else empty."""


class ChangedBlock(Struct, frozen=True):
    """A block in which the versions differ."""

    seed: str
    opponents: list[str]
    old: tuple[float, ...]
    new: tuple[float, ...]


class PoolReport(Struct, frozen=True):
    """What `arena compare --pool --json` prints."""

    game: str
    seed: str
    old: str
    new: str
    pool: list[str]
    verdict: SprtVerdict
    sentence: str
    """The same for people."""
    stopped: str
    """Why it ended."""
    test: Sprt
    llr: float
    bounds: list[float]
    blocks: int
    """Paired blocks that were judged: both versions on one seed, from all seats."""
    games: int
    """Their matches."""
    found: VersionDifference
    opponents: list[PoolPart]
    seats: list[PoolPart]
    maps: list[PoolPart]
    """Empty unless several maps are played."""
    changed: list[ChangedBlock]
    """The blocks with the largest differences, first those that the new version lost."""
    faults: dict[str, int]
    """Matches in which a version was stopped, by version and reason."""
    void: int
    """Matches that the machine made void; they were played again."""


class PoolComparison:
    """Paired blocks against a pool, played during iteration, until it is known whether the new
    version is better::

        with arena.workbench.pool.compare_with_pool("warlight", "old", "new", ["a", "b"]) as found:
            for result in found:
                print(found.llr)
            print(found.report().sentence)
    """

    def __init__(
        self,
        matches: PairedMatches,
        pairing: Pairing,
        versions: tuple[Entrant, Entrant],
        *,
        test: Sprt,
        blocks: int,
        journal: Journal,
        maps: Sequence[str] = (),
        known: Sequence[PairedResult] = (),
        names: Sequence[str] = (),
    ) -> None:
        """`blocks` is their maximum; `known` are results of an earlier part of the run; `names` are
        those of the versions, if they have other ones than the bots."""
        self.matches = matches
        self.pairing = pairing
        self.versions = versions
        self.test = test
        self.blocks = blocks
        self.journal = journal
        self.tally = PairedTally()
        self.verdict = SprtVerdict.UNDECIDED
        given = names or [entrant.name for entrant in versions]
        self.names = distinct([*given, *[entrant.name for entrant in matches.pool]])
        """The old version, the new one, and the pool."""
        self._maps = maps
        for result in known:
            self._judge(result)

    def __enter__(self) -> PoolComparison:
        return self

    def __exit__(self, *error: Any) -> None:
        self.journal.__exit__(*error)
        self.matches.__exit__(*error)

    @property
    def games(self) -> int:
        """The maximum number of matches."""
        return self.blocks * self.games_of_a_block

    @property
    def games_of_a_block(self) -> int:
        """Both versions at each seat."""
        return 2 * self.pairing.seats

    @property
    def played(self) -> int:
        """Matches of the blocks judged so far, in this part of the run and before."""
        return len(self.tally) * self.games_of_a_block

    @property
    def llr(self) -> float:
        """The logarithm of how much likelier the results are under H1 than under H0."""
        return self.tally.llr(self.test)

    def __iter__(self) -> Iterator[PairedResult]:
        """Play; yield each result. Raises as the iteration of `Series` does."""
        return self._play()

    def _play(self) -> Generator[PairedResult, None, None]:
        """In waves, since void matches are played again at the end of each wave."""
        size = FLOOR
        while self._is_open:
            wave = range(len(self.tally), min(len(self.tally) + size, self.blocks))
            plan = ((self.pairing.block(number), self.versions) for number in wave)
            size = 2 * size
            with closing(self.matches.play(plan)) as results:
                for result in results:
                    self.journal.append(result)
                    self._judge(result)
                    yield result
                    if not self._is_open:
                        break
            self.journal.sync()

    @property
    def _is_open(self) -> bool:
        return self.verdict is SprtVerdict.UNDECIDED and len(self.tally) < self.blocks

    def _judge(self, result: PairedResult) -> None:
        if self.verdict is SprtVerdict.UNDECIDED:
            self.tally.add(result)
            if len(self.tally) % self.pairing.opponents == 0:
                self.verdict = self.tally.verdict(self.test)

    @property
    def conclusion(self) -> SprtVerdict:
        """The verdict; a version that was stopped in most of its matches is not better."""
        return of_living(self.verdict, self._stops(self.tally, "new"))

    def _stops(self, tally: PairedTally, version: str) -> str:
        counts = faults(tally.results)
        own = {why.split(" ", 1)[1]: n for why, n in counts.items() if why.startswith(version)}
        return often_stopped(own, len(tally) * self.pairing.seats)

    def report(self, stopped: BaseException | None = None) -> PoolReport:
        """The report so far; `stopped` is the exception that ended the run early."""
        old, new, *pool = self.names
        seats = range(self.pairing.seats)
        by_map = self.tally.parts(lambda result: result.map) if len(self._maps) > 1 else {}
        return PoolReport(
            game=self.matches.first.game,
            seed=self.pairing.seed,
            old=old,
            new=new,
            pool=pool,
            verdict=self.conclusion,
            sentence=sentence_of(
                *(self.verdict, old, new, self.test),
                *(self._stops(self.tally, version) for version in ("old", "new")),
            ),
            stopped=why_ended(self.verdict, self.llr, self.test, self.games, stopped),
            test=self.test,
            llr=self.llr,
            bounds=list(self.test.bounds),
            blocks=len(self.tally),
            games=self.played,
            found=self.tally.estimate(),
            opponents=self._parts(pool, self.tally.against(len(pool))),
            seats=self._parts(
                [f"player{seat + 1}" for seat in seats], [self.tally.at_seat(i) for i in seats]
            ),
            maps=self._parts([self._maps[number] for number in by_map], list(by_map.values())),
            changed=[self._changed(result) for result in moved(self.tally.results, CHANGED)],
            faults=dict(faults(self.tally.results)),
            void=self.matches.voids,
        )

    def _parts(self, names: Sequence[str], tallies: Sequence[PairedTally]) -> list[PoolPart]:
        """Of a version that was stopped in most matches of a part, it is not said that it is
        better there."""
        together = z_of_all(len(names))
        parts = []
        for name, tally in zip(names, tallies, strict=True):
            sure = tally.estimate(together)
            is_better = sure.low > 0 and not self._stops(tally, "new")
            changed = "worse" if sure.high < 0 else "better" if is_better else ""
            parts.append(PoolPart(name, tally.estimate(), changed))
        return parts

    def _changed(self, result: PairedResult) -> ChangedBlock:
        seed = self.pairing.block(result.block).seed
        met = [self.names[2 + opponent] for opponent in result.opponents]
        return ChangedBlock(seed, met, result.old, result.new)


def compare_with_pool(
    game: str | AnyGame,
    old: Bot,
    new: Bot,
    pool: Sequence[Bot],
    *,
    test: Sprt = Sprt(),  # noqa: B008  # a frozen value
    games: int = GAMES,
    seats: int | None = None,
    maps: Sequence[str | Path] = (),
    jobs: int = 1,
    pin: bool | None = None,
    replay: str | Path | None = None,
    run: str | Path | None = None,
    workers: Callable[[int], AbstractContextManager[Pool]] | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> PoolComparison:
    """Both versions against the same opponents on the same seeds and seats, until `test` decides
    whether the new one is better, at most `games` matches. Nothing is played before iteration.

    `run` is the file of the run, which goes on if the file is there. `maps` are played in turns.
    `seats` is the number of bots in a match (the fewest that the game is for, if absent). All else
    is as in `series`. Raises UsageError and BotError.
    """
    if test.normalised:
        raise UsageError("a test against a pool is in Elo: leave out --normalised")
    journal = Journal(None if run is None else Path(run))
    try:
        conditions = with_seed_of(journal, conditions)
        field = make_field(game, [old, new], pool, seats, maps, conditions, replay)
        pairing = field.pairing
        blocks = games // (2 * pairing.seats)
        if not isinstance(games, int) or blocks < 1:
            raise UsageError(
                f"games={games!r} is not allowed: give at least {2 * pairing.seats}, the matches "
                "of both versions from each seat"
            )
        head = field.head("compare", ["old", "new"])
        journal.begin(head | {"test": msgspec.to_builtins(test)})
        known = msgspec.convert(journal.lines, list[PairedResult])
        if [result.block for result in known] != list(range(len(known))):
            raise UsageError(f"{run} does not have the blocks in their order: begin a new file")
    except BaseException as error:
        journal.__exit__()
        if isinstance(error, msgspec.ValidationError):
            said = f"{run} is not the file of a comparison ({error}): name another file"
            raise UsageError(said) from None
        raise
    matches = PairedMatches(
        field.first, field.maps, field.pool, jobs=jobs, pin=pin, workers=workers, tell=tell
    )
    return PoolComparison(
        matches,
        pairing,
        (field.versions[0], field.versions[-1]),
        test=test,
        blocks=max(blocks, len(known)),
        journal=journal,
        maps=field.map_names,
        known=known,
    )


def with_seed_of(journal: Journal, conditions: Conditions) -> Conditions:
    """The conditions with the seed of the run in the file, where none is given."""
    if "seed" in conditions or journal.head is None or "seed" not in journal.head:
        return conditions
    return {**conditions, "seed": str(journal.head["seed"])}


class Field(Struct, frozen=True):
    """Who meets whom, and on what: found, built and described."""

    first: MatchSpec
    versions: tuple[Entrant, ...]
    pool: tuple[Entrant, ...]
    pairing: Pairing
    maps: list[Any]
    map_names: list[str]

    def head(self, kind: str, roles: Sequence[str]) -> dict[str, Any]:
        """The first line of the file of a run: all that its results depend on."""
        first = self.first
        return {
            "run": kind,
            "game": first.game,
            "rules_version": first.find_game().rules_version,
            "seed": first.seed,
            "seats": self.pairing.seats,
            "settings": msgspec.to_builtins(first.settings),
            "maps": [_digest(one) for one in self.maps],
            "terms": msgspec.to_builtins(first.terms),
            **({"pass_env": list(first.pass_env)} if first.pass_env else {}),
            **dict(zip(roles, map(bot_label, self.versions), strict=True)),
            "pool": [bot_label(entrant) for entrant in self.pool],
        }


def make_field(
    game: str | AnyGame,
    versions: Sequence[Bot],
    pool: Sequence[Bot],
    seats: int | None,
    maps: Sequence[str | Path],
    conditions: Conditions,
    replay: str | Path | None = None,
) -> Field:
    """Find and build all bots. Raises UsageError and BotError."""
    if not pool:
        raise UsageError("the pool is empty: name opponents, as in --pool BOT or --pool DIR")
    on_map = conditions.get("map") is not None or bool(maps)
    if conditions.get("map") is not None and maps:
        raise UsageError("--map and --maps are given: name all maps with --maps")
    contents = [read_map(path) for path in maps]
    if contents:
        conditions = {**conditions, "map": contents[0]}
    if seats is None:  # a larger pool must not make larger matches
        seats = min(game_of(game).numbers(on_map=on_map))
    seats = seats_of(game_of(game), 1 + len(pool), seats, on_map=on_map)
    first = make_spec(game, [*versions, *pool], conditions, seats=seats)
    count = len(versions)
    return Field(
        first=msgspec.structs.replace(first, replay=None if replay is None else Path(replay)),
        versions=first.entrants[:count],
        pool=first.entrants[count:],
        pairing=Pairing(first.seed, len(pool), seats, max(1, len(maps))),
        maps=contents or [first.map],
        map_names=distinct([Path(path).name for path in maps]),
    )


def bot_label(entrant: Entrant) -> dict[str, str]:
    """A bot as the files of runs name it: its name, its word, and the address of its content (empty
    for a quoted command, which has none)."""
    word = entrant.command
    path = Path(word)
    try:
        address = content_address(path) if word and path.exists() else ""
    except (BotError, OSError):  # a folder with special files, say
        address = ""
    return {"name": entrant.name, "command": word, "address": address}


def _digest(content: Any) -> str | None:
    """What identifies a map; None where the rules make one."""
    if content is None:
        return None
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()


def pool_bots(words: Sequence[str]) -> list[str]:
    """The bots that the words of ``--pool`` name: a bot each, or a folder that holds bots and is
    none itself. Raises UsageError."""
    found: list[str] = []
    for word in words:
        path = Path(word)
        members = _members(path) if path.is_dir() and not _is_bot(path) else [word]
        if not members:
            raise UsageError(f"the folder {word} holds no bots: name a bot, or a folder of bots")
        found += members
    return found


def _is_bot(folder: Path) -> bool:
    from arena.bots.convention import main_of, only_file

    if (folder / "bot.toml").is_file() or only_file(folder) is not None:
        return True
    try:
        return main_of(folder) is not None
    except BotError:
        return False


def _members(folder: Path) -> list[str]:
    from arena.bots.archive_file import is_archive_file
    from arena.bots.archives.rules import is_junk
    from arena.bots.executables import looks_executable
    from arena.bots.languages import language_of

    paths = sorted(path for path in folder.iterdir() if not is_junk(path.name))
    return [
        str(path)
        for path in paths
        if not path.name.startswith((".", "__"))
        and (
            path.is_dir()
            or language_of(path) is not None
            or looks_executable(path)
            or is_archive_file(path)
        )
    ]
