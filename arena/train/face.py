"""What all environments share: a plan, how it is seen and how it is acted on, one match after the
other.

A pick outside of the mask is a mistake of the caller and no answer that the rules could judge. As
PettingZoo has it, it ends the match: −1 for that seat, 0 for the others. An answer as text is
judged by the rules, as that of a bot is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any, Literal, get_args

from gymnasium import spaces

from arena.core.arrays import ArrayLayout
from arena.core.game import AnyGame
from arena.errors import UsageError
from arena.text import joined
from arena.train.episode import (
    Episode,
    EpisodeOptions,
    EpisodePlan,
    Seeds,
    TableEpisode,
    checked_line,
    whole_number,
)
from arena.train.spaces import (
    END,
    ActionTable,
    Coder,
    RequestArrays,
    Writer,
    answer_space,
    text_space,
)

ObservationKind = Literal["arrays", "text"]
ActionKind = Literal["picks", "text"]
ILLEGAL = -1.0
"""The reward of a seat that picks what is not offered."""


class FaceOptions(EpisodeOptions, total=False):
    """What the environments of libraries take besides the game."""

    observations: ObservationKind
    """``arrays`` in a fixed shape, or the ``text`` that the seat was told since its last answer."""
    actions: ActionKind
    """``picks``, one after the other until the answer is whole, or the whole answer as ``text``."""
    amounts: int
    """In how many equal steps numbers are offered, the least and the most among them; 11 if absent.
    """
    render_mode: str | None
    """``ansi``: `render` gives the board as text; ``human``: it prints it."""


class MatchAgents:
    """What both interfaces of PettingZoo say of their agents, which are the seats."""

    def __init__(self, game: str | AnyGame, options: FaceOptions) -> None:
        super().__init__()
        self._face = face = Face(game, options)
        self.render_mode = face.render_mode
        self.metadata: dict[str, Any] = {
            "name": f"{face.plan.game.name}_v{face.plan.game.rules_version}",
            "render_modes": ["ansi", "human"],
        }
        self.possible_agents = face.plan.agents
        self.agents: list[str] = []
        pairs = {agent: face.spaces() for agent in self.possible_agents}
        self.observation_spaces = {agent: pair[0] for agent, pair in pairs.items()}
        self.action_spaces = {agent: pair[1] for agent, pair in pairs.items()}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of its observations, always the same object."""
        return self.observation_spaces[self._checked(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of its actions, always the same object."""
        return self.action_spaces[self._checked(agent)]

    def _checked(self, agent: str) -> str:
        """The agent. Raises UsageError for one that does not exist."""
        if agent not in self.action_spaces:
            raise UsageError(f"there is no agent {agent!r}: there are {joined(self.action_spaces)}")
        return agent

    @property
    def layout(self) -> ArrayLayout:
        """What the rows and numbers of observations mean."""
        return self._face.layout

    def meaning(self, action: int) -> str:
        """What an action means, for people."""
        return self._face.actions.meaning(action)

    def render(self) -> str | None:
        """The board as spectators see it: as text with render_mode ``ansi``, printed with
        ``human``."""
        return self._face.render()


class Face:
    """A match as agents see it. The layers for libraries hold one of these."""

    def __init__(
        self,
        game: str | AnyGame,
        options: FaceOptions,
        begin: Callable[..., Episode] = TableEpisode,
    ) -> None:
        """`begin` makes the episode of a plan and a seed."""
        self._begin = begin
        given: dict[str, Any] = dict(options)
        self.sees = _one_of(ObservationKind, "observations", given.pop("observations", "arrays"))
        self.acts = _one_of(ActionKind, "actions", given.pop("actions", "picks"))
        self.render_mode = given.pop("render_mode", None)
        if self.render_mode not in (None, "ansi", "human"):
            raise UsageError(f"render_mode={self.render_mode!r} is not allowed: ansi or human")
        amounts = whole_number("amounts", given.pop("amounts", 11), least=2)
        self.plan = EpisodePlan.of(game, given)  # type: ignore[arg-type]  # it refuses other names
        if self.acts == "picks" and self.plan.game.offers is None:
            raise UsageError(
                f"{self.plan.game.name} has no offers to pick from: use actions='text'"
            )
        self._given = self.plan
        self._seeds = Seeds()
        self.layout = self.plan.layout
        self.actions = ActionTable(self.layout, amounts)
        self.coder = Coder(self.layout, self.actions)
        self.episode: Episode | None = None
        self.writers: dict[int, Writer] = {}
        """The answers in the making, by seat."""
        self._potentials: list[float] = []
        self._told: dict[int, tuple[int, RequestArrays]] = {}
        self.illegal: int | None = None
        """The seat whose pick was not offered, which ended the match."""

    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """New spaces of observations and actions, for one agent."""
        seen: spaces.Space[Any] = text_space()
        if self.sees == "arrays":
            seen = spaces.Dict(dict(self.coder.space.spaces))
            if self.acts == "text":
                del seen.spaces["action_mask"]
        return seen, answer_space() if self.acts == "text" else spaces.Discrete(self.actions.size)

    def reset(self, seed: int | None, options: Mapping[str, Any] | None) -> Episode:
        """Begin the next match."""
        plan = self._given.changed(options)
        self.close()
        self.plan = plan
        seed_text = self._seeds.next(seed)
        self.episode = episode = self._begin(self.plan, seed_text, encode=self.sees == "arrays")
        self.illegal, self.writers, self._told = None, {}, {}
        self._potentials = episode.potentials()
        return episode

    def close(self) -> None:
        """End the match, if it still runs."""
        if self.episode is not None:
            self.episode.close()

    @property
    def over(self) -> bool:
        """Whether nothing can be done any more."""
        return self.match.ask is None

    @property
    def match(self) -> Episode:
        """The match that is played. Raises UsageError before the first `reset`."""
        if self.episode is None:
            raise UsageError("there is no match yet: call reset first")
        return self.episode

    def writer(self, seat: int) -> Writer | None:
        """The answer of the seat in the making; None if it is not asked, or answers by text."""
        writer, match = self.writers.get(seat), self.match
        if writer is None and self.acts == "picks" and seat in match.waiting():
            assert match.table is not None, "a match that waits has a table"
            writer = self.writers[seat] = Writer(match.table, seat, self.actions)
        return writer

    def number_of(self, action: Any) -> int:
        """The number of an action. Raises UsageError for what is not in the space."""
        try:
            number = index(action)
        except TypeError:
            number = -1
        if not 0 <= number < self.actions.size:
            raise UsageError(
                f"the action {action!r:.80} is not in the space: give a whole number from 0 to "
                f"{self.actions.size - 1} that the mask allows"
            )
        return number

    def check(self, action: Any) -> None:
        """Raise UsageError for an action that is not in the space."""
        if self.acts == "text":
            checked_line(action)
        else:
            self.number_of(action)

    def act(self, seat: int, action: Any) -> str | None:
        """Take an action of a seat that is asked. Gives the answer once it is whole. Raises
        UsageError for what is not in the space."""
        if self.acts == "text":
            line = checked_line(action)
            self._told.pop(seat, None)
            return line
        writer = self.writers.get(seat) or self.writer(seat)
        assert writer is not None, "only who is asked acts"
        if type(action) is not int or action not in writer.picks:
            action = self.number_of(action)
            if action not in writer.picks:
                self.lose(seat)
                return None
        writer.act(action)
        if writer.answer is not None:
            del self.writers[seat]
            self._told.pop(seat, None)
        return writer.answer

    def lose(self, seat: int) -> None:
        """End the match because of a pick that is not offered."""
        self.illegal = seat
        self.writers.clear()
        self._told.clear()
        self.match.abandon()

    def info(self, seat: int) -> dict[str, Any]:
        """The information of a seat: its mask, if it picks. END alone is possible for a seat that
        is not asked."""
        if self.acts == "text":
            return {}
        writer = self.writers.get(seat) or self.writer(seat)
        return {"action_mask": self.actions.mask(writer.picks if writer else (END,))}

    def observe(self, seat: int, info: Mapping[str, Any]) -> Any:
        """What the seat observes now; the mask is that of its information."""
        if self.sees == "text":
            return "\n".join(self.match.lines[seat])
        seen = self.coder.observation(self._told_to(seat), self.writers.get(seat))
        if self.acts == "picks":
            seen["action_mask"] = info["action_mask"]
        return seen

    def _told_to(self, seat: int) -> RequestArrays:
        """The lines to the seat since its last answer as arrays, which are the same from pick to
        pick."""
        at, kept = len(self.match.lines[seat]), self._told.get(seat)
        if kept is None or kept[0] != at:
            kept = self._told[seat] = at, self.coder.told(self.match.encoders[seat])
        return kept[1]

    def rewards(self) -> list[float]:
        """What the seats are rewarded for what happened since the last call: nothing before the
        end, unless their standing counts."""
        before, self._potentials = self._potentials, self.match.potentials()
        changes = zip(self._results(), self._potentials, before, strict=True)
        return [result + now - then for result, now, then in changes]

    def _results(self) -> list[float]:
        if self.illegal is None:
            return self.match.results()
        return [ILLEGAL if seat == self.illegal else 0.0 for seat in range(self.plan.seats)]

    @property
    def truncated(self) -> bool:
        """Whether the match is over because the caller wants no more rounds."""
        return self.illegal is None and self.match.truncated

    def render(self) -> str | None:
        """The board as spectators see it."""
        if self.render_mode is None:
            return None
        picture = self.match.picture()
        if self.render_mode == "ansi":
            return picture
        print(picture)
        return None


def _one_of(kind: Any, name: str, given: str) -> Any:
    if given not in get_args(kind):
        raise UsageError(f"{name}={given!r} is not allowed: give {' or '.join(get_args(kind))}")
    return given


__all__ = ["END", "Face", "FaceOptions"]
