"""Build the bubblewrap (`bwrap`) options for the walls of the levels with namespaces.

A program in the sandbox sees

* the system's programs and libraries and the toolchain that runs it, read-only;
* its own files, read-only, in ``/bot``, whatever folder they are in outside;
* ``/tmp``, its home: private, bounded, removed with the sandbox; and ``/dev/shm``. A bot works
  there, a build in ``/build``, a writable mount of a folder outside;
* only its own processes; no network; no message queues or shared memory of others; a neutral host
  name.

The program has no capabilities, cannot get any, and is an ordinary user. Where the arena runs as
root, bubblewrap builds the walls as root, and the last step before the program changes to a user id
that no other process has. (In the opposite order, that user could not reach files below a private
home.) Otherwise the program keeps the caller's id, in a user namespace where that id has no rights.

The root is a tmpfs that could grow to half of the machine's memory, so it is remounted read-only at
the end.

Mounts are few: each adds 0.3 ms to a start, since bubblewrap reads the list of all mounts for it.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from arena.core.limits import Limits
from arena.sandbox.installations import SYSTEM, in_system, linked
from arena.sandbox.keeper.copies import BY_DESCRIPTOR, BY_NAME, SHOW
from arena.sandbox.keeper.messages import (
    ENTERED,
    FILTER,
    GATE,
    MOUNTED,
    OPTIONS,
    SIGNALS,
    STDIN,
    STDOUT,
    UID,
)

HOME = "/tmp"
"""Working directory in the sandbox, and the only place that a program can write to."""
BOT = "/bot"
"""The program's own files in the sandbox."""
BUILD = "/build"
"""The workplace of a build in the sandbox."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
OOM_SCORE = 1000
"""OOM score of a program, twice that of bubblewrap (`spawn.OOM_SCORE`): in a control group the
kernel then ends the program first, even when the memory belongs to none of its processes."""
LAST_STEP = (
    f"echo {OOM_SCORE} 2>/dev/null >/proc/self/oom_score_adj; "
    f"echo {MOUNTED} >&{ENTERED}; read go <&{ENTERED} || exit; read go <&{GATE} || exit; "
    f'echo >&{ENTERED} || exit; exec "$@" <&{STDIN} >&{STDOUT} '
    f"{GATE}<&- {ENTERED}>&- {STDIN}<&- {STDOUT}>&-"
)
"""The shell script that waits at the gate (`keeper.messages`) and then executes the program.

First it lets the keeper hide the machine's counters (`MOUNTED`). Its second line on `ENTERED` says
that all walls are up and the program comes next. From then on the end of any process in the
sandbox, including bubblewrap, counts as the program's doing. (Bubblewrap's exit code does not show
this: a program can have bubblewrap killed.)

Bubblewrap's own processes keep their standard descriptors open until the end, which would hide that
a program closes its stdout. They close all others, so the pipes are passed under other numbers."""
ETC = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("os-release", "ssl/openssl.cnf", "java*", "php*", "python*", "ruby*", "perl*", "mono*"),
    *("fpc*", "dotnet", "julia", "R", "nim", "ldc2.conf", "racket", "groovy", "gnucobol*"),
    *("ocamlfind.conf", "ocamlfind.conf.d"),
)
"""The parts of ``/etc`` that runtimes need; none of them is secret."""
USERS = Path("/etc/passwd")
"""The list of users, which sandboxes do not see."""
DEVICES = ("null", "urandom")
"""No ``/dev/zero``: mapping it yields shared memory that belongs to no process (`seccomp`)."""
MOST_FILES = 100_000
"""Maximum number of files and folders of one bot."""


ALTERNATIVES = Path("/etc/alternatives")


def find() -> str:
    """The path of bubblewrap. Raises OSError when it is not installed."""
    found = shutil.which("bwrap")
    if found is None:
        raise OSError("bubblewrap is not installed: apt-get install bubblewrap")
    return found


def command(limits: Limits) -> list[str]:
    """The command line that enters the sandbox; the program's own arguments follow it."""
    return [find(), "--args", str(OPTIONS), "--", *_last_step(limits)]


def options(
    shown: Mapping[Path, str],
    links: Sequence[str],
    limits: Limits,
    *,
    etc: Path,
    tools: Sequence[Path] = (),
    home: Path | None = None,
    given: Path | None = None,
    workplace: Path | None = None,
) -> list[str]:
    """The bubblewrap options of a sandbox.

    `shown` maps the files and folders that the program may read to their paths inside. `tools` are
    the installations that run it (`installations`). `links` are paths inside to which its home has
    links. `home` is a folder outside to use as its home; None: one in memory. `given` is a file
    that the program reads in its home. `workplace` is the folder that a build may write to, running
    in its subfolder ``files``; None: no build. `etc` is a folder filled by `copy_etc`. Raises
    OSError for a file that the program could not read.
    """
    for file, place in shown.items():
        _check(file, is_moved=place != str(file))
    return [
        *_namespaces(),
        *system(etc),
        *("--proc", "/proc", *_devices()),
        *("--perms", "1777", "--size", str(limits.shared_memory), "--tmpfs", "/dev/shm"),
        *_home(home, limits),
        *_shown((*linked(), *tools)),
        *_copied(shown),
        *(word for link in links for word in ("--symlink", link, _in_home(link))),
        *(("--ro-bind", str(given), _in_home(str(given))) if given else ()),
        *(("--bind", str(workplace), BUILD) if workplace else ()),
        *("--remount-ro", "/", "--chdir", f"{BUILD}/files" if workplace else HOME),
        *("--seccomp", str(FILTER)),
    ]


def _in_home(link: str) -> str:
    return f"{HOME}/{os.path.basename(link)}"


def _namespaces() -> list[str]:
    words = [f"--unshare-{kind}" for kind in ("pid", "net", "ipc", "uts", "cgroup-try")]
    words += ["--hostname", "arena", "--die-with-parent", "--cap-drop", "ALL"]
    if os.geteuid() != 0:
        return [*words, "--unshare-user"]
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for the last step only
        words += ["--cap-add", capability]
    return words


def _home(home: Path | None, limits: Limits) -> list[str]:
    if home is not None:
        return ["--bind", str(home), HOME]
    return ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", HOME]


def _last_step(limits: Limits) -> list[str]:
    """The command between bubblewrap and the program: change the user or, in a user namespace, set
    the limits that count inside it, where its user has no other processes; then `LAST_STEP`."""
    if os.geteuid() == 0:
        ids = ["--reuid", UID, "--regid", UID, "--clear-groups"]
        become = ["/usr/bin/setpriv", *ids, "--inh-caps=-all", "--bounding-set=-all", "--"]
        return [*become, "/bin/sh", "-c", LAST_STEP, "sh"]
    own = [f"--nproc={limits.processes}", f"--sigpending={SIGNALS}"]
    return ["/usr/bin/prlimit", *own, "--", "/bin/sh", "-c", LAST_STEP, "sh"]


@cache
def system(etc: Path) -> tuple[str, ...]:
    """The options that mount the system's programs, libraries and settings (`etc`, a folder filled
    by `copy_etc`)."""
    words: list[str] = []
    for place in SYSTEM:
        if os.path.islink(place):
            words += ["--symlink", os.readlink(place), place]
        elif os.path.isdir(place):
            words += ["--ro-bind", place, place]
    words += ["--ro-bind", str(etc), "/etc"]
    return (*words, *_read_only([place for place in (ALTERNATIVES,) if place.is_dir()]))


@cache
def of_etc() -> Sequence[Path]:
    """The paths of `ETC` that exist on this machine. (Cached: the search takes 2 ms.)"""
    return [found for pattern in ETC for found in sorted(Path("/etc").glob(pattern))]


def copy_etc(folder: Path) -> None:
    """Fill a folder with the ``/etc`` of sandboxes: one mount instead of a dozen, each of which
    adds 0.3 ms to a start. (``cp`` takes half the time of copying in Python.)"""
    folder.chmod(0o755)
    names = [str(path.relative_to("/etc")) for path in of_etc() if path != ALTERNATIVES]
    if ALTERNATIVES in of_etc():
        (folder / ALTERNATIVES.name).mkdir()  # hundreds of links: mounted instead
    if names:
        options = ("-dR", "--preserve=mode,timestamps", "--parents", "--")
        command = ["cp", *options, *names, str(folder)]
        copied = subprocess.run(command, cwd="/etc", capture_output=True, text=True, check=False)
        if copied.returncode != 0:
            raise OSError(f"cannot copy the files for /etc of a sandbox: {copied.stderr.strip()}")


def etc_with_user(folder: Path) -> Path:
    """Make an ``/etc`` with a list of users, in `folder`, for a command that looks up its user. The
    list names no user of this machine."""
    etc = folder / "etc"
    if not etc.exists():
        etc.mkdir()
        copy_etc(etc)
        (etc / USERS.name).write_text("bot:x:1:1::/tmp:/bin/sh\n", "ascii")
    return etc


def _devices() -> list[str]:
    """The few devices that programs need. (Bubblewrap's own ``--dev`` takes twice the time.)"""
    words = ["--perms", "0755", "--dir", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, place in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        words += ["--symlink", f"/proc/self/{place}", f"/dev/{name}"]
    return [*words, "--symlink", "urandom", "/dev/random"]


def _shown(files: Sequence[Path]) -> list[str]:
    """The options that mount more files and folders, read-only, at their own paths."""
    own = [file for file in files if not in_system(str(file))]
    return [*_folders_above(own), *_read_only(own)]


def _copied(files: Mapping[Path, str]) -> list[str]:
    """The options that show the program's own files, each at its path inside."""
    words = _folders_above([Path(place) for place in files.values()])
    for file, place in files.items():
        words += [SHOW, str(file), place, _mount()]
    return words


@cache
def _mount() -> str:
    """The option with which this bubblewrap mounts a bot's own files. (`BY_DESCRIPTOR` exists in
    newer releases and in patched older ones, such as Debian's 0.8.0-2+deb12u1.)"""
    told = subprocess.run([find(), "--help"], capture_output=True, text=True, check=False).stdout
    return BY_DESCRIPTOR if BY_DESCRIPTOR in told else BY_NAME


def _read_only(files: Sequence[Path]) -> list[str]:
    return [word for file in files for word in ("--ro-bind", str(file), str(file))]


def _folders_above(files: Sequence[Path]) -> list[str]:
    """The options that make the parent folders of `files`. Bubblewrap would make them itself, but
    readable for root only."""
    above = {folder for file in files for folder in file.parents} - {Path("/"), Path(HOME)}
    return [word for folder in sorted(above) for word in ("--perms", "0555", "--dir", str(folder))]


@cache
def _check(file: Path, *, is_moved: bool) -> None:
    """Raise OSError for files that a program could not read behind the walls: those that only the
    owner can read (the program has another user id), and those behind links to the path that its
    folder has outside. (Cached per bot: 30,000 files take half a second.)"""
    ahead = [str(file)]
    for _ in range(MOST_FILES):
        if not ahead:
            return
        path = ahead.pop()
        is_link = os.path.islink(path) and path != str(file)
        if is_link and is_moved and _leads_to_own_path(path, file):
            name = os.path.relpath(path, file)
            raise OSError(
                f"{name} is a link to the path that {file.name} has outside, and behind walls it "
                f"is in {BOT}: make the link relative (ln -srf TARGET {name})"
            )
        mode = os.stat(path).st_mode if os.path.exists(path) else 0o777
        is_folder = stat.S_ISDIR(mode)
        if os.geteuid() == 0 and (not mode & 0o004 or (is_folder and not mode & 0o001)):
            name = os.path.basename(path)
            raise OSError(f"{name} is not readable for others: chmod -R o+rX {file.name}")
        if is_folder and not is_link:
            ahead += [os.path.join(path, name) for name in os.listdir(path)]
    raise OSError(f"{file.name} has more than {MOST_FILES} files: leave out what it does not need")


def _leads_to_own_path(link: str, folder: Path) -> bool:
    inside = Path(os.path.realpath(link)).is_relative_to(os.path.realpath(folder))
    return inside and os.path.isabs(os.readlink(link))
