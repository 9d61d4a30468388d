"""The options with which commands set a game's settings: ``--set``, ``--timebank``."""

from __future__ import annotations

from collections.abc import Iterable

import click

from arena.cli.options import completion

option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting of the game (see: arena games GAME).",
    shell_complete=completion.settings,
)


def changes(given: Iterable[str], **times: str | None) -> dict[str, str]:
    """Settings from texts ``KEY=VALUE``, and those `times` that are given. Raises SettingError."""
    from arena.core.settings import parse_changes

    return parse_changes(given) | {key: text for key, text in times.items() if text is not None}
