"""Diagnosis of a bot that does not play: from observations (`Evidence`) to a `Cause`.

Pure functions: `arena.trial.match` gathers the evidence. An answer that came in time is never a
complaint.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import takewhile

from msgspec import Struct

from arena.players.player import Stopped
from arena.record.failures import COMPLAINTS, last_words, place, spot
from arena.text import counted, quote


class Release(StrEnum):
    """What released the answers that a bot held back."""

    END = "end"
    """Only the end of its input."""
    MORE_INPUT = "more_input"
    """Further lines of input, which ask for little."""
    MORE_REQUESTS = "more_requests"
    """Enough further requests for the answers to fill a buffer."""


class IllegalAnswers(Struct, frozen=True):
    """A kind of request to which the rules accepted no answer."""

    request: str
    """The request without its time bank."""
    answers: int
    """Number of refused answers."""
    round: int
    """Round of the first refused answer; 0 before the first round."""
    answer: str
    """The first refused answer."""
    example: str
    """An answer that the rules would have accepted; empty if none was found."""


class Overrun(Struct, frozen=True):
    """Resource use of a bot that delayed itself until its test was ended. Times in seconds."""

    real: float
    """Real time of the match."""
    cpu: float
    tasks: int
    """Peak number of processes and threads."""


class Evidence(Struct, frozen=True):
    """Observations of a bot that did not play as it should. Times in seconds."""

    game: str
    command: str = ""
    """The command as its author typed it."""
    source: str = ""
    """The name of its main source, if known."""
    request: str = ""
    """The last request, which is the unanswered one if there is one."""
    round: int = 0
    """Round of the last request; 0 before the first round."""
    answers: int = 0
    """Number of answers."""
    accepted: int = 0
    """Number of answers with orders that the rules did not refuse."""
    illegal: IllegalAnswers | None = None
    first_answer: str = ""
    inner_answer: str = ""
    """The suffix of its first answer that would have been legal by itself."""
    missed: bool = False
    """Whether an answer was due and did not come."""
    late: float | None = None
    """Delay of the answer, if it came soon after its time."""
    bank: float = 0.0
    """Time it had, including start-up time if any."""
    cpu: float = 0.0
    """CPU time used meanwhile."""
    instructions: int | None = None
    """Instructions used, if they are counted and exceed the limit."""
    overrun: Overrun | None = None
    unread: bool = False
    """Whether it had not started to read the request when its time was over."""
    held_back: str = ""
    """The answer that all its twins gave only when their input was closed."""
    release: Release = Release.END
    """What else made twins release it."""
    unasked: str = ""
    """A line on stdout that answers no request."""
    unfinished: str = ""
    """A line on stdout without its newline."""
    on_stderr: str = ""
    """A line on stderr that would have been a legal answer."""
    other_game: str = ""
    """Another game in which it does answer."""
    first_line: str = ""
    """The #! line that runs it, if any."""
    stopped: Stopped | None = None
    stopped_detail: str = ""
    stderr: str = ""


class Cause(Struct, frozen=True):
    """Why a bot does not play, in one sentence, and what to do."""

    code: str
    sentence: str
    fix: str
    fails: bool = True
    """Whether this keeps the bot from playing; otherwise it is a warning."""


def diagnose(seen: Evidence) -> Cause | None:
    """The one cause; None if the bot plays."""
    return next((cause for rule in RULES for cause in rule(seen)), None)


def is_puzzling(seen: Evidence) -> bool:
    """Whether to try the other games: the rules accepted none of its answers, and its behaviour
    does not explain why."""
    cause = diagnose(seen)
    if seen.accepted or seen.missed:  # other games were already tried for a silent bot
        return False
    return cause is None or cause.code in ("crash", "exit", "unasked", "illegal")


Rule = Callable[[Evidence], Iterator[Cause]]


# -- ended -----------------------------------------------------------------------------------


LIMITED = {
    Stopped.MEMORY: "memory",
    Stopped.OUTPUT: "output",
    Stopped.CPU: "CPU time",
    Stopped.PROCESSES: "processes",
}


def broken_source(seen: Evidence) -> Iterator[Cause]:
    """An interpreter's message about a program that it cannot run at all."""
    if seen.stopped in (Stopped.CRASHED, Stopped.EXITED) and not seen.answers:
        for complaint in COMPLAINTS:
            for pattern in complaint.patterns:
                if found := re.search(pattern, seen.stderr, re.MULTILINE):
                    sentence = f"{complaint.sentence}: {found[1].strip()[:200]}"
                    where = place(seen.stderr, sentence)
                    fix = complaint.fix.replace("{source}", shlex.quote(seen.source or "FILE"))
                    yield Cause(complaint.code, sentence + where, fix)


def other_game(seen: Evidence) -> Iterator[Cause]:
    if seen.other_game:
        yield Cause(
            "other_game",
            f"it is a bot for another game: it does not play {seen.game}, but it plays "
            f"{seen.other_game}",
            f"name its game: arena check {seen.other_game} {seen.command}",
        )


def ended(seen: Evidence) -> Iterator[Cause]:
    when = _when(seen)
    match seen.stopped:
        case Stopped.CRASHED:
            said = last_words(seen.stderr)
            why = said + place(seen.stderr, said) if said else seen.stopped_detail
            yield Cause("crash", f"it crashed {when}: {why}", _mend(seen))
        case Stopped.EXITED:
            yield Cause(
                "exit",
                f"it exited {when}, with exit code 0",
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
                f"it exceeded its limit of {LIMITED[seen.stopped]} {when}: {seen.stopped_detail}",
                "use less" + (", or raise it: --memory" if seen.stopped is Stopped.MEMORY else ""),
            )


def takes_too_long(seen: Evidence) -> Iterator[Cause]:
    if (overrun := seen.overrun) is not None:
        yield Cause(
            "hog",
            f"it takes too long in real time: its match was ended {_when(seen)} after "
            f"{overrun.real:.0f} s, in which its processes and threads, up to {overrun.tasks} at a "
            f"time, used {overrun.cpu:.0f} s of CPU",
            "start few processes, and end them before the bot answers",
        )


def _when(seen: Evidence) -> str:
    if not seen.answers:
        return "before its first answer"
    if seen.round:
        return f"in round {seen.round}"
    return f"after {counted(seen.answers, 'answer')}"


def _mend(seen: Evidence) -> str:
    """Advice to the author of a crashed bot."""
    if seen.first_line and seen.stopped_detail.endswith("exit code 127"):  # of a shell, or of env
        return f"name an existing interpreter in its first line, {quote(seen.first_line)}"
    if where := spot(seen.stderr):
        return f"correct line {where[1]} of {where[0]}"
    asked = f"; the last request was {quote(seen.request)}" if seen.request else ""
    return f"find out why it ends there{asked}"


# -- silent -----------------------------------------------------------------------------------


def _too_many_instructions(seen: Evidence) -> Iterator[Cause]:
    if seen.instructions is not None:
        yield Cause(
            "instructions",
            f"it computes too much: its answer to {quote(seen.request)} took "
            f"{seen.instructions:,} instructions, more than the limit",
            f"compute less for an answer; arena games {seen.game} shows the limits",
        )


def _on_stderr(seen: Evidence) -> Iterator[Cause]:
    if seen.missed and seen.on_stderr:
        yield Cause(
            "stderr",
            f"it answers on stderr: {quote(seen.on_stderr)}",
            "write answers to stdout; stderr is for notes to yourself",
        )


def _held_back(seen: Evidence) -> Iterator[Cause]:
    if not (seen.missed and seen.held_back):
        return
    closed = f"came when its input was closed, {quote(seen.held_back)} first"
    flush = f"flush after each answer: {how_to_flush(seen.source or seen.command)}"
    one_by_one = "read one line at a time, and answer each request before the next is read"
    match seen.release:
        case Release.MORE_REQUESTS:
            yield Cause(
                "no_flush",
                f"it does not flush its answers: they {closed}",
                flush,
            )
        case Release.MORE_INPUT:
            yield Cause(
                "reads_ahead",
                "it reads ahead, and answers a request only when more input follows: it answered "
                f"{quote(seen.held_back)} when further lines came",
                f"{one_by_one}, without an input buffer that has to fill (mawk: -W interactive)",
            )
        case Release.END:
            yield Cause(
                "reads_all",
                f"it reads all its input before its first answer: its answers {closed}",
                f"{one_by_one}; {flush}",
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
    took = f"after {seen.late:.1f} s, but it had only {seen.bank:.1f} s"
    if seen.answers:
        yield Cause(
            "slow",
            f"it is too slow: its answer to {quote(seen.request)} came {took}",
            "read the time bank in each request, and answer before it is used up",
        )
    else:
        yield Cause(
            "slow_start",
            f"it starts too slowly: its first answer came {took}",
            _start_sooner(str(1000 * math.ceil(2 * seen.late))),
        )


def _start_sooner(start_up: str) -> str:
    return f"load less before the first answer, or allow more time: --start-up {start_up}"


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
            f"it prints lines that answer no request: {quote(seen.unasked)}",
            "print one line for each request and nothing else, since the first line counts as the "
            "answer; prompts and notes go to stderr",
        )


def _silent(seen: Evidence) -> Iterator[Cause]:
    if not seen.missed:
        return
    asked = f"no answer to {quote(seen.request)} within {seen.bank:.1f} s"
    longer = "--timebank MS" if seen.answers else "--start-up MS"
    if seen.cpu > seen.bank / 2:
        yield Cause(
            "busy",
            f"it does not stop computing: {asked}, and it used {seen.cpu:.1f} s of CPU",
            f"look for a loop that does not end, or allow more time: {longer}",
        )
    elif seen.unread and not seen.answers:
        yield Cause(
            "slow_start",
            f"it starts too slowly: it had not read its first request after {seen.bank:.1f} s, and "
            f"used {seen.cpu:.1f} s of CPU",
            f"read stdin as soon as it starts; {_start_sooner('MS')}",
        )
    else:
        yield Cause(
            "silent",
            f"it does not answer: {asked}, and it used {seen.cpu:.1f} s of CPU",
            f"answer this line: {_head(seen.request)} …" if seen.request else "answer",
        )


def _head(request: str) -> str:
    """The words of a request before its time bank, by which a bot recognises it."""
    return " ".join(takewhile(lambda word: not word.isdecimal(), request.split()))


FLUSH = {
    (".py",): "print(answer, flush=True)",
    (".c", ".cpp", ".cc", ".cxx", ".C"): "fflush(stdout), or std::cout << std::flush",
    (".java", ".jar", ".kt"): "out.flush() behind each println of a PrintWriter",
    (".js", ".mjs", ".cjs", ".ts"): "console.log(answer)",
    (".rb",): "$stdout.flush, or $stdout.sync = true at its beginning",
    (".php",): "flush()",
    (".lua",): "io.flush()",
    (".awk",): "fflush()",
    (".pl",): "$| = 1; at its beginning",
    (".rs",): "std::io::stdout().flush()",
    (".go",): "writer.Flush()",
    (".cs",): "Console.Out.Flush()",
    (".hs",): "hSetBuffering stdout LineBuffering at its beginning",
}
"""How to flush, by the ending of a source."""


def how_to_flush(command: str) -> str:
    """How to flush in the language of a source, or in the first one that a command names."""
    endings = [os.path.splitext(word)[1] for word in command.split()]
    ways = [way for known, way in FLUSH.items() for end in endings if end in known]
    return ways[0] if ways else "arena guide author says how, by language"


# -- plays -------------------------------------------------------------------------------------


NO_ORDERS = frozenset({"nomove", "nomoves", "noorder", "noorders", "pass", "none", "skip", "noop"})
"""Words that authors write to pass."""


def pass_hint(said: str) -> str:
    """A hint on how to pass, if a refused answer (or the quoted words at the start of a note) tries
    to; otherwise empty."""
    quoted = re.match(r"'([^']*)'", said)
    letters = re.sub(r"[^a-z]", "", (quoted[1] if quoted else said).lower())
    return "to pass, answer 'No moves'" if letters in NO_ORDERS else ""


def _nothing_legal(seen: Evidence) -> Iterator[Cause]:
    if (illegal := seen.illegal) is not None:
        when = f", in round {illegal.round}" if illegal.round else ""
        example = f"a legal answer: {quote(illegal.example)}" if illegal.example else "correct them"
        yield Cause(
            "illegal",
            f"none of its {illegal.answers} answers to {illegal.request!r} was legal; the first"
            f"{when}: {quote(illegal.answer)}",
            pass_hint(illegal.answer) or example,
            fails=False,
        )


RULES: tuple[Rule, ...] = (
    broken_source,
    other_game,
    ended,
    takes_too_long,
    _too_many_instructions,
    _held_back,
    _on_stderr,
    _late,
    _unfinished,
    _prompt,
    _silent,
    _nothing_legal,
)
"""Diagnoses in the order in which they are tried, most certain first."""
