"""Which levels can be built, and what an escape program achieves behind the walls of one."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import trio

from arena.core.limits import Limits
from arena.doctor import repairs
from arena.doctor.capability import Capability, degraded, failed, passed
from arena.doctor.escape import CPU_USED, Report, Targets
from arena.errors import ArenaError
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.keeper import landlock, tempdirs
from arena.sandbox.levels import Level
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.usage.choice import meter_of
from arena.sandbox.usage.meter import Meter
from arena.text import used_text

ESCAPE = Path(__file__).with_name("escape.py")
LIMITS = Limits(memory=256 << 20, disk=8 << 20)
"""Those of a match, but for sizes that a small machine has too."""
SANDBOXES = (Level.SANDBOX, Level.CGROUP)
CONSEQUENCES = {
    "network": "a bot can talk to the network",
    "services": "a bot can talk to these services",
    "processes unseen": "a bot sees the names and numbers of all processes",
    "processes untouched": "a bot can signal and inspect your other programs",
    "secrets": "a bot can read what you can read",
    "writing": "a bot can change what you can change",
    "disk": "a bot can fill the disk",
    "descriptors": "a bot finds files of the arena open",
    "no new rights": "a bot can gain rights through set-user-id programs",
    "system calls": "a bot reaches rarely used parts of the kernel",
    "capabilities": "a bot has rights of root",
    "identity": "a bot is root by name",
    "counters": "who makes the machine work can talk to a bot: only an arena of root hides all "
    "counters, from Linux 5.8 on",
    "process limit": "a bot can fill the process table",
    "memory limit": "a bot can take the machine's memory",
    "CPU time": "the limit on CPU time is not kept",
}
"""What it means for bots when a wall or a limit does not hold."""
KEPT_BY_KERNEL = ("process limit", "memory limit", "CPU time")
"""The limits that a control group keeps."""
UNGUARDED = {"services", "processes unseen", "disk", "identity"}
"""The walls that the level `guard` does not promise."""
UNPROMISED = "counters"
"""The wall that depends on the kernel and on the user of the arena."""
LEVEL_ROWS = {
    Level.GUARD: ("landlock", "no level guard, which machines without a sandbox take"),
    Level.SANDBOX: (
        "bubblewrap",
        "no level sandbox: bots see your network, your processes and each other",
    ),
    Level.CGROUP: (
        "control groups",
        "the arena looks at memory, processes and CPU time every 50 ms: a bot may exceed its "
        "limit by some 250 MiB, a fork bomb slows the machine briefly, and a bot with many "
        "threads takes time from its rival",
    ),
}
"""The row of each level, and what it means for bots when the level is missing."""
FEATURES = {
    "share": "a bot with many threads takes time from its rival",
    "freeze": "with --no-pondering daemons of a bot run on",
    "kill": "processes are ended one by one",
    "pressure": "delays by a busy machine are read thread by thread",
    "swap_limit": "a bot at its limit may push the machine into swapping",
}
"""What it means when the kernel lacks a file in the control groups of bots."""


def promised(level: Level) -> set[str]:
    """The walls and limits that a level promises."""
    walls = set(CONSEQUENCES) - {*KEPT_BY_KERNEL, UNPROMISED}
    return {
        Level.OFF: {"descriptors"},
        Level.GUARD: walls - UNGUARDED,
        Level.SANDBOX: walls,
        Level.CGROUP: walls | set(KEPT_BY_KERNEL),
    }[level]


# -- levels ----------------------------------------------------------------------------------------


def levels(missing: Mapping[Level, str], best: Level) -> list[Capability]:
    """Whether each level can be built; `missing` says why others cannot."""
    rows = []
    for level, (name, consequence) in LEVEL_ROWS.items():
        problem = missing.get(level)
        if problem is None:
            rows.append(passed(name, f"{_version(level)}, started a program"))
        elif level is Level.GUARD and best in SANDBOXES:
            rows.append(degraded(name, problem, consequence))
        else:
            cause, repair = repairs.of_level(level, problem)
            rows.append(failed(name, cause, consequence, repair))
    return rows


def _version(level: Level) -> str:
    if level is Level.GUARD:
        return f"version {landlock.abi()}"
    if level is Level.CGROUP:
        return "memory and processes limited by the kernel"
    program = shutil.which("bwrap") or "bwrap"
    ran = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5)
    return ran.stdout.strip()


# -- the escape program ----------------------------------------------------------------------------


async def escape(children: Children, level: Level) -> list[Capability]:
    """Run the escape program behind the walls of a level, and judge what it reports."""
    if sys.platform != "linux":
        none = Report("", "no walls on this system", "")
        return [_judge(none._replace(name=name), level) for name in CONSEQUENCES]
    with (
        tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        targets = _targets(server.getsockname()[1], Path(folder, "secret"), level)
        reports, more = await _run(children, targets, level)
    judged = [_judge(reports[name], level) for name in CONSEQUENCES if name in reports]
    return [*judged, *more]


def _targets(port: int, secret: Path, level: Level) -> Targets:
    secret.write_text("the seed of the final")
    pid, started = tempdirs.owner().split("-")
    return Targets(
        port=port,
        pid=int(pid),
        started=started,
        secret=str(secret),
        sockets=well_known_sockets(),
        disk=LIMITS.disk,
        processes=LIMITS.processes if level in SANDBOXES else 0,
        memory=(LIMITS.memory or 0) if level is Level.CGROUP else 0,
    )


async def _run(
    children: Children, targets: Targets, level: Level
) -> tuple[dict[str, Report], list[Capability]]:
    """The reports of the escape program by their names, and what its control group lacks. A wall
    of which it reports nothing is broken."""
    reports: dict[str, Report] = {}
    more: list[Capability] = []
    try:
        with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder:
            argv = [sys.executable, "-I", "-S", str(ESCAPE), json.dumps(targets)]
            program = Program(argv, [ESCAPE], Path(folder))
            request = bot_request(program, level, LIMITS, children.keeper)
            async with children.running(request, name="the escape program") as child:
                for line in (await _read_all(child.stdout)).splitlines():
                    report = Report(*json.loads(line))
                    reports[report.name] = report
                why = "" if CPU_USED in reports else await _why_it_ended(child)
                if child.group is not None and not why:
                    with closing(meter_of(child, LIMITS, level)) as meter:
                        _compare(reports, meter)
                    more = _features(child.group.files)
    except (OSError, ArenaError) as error:
        why = str(error)
    for name in promised(level) - set(reports):
        reports[name] = Report(name, f"the escape program ended early: {why}", "")
    return reports, more


async def _read_all(descriptor: int) -> str:
    data = b""
    while True:
        await trio.lowlevel.wait_readable(descriptor)
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            return data.decode()
        data += chunk


async def _why_it_ended(child: Child) -> str:
    with trio.move_on_after(1):
        await child.exited.wait()
    words = child.last_words().splitlines()
    return words[-1] if words else str(child.exit)


def _compare(reports: dict[str, Report], meter: Meter) -> None:
    """Hold what the kernel has counted against the reports of the program."""
    used, counted = float(reports[CPU_USED].found), meter.cpu_ns() / 1e9
    text = f"counted {counted * 1000:.0f} ms, used {used * 1000:.0f}"
    reports["CPU time"] = Report("CPU time", "" if counted >= used * 0.9 else text, text)
    limit, peak = LIMITS.memory or 0, meter.peak_memory()
    if not meter.oom_kills() or peak > limit:
        text = f"the kernel counted {used_text(peak, limit)} and no kill at the limit"
        reports["memory limit"] = Report("memory limit", text, "")


def _features(files: Mapping[str, str]) -> list[Capability]:
    """What the kernel can do with the control group of a bot, by the files that it has there."""
    name, lacking = "group features", [key for key in FEATURES if key not in files]
    if "swap_limit" in lacking and _has_no_swap():
        lacking.remove("swap_limit")
    text = ", ".join(os.path.basename(files[key]) for key in FEATURES if key in files)
    if not lacking:
        return [passed(name, text)]
    consequence = "; ".join(FEATURES[key] for key in lacking)
    return [degraded(name, f"{text}; not {', '.join(lacking)}", consequence)]


def _has_no_swap() -> bool:
    with suppress(OSError), open("/proc/swaps") as file:
        return len(file.readlines()) < 2
    return False


def _judge(report: Report, level: Level) -> Capability:
    name, broken, text = report
    if not broken:
        return passed(name, text)
    if name in promised(level):
        repair = "please report it: this must not happen"
        return failed(name, broken, CONSEQUENCES[name], repair)
    return degraded(name, f"{broken} (level {level})", CONSEQUENCES[name])


def well_known_sockets() -> list[str]:
    """Paths of unix sockets that give a program many rights."""
    own = f"/run/user/{os.getuid()}"
    fixed = [
        *("/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock"),
        *("/run/podman/podman.sock", f"{own}/podman/podman.sock", "/run/snapd.socket"),
        *("/run/dbus/system_bus_socket", f"{own}/bus", f"{own}/systemd/private"),
        *(str(path) for path in Path("/tmp/.X11-unix").glob("X*")),
    ]
    return [*fixed, *filter(None, [os.environ.get("SSH_AUTH_SOCK")])]
