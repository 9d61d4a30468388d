"""The sources of a folder: which of them its author wrote for the bot itself, and what they say."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path, PurePath

from arena.bots.content import Scan, everything
from arena.bots.language import Language
from arena.bots.languages import language_of
from arena.bots.manifests import by_stem, manifests_of
from arena.bots.modules import used, without_comments
from arena.bots.native import TESTS, is_build_file

_OTHERS = frozenset(
    {
        *("node_modules", "vendor", "site-packages", "venv", ".venv", "env", "target", "dist"),
        *("deps", "_build", "dist-newstyle", "third_party", "external", "packages"),
    }
)
"""Folders whose sources others wrote, or a build tool."""
_LIB = frozenset({"lib", "libs"})
"""Folders of other people's libraries in most languages."""
_OWN_LIB = (".ex", ".exs", ".rb")
"""Endings of languages in which ``lib`` is the bot itself."""


class Sources:
    """The sources of one folder. Each is read once, as far as a `Scan` reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._texts: dict[str, bytes] = {}
        self._held: dict[tuple[str, bytes], bool] = {}
        self._scan = Scan()

    @cached_property
    def files(self) -> list[str]:
        """The names of all files. Raises BotError for more than a bot may have."""
        return list(everything(self.folder))

    @cached_property
    def declared(self) -> dict[str, str]:
        """The main sources that project files name, each with the file that does."""
        found = manifests_of(self.folder, self.files)
        if not found:
            return {}
        stems = by_stem([name for name in self.files if language_of(Path(name)) is not None])
        return {name: one.file for one in reversed(found) for name in one.mains(stems)[:1]}

    @cached_property
    def own(self) -> list[str]:
        """The sources that its author wrote for the bot itself. A folder in which others' sources
        usually lie counts when there are no sources elsewhere."""
        known = [name for name in self.files if language_of(Path(name)) is not None]
        known = [name for name in known if not is_build_file(name)]
        for left_out in (TESTS | _OTHERS | _LIB, TESTS | _OTHERS, _OTHERS):
            if found := [name for name in known if not _lies_in(name, left_out)]:
                return found
        return []

    def text(self, name: str) -> bytes:
        """The beginning of a source."""
        if name not in self._texts:
            self._texts[name] = self._scan.read(self.folder / name)
        return self._texts[name]

    def language(self, name: str) -> Language:
        """The language of one of `own`."""
        found = language_of(Path(name))
        assert found is not None, name
        return found

    def holds(self, name: str, pattern: bytes) -> bool:
        """Whether the pattern is found in the source, outside of comments where these are known."""
        if (name, pattern) not in self._held:
            text = self.text(name)
            if self.language(name).name in ("Java", "C#"):
                text = without_comments(text)
            self._held[name, pattern] = re.search(pattern, text, re.MULTILINE) is not None
        return self._held[name, pattern]

    @cached_property
    def used(self) -> set[str]:
        """Those of `own` that another of them uses."""
        found: set[str] = set()
        for language in {self.language(name).name for name in self.own}:
            names = [name for name in self.own if self.language(name).name == language]
            found |= used(language, {name: self.text(name) for name in names})
        return found


def _lies_in(name: str, folders: frozenset[str]) -> bool:
    path = PurePath(name)
    own = _LIB if path.suffix in _OWN_LIB else frozenset[str]()
    return not (folders - own).isdisjoint(part.lower() for part in path.parts[:-1])
