"""The process that compares sources for organisers: ``python -m arena.site.comparing FILE [TWO]``.

A process of its own behind limits, since authors may write what a lexer is slow at.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import msgspec

from arena.errors import ArenaError, UsageError
from arena.league.copies import league_copies, side_by_side
from arena.league.league import League
from arena.runtime.apart import limited
from arena.runtime.worker import die_with
from arena.site.contest import Contest

COMPARING_TIME = 60.0
"""Seconds for a comparison."""


async def compare(contest: Contest, *numbers: int) -> bytes:
    """Compare the sources of all current bots, as the JSON of `Copies`; or those of two
    submissions, as HTML. One process at a time does it. Raises UsageError when it fails."""
    words = map(str, (os.getpid(), contest.path, *numbers))
    command = [sys.executable, "-m", "arena.site.comparing", *words]
    try:
        async with contest.comparing:
            with anyio.fail_after(COMPARING_TIME):
                done = await anyio.run_process(command, check=False, start_new_session=True)
    except TimeoutError:
        raise UsageError(
            f"to compare the sources takes more than {COMPARING_TIME:g} s: on the server, use "
            "arena league copies"
        ) from None
    if done.returncode:
        raise UsageError(done.stderr.decode("utf-8", "replace").strip()[-500:] or "it was stopped")
    return done.stdout


def main(words: list[str]) -> None:
    """Run with the words of a command line: the process that started this, FILE and numbers."""
    die_with(int(words[0]))
    numbers = [*map(int, words[2:])]
    try:
        with limited(), League(Path(words[1])) as league:
            found = (
                side_by_side(league, (numbers[0], numbers[1])).encode()
                if numbers
                else msgspec.json.encode(league_copies(league))
            )
        sys.stdout.buffer.write(found)
    except ArenaError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
