"""C#: which sources make one program, by its project file if there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from arena.bots import native
from arena.bots.executables import find_command
from arena.bots.manifests import Manifest, manifests_around, with_projects

STATIC_MAIN = rb"\bstatic\s++(?:public\s++|async\s++)*+(?:void|int|Task|Task<int>)\s++Main\s*+\("
"""How a main function begins."""

_without_project = native.whole_project(STATIC_MAIN)


def of_one_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The sources of the project in which `main` lies, and of those in the tree to which it
    refers; without a project file, those of the largest folder without another program."""
    projects = _projects(folder, main)
    if not projects:
        return list(_without_project(folder, main, names))
    found = [name for one in projects for name in _sources(folder, one, names)]
    own = [name for name in dict.fromkeys(found) if not native.is_build_file(name)]
    others = native.with_main_function(folder, own, STATIC_MAIN)
    return [name for name in own if name not in others and name != main]


def references(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The libraries in the tree that its projects name."""
    return [f"-r:{name}" for name in _libraries(folder, main)]


def libraries_copied(folder: Path, main: str) -> list[tuple[str, ...]]:
    """The command that puts these libraries beside the program, which looks for them there."""
    found, copy = _libraries(folder, main), find_command("cp")
    return [(copy, "--", *found, "../out")] if found and copy else []


def _libraries(folder: Path, main: str) -> list[str]:
    named = [name for one in _projects(folder, main) for name in one.paths(one.libraries)]
    return [name for name in dict.fromkeys(named) if (folder / name).is_file()]


def _projects(folder: Path, main: str) -> list[Manifest]:
    """The project of a source, and those in the tree to which it refers, also through others."""
    first = manifests_around(folder, main, ".csproj")[:1]
    return [project for one in first for project in with_projects(folder, one)]


def _sources(folder: Path, project: Manifest, names: Sequence[str]) -> list[str]:
    """Those that the project lists; where it lists none, all below it, but for other projects."""
    listed = set(project.paths([one for one in project.sources if "*" not in one]))
    if found := [name for name in names if name in listed]:
        return found
    inside = native.below(project.place, names)
    return [name for name in inside if _lies_in(folder, project, PurePath(name).parent)]


def _lies_in(folder: Path, project: Manifest, place: PurePath) -> bool:
    """Whether no other project lies between a folder and that of the project."""
    while place != project.place:
        if any((folder / place).glob("*.csproj")):
            return False
        place = place.parent
    return True
