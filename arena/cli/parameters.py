"""The options and arguments that several commands share, and the checks of their combinations."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from arena.cli import completion
from arena.cli.status import tell
from arena.core.clock import Clock
from arena.errors import UsageError
from arena.sandbox.levels import SANDBOX_MODES
from arena.text import joined, safe

if TYPE_CHECKING:
    from pathlib import Path

    from arena.api.conditions import Conditions
    from arena.cluster.pool import ClusterPool
    from arena.runtime.pool import Pool


meter_option = click.option(
    "--meter",
    type=click.Choice(["time", "instructions"]),
    default="time",
    help="Limit answers by time, or by instructions (.wasm bots in codecharacter).",
)


# The option ``--sandbox`` of the commands that start bots.

F = TypeVar("F", bound=Callable[..., Any])


def sandbox_option(default: str) -> Callable[[F], F]:
    """The option with its default."""
    return click.option(
        "--sandbox",
        type=click.Choice(list(SANDBOX_MODES)),
        default=default,
        help="Walls around each bot: auto takes the strongest level of this machine, strict "
        f"refuses to play without a real sandbox.  [default: {default}]",
    )


# The options for a game's settings: ``--set``, ``--timebank``.

set_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting of the game (see: arena games GAME).",
    shell_complete=completion.settings,
)


def changes(given: Iterable[str], **times: str | None) -> dict[str, str]:
    """Settings from ``KEY=VALUE`` texts and from the given `times`. Raises SettingError."""
    from arena.core.settings import parse_changes

    return parse_changes(given) | {key: text for key, text in times.items() if text is not None}


# Persons and debuggers: invalid combinations of options.


def refuse_in_series(bots: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError for options of single matches."""
    for option, name in (
        ("watch", "--watch"),
        ("live", "--live"),
        ("show_stderr", "--show-stderr"),
    ):
        if options[option]:
            raise UsageError(f"{name} shows one match: leave out --games")
    if options["debug"]:
        raise UsageError("--debug is for one match, since it has no clock: leave out --games")
    if options["names"]:
        raise UsageError("--as names the bots of one match: leave out --games")
    from arena.players.entrant import named_human

    if any(named_human(bot) for bot in bots):
        raise UsageError("a person plays one match at a time: leave out --games")


def refuse_where_bots_play(bots: Sequence[str]) -> None:
    """Raise UsageError for a person in a command where only bots can play."""
    from arena.players.entrant import named_human

    if any(named_human(bot) and not os.path.exists(bot) for bot in bots):
        raise UsageError("only bots play here; a person plays with: arena play GAME human BOT")


def refuse_for_people(options: Mapping[str, Any]) -> None:
    """Raise UsageError for options that exclude a person. With --live the person plays on a page,
    so the terminal is free."""
    if options["watch"]:
        raise UsageError("--watch would show what is hidden from the person: leave it out")
    if options["live"]:
        return
    if options["as_json"]:
        raise UsageError(
            "a person plays where --json would print: use --replay to record the match"
        )
    if options["debug"]:
        raise UsageError("--debug needs the terminal at which the person plays: choose one")


def refuse_to_debug(bots: Sequence[str], options: Mapping[str, Any]) -> None:
    """Raise UsageError if a debugger could not reach the bot, or would find it frozen."""
    if options["debug"] > len(bots):
        raise UsageError(f"there is no player{options['debug']}: give 1 to {len(bots)}")
    if options["sandbox"] != "off":
        raise UsageError("a debugger cannot reach a bot behind walls: leave out --sandbox")
    if options["no_pondering"]:
        raise UsageError("a frozen bot cannot be debugged: leave out --no-pondering")


def refuse_together(options: Mapping[str, Any]) -> None:
    """Raise UsageError for displays of a match that would overwrite each other."""
    if options["show_stderr"] and options["watch"]:
        raise UsageError("--watch draws over what bots write: leave out one, or use --replay")
    if options["live"] and options["watch"]:
        raise UsageError("--watch draws in the terminal, --live on a page: choose one")


# The arguments GAME and BOT: errors when one is missing or not quoted.

EXAMPLE = "my_bot.py"


def name_game(command: str, game: str | None, bots: Sequence[str]) -> str:
    """The game. Raises UsageError when it is missing, or a bot is given in its place."""
    from arena.core.registry import game_names, is_game

    if game is None:
        games = ", ".join(game_names())
        raise UsageError(f"name a game and a bot: arena {command} GAME {EXAMPLE} (games: {games})")
    if is_game(game):
        return game
    names = game_names()
    if os.path.exists(game):
        meant = next((word for word in bots if word in names or _like_game(word)), names[0])
        others = " ".join(shlex.quote(word) for word in (game, *bots) if word != meant)
        first = meant if meant in names else _like_game(meant)
        kind = "folder" if os.path.isdir(game) else "file"
        raise UsageError(
            f"{game!r} is a {kind}, and the game comes first: arena {command} {first} {others} "
            f"(games: {', '.join(names)})"
        )
    if not bots and ("/" in game or os.path.splitext(game)[1]):
        raise UsageError(
            f"there is no file {game!r}; name a game and a bot: arena {command} GAME {EXAMPLE} "
            f"(games: {', '.join(names)})"
        )
    return game


def _like_game(word: str) -> str:
    """The game with a name close to the word; empty if there is none, or the word is a file."""
    from difflib import get_close_matches

    from arena.core.registry import game_names

    found = [] if os.path.exists(word) else get_close_matches(word, game_names(), 1)
    return found[0] if found else ""


def name_one_bot(command: str, game: str | None, bots: Sequence[str]) -> tuple[str, str]:
    """The game and the only bot. Raises UsageError."""
    game = name_game(command, game, bots)
    if not bots:
        raise UsageError(f"name a bot: arena {command} {game} {EXAMPLE}")
    refuse_unquoted(command, game, bots)
    refuse_where_bots_play(bots)
    if len(bots) > 1:
        raise UsageError(
            f"{len(bots)} bots are named, but one is tested at a time: arena {command} {game} "
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
                f"{word!r} and {after!r} are read as two bots: quote the command: arena {command} "
                f"{game} {' '.join(quoted)}"
            )


# Arguments that are files or folders.


class FilePath(click.Path):
    """A file or folder as a `Path`, imported on use. (That takes 3 ms, which most invalid command
    lines save.)"""

    def convert(self, value: Any, *where: Any) -> Path:
        """See `click.ParamType`."""
        from pathlib import Path

        if not value:
            self.fail("the path is empty: name a file or folder (. is the current one).", *where)
        return Path(os.fsdecode(super().convert(value, *where)))


# The option ``--keep-files`` of the commands that start bots.

keep_option = click.option(
    "--keep-files",
    metavar="DIR",
    type=FilePath(),
    help="Copy the files that each bot leaves into this new folder.",
)


# The option ``--pass-env`` of the commands that start bots of one's own.

pass_env_option = click.option(
    "--pass-env",
    "pass_env",
    multiple=True,
    metavar="NAME",
    help="Let bots and their builds have this variable of your environment. May be repeated.",
)


# The option ``--book`` of the commands that play many matches.

book_option = click.option(
    "--book",
    metavar="FILE",
    type=FilePath(),
    help="Begin at the positions of FILE (arena cut), in an order that --seed decides, each from "
    "all sides.",
)


# Files that commands read and write: replays must exist, and files are replaced only on request.


def require_replays(paths: Iterable[Path]) -> None:
    """Raise UsageError for a path without a file. (Reading a pipe could block for
    ever.)"""
    for path in paths:
        name = safe(str(path).replace("\n", "\\n"))
        if path.is_dir():
            raise UsageError(f"{name} is a folder: name the replays in it")
        if not path.exists():
            raise UsageError(f"there is no file {name}: name an existing replay")
        if not path.is_file():
            raise UsageError(
                f"{name} is a pipe or a device: name the file itself, which may be compressed (.gz)"
            )


def overwrite(option: str) -> Callable[[F], F]:
    """The option that allows another option to replace a file."""
    text = f"Let {option} replace an existing file."
    return click.option("--overwrite", is_flag=True, help=text)


def refuse_to_replace(what: str, path: Path, option: str) -> None:
    """Raise UsageError when the file named by an option exists already."""
    if path.is_file():
        raise UsageError(
            f"the {what} {path} exists already: name another with {option}, or add --overwrite"
        )


def check_output(what: str, path: Path | None, option: str, overwrite: bool, *endings: str) -> None:
    """Raise UsageError when the file that an option names, if it does, has none of these endings,
    and is no pipe or device; or exists already and must not be replaced."""
    if path is None:
        return
    is_stream = path.exists() and not path.is_file()
    if not is_stream and not path.name.endswith(endings):
        raise UsageError(f"{option} {path}: name a file that ends in {joined(endings, 'or')}")
    if not overwrite:
        refuse_to_replace(what, path, option)


def refuse_to_overwrite(given: Mapping[str, Any], *, games: int = 1) -> None:
    """Raise UsageError when a record named by these options exists already. With more than one game
    the records are numbered."""
    path: Path | None = given["replay"]
    if path is None or given["overwrite"]:
        return
    from arena.match.spec import existing_record

    found = existing_record(path, games=None if games == 1 else games)
    if found is not None:
        refuse_to_replace("record", found, "--replay")


# The options for the conditions of a match, shared by ``play`` and ``check``.

_GAME = (
    click.option("--seed", help="Decides all chance in the match."),
    set_option,
    click.option(
        "--map",
        "map_file",
        type=FilePath(),
        help="A map file, if the game takes one.",
    ),
    click.option(
        "--timebank", metavar="MS", help="Thinking time at the start, and the most that is saved."
    ),
    click.option("--time-per-move", metavar="MS", help="Thinking time added after each request."),
    meter_option,
    click.option(
        "--memory", metavar="SIZE", help="Memory limit for each bot, as in 512M.  [default: 1G]"
    ),
)
"""Options for the match itself."""
_FILES = (
    click.option("--replay", type=FilePath(), help="Record the match (.jsonl[.gz])."),
    overwrite("--replay"),
    keep_option,
)
_TIMES = (
    click.option(
        "--clock",
        type=click.Choice([clock.value for clock in Clock]),
        help="Charge time banks with real time (wall), real time less delay caused by other "
        "programs (fair), or the bot's CPU time (cpu).  [default: fair, if the system can measure "
        "it]",
    ),
    click.option("--no-pondering", is_flag=True, help="Freeze each bot while it is not asked."),
    click.option(
        "--sequential", is_flag=True, help="Ask one bot after the other, never two at once."
    ),
)
"""Options for the timing of bots."""


def options(command: F) -> F:
    """Add all options for conditions to a command, in this order."""
    verdicts = _start_up(None), _forfeit(None)
    walls = sandbox_option("off"), pass_env_option
    return _added(command, (*_GAME, *_FILES, *walls, *_TIMES, *verdicts))


def terms_of_play(command: F) -> F:
    """Add the options for conditions to a command that keeps no files of matches."""
    verdicts = _start_up(None), _forfeit(None)
    return _added(command, (*_GAME, sandbox_option("off"), pass_env_option, *_TIMES, *verdicts))


def terms(command: F) -> F:
    """Add the options for a league's terms to a command."""
    verdicts = _start_up(10_000), _forfeit(True)
    return _added(command, (*_GAME, sandbox_option("strict"), *_TIMES, *verdicts))


def _start_up(default: int | None) -> Callable[[F], F]:
    return click.option(
        "--start-up",
        metavar="MS",
        type=int,
        default=default,
        help="Time from a bot's start to its first answer that is not charged to its bank.  "
        f"[default: {'0, with engines 10000' if default is None else default}]",
    )


def _forfeit(default: bool | None) -> Callable[[F], F]:
    return click.option(
        "--forfeit/--no-forfeit",
        default=default,
        help="Rank a bot that was stopped below all others, and end the match when one is left.  "
        f"[default: {'yes' if default else 'no, but in openspiel games yes'}]",
    )


def _added(command: F, options: Sequence[Callable[[F], F]]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def conditions(given: Mapping[str, Any]) -> Conditions:
    """The conditions given by the options. Raises SettingError."""
    from arena.api.conditions import Conditions

    times = {key: given[key] for key in ("timebank", "time_per_move")}
    asked = Conditions(
        settings=changes(given["changes"], **times),
        map=given["map_file"],
        sandbox=given["sandbox"],
        meter=given["meter"],
        pondering=not given["no_pondering"],
        sequential=given["sequential"],
        keep_files=given.get("keep_files"),
        pass_env=given.get("pass_env", ()),
    )
    for key in ("seed", "memory", "clock", "start_up", "forfeit"):
        if given[key] is not None:
            asked[key] = given[key]
    return asked


# Numbers on the command line. Errors say what a valid number would be.

MAX_NUMBER = 2**63 - 1
"""The largest number in a league's file. (Errors do not mention it, since nobody reaches it.)"""


class WholeNumber(click.types.IntParamType):
    """A whole number of at least `least`, and at most `most`. (`click.IntRange` would show the
    range in ``--help``, with nineteen digits.)"""

    name = "number"

    def __init__(self, least: int, most: int = MAX_NUMBER) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        try:
            number = int(value)
        except ValueError:
            number = self.least - 1
        if not self.least <= number <= self.most:
            end = "on" if self.most == MAX_NUMBER else f"to {self.most}"
            self.fail(f"{value!r} is not a whole number from {self.least} {end}.", param, ctx)
        return number


class PlayerNumber(WholeNumber):
    """The number of a player: ``1`` or ``player1`` for the first."""

    name = "player"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """See `click.ParamType`."""
        number = value.removeprefix("player") if isinstance(value, str) else value
        return super().convert(number, param, ctx)


class AnyNumber(click.types.FloatParamType):
    """Any number, also with a decimal point."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """See `click.ParamType`."""
        try:
            return float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number.", param, ctx)


NUMBER = AnyNumber()
PLAYER = PlayerNumber(1)
JOBS = WholeNumber(1, 256)
"""Number of processes; a judge accepts no more workers, and no machine plays more matches."""


# Shared by the commands of leagues: the argument FILE and the option ``--reason``.

league_argument = click.argument("file", metavar="FILE", type=FilePath())


def reason_option(about: str) -> Callable[[F], F]:
    """The option ``--reason``, which is required and must not be empty."""
    return click.option("--reason", required=True, callback=_require_words, help=about)


def _require_words(context: click.Context, option: click.Parameter, words: str) -> str:
    if not words.strip():
        raise UsageError('the reason is empty: say why, as in --reason "the disk was full"')
    return words


# The options of commands that play against a pool.

_POOL = (
    click.option(
        "--pool",
        multiple=True,
        metavar="BOT",
        help="An opponent, or a folder of opponents. May be repeated.",
        shell_complete=completion.bots,
    ),
    click.option(
        "--maps",
        multiple=True,
        type=FilePath(),
        help="With --pool: a map file; all that are given are played in turns.",
    ),
    click.option(
        "--seats",
        type=WholeNumber(2),
        metavar="K",
        help="With --pool: bots in each match.  [default: the fewest that the game is for]",
    ),
    click.option(
        "--run",
        type=FilePath(),
        help="With --pool: keep the results in this file, and go on with the run that is there.",
    ),
    click.option(
        "--cluster", metavar="HOST:PORT", help="With --pool: let the workers of a cluster play."
    ),
)


def pool_options(command: F) -> F:
    """Add ``--pool`` and the options that belong to it."""
    return _added(key_option(command), _POOL)


def refuse_without_pool(given: Mapping[str, Any], *names: str) -> None:
    """Raise UsageError for an option that only a pool gives a meaning."""
    for name in names:
        if given[name]:
            raise UsageError(f"--{name} is for a pool: add --pool BOT, or leave it out")


def pool_arguments(
    given: Mapping[str, Any], workers: Callable[[int], AbstractContextManager[Pool]] | None
) -> dict[str, Any]:
    """The arguments of a function that plays against a pool, apart from conditions."""
    same = {name: given[name] for name in ("maps", "seats", "run", "pin")}
    return same | {"jobs": given["jobs"] or 1, "workers": workers, "tell": tell}


@contextmanager
def workers(
    given: Mapping[str, Any],
) -> Iterator[Callable[[int], AbstractContextManager[Pool]] | None]:
    """What opens the pool of the cluster, while it listens; None without one."""
    if given["cluster"] is None:
        if given["key"] is not None:
            raise UsageError("a key is for a cluster: add --cluster HOST:PORT, or leave it out")
        yield None
        return
    if given["pin"]:
        raise UsageError("--pin is for matches on this machine: leave out --cluster or --pin")
    if given["pass_env"]:
        raise UsageError("--pass-env is for bots on this machine: leave out --cluster or it")
    with open_pool(given["cluster"], given["key"], tell) as pool:
        yield opener(pool)


# The address of a cluster, and the file with its key.


def key_option(command: F) -> F:
    """Add ``--key``."""
    return click.option(
        "--key", type=FilePath(), help="The key of this machine, made by arena cluster keys."
    )(command)


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of ``HOST:PORT``. Raises UsageError."""
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port is None or parts.netloc != address or "@" in address:
        raise UsageError(f"{address!r} is not an address: give HOST:PORT, as in 127.0.0.1:8786")
    return host, port


def open_pool(address: str, key: Path | None, tell: Callable[[str], None]) -> ClusterPool:
    """The pool, not yet open, of a judge that will listen at that address. Raises UsageError."""
    host, port = host_and_port(address)
    if key is None:
        raise UsageError(
            "--cluster needs --key judge.pem: make the keys with arena cluster keys DIR"
        )
    from arena.cluster.pool import ClusterPool

    return ClusterPool(host, port, key, tell=tell)


def opener(pool: ClusterPool) -> Callable[[int], AbstractContextManager[ClusterPool]]:
    """A function that gives a judge that pool, which stays open."""
    return lambda jobs: nullcontext(pool)


# Messages to authors beside the results.


def tell_missing(who: str, bot: str, stderr: str) -> None:
    """Tell an author of a file beside the bot that was missing where it ran.

    `bot` is the bot's word on the command line, and `stderr` its output. `who` begins the message.
    """
    if not stderr:
        return
    from arena.bots.suggestions import left_outside

    if hint := left_outside(bot, stderr):
        tell(f"{who}{hint.strip()}")
