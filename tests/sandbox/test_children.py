"""The keeper and the arena's side of it, with real processes."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import psutil
import pytest
import trio

from arena.errors import ArenaFault, BotError, MachineError
from arena.sandbox import children as children_module
from arena.sandbox.child import Child
from arena.sandbox.children import Children, open_children
from arena.sandbox.keeper.messages import ProcessLimits, Sandbox, SpawnRequest
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.session import keeper_running, run_with
from tests.sandbox.programs import linux_only, shell
from tests.support.descriptors import watched_descriptors
from tests.support.leftovers import left_behind

SLEEP = "import time; time.sleep(99)"
DAEMON = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    daemon = os.fork()
    if daemon == 0:
        {SLEEP}
    print(daemon, flush=True)
    os._exit(0)
os.wait()
{SLEEP}
"""
"""It leaves a daemon in a session of its own. The number of that it says beforehand, since the
keeper may end the daemon at once."""


def run(main: Callable[[Children], Awaitable[None]]) -> None:
    """Run it with a keeper, and see that nothing is left below that."""
    with keeper_running() as keeper:
        run_with(keeper, main)
        assert left_behind(keeper.process.pid) == []


async def spawn(children: Children, code: str) -> Child:
    argv = (sys.executable, "-I", "-S", "-c", code)
    return await children.spawn(SpawnRequest(argv, "/", {}), name="bot")


async def finished(child: Child) -> None:
    """Wait for its end and let go of its pipes."""
    with trio.fail_after(60):
        await child.exited.wait()
        await child.kill()
    child.close()


@pytest.mark.dear
def test_how_a_program_ended_is_told() -> None:
    async def main(children: Children) -> None:
        busy = await spawn(children, "sum(range(10**7)); raise SystemExit(7)")
        broken = await spawn(children, f"import os; os.kill(os.getpid(), {signal.SIGABRT})")
        hung_up = await spawn(children, f"import os; os.kill(os.getpid(), {signal.SIGHUP})")
        for child in (busy, broken, hung_up):
            await finished(child)
        assert hung_up.exit is not None
        assert (hung_up.exit.code, hung_up.exit.signal) == (None, "SIGHUP")  # number 1
        assert busy.exit is not None
        assert broken.exit is not None
        assert (busy.exit.code, busy.exit.signal) == (7, None)
        assert busy.exit.cpu_ms > 10
        assert (broken.exit.code, broken.exit.signal) == (None, "SIGABRT")
        assert children.keeper.alive == {}  # what has ended is forgotten

    run(main)


def test_what_cannot_be_started() -> None:
    async def main(children: Children) -> None:
        ghost = SpawnRequest(("/no/such/program",), "/", {})
        lost = SpawnRequest((sys.executable,), "/no/such/folder", {})
        with watched_descriptors() as opened:
            for _ in range(3):
                with pytest.raises(BotError, match=r"cannot start ghost: .*No such file"):
                    await children.spawn(ghost, name="ghost")
            with pytest.raises(BotError, match=r"cannot start lost: .*No such file"):
                await children.spawn(lost, name="lost")
            assert opened() == {}

    run(main)


def test_a_command_line_of_any_length_arrives() -> None:
    async def main(children: Children) -> None:
        long = ["x" * 100_000] * 10  # more than the socket takes at a time
        argv = (sys.executable, "-c", "import sys; sys.exit(sum(map(len, sys.argv)) != 10**6 + 2)")
        request = SpawnRequest((*argv, *long), "/", {"A": "b" * 100_000})
        child = await children.spawn(request, name="long")
        await finished(child)
        assert child.exit is not None
        assert child.exit.code == 0

    run(main)


@pytest.mark.dear
def test_many_starts_at_once_are_kept_apart() -> None:
    async def main(children: Children) -> None:
        codes: list[int | None] = [None] * 20

        async def one(code: int) -> None:
            child = await spawn(children, f"raise SystemExit({code})")
            await finished(child)
            assert child.exit is not None
            codes[code] = child.exit.code

        async with trio.open_nursery() as nursery:
            for code in range(20):
                nursery.start_soon(one, code)
        assert codes == list(range(20))

    run(main)


async def daemon_of(child: Child) -> int:
    """The process id of the daemon that a program has left."""
    with trio.fail_after(60):
        await trio.lowlevel.wait_readable(child.stdout)
    return int(os.read(child.stdout, 99))


def test_a_kill_reaches_a_daemon() -> None:
    async def main(children: Children) -> None:
        child = await spawn(children, DAEMON)
        daemon = await daemon_of(child)
        with trio.fail_after(60):
            await child.kill()
            await child.kill()  # once more does no harm
        assert child.clean
        assert not psutil.pid_exists(daemon)
        assert child.exit is not None
        assert child.exit.signal == "SIGKILL"
        child.close()

    run(main)


def test_a_stray_dies_while_its_bot_plays_on() -> None:
    async def main(children: Children) -> None:
        child = await spawn(children, DAEMON)
        daemon = await daemon_of(child)
        with trio.fail_after(60):
            while psutil.pid_exists(daemon):  # noqa: ASYNC110  # no event tells us
                await trio.sleep(0.02)
            assert child.exit is None
            await child.kill()
        child.close()

    run(main)


def test_the_end_of_the_arena_is_the_end_of_its_bots() -> None:
    bots: list[Child] = []
    daemons: list[int] = []

    async def main(children: Children) -> None:
        bots.append(await spawn(children, SLEEP))
        bots.append(await spawn(children, DAEMON))
        daemons.append(await daemon_of(bots[1]))

    with keeper_running() as keeper:
        run_with(keeper, main)
    assert keeper.process.returncode == 0
    assert not any(psutil.pid_exists(pid) for pid in (bots[0].pid, bots[1].pid, *daemons))
    for bot in bots:
        bot.close()


def test_a_keeper_that_dies_voids_the_match() -> None:
    async def main(children: Children) -> None:
        keeper.process.kill()
        await trio.sleep(200)

    start = time.monotonic()
    with keeper_running() as keeper, pytest.raises(ArenaFault, match="keeper of the bots ended"):
        run_with(keeper, main)
    assert time.monotonic() - start < 100


async def test_no_task_waits_for_the_hello_of_a_keeper_that_died() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.close()

    heard: list[str | None] = []

    async def ask() -> None:
        async with open_children(KeeperProcess(None, ours)) as children:  # type: ignore[arg-type]
            with trio.CancelScope(shield=True), trio.fail_after(60):
                heard.append(await children.no_groups_because())

    with ours, pytest.raises(ExceptionGroup) as caught:
        await ask()
    assert caught.group_contains(ArenaFault, match="keeper of the bots ended")
    assert heard == ["the keeper of the bots is gone"]


async def spawn_for_ever(children: Children) -> None:
    while True:
        (await spawn(children, SLEEP)).close()


def test_no_task_waits_for_a_keeper_that_died() -> None:
    async def main(children: Children) -> None:
        child = await spawn(children, SLEEP)
        try:
            keeper.process.kill()
            with pytest.raises(ArenaFault, match="keeper of the bots"):
                await spawn_for_ever(children)
        finally:
            with trio.CancelScope(shield=True), trio.fail_after(60):
                await child.kill()
                await child.kill()
            child.close()

    with keeper_running() as keeper, pytest.raises(ArenaFault, match="keeper of the bots"):
        run_with(keeper, main)


def test_the_end_of_the_keeper_is_the_end_of_its_bots() -> None:
    bots: list[Child] = []

    async def main(children: Children) -> None:
        bots.append(await spawn(children, SLEEP))
        bot = psutil.Process(bots[0].pid)
        keeper.process.kill()
        with suppress(psutil.NoSuchProcess):
            bot.wait(20)
        await trio.sleep(20)  # until we hear of it

    with keeper_running() as keeper, pytest.raises(ArenaFault, match="keeper of the bots"):
        run_with(keeper, main)
    assert not psutil.pid_exists(bots[0].pid)
    bots[0].close()


@linux_only
def test_walls_that_never_stand_make_the_match_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children_module, "STANDS_WITHIN", 0.2)
    walls = Sandbox(ProcessLimits(64, 1 << 20, 64), (), shell("sleep 99"))

    async def main(children: Children) -> None:
        with pytest.raises(MachineError, match=r"^bot: its walls were not up within 0.2 s: "):
            await children.spawn(SpawnRequest(("x",), "/", {}, walls), name="bot")

    run(main)


def test_a_program_has_a_session_of_its_own() -> None:
    async def main(children: Children) -> None:
        child = await spawn(children, SLEEP)
        assert os.getsid(child.pid) == child.pid
        assert not any(map(os.get_blocking, (child.stdin, child.stdout, child.stderr)))
        await child.kill()
        child.close()

    run(main)
