"""Causes of bots that ended, or were ended, before their match did: see `arena.match.diagnosis`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from arena.match.cause import Cause
from arena.match.complaints import COMPLAINTS, last_words, place, spot
from arena.match.evidence import Evidence
from arena.players.player import Stopped
from arena.text import counted, quote

LIMITED = {
    Stopped.MEMORY: "memory",
    Stopped.OUTPUT: "output",
    Stopped.CPU: "CPU time",
    Stopped.PROCESSES: "processes",
}


def broken_source(seen: Evidence) -> Iterator[Cause]:
    """What an interpreter says of a program that it cannot run at all."""
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
            f"it is a bot for another game: it does not play {seen.game}, and it plays "
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
                f"it went beyond its limit of {LIMITED[seen.stopped]} {when}: "
                f"{seen.stopped_detail}",
                "use less" + (", or raise it: --memory" if seen.stopped is Stopped.MEMORY else ""),
            )


def takes_too_long(seen: Evidence) -> Iterator[Cause]:
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
    return f"after {counted(seen.answers, 'answer')}"


def _mend(seen: Evidence) -> str:
    """What the author of a bot that crashed does next."""
    if where := spot(seen.stderr):
        return f"correct line {where[1]} of {where[0]}"
    asked = f"; it was asked {quote(seen.request)}" if seen.request else ""
    return f"find what ends it there{asked}"
