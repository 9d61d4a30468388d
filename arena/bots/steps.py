"""The commands of one build, run one after the other.

A compiler does what a bot's author tells it: by ``#include "/etc/shadow"``, by templates without
end, or, in a ``bot.toml``, simply by being named. So a build behind walls sees the system, the
toolchains and its own staged folder, in which alone it may write; it has no network and no other
process; and `allowance` limits what it uses. Without walls it has the rights and the environment of
the caller.

Either way its time is limited, the beginning of its output is kept, and when a command has ended,
its whole tree is ended before the next one starts, and before the caller looks at what it left.
"""

from __future__ import annotations

import os
from pathlib import Path

import trio

from arena.bots import allowance
from arena.bots.cache import writable_home
from arena.bots.executables import find_command
from arena.bots.headline import headline
from arena.bots.languages import programs
from arena.bots.staging import Staged, Steps, hand_over
from arena.bots.wasm import command as wasm
from arena.errors import BotError, MachineError
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.installations import toolchain
from arena.sandbox.keeper.request import SpawnRequest
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.placement import BuildCommand, build_request
from arena.sandbox.probe import prove_level

BUILD_SECONDS = 120
"""The longest that one bot may take to build."""

OUTPUT_CAP = 32 * 1024
"""Bytes kept of what a compiler prints. Its first errors explain the others."""


async def run_steps(
    children: Children, sandbox: Level | SandboxMode, what: str, steps: Steps, staged: Staged
) -> str:
    """Run the commands behind the walls that `sandbox` asks for (see `execute.execute`). Returns
    what they said."""
    level = await prove_level(children, sandbox)
    build = Build(children, level, what, staged)
    for step in steps:
        await build.run(step)
    return "".join(build.log)


class Build:
    """The build of one bot."""

    def __init__(self, children: Children, level: Level, what: str, staged: Staged) -> None:
        self._children = children
        self._level = level
        self._what = what
        self._staged = staged
        self._deadline = trio.current_time() + BUILD_SECONDS
        self._allowance: allowance.Allowance = allowance.Unlimited()
        self._kept = bytearray()
        """Of the output of the current command."""
        self.log: list[str] = []
        """What each command said."""
        if level is not Level.OFF:
            self._allowance = allowance.Limited(what, staged, level)
            staged.home.mkdir()
            if os.geteuid() == 0 and level is not Level.GUARD:
                hand_over(staged.entry)

    async def run(self, step: tuple[str, ...]) -> None:
        """One command. Nothing of it runs when this returns or raises."""
        self._kept = bytearray()
        async with self._children.running(self._request(step), name=_name(step)) as child:
            child.close_pipe("stdin")
            with self._allowance.measuring(child):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._listen, step, child)
                    problem = await self._until_exit(step, child)
                    await child.kill()  # what it leaves running holds its output open
            self._judge(step, child, problem)
            self.log.append(self._said())

    def _request(self, step: tuple[str, ...]) -> SpawnRequest:
        # What it says on stdout and stderr is kept in its order; what is left on stderr is said by
        # the walls.
        argv = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh", *step)
        staged = self._staged
        if self._level is Level.OFF:
            return SpawnRequest(argv, str(staged.files), _callers_environment(staged.cache))
        command = BuildCommand(argv, staged.entry, staged.home, _shown(step), staged.has_user)
        try:
            return build_request(command, self._level, allowance.LIMITS, self._children.keeper)
        except OSError as error:
            raise MachineError(f"cannot {self._what}: {error}") from error

    async def _listen(self, step: tuple[str, ...], child: Child) -> None:
        """Read its output to the end, and keep the beginning."""
        printed = 0
        while True:
            await trio.lowlevel.wait_readable(child.stdout)
            data = os.read(child.stdout, 1 << 16)
            if not data:
                return
            self._kept += data[: OUTPUT_CAP + 1 - len(self._kept)]  # one more shows that it went on
            printed += len(data)
            if problem := self._allowance.printed(printed):
                raise self._stopped(step, f": {problem}")

    async def _until_exit(self, step: tuple[str, ...], child: Child) -> str | None:
        """Wait for its end. Returns the limit that it exceeded in its last moment."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch, step)
            await child.exited.wait()
            nursery.cancel_scope.cancel()
        return await self._allowance.last_look()

    async def _watch(self, step: tuple[str, ...]) -> None:
        """Stop it when it exceeds a limit."""
        with trio.move_on_at(self._deadline):
            raise self._stopped(step, f": {await self._allowance.exceeded()}")
        raise self._stopped(step, f" after {BUILD_SECONDS} s")

    def _judge(self, step: tuple[str, ...], child: Child, problem: str | None) -> None:
        """Raise the error that its end calls for, if any."""
        end = child.exit
        assert end is not None
        if problem := problem or self._allowance.files():
            raise self._stopped(step, f": {problem}")
        if not end.entered:
            said = child.last_words()
            raise MachineError(f"cannot {self._what}: the walls around it did not stand: {said}")
        if end.code != 0:
            status = end.code if end.code is not None else end.signal
            raise self._failed(step, status)

    def _failed(self, step: tuple[str, ...], status: int | str | None) -> BotError:
        said = self._said()
        first = headline(said)
        wordless = f"{_name(step)} failed without a word (status {status}): run it by hand"
        return BotError(f"cannot {self._what}: {first or wordless}", said)

    def _stopped(self, step: tuple[str, ...], why: str) -> BotError:
        advice = "build it yourself and name the result"
        message = f"cannot {self._what}: {_name(step)} was stopped{why}: {advice}"
        return BotError(message, self._said())

    def _said(self) -> str:
        """What was kept of its output, for people."""
        text = self._kept[:OUTPUT_CAP].decode("utf-8", "replace")
        text = text.replace(f"{self._staged.files}/", "")  # where it is built says nothing
        return text if len(self._kept) <= OUTPUT_CAP else f"{text}\n… (the rest is cut)\n"


def _name(step: tuple[str, ...]) -> str:
    return os.path.basename(step[0])


def _callers_environment(cache: Path) -> dict[str, str]:
    """The caller's, with a place for the compilers' own caches (Go's) when there is no home."""
    environment = dict(os.environ)
    if writable_home() is None:
        environment.setdefault("XDG_CACHE_HOME", str(cache))
    return environment


def _shown(step: tuple[str, ...]) -> list[Path]:
    """What it sees besides the system: the toolchains of all languages, since ``make`` may call any
    of them, and its own program if that is one of the user's own (otherwise a bot could be shown
    any folder that it names: see `placement.bot_request`)."""
    own = [step[0]] if find_command(_name(step)) == step[0] else []
    found = [place for program in (*own, *programs()) for place in toolchain(program)]
    return list(dict.fromkeys([*found, *wasm.parts()]))
