"""The command ``arena new GAME LANGUAGE [DIR]``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.api.games import new_bot
from arena.cli import completion
from arena.cli.parameters import FilePath
from arena.cli.text.layout import say
from arena.core.registry import is_game
from arena.errors import UsageError
from arena.text import safe


@click.command(name="new")
@click.argument("game", shell_complete=completion.games)
@click.argument("language", shell_complete=completion.languages)
@click.argument("folder", metavar="[DIR]", required=False, type=FilePath())
def command(game: str, language: str, folder: Path | None) -> None:
    """Make a folder with a first bot for GAME. It plays by the rules; change it as you like.

    LANGUAGE is python, javascript, java, cpp, go or rust. DIR is my_GAME_bot by default.

    \b
    arena new warlight python
    arena check warlight my_warlight_bot
    """
    if not is_game(game) and is_game(language):
        raise UsageError(f"the game comes first: arena new {language} {safe(game)}")
    made = folder or Path(f"my_{game}_bot")
    main, *others = new_bot(game, language, made)
    shown = safe(str(made))
    say(f"{shown}: your bot is {main.name}, beside {', '.join(file.name for file in others)}")
    say(f"test it next: arena check {game} {safe(shlex.quote(str(made)))}")
