"""What a match costs whatever its length: CPU time beside the least that its processes take."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import arena
from arena.bots.program import BotProgram
from arena.core.limits import Limits
from arena.sandbox.children import Children
from arena.sandbox.keeper.messages import encode_request
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with
from tests.experiments.bench.matches import ROUNDS, SEED_OF_64, instant_bot_in_c
from tests.experiments.bench.samples import Sample

OURS = Path(arena.__file__).parents[1]
HERE = Path(__file__).parent
SHORT = 5
"""Rounds of a short match."""
MATCHES = {SHORT: 15, ROUNDS: 3}
"""Matches of one sample, by their rounds."""
WALLED = (Level.SANDBOX, Level.CGROUP)
IMPORT_TRIO = ("-c", "import trio; trio.run(trio.sleep, 0)")


def measure_fixed(samples: int, before: Path | None = None) -> list[Sample]:
    """Milliseconds of CPU time, of the arena, its keeper and the programs: a match of five rounds
    between quick bots in C in a series, without walls and behind them, against two such programs
    that a bare loop starts by the same command line and asks five times; one of 160 rounds; one
    between functions of Python; and one of five rounds from the shell, against the import of Trio.
    With the folder of another checkout, the same of that one, in turn (``before``)."""
    bot = instant_bot_in_c()
    with tempfile.TemporaryDirectory() as folder, keeper_running(SandboxMode.AUTO) as keeper:
        best = run_with(keeper, lambda children: prove_level(children, SandboxMode.AUTO))
        levels = {"off": Level.OFF} | ({"strict": best} if best in WALLED else {})

        requests: dict[str, bytes] = {}

        async def make_requests(children: Children) -> None:
            for name, level in levels.items():
                program = Program(bot.argv, bot.parts, Path(folder))
                request = bot_request(program, level, Limits(), children.keeper)
                requests[name] = encode_request(request)

        run_with(keeper, make_requests)
        for name, data in requests.items():
            Path(folder, name).write_bytes(data)
        return [_sample(bot, Path(folder), list(levels), before) for _ in range(samples)]


def _sample(bot: BotProgram, folder: Path, levels: Sequence[str], before: Path | None) -> Sample:
    found: dict[str, float] = {}
    trio = _shell_ms(IMPORT_TRIO, OURS)
    for level in levels:
        found[f"{level}.floor_ms"] = _floor_ms(folder / level)
    for checkout, name in ((before, "before_ms"), (OURS, "ms")):
        if checkout is None:
            continue
        for level in levels:
            found[f"{level}.{name}"] = _match_ms(checkout, level, SHORT, bot)
        found[f"long.{name}"] = _match_ms(checkout, "off", ROUNDS, bot)
        found[f"functions.{name}"] = _match_ms(checkout, "off", SHORT)
        found[f"shell.{name}"] = _shell_ms(_play(bot, folder), checkout)
    for level in levels:
        found[f"{level}.floor_ratio"] = found[f"{level}.ms"] / found[f"{level}.floor_ms"]
    found["shell.trio_ratio"] = found["shell.ms"] / trio
    for one in [one for one in found if one.endswith(".before_ms")]:
        name = one.removesuffix("before_ms")
        found[f"{name}before_ratio"] = found[f"{name}ms"] / found[one]
    return found


def _match_ms(checkout: Path, level: str, rounds: int, bot: BotProgram | None = None) -> float:
    bots = () if bot is None else (bot.argv[0],)
    words = (str(HERE / "series_cpu.py"), level, str(rounds), str(MATCHES[rounds]), *bots)
    return float(_run(words, checkout))


def _floor_ms(request: Path) -> float:
    words = ("-I", "-S", str(HERE / "floor.py"), str(OURS), str(request), str(MATCHES[SHORT]))
    return float(_run(words, OURS))


def _play(bot: BotProgram, folder: Path) -> Sequence[str]:
    return (
        *("-m", "arena", "play", "warlight", bot.argv[0], bot.argv[0], "--seed", SEED_OF_64),
        *("--set", f"max_rounds={SHORT}", "--json", "--overwrite"),
        *("--replay", str(folder / "shell.jsonl")),
    )


def _shell_ms(words: Sequence[str], checkout: Path) -> float:
    """CPU milliseconds of a whole Python, with all that it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(words, checkout)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime) * 1000


def _run(words: Sequence[str], checkout: Path) -> str:
    """Run Python with the package of a checkout; gives what it prints."""
    command, environment = (sys.executable, *words), {**os.environ, "PYTHONPATH": str(checkout)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or each run would compile it
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=checkout
    ).stdout
