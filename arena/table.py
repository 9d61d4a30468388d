"""One match with no input or output: a script, and the bookkeeping to drive it.

``Table`` is the contract between a game and its users. The referee, the verifier, the tests and
any program that wants to search see only this::

    table = Table(game, setup)
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, Answer("No moves"))
    print(table.outcome.sentence)

A table never waits. It hands out the steps it went through in `take()`.
"""

from __future__ import annotations

from arena.errors import ArenaFault
from arena.game import Game, Setup
from arena.steps import Asks, Outcome, Reply, Step


class Table:
    """A running match: who is asked, what was said, how it ended."""

    def __init__(self, game: Game, setup: Setup) -> None:
        """Start the match and run to its first requests.

        Raises UsageError for a set-up that the game refuses.
        """
        self.game = game
        self.setup = setup
        self.world = game.world(setup)
        self.asked: Asks = ()
        """The open requests. Their replies may come in any order."""
        self.outcome: Outcome | None = None
        self._script = game.script(self.world)
        self._steps: list[Step] = []
        self._replies: dict[int, Reply] = {}
        self._history: list[tuple[Reply, ...]] = []
        self._advance(None)

    def take(self) -> list[Step]:
        """The steps since the last call, in order: all of them happened before `asked`."""
        steps, self._steps = self._steps, []
        return steps

    def answer(self, seat: int, reply: Reply) -> None:
        """Give the reply to the open request of `seat`; the last one moves the match on."""
        if seat in self._replies or all(ask.seat != seat for ask in self.asked):
            raise ValueError(f"seat {seat} is not asked")
        self._replies[seat] = reply
        if len(self._replies) == len(self.asked):
            self.answer_all(tuple([self._replies[ask.seat] for ask in self.asked]))

    def answer_all(self, replies: tuple[Reply, ...]) -> None:
        """Give the replies to all open requests at once, in the order of `asked`."""
        self._replies = {}
        self._history.append(replies)
        self._advance(replies)

    def waiting(self) -> Asks:
        """The open requests that have no reply yet."""
        return tuple(ask for ask in self.asked if ask.seat not in self._replies)

    def fork(self) -> Table:
        """An independent table at the same point, reached by playing the replies again."""
        twin = Table(self.game, self.setup)
        for replies in self._history:
            twin.answer_all(replies)
        for seat, reply in self._replies.items():
            twin.answer(seat, reply)
        twin._steps = list(self._steps)
        return twin

    def close(self) -> None:
        """End the script where it stands."""
        self._script.close()

    def _advance(self, replies: tuple[Reply, ...] | None) -> None:
        """Run the script to its next requests or its end."""
        self.asked = ()
        script, keep = self._script, self._steps.append
        try:
            step = next(script) if replies is None else script.send(replies)
            while type(step) is not tuple:
                keep(step)  # type: ignore[arg-type]  # `type() is` narrows only one way
                step = next(script)
        except StopIteration as end:
            self.outcome = end.value
        except Exception as error:
            raise ArenaFault(
                f"the rules of {self.game.name} failed ({error!r}): the match is void, "
                "please report it with the seed and the settings"
            ) from error
        else:
            self.asked = step
