"""The walls of the levels with namespaces, as the options of bubblewrap (`bwrap`).

Behind it a program sees

* the system's programs and libraries and the toolchain that runs it, read-only;
* its own files, read-only, in ``/bot``, whatever folder they are in outside;
* ``/tmp``, its home: private, bounded, gone with it; and ``/dev/shm``. A bot works there, a
  build in ``/build``, a folder outside that is shown to it to be written;
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
    OPTIONS,
    SIGNALS,
    STDIN,
    STDOUT,
    UID,
)

HOME = "/tmp"
"""Where a program in the sandbox runs, and the only place where it can write."""
BOT = "/bot"
"""Where it finds its own files."""
BUILD = "/build"
"""Where a build finds its workplace."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
OOM_SCORE = 1000
"""A program's, twice that of bubblewrap (`spawn.OOM_SCORE`): of what is in a control group the
kernel ends the program first, also when the memory belongs to none of its processes."""
LAST_STEP = (
    f"echo {OOM_SCORE} 2>/dev/null >/proc/self/oom_score_adj; read go <&{GATE} || exit; "
    f'echo >&{ENTERED}; exec "$@" <&{STDIN} >&{STDOUT} '
    f"{GATE}<&- {ENTERED}>&- {STDIN}<&- {STDOUT}>&-"
)
"""It waits at the gate (`keeper.request`): what comes behind that, a program waits for. Its line on
`ENTERED` says that all walls stand and the program comes next. From then on the end of any process
in the sandbox, bubblewrap's own included, is the program's doing. (Bubblewrap's exit code would not
say so: a program can have bubblewrap killed.)

Bubblewrap's own processes keep its standard descriptors open until the end, which would hide that a
program closes its stdout. All others they close: so the pipes travel under other numbers."""
ETC = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("os-release", "ssl/openssl.cnf", "java*", "php*", "python*", "ruby*", "perl*", "mono*"),
    *("fpc*", "dotnet", "julia", "R", "nim", "ldc2.conf", "racket", "groovy", "gnucobol*"),
    *("ocamlfind.conf", "ocamlfind.conf.d"),
)
"""What runtimes need of ``/etc``; nothing of it is secret."""
USERS = Path("/etc/passwd")
"""The list of users, of which nothing is shown."""
DEVICES = ("null", "urandom")
"""No ``/dev/zero``: what maps it gets shared memory that belongs to no process (`seccomp`)."""
MOST_FILES = 100_000
"""Files and folders of one bot."""


ALTERNATIVES = Path("/etc/alternatives")


def find() -> str:
    """The path of bubblewrap. Raises OSError when it is not installed."""
    found = shutil.which("bwrap")
    if found is None:
        raise OSError("bubblewrap is not installed: apt-get install bubblewrap")
    return found


def command(limits: Limits) -> list[str]:
    """The command that leads into the sandbox; the program's own words follow it."""
    return [find(), "--args", str(OPTIONS), "--", *_last_step(limits)]


def options(
    shown: Mapping[Path, str],
    links: Sequence[str],
    limits: Limits,
    *,
    etc: Path,
    tools: Sequence[Path] = (),
    home: Path | None = None,
    workplace: Path | None = None,
) -> list[str]:
    """What stands in the sandbox, and where.

    `shown` are the files and folders that the program may read, with their places inside, `tools`
    those of the programs that run it (`installations`), `links` the places to which it finds links
    in its home. `home` is a folder outside that is its home; None: one in memory. `workplace` is
    the folder in which a build may write, which runs in the folder ``files`` of it; None: no build.
    `etc` is a folder of `copy_etc`. Raises OSError for a file that the program could not read.
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
    """What stands between bubblewrap and the program: becoming another user or, in a user
    namespace, the limits that count inside it, where its user has nothing else; and `LAST_STEP`."""
    if os.geteuid() == 0:
        ids = ["--reuid", UID, "--regid", UID, "--clear-groups"]
        become = ["/usr/bin/setpriv", *ids, "--inh-caps=-all", "--bounding-set=-all", "--"]
        return [*become, "/bin/sh", "-c", LAST_STEP, "sh"]
    own = [f"--nproc={limits.processes}", f"--sigpending={SIGNALS}"]
    return ["/usr/bin/prlimit", *own, "--", "/bin/sh", "-c", LAST_STEP, "sh"]


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


@cache
def of_etc() -> Sequence[Path]:
    """What there is of `ETC` on this machine. (Looking takes 2 ms: once, not for each start.)"""
    return [found for pattern in ETC for found in sorted(Path("/etc").glob(pattern))]


def copy_etc(folder: Path) -> None:
    """Fill a folder with what a sandbox shows as ``/etc``: one folder to mount instead of a dozen
    files, each of which costs a start 0.3 ms. (``cp`` takes half of the time that Python takes.)"""
    folder.chmod(0o755)
    names = [str(path.relative_to("/etc")) for path in of_etc() if path != ALTERNATIVES]
    if ALTERNATIVES in of_etc():
        (folder / ALTERNATIVES.name).mkdir()  # hundreds of links: it is mounted
    if names:
        options = ("-dR", "--preserve=mode,timestamps", "--parents", "--")
        command = ["cp", *options, *names, str(folder)]
        copied = subprocess.run(command, cwd="/etc", capture_output=True, text=True, check=False)
        if copied.returncode != 0:
            raise OSError(f"cannot copy what a sandbox shows as /etc: {copied.stderr.strip()}")


def etc_with_user(folder: Path) -> Path:
    """Another ``/etc``, for the one command that looks its user up, in a folder of that command:
    its list of users has none of this machine."""
    etc = folder / "etc"
    if not etc.exists():
        etc.mkdir()
        copy_etc(etc)
        (etc / USERS.name).write_text("bot:x:1:1::/tmp:/bin/sh\n", "ascii")
    return etc


def _devices() -> list[str]:
    """The few devices that programs need. (What bubblewrap would give takes twice the time.)"""
    words = ["--perms", "0755", "--dir", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, place in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        words += ["--symlink", f"/proc/self/{place}", f"/dev/{name}"]
    return [*words, "--symlink", "urandom", "/dev/random"]


def _shown(files: Sequence[Path]) -> list[str]:
    """The options that show more files and folders, read-only, at their own paths."""
    own = [file for file in files if not in_system(str(file))]
    return [*_folders_above(own), *_read_only(own)]


def _copied(files: Mapping[Path, str]) -> list[str]:
    """The options that show the program's own files, each at its place."""
    words = _folders_above([Path(place) for place in files.values()])
    for file, place in files.items():
        words += [SHOW, str(file), place, _mount()]
    return words


@cache
def _mount() -> str:
    """The option of this bubblewrap that mounts a bot's own files. (Newer releases
    have it, and what distributions have made of older ones, such as Debian's 0.8.0-2+deb12u1.)"""
    told = subprocess.run([find(), "--help"], capture_output=True, text=True, check=False).stdout
    return BY_DESCRIPTOR if BY_DESCRIPTOR in told else BY_NAME


def _read_only(files: Sequence[Path]) -> list[str]:
    return [word for file in files for word in ("--ro-bind", str(file), str(file))]


def _folders_above(files: Sequence[Path]) -> list[str]:
    """The options that make the folders in which files will appear. Bubblewrap would make them
    by itself, but for root's eyes only."""
    above = {folder for file in files for folder in file.parents} - {Path("/"), Path(HOME)}
    return [word for folder in sorted(above) for word in ("--perms", "0555", "--dir", str(folder))]


@cache
def _check(file: Path, *, is_moved: bool) -> None:
    """Raise OSError for what a program could not read behind the walls: with another user id what
    only the owner can read, and files behind links to the path that its folder has outside. (Once
    for each bot: of 30,000 files it takes half a second.)"""
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
