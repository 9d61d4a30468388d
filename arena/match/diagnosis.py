"""Why a bot does not play: from what was seen of it to one cause, and what its author does next.

Pure. The evidence is gathered by `arena.match.check`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from itertools import takewhile

from msgspec import Struct

from arena.match.complaints import COMPLAINTS, last_words, place, spot
from arena.match.evidence import Evidence
from arena.match.flushing import how_to_flush
from arena.players.player import Stopped
from arena.text import quote


class Cause(Struct, frozen=True):
    """Why a bot does not play, in one sentence, and what to do."""

    code: str
    sentence: str
    fix: str
    fails: bool = True
    """Whether it keeps the bot from playing. Otherwise it is a warning."""


def diagnose(seen: Evidence) -> Cause | None:
    """The one cause; None when it plays."""
    return next((cause for rule in RULES for cause in rule(seen)), None)


def is_puzzling(seen: Evidence) -> bool:
    """Whether the other games should be offered: the rules took none of its answers, and what it
    does, if anything, does not say why."""
    cause = diagnose(seen)
    if seen.accepted or seen.missed:  # a silent one was offered them already
        return False
    return cause is None or cause.code in ("crash", "exit", "unasked", "illegal")


Rule = Callable[[Evidence], Iterator[Cause]]


# -- it ended ----------------------------------------------------------------------------------


def _broken_source(seen: Evidence) -> Iterator[Cause]:
    """What an interpreter says of a program that it cannot run at all."""
    if seen.stopped in (Stopped.CRASHED, Stopped.EXITED) and not seen.answers:
        for complaint in COMPLAINTS:
            for pattern in complaint.patterns:
                if found := re.search(pattern, seen.stderr, re.MULTILINE):
                    sentence = f"{complaint.sentence}: {found[1].strip()[:200]}"
                    where = place(seen.stderr, sentence)
                    fix = complaint.fix.replace("{source}", shlex.quote(seen.source or "FILE"))
                    yield Cause(complaint.code, sentence + where, fix)


def _other_game(seen: Evidence) -> Iterator[Cause]:
    if seen.other_game:
        yield Cause(
            "other_game",
            f"it is a bot for another game: it does not play {seen.game}, and it plays "
            f"{seen.other_game}",
            f"name its game: arena check {seen.other_game} {seen.command}",
        )


def _ended(seen: Evidence) -> Iterator[Cause]:
    when = _when(seen)
    match seen.stopped:
        case Stopped.CRASHED:
            said = last_words(seen.stderr)
            why = said + place(seen.stderr, said) if said else seen.stopped_detail
            yield Cause("crash", f"it crashed {when}: {why}", _mend(seen))
        case Stopped.EXITED:
            yield Cause(
                "exit",
                f"it left {when}, with exit code 0",
                "read and answer line by line until the input ends",
            )
        case Stopped.CLOSED:
            yield Cause(
                "closed",
                f"it closed its stdin or stdout {when}, and kept running",
                "keep both open until the input ends",
            )
        case Stopped.MEMORY | Stopped.OUTPUT | Stopped.CPU | Stopped.PROCESSES:
            yield Cause(
                str(seen.stopped),
                f"it exceeded a limit {when}: {seen.stopped_detail}",
                "use less" + (", or raise it: --memory" if seen.stopped is Stopped.MEMORY else ""),
            )


def _takes_too_long(seen: Evidence) -> Iterator[Cause]:
    if (hog := seen.hog) is not None:
        yield Cause(
            "hog",
            f"it takes too long in real time: its match was ended {_when(seen)} after "
            f"{hog.real:.0f} s, in which its processes and threads, up to {hog.tasks} at a time, "
            f"used {hog.cpu:.0f} s of CPU",
            "end the processes that it starts before it answers, and start few",
        )


def _when(seen: Evidence) -> str:
    if not seen.answers:
        return "before its first answer"
    if seen.round:
        return f"in round {seen.round}"
    return f"after {seen.answers} answer{'s' * (seen.answers > 1)}"


def _mend(seen: Evidence) -> str:
    """What the author of a bot that crashed does next."""
    if where := spot(seen.stderr):
        return f"correct line {where[1]} of {where[0]}"
    asked = f"; it was asked {quote(seen.request)}" if seen.request else ""
    return f"find what ends it there{asked}"


# -- it is silent ------------------------------------------------------------------------------


def _on_stderr(seen: Evidence) -> Iterator[Cause]:
    if seen.missed and seen.on_stderr:
        yield Cause(
            "stderr",
            f"it answers on stderr: {quote(seen.on_stderr)}",
            "write answers to stdout; stderr is for its author",
        )


def _no_flush(seen: Evidence) -> Iterator[Cause]:
    if seen.held_back and seen.comes_when_full:
        yield Cause(
            "no_flush",
            "it does not flush its answers: they came when its input was closed, "
            f"{quote(seen.held_back)} first",
            f"flush after each answer: {how_to_flush(seen.source or seen.command)}",
        )


def _reads_all(seen: Evidence) -> Iterator[Cause]:
    if seen.held_back:
        yield Cause(
            "reads_all",
            "it reads all its input before its first answer: its answers came when its input was "
            f"closed, {quote(seen.held_back)} first",
            "read one line at a time, and answer each request before the next is read"
            f"; flush after each answer: {how_to_flush(seen.source or seen.command)}",
        )


def _unfinished(seen: Evidence) -> Iterator[Cause]:
    if seen.missed and seen.unfinished:
        yield Cause(
            "unfinished",
            f"its answer has no newline at its end: {quote(seen.unfinished)}",
            "end each answer with a newline, and flush",
        )


def _late(seen: Evidence) -> Iterator[Cause]:
    if seen.late is None:
        return
    took = f"after {seen.late:.1f} s, and it had {seen.bank:.1f} s"
    if seen.answers:
        yield Cause(
            "slow",
            f"it is too slow: its answer to {quote(seen.request)} came {took}",
            "look at the time bank in each request, and stop in time",
        )
    else:
        yield Cause(
            "slow_start",
            f"it starts too slowly: its first answer came {took}",
            "load less before the first answer, or give it more: --timebank MS",
        )


def _prompt(seen: Evidence) -> Iterator[Cause]:
    if seen.inner_answer:
        yield Cause(
            "prompt",
            f"it prints more than its answer: {quote(seen.first_answer)} instead of "
            f"{quote(seen.inner_answer)}",
            "print nothing but answers to stdout; prompts and notes go to stderr",
        )
    elif seen.unasked:
        yield Cause(
            "unasked",
            f"it prints lines that were not asked for: {quote(seen.unasked)}",
            "print one line for each request and nothing else, since the first is taken for the "
            "answer; prompts and notes go to stderr",
        )


def _silent(seen: Evidence) -> Iterator[Cause]:
    if not seen.missed:
        return
    asked = f"no answer to {quote(seen.request)} within {seen.bank:.1f} s"
    if seen.cpu > seen.bank / 2:
        yield Cause(
            "busy",
            f"it computes without an end: {asked}, of which it used {seen.cpu:.1f} s of CPU",
            "look for a loop that does not end, or for a start that takes longer: --timebank MS",
        )
    else:
        yield Cause(
            "silent",
            f"it does not answer: {asked}, and it used {seen.cpu:.1f} s of CPU",
            f"answer this line: {_head(seen.request)} …" if seen.request else "answer",
        )


def _head(request: str) -> str:
    """The words of a request before its time bank: what a bot knows it by."""
    return " ".join(takewhile(lambda word: not word.isdecimal(), request.split()))


# -- it plays ----------------------------------------------------------------------------------


NO_ORDERS = frozenset({"nomove", "nomoves", "noorder", "noorders", "pass", "none", "skip", "noop"})
"""What authors write who want to pass."""


def pass_hint(said: str) -> str:
    """How to pass, where a refused answer (or the words in quotes with which a note begins) tries
    to; else nothing."""
    quoted = re.match(r"'([^']*)'", said)
    letters = re.sub(r"[^a-z]", "", (quoted[1] if quoted else said).lower())
    return "to pass, answer 'No moves'" if letters in NO_ORDERS else ""


def _nothing_legal(seen: Evidence) -> Iterator[Cause]:
    if (refused := seen.refused_all) is not None:
        when = f", in round {refused.round}" if refused.round else ""
        example = f"answer as here: {quote(refused.example)}" if refused.example else "correct them"
        yield Cause(
            "illegal",
            f"not one of its {refused.answers} answers to {refused.request!r} was legal; the first"
            f"{when}: {quote(refused.answer)}",
            pass_hint(refused.answer) or example,
            fails=False,
        )


RULES: tuple[Rule, ...] = (
    _broken_source,
    _other_game,
    _ended,
    _takes_too_long,
    _no_flush,
    _reads_all,
    _on_stderr,
    _late,
    _unfinished,
    _prompt,
    _silent,
    _nothing_legal,
)
"""In the order in which they are asked: what is surer first."""
