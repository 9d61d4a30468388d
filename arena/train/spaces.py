"""Observations and actions as arrays: masks made of a game's offers, and the spaces of both.

An answer is made pick by pick. An action is a number with a fixed meaning: action 0 ends the
answer; then come the places of the board and the words of the game, by name; then, for picks that
have no name in the game's `arrays.py`, the first, the second, … of the offer; last come amounts.
An amount is a share of the range that is offered, from the least to the most in equal steps. Where
the range has no more numbers than there are amounts, each number is one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.core.arrays import ArrayEncoder, ArrayLayout
from arena.core.draft import Draft
from arena.core.offers import Number
from arena.core.table import Table
from arena.errors import UsageError

END = 0
"""The action that ends an answer, and that of a seat which is not asked."""
Observation: TypeAlias = dict[str, NDArray[Any]]
PLAIN_TEXT = "".join(map(chr, range(32, 127)))
LONGEST_OBSERVATION = 1 << 24
"""Characters of a text observation: no bound in practice."""
MOST_MASKS = 1024
"""Masks that are kept, since many requests offer the same: a copy takes a third of the time."""
LONGEST_ANSWER = 4096
"""Characters of an answer that is sampled. Longer ones are taken as well."""


class ActionTable:
    """Which number means which pick."""

    def __init__(self, layout: ArrayLayout, amounts: int) -> None:
        names = dict.fromkeys((*layout.places, *layout.words))
        self._slots = {name: slot for slot, name in enumerate(names, END + 1)}
        self._first_other = len(self._slots) + 1
        self._first_amount = self._first_other + layout.others
        self._amounts = amounts
        self.size = self._first_amount + amounts
        """The number of actions."""
        self._masks: dict[tuple[int, ...], NDArray[np.int8]] = {}

    def meaning(self, action: int) -> str:
        """What an action means, for people. Raises UsageError for one that does not exist."""
        if action not in range(self.size):
            raise UsageError(f"there is no action {action!r}: they go from 0 to {self.size - 1}")
        if action == END:
            return "end"
        if action < self._first_other:
            return next(name for name, slot in self._slots.items() if slot == action)
        if action < self._first_amount:
            return f"choice {action - self._first_other + 1}"
        return f"{action - self._first_amount} of {self._amounts - 1} parts of the range"

    def picks(self, draft: Draft) -> dict[int, str]:
        """The possible actions, each with its pick; that of END is empty."""
        offer, named = draft.offer, draft.offer.places
        found: dict[Any, str] = {END: ""} if draft.answer is not None else {}
        if offer.words:
            named = (*named, *[word.pick for word in offer.words])
        found.update(zip(map(self._slots.get, named), named, strict=True))
        if None in found:  # picks without an action of their own
            del found[None]
            others = [pick for pick in named if pick not in self._slots]
            actions = range(self._first_other, self._first_amount)
            found.update(zip(actions, others, strict=False))
        if offer.number:
            found.update(amounts_of(offer.number, self._amounts, self._first_amount))
        return found

    def mask(self, possible: Iterable[int]) -> NDArray[np.int8]:
        """1 for each possible action."""
        key = tuple(possible)
        kept = self._masks.get(key)
        if kept is None:
            if len(self._masks) >= MOST_MASKS:
                self._masks.clear()
            kept = self._masks[key] = np.zeros(self.size, np.int8)
            kept[list(key)] = 1
        return kept.copy()


@lru_cache(1024)
def amounts_of(number: Number, amounts: int, first: int) -> dict[int, str]:
    """The different amounts of a range, by their actions, of which `first` is the first."""
    span, found = number.most - number.least, dict[str, int]()
    for step in range(amounts):
        found.setdefault(str(number.least + span * step // (amounts - 1)), first + step)
    return {action: pick for pick, action in found.items()}


class Writer:
    """An answer to one request in the making, action by action."""

    def __init__(self, table: Table[Any], seat: int, actions: ActionTable) -> None:
        self._actions = actions
        self._draft = table.draft(seat)
        self.given: list[list[str]] = [[]]
        """The picks of each order, the unfinished one last."""
        self.answer: str | None = None
        """The whole answer, once there is nothing to choose."""
        self.picks = actions.picks(self._draft)
        """The possible actions, each with its pick."""

    def act(self, action: int) -> None:
        """Take one of the possible actions, and all after it that leave no choice."""
        while True:
            draft = self._draft
            if action == END:
                self.answer = draft.answer
                return
            pick = self.picks[action]
            self._draft = draft = draft.pick(pick)
            self.given[-1].append(pick)
            if not draft.picked:
                self.given.append([])
            if draft.done:
                self.answer = draft.answer
                return
            self.picks = self._actions.picks(draft)
            if len(self.picks) > 1:
                return
            (action,) = self.picks


class Coder:
    """The shape of observations. The last two columns of a row are generic: `picked` is 1 for the
    first pick of the order in the making, 2 for the second; `held` is the amount, or else the
    number, of the orders so far in this answer that begin with this place."""

    def __init__(self, layout: ArrayLayout, actions: ActionTable) -> None:
        rows, columns = layout.shape
        self.shape = rows, columns + 2
        self.row_of = {place: row for row, place in enumerate(layout.places)}
        box = spaces.Box(0, np.inf, self.shape, np.float32)
        whole = spaces.Box(0, np.inf, (len(layout.scalars),), np.float32)
        mask = spaces.Box(0, 1, (actions.size,), np.int8)
        self.space = spaces.Dict({"observation": box, "scalars": whole, "action_mask": mask})


class SeatArrays:
    """What one seat observes in the course of a match: what it was told up to its request, and the
    whole orders of its answer."""

    def __init__(self, coder: Coder, encoder: ArrayEncoder) -> None:
        self._coder, self._encoder = coder, encoder
        self._cells = np.zeros(coder.shape, np.float32)
        self._scalars = np.zeros(0, np.float32)
        self._heard = 0
        """How many lines since the last answer the encoder has heard."""
        self._orders = -1
        """How many orders the cells have; −1 when they are out of date."""

    def hear(self, lines: list[str]) -> None:
        """Take the lines since the last answer, as far as they are new."""
        for line in lines[self._heard :]:
            self._encoder.hear(line)
        self._heard, self._orders = len(lines), -1

    def finish(self, lines: list[str]) -> None:
        """The seat has answered after these lines."""
        self.hear(lines)
        self._heard = 0

    def observation(self, lines: list[str], writer: Writer | None) -> Observation:
        """What the seat was told, up to these lines since its last answer, and the picks that it
        has given so far in the next one."""
        if self._heard < len(lines):
            self.hear(lines)
        given, row_of = writer.given if writer else [[]], self._coder.row_of
        if not 0 <= self._orders < len(given):
            self._renew()
        while self._orders < len(given) - 1:
            order = given[self._orders]
            if (row := row_of.get(order[0])) is not None:
                self._cells[row, -1] += int(order[-1]) if order[-1].isdecimal() else 1
            self._orders += 1
        cells = self._cells.copy()
        for number, pick in enumerate(given[-1], 1):
            if (row := row_of.get(pick)) is not None:
                cells[row, -2] = number
        return {"observation": cells, "scalars": self._scalars.copy()}

    def _renew(self) -> None:
        """Write what the seat was told, without any order."""
        found, (rows, columns) = self._encoder.cells(), self._coder.shape
        self._cells = np.zeros((rows, columns), np.float32)
        self._cells[:, :-2] = np.frombuffer(found, found.typecode).reshape(rows, columns - 2)
        self._scalars, self._orders = np.array(self._encoder.scalars(), np.float32), 0


def text_space(longest: int = LONGEST_OBSERVATION) -> spaces.Text:
    """Text of printable ASCII, in lines if it is an observation."""
    charset = PLAIN_TEXT + ("\n" if longest == LONGEST_OBSERVATION else "")
    return spaces.Text(longest, min_length=0, charset=charset)


def answer_space() -> spaces.Text:
    """Answers as text."""
    return text_space(LONGEST_ANSWER)
