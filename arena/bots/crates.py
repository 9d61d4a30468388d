"""Rust: the crates of a project that lie in its folder, compiled without Cargo.

A package may have a library beside its program (``src/lib.rs``), and need others by their paths.
Each becomes a library, in the order in which they need each other, and then the program is
compiled with them. What comes from a registry does not lie there, and is missed by the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arena.bots.executables import find_command
from arena.bots.manifests import Manifest, manifests_around, read_manifest

MOST = 100
"""Crates of one project."""


def edition(folder: Path, main: str) -> dict[str, str]:
    """The edition of the language, as the project says."""
    return {"edition": next((one.edition for one in _packages(folder, main)), "2021")}


def libraries(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """How the compiler finds the libraries of the project."""
    package = next(iter(_packages(folder, main)), None)
    if package is None:
        return []
    wanted = [name for name, _ in _needed(folder, package)]
    own = [package.title] if _root(folder, package) else []
    return ["-L", "../out", *(word for name in [*wanted, *own] for word in _extern(name))]


def compiled_before(folder: Path, main: str) -> list[tuple[str, ...]]:
    """The commands that compile these libraries."""
    compiler = find_command("rustc")
    package = next(iter(_packages(folder, main)), None)
    if compiler is None or package is None:
        return []
    found: dict[str, tuple[str, ...]] = {}
    _add(folder, package, compiler, found)
    return list(found.values())


def _packages(folder: Path, main: str) -> list[Manifest]:
    found = manifests_around(folder, main)
    return [one for one in found if one.file.endswith("Cargo.toml") and one.title]


def _add(folder: Path, package: Manifest, compiler: str, found: dict[str, tuple[str, ...]]) -> None:
    """Add what compiles a library, after those that it needs."""
    if package.file in found or len(found) >= MOST:
        return
    found[package.file] = ()  # two that need each other end here, and fail in the compiler
    wanted = _needed(folder, package)
    for _, other in wanted:
        _add(folder, other, compiler, found)
    del found[package.file]
    if root := _root(folder, package):
        linked = [word for name, _ in wanted for word in _extern(name)]
        name, year = package.title, package.edition
        kind = (
            "--crate-type",
            "rlib",
            "--crate-name",
            name,
            "--edition",
            year,
            "-O",
            "-L",
            "../out",
        )
        out = ("-o", f"../out/lib{name}.rlib")
        found[package.file] = (compiler, *kind, *linked, *out, root)


def _needed(folder: Path, package: Manifest) -> list[tuple[str, Manifest]]:
    """The packages in the folder that one needs."""
    read = [read_manifest(folder, name) for name in package.paths(package.projects)]
    return [(one.title, one) for one in read if one is not None and one.title]


def _root(folder: Path, package: Manifest) -> str | None:
    """The source in which its library begins, if it has one."""
    return next(
        (name for name in package.paths(package.sources) if (folder / name).is_file()), None
    )


def _extern(name: str) -> tuple[str, str]:
    return "--extern", f"{name}=../out/lib{name}.rlib"
