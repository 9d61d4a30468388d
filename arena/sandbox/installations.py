"""Find the interpreter installations outside the system folders that a program may see.

Behind walls an interpreter needs its whole installation, not just its binary. But a bot must not
choose that folder: ``run = "/home/me/private/bin/tool"`` would open ``/home/me/private`` to it. So
a path that a bot names counts only where software is installed: in ``PATH``, or in a folder of a
version manager.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
LINKED = ("/var/lib/ghc", "/var/lib/gems")
"""Folders outside `SYSTEM` that Debian's programs need: the package database of GHC (reached by a
link) and the packages of Ruby."""
MANAGED = (
    ("PYENV_ROOT", "~/.pyenv", "versions", 1),
    ("", "~/.local/share/uv", "python", 1),
    ("", "~/.rye", "py", 1),
    ("NVM_DIR", "~/.nvm", "versions/node", 1),
    ("FNM_DIR", "~/.local/share/fnm", "node-versions", 1),
    ("VOLTA_HOME", "~/.volta", "tools/image", 2),
    ("SDKMAN_DIR", "~/.sdkman", "candidates", 2),
    ("RBENV_ROOT", "~/.rbenv", "versions", 1),
    ("RUSTUP_HOME", "~/.rustup", "toolchains", 1),
    ("GHCUP_INSTALL_BASE_PREFIX", "~", ".ghcup/ghc", 1),
    ("ASDF_DATA_DIR", "~/.asdf", "installs", 2),
    ("MISE_DATA_DIR", "~/.local/share/mise", "installs", 2),
    ("", "~/miniconda3", "", 0),
    ("", "~/miniforge3", "", 0),
)
"""Version managers: environment variable of the root, default root, folder of the installations
below the root, and the depth of each installation in that folder."""


def in_system(path: str) -> bool:
    """Whether the path is a system folder or inside one."""
    return any(path == place or path.startswith(f"{place}/") for place in (*SYSTEM, "/etc"))


def linked() -> list[Path]:
    """The folders of `LINKED` that exist on this machine."""
    return [Path(place) for place in LINKED if os.path.isdir(place)]


def way(program: str) -> Iterator[str]:
    """Yield the path of a program and every target along its chain of symlinks."""
    path = os.path.abspath(program)
    for _ in range(40):  # as many links as the kernel follows
        yield path
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))


def toolchain(program: str) -> list[Path]:
    """Installation folders of an interpreter or compiler outside the system folders.

    For each symlink on the way to it: ``X`` of ``X/bin/name`` (a virtual environment, a version
    manager's folder) or of ``X/shims/name`` (the version manager's own folder). ``~/.local`` and
    ``~/.cargo`` also hold the user's secrets, so only their ``bin`` counts; of a home directory or
    its parents, only the file itself. ``rustc`` may link to ``rustup``, which adds its own folder.
    """
    return _places(way(program))


def chosen_toolchain(program: str) -> list[Path]:
    """Like `toolchain`, for a program that a bot names: starts at the first symlink step that the
    user chose (`is_chosen`)."""
    steps = list(way(program))
    first = next((at for at, step in enumerate(steps) if is_chosen(step)), len(steps))
    return _places(iter(steps[first:]))


def is_chosen(path: str) -> bool:
    """Whether the user rather than a bot controls this path: system folders, ``PATH``, the Python
    that runs the arena, and version manager installations."""
    in_path = os.path.dirname(path) in os.get_exec_path()
    return in_system(path) or in_path or path == sys.executable or _is_managed(path)


def is_interpreter(path: str) -> bool:
    """Whether a program is installed software (or in a virtual environment), and not a bot."""
    return is_chosen(path) or os.path.isfile(os.path.join(_above(path, 2), "pyvenv.cfg"))


def interpreter_of(path: str) -> str | None:
    """The interpreter in a script's ``#!`` line (for ``env``, the program that it looks up); None
    for other files."""
    try:
        with open(
            path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)
        ) as file:
            line = os.fsdecode((file.read(512) or b"").split(b"\n")[0])
    except OSError:
        return None
    if not line.startswith("#!") or not (words := line[2:].split()):
        return None
    if os.path.basename(words[0]) != "env":
        return words[0]
    named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return shutil.which(named[0]) if named else None


def rustup_home() -> Path:
    """The folder in which rustup keeps its toolchains."""
    return Path(os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup"))


def _is_managed(path: str) -> bool:
    real = Path(os.path.realpath(_above(path, 2)), os.path.basename(_above(path, 1)))
    for variable, usual, inner, depth in MANAGED:
        root = os.path.expanduser(os.environ.get(variable, "") or usual)
        place = Path(os.path.realpath(root), inner)
        if real.is_relative_to(place) and len(real.relative_to(place).parts) > depth:
            return True
    return False


def _above(path: str, count: int) -> str:
    for _ in range(count):
        path = os.path.dirname(path)
    return path


def _places(paths: Iterator[str]) -> list[Path]:
    found = [_installation(Path(path)) for path in paths if not in_system(path)]
    return [place for place in dict.fromkeys(found) if place.exists()]


def _installation(program: Path) -> Path:
    if program.name == "rustup":
        return rustup_home()
    place, home = program.parent.parent, Path(os.path.expanduser("~"))
    is_home = place == home or place in home.parents or place.parent == Path("/home")
    if program.parent.name not in ("bin", "shims") or is_home:
        return program
    return program.parent if place in (home / ".local", home / ".cargo") else place
