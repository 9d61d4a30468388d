"""What every game must do, whatever its rules. Each check takes any game and raises
AssertionError with what is wrong::

    >>> from arena.core import find_game
    >>> from arena.testing import check_game
    >>> check_game(find_game("tncc"))
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import math
import pickle
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from arena.core.game import AnyGame, Setup
from arena.core.offers import NO_MOVES
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.settings import Settings, keys
from arena.core.steps import Fate, Note, Show, Step, Stop, Tell
from arena.core.table import Table
from arena.core.view import find_view
from arena.match.endless import naming_endless_rules
from arena.testing.random_play import at_random, play, silent, text

MAX_REQUESTS = 3000
"""Rounds of requests after which random play is cut off."""
MOMENTS_BEHIND = (0, 1, 2, 7, 10, 23, 40)
"""After how many exchanges what is told behind the next answers is checked, besides the last."""
MOST_BEHIND = 300
"""Exchanges within which a match must end to be checked at its end, too."""


def check_game(game: AnyGame) -> None:
    """Run all checks. Raises AssertionError at the first that fails."""
    for check in CHECKS:
        run_check(check, game)


def run_check(check: Callable[[AnyGame], None], game: AnyGame) -> None:
    """Run one check. Raises ArenaFault within seconds for rules that never end."""
    with naming_endless_rules():
        check(game)


def setups(game: AnyGame, seeds: int = 2) -> Iterator[Setup[Settings]]:
    """Default matches for every number of seats."""
    for seats in game.seats:
        for seed in range(seeds):
            yield Setup(str(seed), seats, game.settings())


# -- reproducibility -------------------------------------------------------------------------


def check_determinism(game: AnyGame) -> None:
    """Same seed and answers, same transcript: all chance comes from the seed."""
    for setup in setups(game):
        first = play(Table(game, setup), at_random(setup.seed), MAX_REQUESTS)
        again = play(Table(game, setup), at_random(setup.seed), MAX_REQUESTS)
        assert_same(first, again, "two matches with one seed and the same answers differ")


def check_reply_order(game: AnyGame) -> None:
    """The order in which simultaneous answers arrive changes nothing."""
    for setup in setups(game, 1):
        forward, backward = Table(game, setup), Table(game, setup)
        answer = at_random(setup.seed)
        for _ in range(200):
            if forward.outcome is not None:
                break
            replies = {ask.seat: answer(forward, ask) for ask in forward.asked}
            for ask in forward.asked:
                forward.answer(ask.seat, replies[ask.seat])
            for ask in reversed(backward.asked):
                backward.answer(ask.seat, replies[ask.seat])
            one, other = ([text(step) for step in table.take()] for table in (forward, backward))
            assert_same(one, other, "the match depends on whose answer came first")


def check_fork(game: AnyGame) -> None:
    """A fork plays on exactly as its original, from several points, and leaves it alone."""
    for setup in setups(game, 1):
        for exchanges in (0, 1, 7, 40):
            original = Table(game, setup)
            play(original, at_random("before"), exchanges)
            fork = original.fork()
            ahead = play(fork, at_random("after"), 60)
            behind = play(original, at_random("after"), 60)
            assert_same(ahead, behind, "state outside the world: a match played again differs")


def check_copy(game: AnyGame) -> None:
    """Playing on with a copy of the world changes neither the world nor another copy."""
    for setup in setups(game, 1):
        for exchanges in (0, 1, 7, 40):
            table = Table(game, setup)
            play(table, at_random("before"), exchanges)
            worlds = [table.world.copy(), table.world.copy(), table.world]
            first, *others = [
                play(Table.at(game, world, setup), at_random("after"), 60) for world in worlds
            ]
            for other in others:
                assert_same(first, other, "copies of a world share something that changes")


def check_resumed(game: AnyGame) -> None:
    """A fresh script goes on from any world where the script that led there stands: it asks the
    same, or what was asked first in that round."""
    for setup in setups(game, 1):
        table, answer = Table(game, setup), at_random(setup.seed)
        first = table.asked
        for exchange in range(120):
            if any(isinstance(step, Show) for step in table.take()):
                first = table.asked
            if table.outcome is not None:
                break
            if exchange < 7 or exchange % 7 == 0:
                resumed = Table.at(game, table.world.copy(), setup).asked
                assert resumed in (table.asked, first), (
                    "state outside the world: a fresh script does not go on from it:\n"
                    f"  {table.asked}\n  {resumed}"
                )
            for ask in table.asked:
                table.answer(ask.seat, answer(table, ask))


def assert_same(one: list[str], other: list[str], problem: str) -> None:
    """Raise AssertionError with the first lines that differ."""
    if one != other:
        pairs = zip([*one, "(end)"], [*other, "(end)"], strict=False)
        first, second = next(pair for pair in pairs if pair[0] != pair[1])
        raise AssertionError(f"{problem}:\n  {first[:200]}\n  {second[:200]}")


# -- the end -------------------------------------------------------------------------------


def check_silence_ends(game: AnyGame) -> None:
    """A match in which no seat ever answers ends, with a full outcome."""
    for setup in setups(game, 1):
        table = Table(game, setup)
        play(table, silent, 100_000)
        check_outcome(table)


def check_outcome(table: Table[Any]) -> None:
    """Ranks are like 1 1 3; every seat has its points and its fate."""
    outcome, seats = table.outcome, table.setup.seats
    assert outcome is not None, "the match does not end"
    found = len(outcome.ranks), len(outcome.points), len(outcome.fates)
    assert found == (seats, seats, seats), f"{found} ranks, points and fates for {seats} seats"
    ranks = outcome.ranks
    assert all(rank == 1 + sum(r < rank for r in ranks) for rank in ranks), (
        f"ranks {ranks}: the best is 1, and those who tie share the better rank, as in 1 1 3"
    )
    assert all(isinstance(fate, Fate) for fate in outcome.fates), f"fates {outcome.fates}"
    assert all(map(math.isfinite, outcome.points)), f"points {outcome.points} are not finite"
    reason, sentence = outcome.reason, outcome.sentence
    assert reason.replace("_", "").isalpha(), f"the reason {reason!r} is not one word"
    assert sentence.endswith("."), f"the sentence {sentence!r} does not end with a full stop"


# -- what is hidden --------------------------------------------------------------------------


def check_fog(game: AnyGame) -> None:
    """Changing what a seat cannot see changes no line that it is told before the next answer, and
    nothing in its picture. A game without `perturb_hidden` says that it hides nothing."""
    for setup in setups(game):
        table, answer = Table(game, setup), at_random(setup.seed)
        for exchange in range(120):
            if table.outcome is not None:
                break
            if exchange % 5 == 0:
                check_fog_here(game, table, setup.seats)
            for ask in table.asked:
                table.answer(ask.seat, answer(table, ask))


def check_fog_here(game: AnyGame, table: Table[Any], seats: int) -> None:
    """Like `check_fog`, at one position."""
    for seat in range(seats):
        other = table.world.copy()
        if disturb(game, other, seat):
            shown, hidden = told(game, table.world.copy(), seat), told(game, other, seat)
            assert_same(
                shown,
                hidden,
                f"player{seat + 1} is told something that is hidden from it, or perturb_hidden "
                "changes what it sees",
            )


def disturb(game: AnyGame, world: Any, seat: int) -> bool:
    """Change in this world what the seat cannot see; false when there is nothing to change."""
    if game.perturb_hidden is None:
        return False
    before = snapshot(world)
    if not game.perturb_hidden(world, seat, Stream("fog", "disturb")):
        return False
    assert before is None or snapshot(world) != before, (
        f"perturb_hidden returns true for player{seat + 1}, but the world is as it was"
    )
    return True


def snapshot(world: Any) -> bytes | None:
    """The state of a world, to see whether it changes; None when it cannot be pickled."""
    try:
        return pickle.dumps(world)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None


def check_fog_behind_answers(game: AnyGame) -> None:
    """What a seat is told after the answers, up to its next request or the end, does not depend on
    anything then hidden from it. The seat itself does nothing, since an action may reveal something
    by right, as scouting does.

    The hidden part of the world is changed at every moment at which the script can be interrupted:
    before each line of its generators, and before each function that they call. What is told from
    there until the world changes must stay the same."""
    if game.perturb_hidden is None:
        return
    for setup in setups(game, 1):
        table, stream = Table(game, setup), Stream(setup.seed, "behind")
        history: list[tuple[Reply, ...]] = []
        while table.outcome is None and len(history) < MOST_BEHIND:
            asked, before = table.asked, table.world.copy()
            texts = [game.random_answer(table.world, ask, stream) for ask in asked]
            table.answer_all(tuple(map(Answer, texts)))
            if table.outcome is not None or len(history) in MOMENTS_BEHIND:
                resumes = Table.at(game, before.copy(), setup).asked == asked
                for seat in range(setup.seats):
                    replies: tuple[Reply, ...] = tuple(
                        Answer(NO_MOVES if ask.seat == seat else text)
                        for ask, text in zip(asked, texts, strict=True)
                    )
                    past = [replies] if resumes else [*history, replies]
                    origin = before if resumes else game.world(setup)
                    check_behind(lambda: Interrupted(game, origin, past), seat)  # noqa: B023
            history.append(tuple(map(Answer, texts)))


def check_behind(again: Callable[[], Interrupted], seat: int) -> None:
    """Like `check_fog_behind_answers`, for one seat of a match that is interrupted `again`."""
    again().run(seat)  # what functions cache must not move moments
    told = again().run(seat)
    spoken = {moment for moment, line in told.lines if line}
    for first in sorted({told.begins[moment] for moment in spoken if moment >= 0}):
        hidden = again().run(seat, disturbed=first)
        # A change of what is hidden may change what follows, from the next change of the world on.
        last = max(at for at, begin in enumerate(told.begins) if begin == first)
        # How much the others are told may depend on what is hidden: only own lines are compared.
        shown = [line for at, line in told.lines if line and first <= at <= last]
        assert_same(
            shown,
            [line for at, line in hidden.lines if line and at >= first][: len(shown)],
            f"player{seat + 1} is told behind the answers what is hidden from it",
        )


class Interrupted:
    """A match behind its last answers, interrupted before each line of the script's generators and
    each function that they call: its *moments*."""

    def __init__(self, game: AnyGame, origin: Any, history: list[tuple[Reply, ...]]) -> None:
        """Play on from a copy of the world up to the last of these replies, which are yet to be
        given."""
        self._game, self._view = game, find_view(game)
        self._world = origin.copy()
        self._script = game.script(self._world)
        self._disturbed: int | None = None
        self._seat = -1
        self._last: bytes | None = None
        self._at = -1
        self.begins: list[int] = []
        """For each moment, the first one since which the world is the same."""
        self.lines: list[tuple[int, str]] = []
        """What the seat was told, with the moment before it; empty for all other steps."""
        *past, self._replies = history
        self._next(partial(next, self._script))
        for replies in past:
            self._next(partial(self._script.send, replies))
        self.lines.clear()

    def run(self, seat: int, disturbed: int | None = None) -> Interrupted:
        """Play on to the next requests. At the moment `disturbed` the world is changed where the
        seat cannot see it."""
        self._seat, self._disturbed = seat, disturbed
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            self._next(partial(self._script.send, self._replies))
        finally:
            sys.settrace(before)
            self._script.close()
        return self

    def _next(self, step_on: Callable[[], Any]) -> None:
        """Run to the next requests or to the end."""
        try:
            step = step_on()
            while not isinstance(step, tuple):
                self.lines.append((self._at, self._told(step)))
                step = next(self._script)
            for ask in step:
                self.lines.append((self._at, ask.line(1) if ask.seat == self._seat else ""))
        except StopIteration:
            pass

    def _told(self, step: Step) -> str:
        if isinstance(step, Tell) and step.seat == self._seat:
            return step.line
        if isinstance(step, Show) and self._seat >= 0 and self._view and self._view.seen:
            return repr(self._view.seen(self._world, self._seat, step.frame))
        return ""

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        """Called by the interpreter at the call of each function."""
        if not str(frame.f_globals.get("__name__", "")).startswith(self._game.package):
            return None
        if _is_generator(frame):
            return self._line
        if frame.f_back is not None and _is_generator(frame.f_back):
            self._moment()
        return None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        """Called by the interpreter before each line of a generator."""
        if event == "line":
            self._moment()
        return self._line

    def _moment(self) -> None:
        self._at += 1
        if self._disturbed is None:
            now = snapshot(self._world)
            same = now is not None and now == self._last
            self.begins.append(self.begins[-1] if same else self._at)
            self._last = now
        elif self._at == self._disturbed:
            disturb(self._game, self._world, self._seat)


def _is_generator(frame: FrameType) -> bool:
    code = frame.f_code
    return bool(code.co_flags & inspect.CO_GENERATOR) and code.co_name != "<genexpr>"


def told(game: AnyGame, world: Any, seat: int) -> list[str]:
    """The lines and requests to `seat` until the first answers are needed, the board as a person
    there sees it, and what that person can pick."""
    table, view = Table.at(game, world), find_view(game)
    lines = table.lines(seat)
    for ask in table.asked:
        if ask.seat == seat:
            lines += [game.seat_picture(world, ask)] if game.seat_picture else []
            lines += [repr(view.asked(world, ask))] if view and view.asked else []
            lines += [repr(game.offers(world, ask, "", ()))] if game.offers else []
    table.close()
    return lines if table.outcome is None else [*lines, "(end)"]


# -- answers ---------------------------------------------------------------------------------


def check_offers(game: AnyGame) -> None:
    """Whatever is picked of the offers comes to a whole answer, which the rules take. A game that
    has no `offers` is not checked."""
    if game.offers is None:
        return
    for setup in setups(game, 1):
        table, answer, stream = Table(game, setup), at_random(setup.seed), Stream("offers", "picks")
        for exchange in range(60):
            if table.outcome is not None:
                break
            if exchange % 4 == 0:
                for ask in table.asked:
                    check_drafts(table, ask.seat, stream)
            table.answer_all(tuple(answer(table, ask) for ask in table.asked))


def check_drafts(table: Table[Any], seat: int, stream: Stream) -> None:
    """As `check_offers`, for two answers of one seat."""
    for _ in range(2):
        text = table.draft(seat).random_answer(stream)
        problems = table.try_answer(seat, text).problems
        assert not problems, f"{text!r} was offered to player{seat + 1}: {problems[0]}"


# -- the form of steps -----------------------------------------------------------------------


def check_steps(game: AnyGame) -> None:
    """Lines, requests, notes and frames are well formed; frames are complete JSON."""
    for setup in setups(game):
        table, answer = Table(game, setup), at_random(setup.seed)
        shown: list[Show] = []
        for _ in range(MAX_REQUESTS):
            for step in table.take():
                check_step(step, setup.seats)
                shown += [step] if isinstance(step, Show) else []
            if table.outcome is not None:
                check_outcome(table)
                break
            check_asks(table)
            for ask in table.asked:
                table.answer(ask.seat, answer(table, ask))
        check_frames(game, shown)


def check_step(step: Step, seats: int) -> None:
    """Check that one step is well formed."""
    match step:
        case Tell(seat, line):
            check_line(line)
        case Note(seat, code, detail):
            assert code.replace("_", "").isalpha(), f"the code {code!r} of a note is not one word"
            assert detail, f"a note {code} without a detail"
        case Stop(seat):
            pass
        case Show(frame):
            assert json.loads(json.dumps(frame)) == frame, f"a frame must be plain JSON: {frame}"
            return
        case _:
            raise AssertionError(
                f"{step!r} is not a step: requests are yielded in a tuple, or ask()"
            )
    assert 0 <= seat < seats, f"a seat is a number from 0 to {seats - 1}: {step}"


def check_line(line: str) -> None:
    """ASCII, one blank between tokens, none at the ends."""
    form = line.isascii() and line.isprintable() and line == " ".join(line.split())
    assert form, f"{line!r} is not printable ASCII with single blanks between the words"


def check_asks(table: Table[Any]) -> None:
    """At most one open request for each seat, and one at least."""
    seats = [ask.seat for ask in table.asked]
    assert seats, "the script waits for no answer: it yielded an empty tuple"
    assert len(set(seats)) == len(seats), f"a player is asked twice at once: {table.asked}"
    for ask in table.asked:
        check_line(ask.line(10000))


def check_frames(game: AnyGame, shown: list[Show]) -> None:
    """Rounds count up to the maximum; every frame has the same keys (but for `board`)."""
    assert shown, "a match must show something"
    frames = [show.frame for show in shown]
    rounds = [frame["round"] for frame in frames]
    assert rounds == list(range(len(rounds))), f"rounds {rounds}: 0 is the set-up, then each once"
    assert all(frame["round"] <= frame["rounds"] for frame in frames), "more than `rounds` rounds"
    for frame in frames:
        assert set(frame) - {"board"} == set(frames[0]) - {"board"}, f"other keys: {frame}"
    assert all("board" not in frame for frame in frames[1:]), "only the first frame has a board"
    board = frames[0].get("board")
    for frame in frames:
        headline, picture = game.headline(frame), game.picture(board, frame)
        assert headline.isprintable(), f"the headline {headline!r} is more than one line"
        for line in picture.split("\n"):
            form = line.isprintable() and len(line) <= 100
            assert form, f"a picture has lines of at most 100 printable characters: {line!r}"


# -- the code --------------------------------------------------------------------------------

PURE_IMPORTS = {
    "__future__", "array", "bisect", "collections", "contextlib", "copy", "dataclasses", "decimal",
    "enum", "fractions", "functools", "heapq", "itertools", "math", "msgspec", "operator", "re",
    "statistics", "string", "types", "typing",
    "pyspiel", "open_spiel",  # the rules of OpenSpiel, which draw no chance of their own
}  # fmt: skip
"""Modules that rules may import besides their own and the contract."""
CONTRACT = {"arena.core", "arena.games.kit"}
"""The modules that the arena offers to games."""


def check_imports(game: AnyGame) -> None:
    """The files of the game import the contract, themselves and pure parts of the library."""
    package = importlib.import_module(game.script.__module__).__package__
    file = Path(inspect.getfile(game.script))
    for path in file.parent.glob("*.py") if package else [file]:
        for name in imports(path):
            pure = name.partition(".")[0] in PURE_IMPORTS or name in CONTRACT
            own = f"{name}.".startswith((".", f"{package or game.script.__module__}."))
            assert pure or own, f"{path.name} imports {name}, which is no part of the contract"


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, by full name; relative ones begin with a dot."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def check_explanation(game: AnyGame) -> None:
    """There are rules to read, and every setting says what it means."""
    assert game.rules.strip(), "the rules are empty"
    for key in keys(game.settings):
        assert key.meaning, f"the setting {key.name} needs a description"


CHECKS: tuple[Callable[[AnyGame], None], ...] = (
    check_determinism,
    check_reply_order,
    check_fork,
    check_copy,
    check_resumed,
    check_silence_ends,
    check_fog,
    check_fog_behind_answers,
    check_offers,
    check_steps,
    check_imports,
    check_explanation,
)
