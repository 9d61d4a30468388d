"""The structure of the package, read from its sources. ``python -m tests.structure`` prints it;
``python -m tests.structure FOLDER/arena`` prints that of another tree.

A *room* is a folder of `arena/`, without its sub-folders; an *arrow* is an import from one room to
another. All imports count, including those in functions and under TYPE_CHECKING.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[1]

Graph: TypeAlias = Mapping[str, set[str]]
"""By module: the modules of the package that it imports."""


@cache
def parsed(path: Path) -> ast.Module:
    """Parse a file once for all that asks about it: that takes most of the time."""
    return ast.parse(path.read_text("utf-8"))


def modules(package: Path) -> dict[str, Path]:
    """The modules of a package by full name. Starter kits are data."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if "kits" in parts:
            continue
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def read(package: Path) -> Graph:
    """Which module imports which."""
    known = modules(package)
    return {name: set(_known_imports(path, known)) - {name} for name, path in known.items()}


def _known_imports(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    for name in imported_names(path):
        module = name if name in known else name.rpartition(".")[0]
        if module in known:
            yield module


def imported_names(path: Path) -> Iterator[str]:
    """What a file imports, by full name: ``package.module`` or ``package.module.name``."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def circles(graph: Graph) -> list[set[str]]:
    """The sets of nodes of which each reaches each other."""
    reach = {node: reachable(graph, node) for node in graph}
    found: list[set[str]] = []
    for node in graph:
        circle = {other for other in reach[node] if node in reach[other]}
        if circle and circle not in found:
            found.append(circle)
    return found


def reachable(graph: Graph, start: str) -> set[str]:
    """All nodes that `start` leads to, itself only through others."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = graph[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def own_faces(graph: Graph) -> list[str]:
    """The modules that import a folder in which they stand. (The package itself is a floor.)"""
    return [
        f"{module} imports {imported}"
        for module, imports in graph.items()
        for imported in imports
        if module.startswith(f"{imported}.") and "." in imported
    ]


def room(module: str, package: Path) -> str:
    """The folder of a module; a module that stands loose in the package is a room of its own."""
    is_folder = package.parent.joinpath(*module.split(".")).is_dir()
    return module if is_folder or module.count(".") == 1 else module.rpartition(".")[0]


def rooms(graph: Graph, package: Path) -> Graph:
    """The same between folders."""
    found: dict[str, set[str]] = {}
    for module, imports in graph.items():
        here = room(module, package)
        found.setdefault(here, set()).update({room(other, package) for other in imports} - {here})
    return found


def lines(path: Path) -> int:
    """How long a module is."""
    return len(path.read_text("utf-8").splitlines())


def weight(package: Path) -> int:
    """How much Python there is besides the games: lines that are not blank."""
    return sum(
        sum(1 for line in path.read_text("utf-8").splitlines() if line.strip())
        for name, path in modules(package).items()
        if f"{package.name}.games." not in f"{name}."
    )


def _import_lines(path: Path) -> int:
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """The functions and methods of a module, and their lines from ``def`` to the last."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def homonyms(package: Path) -> dict[str, list[str]]:
    """The public names of classes that several modules have, with the modules. A game is a
    vocabulary of its own: in the others, and beside them, its words may mean something else."""
    found: dict[str, list[str]] = {}
    for module, path in modules(package).items():
        if f"{package.name}.games." in module:
            continue
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module)
    return {name: homes for name, homes in sorted(found.items()) if len(homes) > 1}


def shared_constants(package: Path) -> dict[str, list[str]]:
    """The public constants (``LIKE_THIS``, longer than a type variable) whose name several modules
    give to something of their own, with the modules. Games are left out, as above."""
    found: dict[str, list[str]] = {}
    for module, path in modules(package).items():
        if f"{package.name}.games." in module:
            continue
        names = {
            name.id
            for node in parsed(path).body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for name in ast.walk(target)
            if isinstance(name, ast.Name) and name.id.isupper() and len(name.id) > 1
        }
        for name in names:
            if not name.startswith("_"):
                found.setdefault(name, []).append(module)
    return {name: homes for name, homes in sorted(found.items()) if len(homes) > 1}


def report(package: Path) -> Iterator[str]:
    """The figures of a package, line by line."""
    files, graph = modules(package), read(package)
    folders = rooms(graph, package)
    loose = sorted(path.stem for path in package.glob("*.py"))
    yield f"modules    {_figures(lines(path) for path in files.values())}"
    yield f"weight     {weight(package)} lines that are not blank, without the games"
    sizes = [size for path in files.values() for _, size in functions(path)]
    yield f"functions  {_figures(sizes)}"
    yield f"loose      {len(loose)} at the top: {', '.join(loose)}"
    yield f"rooms      {len(folders)}"
    yield f"arrows     {_arrows(folders)} between rooms, {_arrows(graph)} between modules"
    yield f"circles    {len(circles(graph))} of modules, {len(circles(folders))} of rooms"
    yield from (f"           {', '.join(sorted(one))}" for one in circles(graph) + circles(folders))
    twice = homonyms(package)
    yield f"homonyms   {len(twice)}"
    yield from (f"           {name}: {', '.join(homes)}" for name, homes in twice.items())
    shared = shared_constants(package)
    yield f"constants  {len(shared)} names in several modules"
    yield from (f"           {name}: {', '.join(homes)}" for name, homes in shared.items())
    imported = sum(_import_lines(path) for path in files.values())
    yield f"imports    {imported} lines"
    long = {name: lines(path) for name, path in files.items()}
    longest = sorted(long, key=lambda name: -long[name])[:8]
    yield f"longest    {', '.join(f'{name} {long[name]}' for name in longest)}"


def _figures(sizes: Iterable[int]) -> str:
    """How many, how long in all and in the middle."""
    found = list(sizes)
    return f"{len(found)}, {sum(found)} lines, median {statistics.median(found):.0f}"


def _arrows(graph: Graph) -> int:
    return sum(map(len, graph.values()))


def main() -> None:
    """Print the figures of this package, or of another one."""
    package = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "arena"
    print("\n".join(report(package)))


if __name__ == "__main__":
    main()
