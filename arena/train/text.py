"""Matches as text alone, for language models and scripts: no library, no arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from arena.core.game import AnyGame
from arena.errors import UsageError
from arena.train.episode import EpisodeOptions, EpisodePlan, Seeds, TableEpisode


class TextMatch:
    """A match in which one seat after the other is given its lines and answers with a line::

        match = TextMatch("toroid")
        match.reset(seed=7)
        done = False
        while not done:
            seat, text = match.get_observation()
            done = match.step(think(seat, text))
        print(match.rewards())

    Raises UsageError for wrong options (`EpisodeOptions`).
    """

    def __init__(self, game: str | AnyGame, **options: Unpack[EpisodeOptions]) -> None:
        self._given = EpisodePlan.of(game, options)
        self._seeds = Seeds()
        self._episode: TableEpisode | None = None

    @property
    def rules(self) -> str:
        """The rules of the game."""
        return self._given.game.rules

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match, as `AECMatch.reset` does."""
        self._episode = TableEpisode(self._given.changed(options), self._seeds.next(seed))

    def get_observation(self) -> tuple[int, str]:
        """The seat that is asked, and all lines to it since its last answer, the request last.
        Raises UsageError when the match is over."""
        match = self._match
        if match.ask is None:
            raise UsageError("the match is over: call reset")
        return match.ask.seat, "\n".join(match.lines[match.ask.seat])

    def step(self, text: str) -> bool:
        """Give the answer of that seat; the rules judge it. Returns whether the match is over."""
        self._match.answer(text)
        return self._match.over

    def rewards(self) -> list[float]:
        """The reward of each seat: 0 before the end, then by rank from −1 to 1."""
        return self._match.results()

    @property
    def problems(self) -> list[tuple[int, str]]:
        """What was wrong with the answers that the rules have judged last: the seat, and a sentence
        for each. Seats that are asked at once are judged together. (A bot finds it in its report.)
        """
        return self._match.problems

    @property
    def truncated(self) -> bool:
        """Whether the match ended after the number of rounds that the caller set."""
        return self._match.truncated

    def render(self) -> str:
        """The board as spectators see it."""
        return self._match.picture()

    @property
    def _match(self) -> TableEpisode:
        if self._episode is None:
            raise UsageError("there is no match yet: call reset first")
        return self._episode
