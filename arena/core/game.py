"""The interface of a game: its world, its script, its set-up, and what the arena shows of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeAlias, TypeVar

from msgspec.structs import asdict

from arena.core.budget import Budget
from arena.core.offers import Offer, Picks, RandomByOffers
from arena.core.rng import Stream
from arena.core.settings import Settings, parse
from arena.core.steps import Ask, Frame, Script
from arena.errors import MapError, UsageError
from arena.text import joined

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class World(Protocol):
    """The whole state of a match, in a class that the game defines."""

    def copy(self) -> Self:
        """An independent copy of this world."""


_CHECKED_SETTINGS: dict[type[Settings], Settings] = {}
"""The last settings of each kind that were found valid: those of a series are checked once. (A
check costs as much as two requests to a quick bot.)"""
W = TypeVar("W", bound=World)
S = TypeVar("S", bound=Settings)
S_co = TypeVar("S_co", bound=Settings, covariant=True)


@dataclass(frozen=True, slots=True)
class Setup(Generic[S_co]):
    """Everything a match depends on besides the answers of its players."""

    seed: str
    seats: int
    settings: S_co
    map: Any = None
    """The content of a map file (parsed JSON), checked by the game; None to let the game make one.
    """
    forfeit: bool = False
    """Whether a seat whose program was stopped ranks below all others (`arena.core.ranking`)."""


def _of_offers(world: Any, ask: Ask, stream: Stream) -> str:
    """Stands for random answers made of `Game.offers`."""
    raise AssertionError("a game replaces it when it is made")


def _no_budget(settings: Any) -> Budget | None:
    return None


def _never(settings: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Game(Generic[W, S]):
    """One game: its world, its script, and what the arena shows of it.

    `script(world)` plays on from the current round of `world`: a fresh world from the set-up, any
    other from the start of its current round.
    """

    name: str
    title: str
    seats: tuple[int, ...]
    """The possible numbers of players."""
    rules_version: int
    """Incremented with every change that could make an old replay play differently."""
    settings: type[S]
    world: Callable[[Setup[S]], W]
    """Creates a fresh world. Raises UsageError (MapError, SettingError) for an unusable set-up."""
    script: Callable[[W], Script]
    headline: Callable[[Frame], str]
    """One short line for people: the state of the match in this frame."""
    picture: Callable[[Any, Frame], str]
    """The board as text, at most 100 columns wide, for ``arena play --watch``: from the `board` of
    the first frame (None if it has none) and a frame."""
    random_answer: Callable[[W, Ask, Stream], str] = _of_offers
    """A random legal answer for a world that waits for `Ask`: for the partner in ``arena check``,
    and for tests. Without it, answers are made of `offers`."""
    offers: Callable[[W, Ask, str, Picks], Offer] | None = None
    """What can be chosen next in an answer to `Ask`, given the orders held so far and the picks
    since: `arena.core.offers`. Called only with picks that it has offered. It reads nothing of the
    world that the asked seat is not told, except through `blindfold`."""
    seat_picture: Callable[[W, Ask], str] | None = None
    """The board as text for a person at the asked seat: no more than the lines of the seat tell,
    with the ids that its orders use. Without it, a person plays by the lines alone."""
    perturb_hidden: Callable[[W, int, Stream], bool] | None = None
    """For the tests of a game with hidden information: changes something that `seat` cannot see
    and nothing that it can; returns false if the seat sees everything."""
    blindfold: Callable[[W, int], W] | None = None
    """For trying a person's answer in advance, in a game that refuses some orders because of what
    `seat` cannot see: a copy of the world that does not depend on hidden information."""
    disguise: Callable[[W, Ask, str, Stream], str] | None = None
    """Another answer to `Ask` that other seats can hardly tell from this one, for
    `Table.determinize`. It need not succeed: what others were told is compared."""
    vary_start: Callable[[W, int, Stream], bool] | None = None
    """For `Table.determinize`, in a game that hides something of what chance has drawn for the
    start: changes it in the fresh world of a match, to what chance could have drawn as well;
    returns false if nothing is hidden from `seat`. It need not succeed either."""
    redeal: Callable[[W, int, Stream], tuple[W, list[str]]] | None = None
    """For `Table.determinize`, in a game that hides what chance has drawn: the fresh world of a
    match that `seat` cannot tell from this one, and the answers so far in it, one after the other.
    Raises ValueError where that cannot be said."""
    maps: bool = False
    """Whether the game accepts a map file."""
    map_seats: tuple[int, ...] = ()
    """Additional numbers of players that need a map file."""
    budget: Callable[[S], Budget | None] = _no_budget
    """The instruction budget of a request under these settings; None if time is what counts."""
    substitutes: Callable[[S], bool] = _never
    """Whether the rules put a legal move in place of a missing answer under these settings, so that
    a program which is gone plays on and may win. Then forfeits are the default."""
    adjudication: tuple[str, ...] = ()
    """Settings that end a match sooner than its rules do, and have no part in what an answer does
    to the world until then: matches from one position may differ in them."""
    installs: Callable[[int], str] | None = None
    """What to install to play by another `rules_version`, as a command, where a library has the
    rules; empty if that does not help."""
    metered: Mapping[str, str] = field(default_factory=dict)
    """Settings that ``--meter instructions`` changes unless they are given; if empty, the game
    supports time only."""

    @property
    def hides(self) -> bool:
        """Whether spectators see what a seat does not."""
        return self.perturb_hidden is not None

    def __post_init__(self) -> None:
        """Raises UsageError for a game without both `random_answer` and `offers`."""
        if self.random_answer is _of_offers or isinstance(self.random_answer, RandomByOffers):
            if self.offers is None:
                raise UsageError(f"the game {self.name} needs a random_answer, or offers: give one")
            object.__setattr__(self, "random_answer", RandomByOffers(self.offers))

    def check_seats(self, count: int, *, on_map: bool = False) -> None:
        """Raise UsageError unless the game supports `count` players (on a map file)."""
        seats = self.numbers(on_map=on_map)
        if count not in seats:
            wanted = joined(map(str, seats), "or")
            raise UsageError(
                f"{self.name} is for {wanted} bots, and {count} {'is' if count == 1 else 'are'} "
                f"given: name {wanted} bots"
            )

    def numbers(self, *, on_map: bool = False) -> list[int]:
        """The possible numbers of players (on a map file), in ascending order."""
        return sorted({*self.seats, *(self.map_seats if on_map else ())})

    def check_setup(self, setup: Setup[Settings]) -> None:
        """Raise UsageError for a number of seats, settings or a map that the game cannot use.

        Also checks the ranges of settings, because the constructor of `Settings` does not.
        """
        if not isinstance(setup.settings, self.settings):
            given = type(setup.settings).__name__
            raise UsageError(f"{self.name} has {self.settings.__name__}, not {given}: give those")
        if setup.map is not None and not self.maps:
            raise MapError(f"{self.name} takes no map file: leave out --map")
        self.check_seats(setup.seats, on_map=setup.map is not None)
        if _CHECKED_SETTINGS.get(self.settings) is not setup.settings:
            parse(self.settings, asdict(setup.settings))
            _CHECKED_SETTINGS[self.settings] = setup.settings

    def other_version(self, what: str, version: int, remedy: str = "") -> str:
        """The sentence for what another version of the rules recorded, with a `remedy` before
        the usual one; empty if the version is this one."""
        if version == self.rules_version:
            return ""
        command = self.installs(version) if self.installs else ""
        return (
            f"{what} is of version {version} of the rules of {self.name}, and version "
            f"{self.rules_version} is installed: {remedy}"
            f"{command or 'use the release of the arena that wrote it'}"
        )

    @property
    def package(self) -> str:
        """The package of the game's own modules, or the module itself if it is not in a package."""
        module = self.script.__module__
        return module.rpartition(".")[0] or module

    def own_module(self, name: str) -> ModuleType | None:
        """The module of that name beside the script, as ``view``; None if there is none."""
        path = f"{self.package}.{name}"
        try:
            return importlib.import_module(path)
        except ModuleNotFoundError as error:
            if error.name in (path, self.package):
                return None
            raise

    def own_file(self, name: str) -> Traversable | None:
        """The file or folder of that name beside the script, as ``rules.md``; None if there is
        none, or the script is not in a package."""
        import importlib.resources  # 13 ms: not at every start

        package = importlib.import_module(self.script.__module__).__package__
        found = importlib.resources.files(package) / name if package else None
        return found if found is not None and (found.is_file() or found.is_dir()) else None

    @property
    def rules(self) -> str:
        """The text of `rules.md` beside the script; without one, the docstring of its module."""
        if file := self.own_file("rules.md"):
            return file.read_text("utf-8")
        if text := importlib.import_module(self.script.__module__).__doc__:
            return text
        raise UsageError(f"the game {self.name} has no rules: add a rules.md, or a docstring")


AnyGame: TypeAlias = Game[Any, Any]
"""A game whose world and settings types the caller does not know."""
