"""What a game is to the rest of the arena."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

from msgspec.structs import asdict

from arena.core.budget import Budget
from arena.core.rng import Stream
from arena.core.settings import Settings, parse
from arena.core.steps import Ask, Frame, Script
from arena.errors import MapError, UsageError
from arena.text import joined


class World(Protocol):
    """The whole state of a match, in a class of the game's own."""

    def copy(self) -> Self:
        """A world that is independent of this one."""


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
    """The content of a map file (parsed JSON), checked by the game; None: the game makes one."""
    forfeit: bool = False
    """Whether a seat whose program was stopped ranks below all others (`arena.core.ranking`)."""


def _no_budget(settings: Any) -> Budget | None:
    return None


@dataclass(frozen=True, slots=True)
class Game(Generic[W, S]):
    """One game: its world, its script, and what the arena shows of it.

    `script(world)` plays on from the round at which `world` stands: a fresh world from the
    set-up, any other from the start of its current round.
    """

    name: str
    title: str
    seats: tuple[int, ...]
    """How many players it is for."""
    rules_version: int
    """Raised with every change that could make an old replay play differently."""
    settings: type[S]
    world: Callable[[Setup[S]], W]
    """A fresh world. Raises UsageError (a MapError, a SettingError) for what it cannot make."""
    script: Callable[[W], Script]
    headline: Callable[[Frame], str]
    """One short line for people: how the match stands in this frame."""
    picture: Callable[[Any, Frame], str]
    """The board as text, at most 100 columns wide, for ``arena play --watch``: from the `board` of
    the first frame (None if it has none) and a frame."""
    random_answer: Callable[[W, Ask, Stream], str]
    """A legal answer, at random, for a world that waits for `Ask`: the partner of
    ``arena check``, and what the tests play with."""
    seat_picture: Callable[[W, Ask], str] | None = None
    """The board as text for a person at the seat that is asked: no more than the lines of the seat
    tell, with the ids that its orders use. Without it a person plays by the lines alone."""
    perturb_hidden: Callable[[W, int, Stream], bool] | None = None
    """For the tests of a game with hidden information: change something that `seat` cannot see
    and nothing that it can; false when it sees everything."""
    blindfold: Callable[[W, int], W] | None = None
    """For trying a person's answer before it is given, in a game that refuses some orders by what
    `seat` cannot see: a copy of the world that is the same whatever is hidden."""
    maps: bool = False
    """Whether it takes a map file."""
    map_seats: tuple[int, ...] = ()
    """Further numbers of players, for which a map file is needed."""
    budget: Callable[[S], Budget | None] = _no_budget
    """What these settings allow a request in instructions; None: time is what counts."""
    metered: Mapping[str, str] = field(default_factory=dict)
    """Settings that ``--meter instructions`` changes, unless they are given; without any, the game
    knows time only."""

    def check_seats(self, count: int, *, on_map: bool = False) -> None:
        """Raise UsageError when the game is not for `count` players (on a map file)."""
        seats = self.numbers(on_map=on_map)
        if count not in seats:
            wanted = joined(map(str, seats), "or")
            raise UsageError(
                f"{self.name} is for {wanted} bots, and {count} {'is' if count == 1 else 'are'} "
                f"given: name {wanted} bots"
            )

    def numbers(self, *, on_map: bool = False) -> list[int]:
        """How many players it is for (on a map file), the fewest first."""
        return sorted({*self.seats, *(self.map_seats if on_map else ())})

    def check_setup(self, setup: Setup[Settings]) -> None:
        """Raise UsageError for a number of seats, settings or a map that the game cannot use.

        Ranges of settings are checked here too: a `Settings` that is made by its constructor
        checks none.
        """
        if not isinstance(setup.settings, self.settings):
            given = type(setup.settings).__name__
            raise UsageError(f"{self.name} has {self.settings.__name__}, not {given}: give those")
        if setup.map is not None and not self.maps:
            raise MapError(f"{self.name} has no map files: leave out --map")
        self.check_seats(setup.seats, on_map=setup.map is not None)
        parse(self.settings, asdict(setup.settings))

    @property
    def package(self) -> str:
        """The package of the game's own modules; the module itself when it stands alone."""
        module = self.script.__module__
        return module.rpartition(".")[0] or module

    @property
    def rules(self) -> str:
        """The text of `rules.md` beside the script; without one, the docstring of its module."""
        import importlib.resources  # 13 ms: not at every start

        module = importlib.import_module(self.script.__module__)
        if module.__package__:
            file = importlib.resources.files(module.__package__) / "rules.md"
            if file.is_file():
                return file.read_text("utf-8")
        if module.__doc__:
            return module.__doc__
        raise UsageError(f"the game {self.name} has no rules: add a rules.md, or a docstring")


AnyGame: TypeAlias = Game[Any, Any]
"""A game of which the caller does not know the world and the settings."""
