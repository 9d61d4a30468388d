"""Groups of commands, each in a module of its own that is imported when it is needed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from arena.errors import did_you_mean


class LazyGroup(click.Group):
    """Commands by name. The command N is `command` in the module ``PACKAGE.N``."""

    def __init__(
        self,
        *,
        package: str,
        members: Mapping[str, str],
        groups: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        """`members` are the names with a line of help each, in the order in which a newcomer needs
        them; `groups` those that have commands of their own."""
        super().__init__(**attributes)
        self._groups = groups
        self._package = package
        self._members = members

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in their order."""
        return list(self._members)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command, imported now."""
        if name not in self._members and ctx.resilient_parsing:
            return None  # a shell completes a line that is wrong
        if name not in self._members:
            raise click.UsageError(f"there is no command {name!r}: {self._instead(name)}")
        command: click.Command = importlib.import_module(f"{self._package}.{name}").command
        return command

    def _instead(self, name: str) -> str:
        """What was probably meant."""
        for group in self._groups:
            if name in importlib.import_module(f"{self._package}.{group}").COMMANDS:
                return f"did you mean '{group} {name}'?"
        return did_you_mean(name, self._members)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The names, without importing a command."""
        names = [
            CompletionItem(name, help=about)
            for name, about in self._members.items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in ``--help``, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._members.items()))
