"""Shell completion: the candidates for parameters, and the scripts for bash, zsh and fish.

Each public function for candidates is the `shell_complete` of a parameter. Nothing that plays is
loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from click import Context, Parameter
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

if TYPE_CHECKING:
    from arena.core.settings import Key, Settings


Items: TypeAlias = "list[CompletionItem[str]]"
Completer = Callable[[Context, Parameter, str], Items]
REPLAY = (".jsonl", ".jsonl.gz")


def games(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """The names of the games, each with its title; those of a library once its name is there."""
    from arena.core.registry import list_games, own_games

    return [
        CompletionItem(game.name, help=getattr(game, "title", None))
        for game in (list_games() if ":" in incomplete else own_games())
        if game.name.startswith(incomplete)
    ]


def bots(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """Files and folders."""
    return [CompletionItem(incomplete, type="file")]


def players(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """A person, or a file or folder. (Bash does not add files itself if we offer a word.)"""
    if incomplete and "human".startswith(incomplete):
        person = CompletionItem("human", help="a person at this terminal")
        return [person, *map(CompletionItem, _paths(incomplete))]
    return bots(ctx, parameter, incomplete)


def replays(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """Records, and folders that may contain some; without any, all files."""
    found = [path for path in _paths(incomplete) if path.endswith((*REPLAY, "/"))]
    if not any(path.endswith(REPLAY) for path in found):
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(path) for path in found]


def _paths(incomplete: str) -> list[str]:
    """The files and folders with that prefix; folders end with a slash."""
    import glob

    found = sorted(glob.glob(f"{glob.escape(incomplete)}*"))
    return [f"{path}/" if os.path.isdir(path) else path for path in found]


def settings(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """``KEY=`` for each setting of the game on the line, with its range; after that, its values."""
    from arena.core.registry import find_game
    from arena.core.settings import keys
    from arena.errors import ArenaError

    try:
        kind = find_game(_game(ctx)).settings
    except ArenaError:
        return []
    known = keys(kind)
    name, equals, begun = incomplete.partition("=")
    if not equals:
        return [
            CompletionItem(f"{key.name}=", help=f"{key.allowed} (now {_text(key.default)})")
            for key in known
            if key.name.startswith(name)
        ]
    values = [value for key in known if key.name == name for value in _values(kind, key)]
    return [CompletionItem(f"{name}={value}") for value in values if value.startswith(begun)]


def _game(ctx: Context) -> str:
    """The game on the line; empty without one. (click stops parsing at an option that still lacks
    its value, so the words themselves may have to be searched.)"""
    from arena.core.registry import is_game

    words = split_arg_string(os.environ.get("COMP_WORDS", ""))
    return ctx.params.get("game") or next((word for word in words if is_game(word)), "")


def _values(kind: type[Settings], key: Key) -> list[str]:
    """The possible values of a setting if they are few; else its default, unless that is a formula
    (``2 × players``)."""
    from arena.core.settings import parse
    from arena.errors import SettingError

    if key.choices:
        return list(key.choices)
    default = _text(key.default)
    try:
        parse(kind, {key.name: default})
    except SettingError:
        return []
    return [default]


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def guides(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """The names of the guides."""
    from arena.guide.pages import guide_names

    return [CompletionItem(name) for name in guide_names() if name.startswith(incomplete)]


def languages(ctx: Context, parameter: Parameter, incomplete: str) -> Items:
    """The languages for which the game on the line has a starter bot."""
    from arena.api.games import kits
    from arena.core.registry import find_game
    from arena.errors import ArenaError

    try:
        known = kits(find_game(_game(ctx)))
    except ArenaError:
        return []
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


# Completion scripts. click's own put a blank behind ``KEY=``, and cut descriptions at a comma.
# Users enable them with one line in their shell's startup file (README)::
#
#     eval "$(_ARENA_COMPLETE=bash_source arena)"

BASH = """\
%(complete_func)s() {
    local IFS=$'\n' type value
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value"); [[ $value == *[=/] ]] && compopt -o nospace ;;
        esac
    done < <(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD %(complete_var)s=bash_complete $1)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
ZSH = """\
#compdef %(prog_name)s
%(complete_func)s() {
    (( $+commands[%(prog_name)s] )) || return 1
    local type key about
    local -a answer plain described ending
    answer=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
        %(complete_var)s=zsh_complete %(prog_name)s)}")
    for type key about in $answer; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain) [[ $about == _ ]] && plain+=("$key") || described+=("$key:$about") ;;
        esac
    done
    [[ $described[1] == *=:* ]] && ending=(-S '')
    (( $#described )) && _describe -V unsorted described -U "${ending[@]}"
    (( $#plain )) && compadd -U -V unsorted -a plain
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then  # a file in fpath
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""
FISH = """\
function %(complete_func)s;
    for line in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \\
            COMP_CWORD=(commandline -t) %(prog_name)s);
        set -l found (string split --max 1 "," $line);
        switch $found[1];
            case dir; __fish_complete_directories $found[2];
            case file; __fish_complete_path $found[2];
            case plain; echo $found[2];
        end;
    end;
end;
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)";
"""
VARIABLE = "_ARENA_COMPLETE"


def serve() -> None:
    """Replace click's scripts with these."""
    add_completion_class(Bash)
    add_completion_class(Zsh)
    add_completion_class(Fish)


class Bash(BashComplete):
    """Bash splits ``KEY=VALUE`` into three words."""

    source_template = BASH
    _shown_from = 0

    def get_completion_args(self) -> tuple[list[str], str]:
        """The finished words and the incomplete one, rejoined where bash split them at ``=``."""
        words = os.environ["COMP_WORDS"].split("\n")
        count = int(os.environ["COMP_CWORD"])
        words = [*words[: count + 1], ""][: count + 1]
        args: list[str] = []
        glued = False
        for word in words[1:]:
            if (word == "=" or glued) and args:
                args[-1] += word
            else:
                args.append(word)
            glued = word == "="
        begun = args.pop() if args else ""
        if len(args) < count - 1:  # bash replaces only the part after the last sign
            self._shown_from = begun.rfind("=") + 1
        return [_unquoted(word) for word in args], _unquoted(begun)

    def format_completion(self, item: CompletionItem[str]) -> str:
        """A completion as a line for the script."""
        shown = item.value[self._shown_from :] if item.type == "plain" else item.value
        return f"{item.type},{shown}"


class Zsh(ZshComplete):
    """Zsh gets the words and the descriptions from click."""

    source_template = ZSH


class Fish(FishComplete):
    """Fish does, too."""

    source_template = FISH


def _unquoted(word: str) -> str:
    """A word as the program will receive it."""
    import shlex

    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word.lstrip("'\"")
