"""Completion in shells: the scripts of click, with what they lack for words such as ``KEY=VALUE``.

A user turns it on with one line in the file that a shell reads at its start (README)::

    eval "$(_ARENA_COMPLETE=bash_source arena)"
"""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
)

VARIABLE = "_ARENA_COMPLETE"


def serve() -> None:
    """Use these scripts from now on."""
    add_completion_class(Bash)
    add_completion_class(Zsh)
    add_completion_class(Fish)


class Bash(BashComplete):
    """Bash splits ``KEY=VALUE`` into three words, and ends each completion with a blank."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        'COMPREPLY+=("$value"); [[ $value == *[=/] ]] && compopt -o nospace',
    )
    _shown_from = 0

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is begun, and that one, which `=` has not split."""
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
        if len(args) < count - 1:  # bash replaces what stands behind the last sign alone
            self._shown_from = begun.rfind("=") + 1
        return [_unquoted(word) for word in args], _unquoted(begun)

    def format_completion(self, item: CompletionItem[str]) -> str:
        """A line for the script."""
        shown = item.value[self._shown_from :] if item.type == "plain" else item.value
        return f"{item.type},{shown}"


class Zsh(ZshComplete):
    """Zsh ends each completion with a blank, too."""

    source_template = ZshComplete.source_template.replace(
        "_describe -V unsorted completions_with_descriptions -U",
        "local -a ending; [[ $completions_with_descriptions[1] == *=:* ]] && ending=(-S '')\n"
        '        _describe -V unsorted completions_with_descriptions -U "${ending[@]}"',
    )


class Fish(FishComplete):
    """Fish ends a description at its first comma."""

    source_template = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
    )


def _unquoted(word: str) -> str:
    """A word as the program will have it."""
    import shlex

    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word.lstrip("'\"")
