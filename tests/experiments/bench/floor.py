"""The least CPU time that the processes of a match take: two programs are started, asked a few
times and waited for, by a bare loop without an arena.

Runs as a script in a bare interpreter, as the keeper does: ``python -I -S floor.py ROOT REQUEST
MATCHES`` takes the package from the folder ROOT and the `SpawnRequest` of a program from the file
REQUEST, and prints milliseconds for two programs. Behind walls these are started by the command
line of the request, as the keeper has it. All descendants count: what is left behind by a process
in the middle, as bubblewrap does, comes to this process.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from arena.sandbox.keeper.messages import SpawnRequest

EXCHANGES = 5
PR_SET_CHILD_SUBREAPER = 36
HIGH = 40
"""Descriptors from here on are none that bubblewrap is to get."""


class Ends(NamedTuple):
    """Our ends of the pipes of one program."""

    stdin: int
    stdout: int
    gate: int
    entered: int


def main() -> None:
    """Measure what the command line says."""
    root, file, matches = sys.argv[1:]
    sys.path.insert(0, root)
    from arena.sandbox.keeper.messages import SpawnRequest, decode_request
    from arena.sandbox.keeper.spawn import prctl

    request = decode_request(Path(file).read_bytes())
    assert isinstance(request, SpawnRequest)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    while os.open(os.devnull, os.O_RDONLY) < HIGH:  # what is opened from now on is above
        pass
    _play(request, 0)
    before = _used_ms()
    for number in range(int(matches)):
        _play(request, number + 1)
    print((_used_ms() - before) / int(matches))


def _play(request: SpawnRequest, number: int) -> None:
    start = _start if request.walls is None else _start_behind_walls
    programs = [start(request, 2 * number + seat) for seat in range(2)]
    for one in programs:
        if request.walls is not None:
            os.write(one.gate, b"\n")
            assert os.read(one.entered, 64), "the walls were not put up"
            os.write(one.entered, b"\n")  # the counters would be hidden now
            assert os.read(one.entered, 64), "the program was not started"
    for _ in range(EXCHANGES):
        for one in programs:
            os.write(one.stdin, b"go\n")
        for one in programs:
            assert os.read(one.stdout, 4096), "the program does not answer"
    for one in programs:
        for descriptor in set(one):
            os.close(descriptor)
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _start(request: SpawnRequest, _: int) -> Ends:
    theirs, stdin = os.pipe()
    stdout, out = os.pipe()
    _spawn(request.argv, request, {0: theirs, 1: out})
    return Ends(stdin, stdout, stdin, stdout)


def _start_behind_walls(request: SpawnRequest, number: int) -> Ends:
    from arena.sandbox.keeper import messages, spawn
    from arena.sandbox.keeper.copies import expanded

    walls = request.walls
    assert isinstance(walls, messages.Sandbox)
    options = expanded(walls.options, walls.limits.files, unused := list[int]())
    opened = [int(options[at + 1]) for at, word in enumerate(options) if word == "--file"]
    for descriptor in set(unused) - set(opened):
        os.close(descriptor)
    text = b"".join(os.fsencode(word) + b"\0" for word in options)
    uid = str(spawn.FIRST_UID + number)
    command = [uid if word == messages.UID else word for word in walls.command]
    (theirs, stdin), (stdout, out), (gate, opens) = (os.pipe() for _ in range(3))
    entered, enters = (end.detach() for end in socket.socketpair())
    places = {
        messages.FILTER: spawn._in_memory(spawn._filter(walls.allow)),
        messages.ENTERED: enters,
        messages.STDIN: theirs,
        messages.STDOUT: out,
        messages.GATE: gate,
        messages.OPTIONS: spawn._in_memory(text),
    }
    _spawn((*command, *request.argv), request, places | {one: one for one in opened})
    return Ends(stdin, stdout, opens, entered)


def _spawn(argv: tuple[str, ...], request: SpawnRequest, places: dict[int, int]) -> None:
    """Start a program with descriptors at their places, which are closed here."""
    moves = [(os.POSIX_SPAWN_DUP2, given, place) for place, given in places.items()]
    os.posix_spawn(argv[0], list(argv), request.env, file_actions=moves)
    for descriptor in places.values():
        os.close(descriptor)


def _used_ms() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used) * 1000


if __name__ == "__main__":
    main()
