"""What authors hear beside the results."""

from __future__ import annotations

from arena.cli.status import tell


def tell_missing(who: str, bot: str, stderr: str) -> None:
    """An author hears of a file beside the bot that was not there where it ran: `bot` is the word
    that named it, `stderr` what it said. `who` stands before that."""
    if not stderr:
        return
    from arena.bots.neighbours import left_outside

    if hint := left_outside(bot, stderr):
        tell(f"{who}{hint.strip()}")
