"""Rust: the crates of a project that lie in its folder, compiled without Cargo.

A package may have a library beside its program (``src/lib.rs``), and need others by their paths.
Each becomes a library, in the order in which they need each other, and then the program is
compiled with them. What comes from a registry does not lie there, and is missed by the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.bots.executables import find_command
from arena.bots.language import operand
from arena.bots.manifests import Manifest, manifests_around, with_projects


def edition(folder: Path, main: str) -> dict[str, str]:
    """The edition of the language, as the project says."""
    return {"edition": next((one.edition for one in _packages(folder, main)), "2021")}


def libraries(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """How the compiler finds the libraries of the project."""
    package = next(iter(_packages(folder, main)), None)
    if package is None:
        return []
    known = _all_needed(folder, package)
    own = [package] if _root(folder, package) else []
    return ["-L", "../out", *_linked([*_needed(package, known), *own])]


def compiled_before(folder: Path, main: str) -> list[tuple[str, ...]]:
    """The commands that compile these libraries."""
    compiler = find_command("rustc")
    package = next(iter(_packages(folder, main)), None)
    if compiler is None or package is None:
        return []
    known = _all_needed(folder, package)
    return [
        (compiler, *_options(one), *_linked(_needed(one, known)), operand(root))
        for one in _in_order(package, known)
        if (root := _root(folder, one))
    ]


def _packages(folder: Path, main: str) -> list[Manifest]:
    return [one for one in manifests_around(folder, main, "Cargo.toml") if one.title]


def _all_needed(folder: Path, package: Manifest) -> dict[str, Manifest]:
    """The packages in the folder that one needs, also through others, by their files."""
    return {one.file: one for one in with_projects(folder, package) if one.title}


def _needed(package: Manifest, known: Mapping[str, Manifest]) -> list[Manifest]:
    return [known[name] for name in package.paths(package.projects) if name in known]


def _in_order(package: Manifest, known: Mapping[str, Manifest]) -> list[Manifest]:
    """The packages, each after those that it needs. (Two that need each other fail in the
    compiler.)"""
    found: dict[str, Manifest] = {}
    seen: set[str] = set()

    def add(one: Manifest) -> None:
        if one.file not in seen:
            seen.add(one.file)
            for other in _needed(one, known):
                add(other)
            found[one.file] = one

    add(package)
    return list(found.values())


def _root(folder: Path, package: Manifest) -> str | None:
    """The source in which its library begins, if it has one."""
    found = (name for name in package.paths(package.sources) if (folder / name).is_file())
    return next(found, None)


def _options(package: Manifest) -> list[str]:
    said = ["--crate-type", "rlib", "--crate-name", package.title, "--edition", package.edition]
    return [*said, "-O", "-L", "../out", "-o", f"../out/lib{package.title}.rlib"]


def _linked(packages: Sequence[Manifest]) -> list[str]:
    return [
        word for one in packages for word in ("--extern", f"{one.title}=../out/lib{one.title}.rlib")
    ]
