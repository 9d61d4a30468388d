"""One match without input or output: a script, and the bookkeeping to drive it.

``Table`` is the contract between a game and its users. The referee, the verifier, the tests and
search programs use only this::

    >>> from arena.core import Answer, Setup, Table, find_game
    >>> game = find_game("toroid")
    >>> table = Table(game, Setup("1", 2, game.settings()))
    >>> while table.outcome is None:
    ...     for ask in table.asked:
    ...         table.answer(ask.seat, Answer("No moves"))
    >>> table.outcome.reason
    'domination'

A table never waits. `take()` returns the steps it went through.
"""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from typing import Any, Generic

from msgspec import Struct

from arena.core.determinize import (
    TRIES,
    Chance,
    Past,
    chance_of,
    redraw,
    renewed,
    restart,
    set_chance,
)
from arena.core.draft import Draft
from arena.core.faults import (
    attribute_errors_to,
    find_malformed,
    game_fault,
    malformed_outcome,
    problem_of,
    problem_of_outcome,
)
from arena.core.game import Game, S, Setup, W
from arena.core.lines import LINE_CAP
from arena.core.offers import NO_MOVES
from arena.core.ranking import with_forfeits
from arena.core.replies import Answer, Reply, Silence
from arena.core.rng import Stream
from arena.core.settings import Settings
from arena.core.steps import Ask, Asks, Note, Outcome, Show, Step, Tell
from arena.errors import ArenaFault
from arena.text import quote

MOST_CHECKED = 16
"""Number of requests remembered as well formed."""


class AnswerTrial(Struct, frozen=True):
    """What the rules would say about an answer, one sentence each. `problems` make the answer a
    fault; `remarks` do not."""

    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether the answer is no fault."""
        return not self.problems


class Table(Generic[W]):
    """A running match: the open requests, the replies so far, and the outcome."""

    def __init__(self, game: Game[W, S], setup: Setup[S]) -> None:
        """Start the match and run to its first requests.

        Raises UsageError for a set-up that the game refuses, ArenaFault for a bug of the game.
        """
        game.check_setup(setup)
        self._set_up(game, setup)

    @classmethod
    def at(cls, game: Game[W, Any], world: W, setup: Setup[Settings] | None = None) -> Table[W]:
        """A table that plays on from a world, as the game's script does: from the open request or
        from the start of the current round.

        The table changes the world itself; pass a copy to keep yours. Search programs look ahead
        this way, which is much cheaper than `fork` late in a match::

            >>> from arena.core import Answer, Setup, Table, find_game
            >>> game = find_game("toroid")
            >>> table = Table(game, Setup("1", 2, game.settings()))
            >>> ahead = Table.at(game, table.world.copy())
            >>> ahead.answer(ahead.asked[0].seat, Answer("build"))
            >>> ahead.world.builds, table.world.builds
            ([0], [])

        `setup` becomes the set-up of this table; the world no longer depends on it.
        """
        table: Table[W] = cls.__new__(cls)
        table._begin(game, world, setup, world.copy())
        return table

    def _set_up(self, game: Game[W, S], setup: Setup[S]) -> None:
        """Begin a match with a checked set-up."""
        with attribute_errors_to(game, "the world", setup.seed):
            world = game.world(setup)
        self._begin(game, world, setup, None)
        if any(problem_of(step, setup.seats) for step in self._steps):
            raise self._fault()

    def _begin(
        self, game: Game[W, Any], world: W, setup: Setup[Settings] | None, origin: W | None
    ) -> None:
        self.game = game
        self.world = world
        self.asked: Asks = ()
        """The open requests. Their replies may come in any order."""
        self.outcome: Outcome | None = None
        self._checked: dict[int, Asks] = {}
        """Requests that were found well formed, by identity: many scripts repeat the same requests,
        and checking two takes 3 µs."""
        self._setup = setup
        self._origin = origin
        self._script = game.script(world)
        if setup is not None and setup.forfeit:
            self._script = with_forfeits(self._script, setup.seats)
        self._steps: list[Step] = []
        self._replies: dict[int, Reply] = {}
        self._history: list[tuple[Reply, ...]] = []
        self._listener: _Listener | None = None
        self._shown_at = 0
        """How many exchanges there were when the current round began."""
        self._first_asked: Asks = ()
        """What was asked first in the current round."""
        self._resumes = (-1, False)
        """The last result of `_goes_on`, with the number of exchanges."""
        self._chances: dict[int, Chance] = {}
        """The chance of exchanges, by their number, where it is not what the world has then."""
        self._known: tuple[int, int, Table[W]] | None = None
        """The last result of `known_to`, with the number of exchanges and the seat."""
        self._advance(None)

    @property
    def setup(self) -> Setup[Settings]:
        """The set-up of the match. Raises ValueError for a table that began at a world."""
        if self._setup is None:
            raise ValueError("this table began at a world: pass the set-up to Table.at as well")
        return self._setup

    def take(self) -> list[Step]:
        """The steps since the last call, in order; all of them precede `asked`."""
        steps, self._steps = self._steps, []
        return steps

    def lines(self, seat: int) -> list[str]:
        """All lines that `seat` was told so far, including its requests, each of which shows the
        full time bank of the settings (a table has no clock)::

            >>> from arena.core import Setup, Table, find_game
            >>> game = find_game("toroid")
            >>> table = Table(game, Setup("1", 2, game.settings()))
            >>> table.lines(0)[-1]
            'go action 10000 0'

        The first call plays the match again to collect the lines, later calls only what is new.
        """
        if self._listener is None:
            self._listener = _Listener(self._restart())
        return self._listener.lines(seat, self._history)

    def answer(self, seat: int, reply: Reply) -> None:
        """Give the reply to the open request of `seat`; the last one moves the match on."""
        if seat in self._replies or all(ask.seat != seat for ask in self.asked):
            raise ValueError(f"player{seat + 1} is not asked")
        if not isinstance(reply, Answer | Silence):
            raise TypeError(f"{reply!r} is not a reply: give Answer({reply!r})")
        self._replies[seat] = reply
        if len(self._replies) == len(self.asked):
            self.answer_all(tuple([self._replies[ask.seat] for ask in self.asked]))

    def answer_all(self, replies: tuple[Reply, ...], chance: Chance | None = None) -> None:
        """Give the replies to all open requests at once, in the order of `asked`. What chance draws
        until the next requests can be given, as `next_chance` of another table has it."""
        at = len(self._history)
        if chance is not None:
            self._chances[at] = chance
        if at in self._chances:
            set_chance(self.world, self._chances[at])
        self._replies = {}
        self._history.append(replies)
        self._advance(replies)

    def next_chance(self) -> Chance:
        """The streams by which chance draws after the open requests."""
        return self._chances.get(len(self._history)) or chance_of(self.world)

    def waiting(self) -> Asks:
        """The open requests that have no reply yet."""
        if not self._replies:
            return self.asked
        return tuple([ask for ask in self.asked if ask.seat not in self._replies])

    def fork(self) -> Table[W]:
        """An independent table at the same point, reached by playing the replies again."""
        twin = self._restart()
        for replies in self._history:
            twin.answer_all(replies)
        for seat, reply in self._replies.items():
            twin.answer(seat, reply)
        twin._steps = list(self._steps)
        return twin

    def copy(self) -> Table[W]:
        """An independent table at the same point, for a search: a copy of the world where the
        game's script goes on from it at the open requests, otherwise a `fork`. Its `lines` may
        begin here::

            >>> from arena.core import Answer, Setup, Table, find_game
            >>> game = find_game("toroid")
            >>> table = Table(game, Setup("1", 2, game.settings()))
            >>> ahead = table.copy()
            >>> ahead.answer(0, Answer("build"))
            >>> ahead.world.builds, table.world.builds
            ([0], [])

        It has all hidden information, and the chance to come, as `world` has: a bot that must not
        see them searches in `determinize`.
        """
        if not self._goes_on():
            return self.fork()
        twin = Table.at(self.game, self.world.copy(), self._setup)
        for seat, reply in self._replies.items():
            twin.answer(seat, reply)
        twin._steps = list(self._steps)
        return twin

    def _goes_on(self) -> bool:
        """Whether a fresh script goes on from the world at the open requests, and changes nothing
        on its way there. (One that begins the round anew may draw or pay a second time.)"""
        at = len(self._history)
        if self._resumes[0] != at:
            world = self.world.copy()
            before = _snapshot(world)
            twin = Table.at(self.game, world, self._setup)
            same = before is not None and twin.asked == self.asked and _snapshot(world) == before
            # What was asked first in a round may be asked again later.
            is_first = self._shown_at == at or self.asked != self._first_asked
            forfeits = self._setup is not None and self._setup.forfeit  # it counts stops of its own
            self._resumes = at, same and is_first and not forfeits
            twin.close()
        return self._resumes[1]

    def determinize(self, seat: int, stream: Stream, tries: int = TRIES) -> Table[W]:
        """A table of a match that `seat`, which is asked, cannot tell from this one: it was told
        the same lines, and what it was not told is drawn anew, as are the chance and the seed. A
        bot that searches there cannot use what is hidden from it by accident::

            >>> from arena.core import Answer, Setup, Stream, Table, find_game
            >>> game = find_game("warlight")
            >>> table = Table(game, Setup("1", 2, game.settings()))
            >>> guess = table.determinize(0, Stream("any seed", "search"))
            >>> guess.lines(0) == table.lines(0)
            True

        Each of the `tries` changes an answer of another seat, what chance drew in an exchange, or
        what it drew for the start, and is kept if the lines to `seat` are the same
        (`arena.core.determinize`). A game in which all this is seen keeps its state. Raises
        ValueError if the seat is not asked, for a table that began at a world without a set-up, and
        for a game that hides what chance has drawn and cannot draw it anew (`Game.redeal`).
        """
        self.request(seat)
        if self.game.redeal is not None:
            return self._redealt(seat, stream)
        setup, past = self.setup, Past(self._restart(), seat, self._restart_world())
        for replies in self._history:
            past.add(replies)
        for _ in range(tries if self._history else 0):
            past = redraw(past, stream) or past
        for _ in range(tries // 2 if self.game.vary_start is not None else 0):
            past = restart(past, self._begun_at, stream) or past
        seed, table = f"{stream.below(10**9)}", past.end
        chance = renewed(table.next_chance(), seed)
        table._origin, table._setup = past.origin, replace(setup, seed=seed)
        table._shown_at += len(past.exchanges) - len(table._history)
        table._history = [given for _, given in past.exchanges]
        table._listener, table._chances = None, dict(enumerate([*past.chances, chance]))
        set_chance(table.world, chance)
        return table

    def _begun_at(self, world: W) -> Table[W]:
        """A table at the first requests of a match that begins at this world."""
        return Table.at(self.game, world, self._setup)

    def _redealt(self, seat: int, stream: Stream) -> Table[W]:
        """As `determinize`, for a game that hides what chance has drawn."""
        assert self.game.redeal is not None
        origin, answers = self.game.redeal(self.world, seat, stream)
        setup, given = replace(self.setup, seed=f"{stream.below(10**9)}"), iter(answers)
        table = Table.at(self.game, origin, setup)
        for replies in self._history:
            others = [(Answer(next(given)), reply) for reply in replies]
            asked = zip(table.asked, others, strict=True)
            table.answer_all(tuple([pair[ask.seat == seat] for ask, pair in asked]))
        if table.lines(seat) != self.lines(seat):
            raise ValueError(f"{self.game.name} redeals what player{seat + 1} knows: report it")
        table.take()
        return table

    # -- answers -----------------------------------------------------------------------------

    def request(self, seat: int) -> Ask:
        """The open request of `seat`. Raises ValueError if it is not asked."""
        for ask in self.asked:
            if ask.seat == seat:
                return ask
        raise ValueError(f"player{seat + 1} is not asked")

    def draft(self, seat: int) -> Draft:
        """An empty answer to the open request of `seat`, from which all legal ones can be made, as
        far as the seat knows. Raises ValueError if it is not asked, or for a game without offers.
        """
        return Draft.begin(self.game, self.known_to(seat).world, self.request(seat))

    def try_answer(self, seat: int, text: str) -> AnswerTrial:
        """What the rules would say about an answer to the open request of `seat`, as far as the
        seat can know, while all others do nothing. Changes nothing::

            >>> from arena.core import Setup, Table, find_game
            >>> game = find_game("toroid")
            >>> table = Table(game, Setup("1", 2, game.settings()))
            >>> table.try_answer(0, "build").legal
            True
            >>> table.try_answer(0, "scout up").problems
            ("'scout up': 'up' is neither left nor right (direction)",)

        Raises ValueError if the seat is not asked.
        """
        self.request(seat)
        if not text.isprintable():
            return AnswerTrial((f"{quote(text)}: it has a character that is not plain text",))
        if len(text.encode()) > LINE_CAP:
            return AnswerTrial((f"it is longer than {LINE_CAP} bytes",))
        twin = self.known_to(seat).copy()
        twin.take()
        for ask in twin.waiting():
            twin.answer(ask.seat, Answer(text if ask.seat == seat else NO_MOVES))
        notes = [step for step in twin.take() if isinstance(step, Note) and step.seat == seat]
        twin.close()
        return AnswerTrial(
            tuple(f"{_why(note)} ({note.code})" for note in notes if note.fault),
            tuple(_why(note) for note in notes if not note.fault),
        )

    def known_to(self, seat: int) -> Table[W]:
        """This table; in a game that refuses some orders because of what `seat` cannot see, one
        without it (`Game.blindfold`). It is for reading alone."""
        blindfold, at = self.game.blindfold, len(self._history)
        if blindfold is None:
            return self
        if self._known is None or self._known[:2] != (at, seat):
            world = blindfold(self.world, seat)
            self._known = at, seat, Table.at(self.game, world, self._setup)
        return self._known[2]

    def _restart_world(self) -> W:
        return self.game.world(self.setup) if self._origin is None else self._origin.copy()

    def _restart(self) -> Table[W]:
        """A table in the state of this one at its first requests."""
        if self._origin is not None:
            table = Table.at(self.game, self._origin.copy(), self._setup)
        else:
            table = Table.__new__(Table)
            table._set_up(self.game, self.setup)
        table._chances = self._chances.copy()
        return table

    def malformed(self) -> ArenaFault | None:
        """The error for the first invalid step so far, with the line of the script that gave it;
        None when all are valid. Plays the match again."""
        script = self.game.script(self._restart_world())
        return find_malformed(self.game, script, self._history, self.setup)

    def close(self) -> None:
        """End the script at its current point."""
        self._script.close()

    def _advance(self, replies: tuple[Reply, ...] | None) -> None:
        """Run the script to its next requests or its end."""
        self.asked = ()
        script, keep = self._script, self._steps.append
        try:
            step = next(script) if replies is None else script.send(replies)
            while type(step) is not tuple:
                keep(step)  # type: ignore[arg-type]  # `type() is` narrows only one way
                if type(step) is Show:
                    self._shown_at = len(self._history)
                step = next(script)
        except StopIteration as end:
            self._end(end.value)
        except (Exception, SystemExit) as error:
            raise game_fault(self.game, error, "the rules", self._seed) from error
        else:
            self.asked = step
            if self._shown_at == len(self._history):
                self._first_asked = step
            if len(step) != 1 and id(step) not in self._checked:
                self._check(step)

    def _check(self, asks: Asks) -> None:
        """Check requests that are open at once: otherwise a seat asked twice would go unnoticed."""
        if self._setup and problem_of(asks, self._setup.seats):
            raise self._fault()
        if len(self._checked) >= MOST_CHECKED:
            self._checked.clear()
        self._checked[id(asks)] = asks  # kept, so that its id stays its own

    def _end(self, outcome: object) -> None:
        """End the match. Requires an outcome, without which users of the table would never stop."""
        seats = self._setup.seats if self._setup else len(getattr(outcome, "ranks", ()))
        if (problem := problem_of_outcome(outcome, seats)) is not None:
            raise malformed_outcome(self.game, problem, self._seed)
        assert isinstance(outcome, Outcome)
        self.outcome = outcome

    def _fault(self) -> ArenaFault:
        """The error for the malformed step that was found."""
        fault = self.malformed()
        assert fault is not None
        return fault

    @property
    def _seed(self) -> str | None:
        return None if self._setup is None else self._setup.seed


def _snapshot(world: object) -> bytes | None:
    """The state of a world, to compare; None when it cannot be pickled."""
    import pickle

    written = BytesIO()
    pickler = pickle.Pickler(written)
    pickler.fast = True  # whether two fields hold one list or two equal ones does not matter
    try:
        pickler.dump(world)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError):
        return None
    return written.getvalue()


def _why(note: Note) -> str:
    """What is wrong, without the consequence after the semicolon: a trial has none."""
    return re.sub("; [^'\"]*$", "", note.detail)


class _Listener:
    """Collects every line of a match by replaying another table."""

    def __init__(self, table: Table[Any]) -> None:
        self._table = table
        self._lines: dict[int, list[str]] = {}
        setup = table._setup
        self._bank = (setup.settings if setup else table.game.settings()).timebank
        self._followed = 0
        self._hear()

    def lines(self, seat: int, history: list[tuple[Reply, ...]]) -> list[str]:
        """The lines of the seat, up to and including those after the last of these replies."""
        for replies in history[self._followed :]:
            self._table.answer_all(replies)
            self._hear()
        self._followed = len(history)
        return self._lines.get(seat, [])[:]

    def _hear(self) -> None:
        for step in (*self._table.take(), *self._table.asked):
            if isinstance(step, Tell):
                self._keep(step.seat, step.line)
            elif isinstance(step, Ask):
                self._keep(step.seat, step.line(self._bank))

    def _keep(self, seat: int, line: str) -> None:
        self._lines.setdefault(seat, []).append(line)
