"""The guides by name, in the order in which they are listed."""

from __future__ import annotations

from importlib import resources

from msgspec import Struct

from arena.errors import UsageError, did_you_mean

ORDER = (
    *("author", "workbench", "organiser", "site", "designer", "openspiel", "python", "training"),
    *("protocol", "safety", "clocks", "speed", "scale", "records"),
)
"""First the guides by reader, then those by subject. A file with another name is listed last.

`protocol.md` is a link to the file of that name at the top of the repository."""


class Guide(Struct, frozen=True):
    """One guide."""

    name: str
    text: str
    """Markdown. It begins with a title, and a sentence that names its readers."""

    @property
    def about(self) -> str:
        """That sentence, in one line."""
        return " ".join(self.text.split("\n\n")[1].split())


def guide_names() -> list[str]:
    """The names of all guides."""
    files = resources.files("arena.guide").iterdir()
    found = {file.name.removesuffix(".md") for file in files if file.name.endswith(".md")}
    return [name for name in ORDER if name in found] + sorted(found.difference(ORDER))


def find_guide(name: str) -> Guide:
    """The guide of that name. Raises UsageError with the nearest name when there is none."""
    names = guide_names()
    if name not in names:
        raise UsageError(f"there is no guide {name!r}: {did_you_mean(name, names)}")
    return Guide(name, resources.files("arena.guide").joinpath(f"{name}.md").read_text("utf-8"))
