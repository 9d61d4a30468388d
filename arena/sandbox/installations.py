"""Installations outside the system's folders: what runs a program, and who says so.

Behind walls an interpreter needs its whole installation, not its binary alone. But which folder
that is a bot must not choose: ``run = "/home/me/private/bin/tool"`` would open ``/home/me/private``
to it. So what a bot names counts only where software is installed: in ``PATH``, or in a folder of
a version manager.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
LINKED = ("/var/lib/ghc", "/var/lib/gems")
"""What Debian keeps outside of them although their programs need it: the package database of GHC,
to which a link leads, and the packages of Ruby."""
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
"""Version managers: the variable that says where one is, where it is otherwise, the folder in that
with the installations, and how deep they are."""


def in_system(path: str) -> bool:
    """Whether the path is one of the system's folders, or in one."""
    return any(path == place or path.startswith(f"{place}/") for place in (*SYSTEM, "/etc"))


def linked() -> list[Path]:
    """What there is of `LINKED` on this machine."""
    return [Path(place) for place in LINKED if os.path.isdir(place)]


def way(program: str) -> Iterator[str]:
    """The path of a program, and that of each file to which it is a link."""
    path = os.path.abspath(program)
    for _ in range(40):  # as many links as the kernel follows
        yield path
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))


def toolchain(program: str) -> list[Path]:
    """Where an interpreter or compiler outside the system's folders lives: for each link on the
    way to it, ``X`` of ``X/bin/name`` (a virtual environment, a version manager's folder) or of
    ``X/shims/name`` (the version manager's own folder).

    Of ``~/.local`` and ``~/.cargo``, where the user's secrets lie as well, only ``bin``; of a home
    or what is above one, only the file itself. ``rustc`` may be a link to ``rustup``, which goes on
    to its own folder.
    """
    return _places(way(program))


def chosen_toolchain(program: str) -> list[Path]:
    """The same for a program that a bot names: only from where on the way is the user's choice
    (`is_chosen`)."""
    steps = list(way(program))
    first = next((at for at, step in enumerate(steps) if is_chosen(step)), len(steps))
    return _places(iter(steps[first:]))


def is_chosen(path: str) -> bool:
    """Whether the user, and no bot, says what lies there: the system, what is in ``PATH``, the
    Python that runs the arena, the installations of version managers."""
    in_path = os.path.dirname(path) in os.get_exec_path()
    return in_system(path) or in_path or path == sys.executable or _is_managed(path)


def is_interpreter(path: str) -> bool:
    """Whether a program is installed, and so no bot: also one of a virtual environment."""
    return is_chosen(path) or os.path.isfile(os.path.join(_above(path, 2), "pyvenv.cfg"))


def interpreter_of(path: str) -> str | None:
    """The program that executes a script, by its first line; None for other files. (Of ``env`` the
    program that it looks up.)"""
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
    """Where rustup keeps its toolchains."""
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
