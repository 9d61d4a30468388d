"""Observations and actions as arrays: masks made of a game's offers, and the spaces of both.

An answer is made pick by pick. An action is a number with a fixed meaning: action 0 ends the
answer; then come the places of the board and the words of the game, by name; then, for picks that
have no name in the game's `arrays.py`, the first, the second, … of the offer; last come amounts.
An amount is a share of the range that is offered, from the least to the most in equal steps. Where
the range has no more numbers than there are amounts, each number is one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
        offer, slots, other = draft.offer, self._slots, self._first_other
        found = {END: ""} if draft.answer is not None else {}
        named = offer.places
        if offer.words:
            named = (*named, *[word.pick for word in offer.words])
        for pick in named:
            slot = slots.get(pick)
            if slot is None:
                slot, other = other, other + 1
                if other > self._first_amount:
                    break
            found[slot] = pick
        if offer.number:
            for step, pick in amounts_of(offer.number, self._amounts):
                found[self._first_amount + step] = pick
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
def amounts_of(number: Number, amounts: int) -> list[tuple[int, str]]:
    """The different amounts of a range, each with its step."""
    span, found, last = number.most - number.least, list[tuple[int, str]](), -1
    for step in range(amounts):
        part = span * step // (amounts - 1)
        if part != last:
            found.append((step, str(number.least + part)))
            last = part
    return found


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


@dataclass(slots=True)
class RequestArrays:
    """What a seat was told up to a request, and the whole orders of its answer."""

    cells: NDArray[np.float32]
    scalars: NDArray[np.float32]
    orders: int = 0
    """How many orders the cells have."""


class Coder:
    """Writes observations of one shape. The last two columns of a row are generic: `picked` is 1
    for the first pick of the order in the making, 2 for the second; `held` is the amount, or else
    the number, of the orders so far in this answer that begin with this place."""

    def __init__(self, layout: ArrayLayout, actions: ActionTable) -> None:
        self._rows, self._columns = layout.shape
        self._row_of = {place: row for row, place in enumerate(layout.places)}
        shape = self._rows, self._columns + 2
        box = spaces.Box(0, np.inf, shape, np.float32)
        whole = spaces.Box(0, np.inf, (len(layout.scalars),), np.float32)
        mask = spaces.Box(0, 1, (actions.size,), np.int8)
        self.space = spaces.Dict({"observation": box, "scalars": whole, "action_mask": mask})

    def told(self, encoder: ArrayEncoder) -> RequestArrays:
        """What the seat was told, without any order."""
        rows, columns = self._rows, self._columns
        cells, found = np.zeros((rows, columns + 2), np.float32), encoder.cells()
        cells[:, :columns] = np.ndarray((rows, columns), found.typecode, found)
        return RequestArrays(cells, np.array(encoder.scalars(), np.float32))

    def observation(self, told: RequestArrays, writer: Writer | None) -> Observation:
        """What the seat was told, and the picks that it has given so far in its answer. Orders that
        are whole go into `told`, which serves for one answer."""
        if writer is None:
            return {"observation": told.cells.copy(), "scalars": told.scalars.copy()}
        given = writer.given
        while told.orders < len(given) - 1:
            order = given[told.orders]
            if (row := self._row_of.get(order[0])) is not None:
                amount = int(order[-1]) if order[-1].isdecimal() else 1
                told.cells[row, self._columns + 1] += amount
            told.orders += 1
        cells = told.cells.copy()
        for number, pick in enumerate(given[-1], 1):
            if (row := self._row_of.get(pick)) is not None:
                cells[row, self._columns] = number
        return {"observation": cells, "scalars": told.scalars.copy()}


def text_space(longest: int = LONGEST_OBSERVATION) -> spaces.Text:
    """Text of printable ASCII, in lines if it is an observation."""
    charset = PLAIN_TEXT + ("\n" if longest == LONGEST_OBSERVATION else "")
    return spaces.Text(longest, min_length=0, charset=charset)


def answer_space() -> spaces.Text:
    """Answers as text."""
    return text_space(LONGEST_ANSWER)
