"""What the commands on a league have in common: the argument FILE, and the option --reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arena.cli.options.files import FilePath
from arena.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])
argument = click.argument("file", metavar="FILE", type=FilePath())


def reason(about: str) -> Callable[[F], F]:
    """The option that says why; it is asked for by its name, and must say something."""
    return click.option("--reason", required=True, callback=_require_words, help=about)


def _require_words(context: click.Context, option: click.Parameter, words: str) -> str:
    if not words.strip():
        raise UsageError('the reason is empty: say why, as in --reason "the disk was full"')
    return words
