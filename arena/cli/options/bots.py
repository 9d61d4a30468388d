"""GAME and BOT on a command line: what is said when one of them is missing or not quoted."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise

from arena.cli.options.people import refuse_where_bots_play
from arena.core.registry import GAMES, game_names
from arena.errors import UsageError

EXAMPLE = "my_bot.py"


def name_game(command: str, game: str | None, bots: Sequence[str]) -> str:
    """The game. Raises UsageError when there is none, or a bot stands in its place."""
    if game is None:
        games = ", ".join(game_names())
        raise UsageError(f"name a game and a bot: arena {command} GAME {EXAMPLE} (games: {games})")
    if game in GAMES or game in (names := game_names()):  # these take 30 ms to find
        return game
    if os.path.exists(game):
        meant = next((word for word in bots if word in names or _like_game(word)), names[0])
        others = " ".join(shlex.quote(word) for word in (game, *bots) if word != meant)
        first = meant if meant in names else _like_game(meant)
        raise UsageError(
            f"{game!r} is a file, and the game comes first: arena {command} {first} {others} "
            f"(games: {', '.join(names)})"
        )
    if not bots and ("/" in game or os.path.splitext(game)[1]):
        raise UsageError(
            f"there is no file {game!r}; name a game and a bot: arena {command} GAME {EXAMPLE} "
            f"(games: {', '.join(names)})"
        )
    return game


def _like_game(word: str) -> str:
    """The game whose name a word nearly is; empty where there is none, or the word is a file."""
    found = [] if os.path.exists(word) else get_close_matches(word, game_names(), 1)
    return found[0] if found else ""


def name_one_bot(command: str, game: str | None, bots: Sequence[str]) -> tuple[str, str]:
    """The game and the one bot. Raises UsageError."""
    game = name_game(command, game, bots)
    if not bots:
        raise UsageError(f"name a bot: arena {command} {game} {EXAMPLE}")
    refuse_unquoted(command, game, bots)
    refuse_where_bots_play(bots)
    if len(bots) > 1:
        raise UsageError(
            f"{len(bots)} bots are named, and one is tested at a time: arena {command} {game} "
            f"{shlex.quote(bots[0])}"
        )
    return game, bots[0]


def refuse_unquoted(command: str, game: str, bots: Sequence[str]) -> None:
    """Raise UsageError for a command whose words are not quoted: ``python3 my_bot.py``."""
    from arena.bots.executables import find_command

    for word, after in pairwise(bots):
        is_program = "/" not in word and not os.path.exists(word) and find_command(word)
        if is_program and (os.path.exists(after) or after.startswith("-")):
            quoted = [f'"{word} {after}"' if one == word else one for one in bots if one != after]
            raise UsageError(
                f"{word!r} and {after!r} are two bots here: quote the command: arena {command} "
                f"{game} {' '.join(quoted)}"
            )
