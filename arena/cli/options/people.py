"""Persons and debuggers in place of mere bots: what cannot go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import UsageError


def refuse_in_series(bots: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError for what only a single match can have."""
    for option, name in (
        ("watch", "--watch"),
        ("live", "--live"),
        ("show_stderr", "--show-stderr"),
    ):
        if options[option]:
            raise UsageError(f"{name} shows one match: leave out --games")
    if options["debug"]:
        raise UsageError("--debug is for one match, since it has no clock: leave out --games")
    from arena.players.entrant import named_human

    if any(named_human(bot) for bot in bots):
        raise UsageError("a person plays one match at a time: leave out --games")


def refuse_where_bots_play(bots: Sequence[str]) -> None:
    """Raise UsageError for a person where only bots can play."""
    import os

    from arena.players.entrant import named_human

    if any(named_human(bot) and not os.path.exists(bot) for bot in bots):
        raise UsageError("only bots play here; a person plays with: arena play GAME human BOT")


def refuse_for_people(options: Mapping[str, Any]) -> None:
    """Raise UsageError for what a match with a person cannot have. With --live the person plays on
    a page, and leaves the terminal free."""
    if options["watch"]:
        raise UsageError("--watch would show what is hidden from the person: leave it out")
    if options["live"]:
        return
    if options["as_json"]:
        raise UsageError("the person plays where --json would print: record it with --replay")
    if options["debug"]:
        raise UsageError("--debug needs the terminal at which the person plays: choose one")


def refuse_to_debug(bots: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError where a debugger could not reach the bot, or would find it frozen."""
    if options["debug"] > len(bots):
        raise UsageError(f"there is no player{options['debug']}: give 1 to {len(bots)}")
    if options["sandbox"] != "off":
        raise UsageError("a debugger cannot look behind the walls: leave out --sandbox")
    if options["no_pondering"]:
        raise UsageError("a frozen bot cannot be debugged: leave out --no-pondering")


def refuse_together(options: Mapping[str, Any]) -> None:
    """Raise UsageError for ways of showing a match that would overwrite each other."""
    if options["show_stderr"] and options["watch"]:
        raise UsageError("--watch draws over what bots write: leave out one, or use --replay")
    if options["live"] and options["watch"]:
        raise UsageError("--watch draws in the terminal, --live on a page: choose one")
