"""The walls of the levels with namespaces, as one command line of bubblewrap (`bwrap`).

Behind it a program sees

* the system's programs and libraries and the toolchain that runs it, read-only;
* its own files, read-only, at the paths that they have outside;
* ``/tmp``, its home: private, bounded, gone with it; and ``/dev/shm``. A bot works there, a
  build in a folder outside that is shown to it to be written;
* its own processes, under a process tree of their own; no network; no message queues or shared
  memory of others; a host name that says nothing;

and it has no capability, cannot get one, and is an ordinary user: where the arena runs as root,
bubblewrap builds the walls as root, and the last step before the program changes to a user id that
no other process has. (The other way round, that user could not reach files below a private home.)
Otherwise it keeps the caller's id, in a user namespace in which that can do nothing.

The root is remounted read-only at the end, since the tmpfs that it is could grow to half of the
machine's memory.

Each mount costs a start 0.3 ms (bubblewrap reads the list of all mounts for it), so there are few.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from arena.limits import Limits
from arena.sandbox.birth import FILTER, STATUS, STDIN, STDOUT

HOME = "/tmp"
"""Where a program in the sandbox runs, and the only place where it can write."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
TAKE_PIPES = f'exec "$@" <&{STDIN} >&{STDOUT} {STDIN}<&- {STDOUT}>&-'
"""Bubblewrap's own processes keep its standard descriptors open until the end, so that nobody would
see a program close its stdout. All others they close: so the pipes travel under other numbers."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("os-release", "ssl/openssl.cnf", "java*", "php*", "python*", "ruby*", "perl*", "mono*"),
)
"""What runtimes need of ``/etc``; nothing of it is secret."""
DEVICES = ("null", "zero", "urandom")


ALTERNATIVES = Path("/etc/alternatives")


def find() -> str:
    """The path of bubblewrap. Raises OSError when it is not installed."""
    found = shutil.which("bwrap")
    if found is None:
        raise OSError("bubblewrap is not installed: apt-get install bubblewrap")
    return found


def wall(
    shown: Sequence[Path],
    links: Sequence[Path],
    limits: Limits,
    *,
    etc: Path,
    tools: Sequence[Path] = (),
    workplace: Path | None = None,
    start: str = HOME,
) -> list[str]:
    """The command that leads into the sandbox; the program's own words follow it.

    `shown` are the files and folders that the program may read, `tools` those of the programs
    that run it (`toolchain`), `links` those to which it finds links in its home. `workplace` is a
    folder in which it may write; `start` is where it runs; `etc` is a folder of `copy_etc`. Raises
    OSError when bubblewrap is missing or a file cannot be read by a stranger.
    """
    if os.geteuid() == 0:
        for file in shown:
            _check_readable(file)
    return [
        find(),
        *_namespaces(),
        *system(etc),
        *("--proc", "/proc", *_devices()),
        *("--perms", "1777", "--size", str(limits.shared_memory), "--tmpfs", "/dev/shm"),
        *("--perms", "1777", "--size", str(limits.disk), "--tmpfs", HOME),
        *_shown([*tools, *shown]),
        *(word for link in links for word in ("--symlink", str(link), f"{HOME}/{link.name}")),
        *(_writable(workplace) if workplace else ()),
        *("--remount-ro", "/", "--chdir", start),
        *("--seccomp", str(FILTER), "--json-status-fd", str(STATUS), "--"),
        *_last_step(limits),
    ]


def _namespaces() -> list[str]:
    words = [f"--unshare-{kind}" for kind in ("pid", "net", "ipc", "uts", "cgroup-try")]
    words += ["--hostname", "arena", "--die-with-parent", "--cap-drop", "ALL"]
    if os.geteuid() != 0:
        return [*words, "--unshare-user"]
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for the last step only
        words += ["--cap-add", capability]
    return words


def _last_step(limits: Limits) -> list[str]:
    """What stands between bubblewrap and the program: taking its pipes, and becoming somebody else
    or, in a user namespace, the limit on processes, which must count from inside. (Shells do not
    agree on its letter.)"""
    if os.geteuid() == 0:
        ids = ["--reuid={uid}", "--regid={uid}", "--clear-groups"]
        become = ["/usr/bin/setpriv", *ids, "--inh-caps=-all", "--bounding-set=-all", "--"]
        return ["/bin/sh", "-c", TAKE_PIPES, "sh", *become]
    most = limits.processes
    limit = f"ulimit -p {most} 2>/dev/null || ulimit -u {most} || exit 125; "
    return ["/bin/sh", "-c", limit + TAKE_PIPES, "sh"]


@cache
def system(etc: Path) -> tuple[str, ...]:
    """The options that show the system's own programs, libraries and settings (a folder of
    `copy_etc`)."""
    words: list[str] = []
    for place in SYSTEM:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), place]
        elif os.path.isdir(place):
            words += ["--ro-bind", place, place]
    words += ["--ro-bind", str(etc), "/etc"]
    return (*words, *_read_only([place for place in (ALTERNATIVES,) if place.is_dir()]))


def of_etc() -> list[Path]:
    """What there is of `ETC` on this machine."""
    return [found for pattern in ETC for found in sorted(Path("/etc").glob(pattern))]


def copy_etc(folder: Path) -> None:
    """Fill a folder with what a sandbox shows as ``/etc``: one folder to mount instead of a dozen
    files, each of which costs a start 0.3 ms."""
    folder.chmod(0o755)
    for path in of_etc():
        copy = folder / path.relative_to("/etc")
        copy.parent.mkdir(exist_ok=True)
        if path == ALTERNATIVES:
            copy.mkdir()  # hundreds of links: mounting takes less time than copying
        elif path.is_dir() and not path.is_symlink():
            shutil.copytree(path, copy, symlinks=True)
        else:
            shutil.copy2(path, copy, follow_symlinks=False)


def _devices() -> list[str]:
    """The few devices that programs need. (What bubblewrap would give takes twice the time.)"""
    words = ["--perms", "0755", "--dir", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, place in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        words += ["--symlink", f"/proc/self/{place}", f"/dev/{name}"]
    return [*words, "--symlink", "urandom", "/dev/random"]


def toolchain(program: str) -> list[Path]:
    """Where an interpreter or compiler outside the system's folders lives: for each link on the
    way to it, ``X`` of ``X/bin/name`` (a virtual environment, a version manager's folder) or of
    ``X/shims/name`` (the version manager's own folder).

    Of ``~/.local`` and ``~/.cargo``, where the user's secrets lie as well, only ``bin``; of a home
    or what is above one, only the file itself. ``rustc`` may be a link to ``rustup``, which goes on
    to its own folder.
    """
    found: list[Path] = []
    path = os.path.abspath(program)
    for _ in range(40):  # as many links as the kernel follows
        if not in_system(path):
            found.append(_installation(Path(path)))
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return [place for place in dict.fromkeys(found) if place.exists()]


def in_system(path: str) -> bool:
    """Whether the path is one of the system's folders, or in one."""
    return any(path == place or path.startswith(f"{place}/") for place in (*SYSTEM, "/etc"))


def rustup_home() -> Path:
    """Where rustup keeps its toolchains."""
    return Path(os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup"))


def _installation(program: Path) -> Path:
    if program.name == "rustup":
        return rustup_home()
    place, home = program.parent.parent, Path(os.path.expanduser("~"))
    is_home = place == home or place in home.parents or place.parent == Path("/home")
    if program.parent.name not in ("bin", "shims") or is_home:
        return program
    return program.parent if place in (home / ".local", home / ".cargo") else place


def _shown(files: Sequence[Path]) -> list[str]:
    """The options that show more files and folders, read-only, at their own paths."""
    own = [file for file in files if not in_system(str(file))]
    return [*_folders_above(own), *_read_only(own)]


def _read_only(files: Sequence[Path]) -> list[str]:
    return [word for file in files for word in ("--ro-bind", str(file), str(file))]


def _writable(folder: Path) -> list[str]:
    return [*_folders_above([folder]), "--bind", str(folder), str(folder)]


def _folders_above(files: Sequence[Path]) -> list[str]:
    """The options that make the folders in which files will appear. Bubblewrap would make them
    by itself, but for root's eyes only."""
    above = {folder for file in files for folder in file.parents} - {Path("/"), Path(HOME)}
    return [word for folder in sorted(above) for word in ("--perms", "0555", "--dir", str(folder))]


def _check_readable(file: Path) -> None:
    """A sandboxed program is nobody's friend: what only its owner can read it cannot run."""
    folders = [file, *file.rglob("*")] if file.is_dir() else [file]
    for path in folders:
        mode = path.stat().st_mode if path.exists() else 0o777
        if not mode & 0o004 or (path.is_dir() and not mode & 0o001):
            raise OSError(f"{path.name} is not readable for others: chmod -R o+rX {file.name}")
