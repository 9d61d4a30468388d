"""Why a bot does not play: from what was seen of it to one cause, and what its author does next.

Pure. The evidence is gathered by `arena.match.check`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

from arena.match.cause import Cause
from arena.match.endings import broken_source, ended, other_game, takes_too_long
from arena.match.evidence import Evidence
from arena.match.flushing import how_to_flush
from arena.text import quote


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


# -- it is silent ------------------------------------------------------------------------------


def _too_many_instructions(seen: Evidence) -> Iterator[Cause]:
    if seen.instructions is not None:
        yield Cause(
            "instructions",
            f"it computes too much: its answer to {quote(seen.request)} took "
            f"{seen.instructions:,} instructions, more than it may",
            f"compute less for an answer; arena games {seen.game} tells the limits",
        )


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
    broken_source,
    other_game,
    ended,
    takes_too_long,
    _too_many_instructions,
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
