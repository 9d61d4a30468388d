"""Measurements of the arena on this machine, all in one run, so that their ratios mean something
even where the machine's speed drifts.

*request*: what one request costs in a match of Warlight between instant bots on a map of 64
regions, all kept on one core and everything included (rules, fog, rendering, recording, and the
bots' own work), against the floor: a bare loop of blocking writes and reads with the same bot on
the same core.

*start*: a whole match of 160 rounds from the shell, against a program that only imports Trio and
runs its loop once; and what a match costs before its first and after its last request.

*rules*: rounds per second through the table alone, without any process.

*jobs*: whole matches per second, one at a time and two at a time, each on a core of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bots import BotProgram
from arena.game import Game, Setup, find_game, game_names
from arena.reports import MatchSpec
from arena.rng import Stream
from arena.run import keeper_running, pinned, run_with
from arena.sandbox.children import Children
from arena.settings import parse
from arena.steps import Answer, Ask, Frame, Reply, Show
from arena.table import Table
from arena.workers import play_all

SEED_OF_64 = "147"
"""A seed whose generated Warlight map has 64 regions, as maps of the original competition had."""
ROUNDS = 160
INSTANT = (sys.executable, "-I", "-S", str(Path(__file__).with_name("instant.py")))
BARE_LOOP = "for i in range(10**7): pass"
ONLY_TRIO = (sys.executable, "-c", "import trio; trio.run(trio.sleep, 0)")


class Request(Struct, frozen=True):
    """Microseconds a request, against a bare ping-pong with the same bot."""

    us: float
    floor_us: float
    floor_ratio: float


class Start(Struct, frozen=True):
    """Milliseconds: matches from the shell (Warlight with 160 rounds, Code Character with 1000
    turns) against importing Trio; a match without its rounds."""

    shell_ms: float
    trio_ms: float
    trio_ratio: float
    long_ms: float
    long_ratio: float
    match_ms: float


class Rules(Struct, frozen=True):
    """Rounds per second without processes, with default settings: when all seats give random
    legal answers, and when all say ``No moves``."""

    game: str
    seats: int
    rounds_per_s: float
    idle_rounds_per_s: float


class Jobs(Struct, frozen=True):
    """Matches per second; and what two bare loops at once gain over one on this machine, which no
    arena can exceed."""

    one: float
    two: float
    ratio: float
    machine_ratio: float


class Bench(Struct, frozen=True):
    """All measurements of one run."""

    cores: int
    python: str
    request: Request
    start: Start
    rules: list[Rules]
    ten_orders_rounds_per_s: float
    """Warlight on 64 regions, ten orders a side in each phase of each round."""
    jobs: Jobs


def bench(scale: float = 1.0, progress: Callable[[str], None] = lambda text: None) -> Bench:
    """Measure everything; a `scale` below 1 takes fewer samples. `progress` hears what is next."""

    def times(count: int) -> int:
        return max(1, round(count * scale))

    progress("request")
    request = measure_request(times(7))
    progress("start")
    start = measure_start(times(7))
    progress("rules")
    rules = [measure_rules(find_game(name), times(5)) for name in game_names()]
    ten = measure_ten_orders(times(5))
    progress("jobs")
    jobs = measure_jobs(times(3))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Bench(cores or 1, sys.version.split()[0], request, start, rules, ten, jobs)


def instant_bot() -> BotProgram:
    """The instant bot as a program."""
    return BotProgram("instant", INSTANT, None, None, "instant")


def instant_match(folder: Path, rounds: int = ROUNDS) -> MatchSpec:
    """Warlight between two instant bots, recorded."""
    settings = parse(find_game("warlight").settings, {"max_rounds": rounds})
    bots = (instant_bot(), instant_bot())
    return MatchSpec("warlight", bots, SEED_OF_64, settings, replay=folder / "bench.jsonl")


# -- request ---------------------------------------------------------------------------------


def measure_request(samples: int) -> Request:
    """Matches and ping-pongs in turn, on one core; the medians."""
    with pinned(0), keeper_running() as keeper, tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder))
        pairs = [
            (run_with(keeper, lambda children: request_us(spec, children)), floor_us())
            for _ in range(samples + 1)
        ][1:]
    us, floor = median(us for us, _ in pairs), median(floor for _, floor in pairs)
    return Request(us, floor, median(us / floor for us, floor in pairs))


async def request_us(spec: MatchSpec, children: Children) -> float:
    """One match; microseconds a request from the end of its set-up to its last round."""
    from arena.match import play_match

    stamps: list[float] = []

    async def stamp(frame: Frame) -> None:
        stamps.append(time.perf_counter())

    await play_match(spec, children, stamp)
    requests_a_round = 4
    return (stamps[-1] - stamps[0]) * 1e6 / ((len(stamps) - 1) * requests_a_round)


def floor_us(exchanges: int = 3000) -> float:
    """Microseconds for a request and its answer in a bare blocking loop with the same bot."""
    with subprocess.Popen(INSTANT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        to_bot, from_bot = bot.stdin.fileno(), bot.stdout.fileno()
        for warm_up in (True, False):
            start = time.perf_counter()
            for _ in range(50 if warm_up else exchanges):
                os.write(to_bot, b"go place_armies 10000\n")
                os.read(from_bot, 4096)
        took = time.perf_counter() - start
        bot.stdin.close()
    return took * 1e6 / exchanges


# -- start -----------------------------------------------------------------------------------


def measure_start(samples: int) -> Start:
    """Whole processes, in turn; the medians."""
    with tempfile.TemporaryDirectory() as folder:
        short = _shell_match(Path(folder), "warlight", f"max_rounds={ROUNDS}")
        long = _shell_match(Path(folder), "codecharacter", "num_turns=1000")
        commands = (short, long, ONLY_TRIO)
        runs = [[wall_ms(command) for command in commands] for _ in range(samples + 1)][1:]
        match_ms = measure_match(Path(folder), samples)
    return Start(
        shell_ms=median(run[0] for run in runs),
        trio_ms=median(run[2] for run in runs),
        trio_ratio=median(run[0] / run[2] for run in runs),
        long_ms=median(run[1] for run in runs),
        long_ratio=median(run[1] / run[2] for run in runs),
        match_ms=match_ms,
    )


def _shell_match(folder: Path, game: str, setting: str) -> Sequence[str]:
    """The command line of a recorded match between instant bots."""
    bot = " ".join(f'"{word}"' for word in INSTANT)
    return (
        *(sys.executable, "-m", "arena", "play", game, bot, bot, "--seed", SEED_OF_64),
        *("--set", setting, "--replay", str(folder / "shell.jsonl"), "--json"),
    )


def wall_ms(command: Sequence[str]) -> float:
    """The wall time of a process, its output thrown away."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def measure_match(folder: Path, samples: int) -> float:
    """Milliseconds for a match of one round in a running arena: starting and ending two bots."""
    from arena.match import play_match

    spec = instant_match(folder, rounds=1)

    async def one(children: Children) -> float:
        start = time.perf_counter()
        await play_match(spec, children)
        return (time.perf_counter() - start) * 1000

    with keeper_running() as keeper:
        return median(run_with(keeper, one) for _ in range(samples + 1))


# -- rules -----------------------------------------------------------------------------------

Answerer = Callable[[Table, Ask], str]


def measure_rules(game: Game, samples: int) -> Rules:
    """The same answers again and again through fresh tables; the medians."""
    stream = Stream("bench", "random")
    setup = Setup("bench", game.seats[0], game.settings())

    def random_answer(table: Table, ask: Ask) -> str:
        return game.random_answer(table.world, ask, stream)

    busy = rounds_per_s(game, setup, random_answer, samples)
    idle = rounds_per_s(game, setup, lambda table, ask: "No moves", samples)
    return Rules(game.name, game.seats[0], busy, idle)


def measure_ten_orders(samples: int) -> float:
    """Rounds of Warlight per second with ten orders a side."""
    game = find_game("warlight")
    setup = Setup(SEED_OF_64, 2, parse(game.settings, {"max_rounds": ROUNDS}))
    return rounds_per_s(game, setup, ten_orders, samples)


def ten_orders(table: Table, ask: Ask) -> str:
    """Ten placements or ten attacks and transfers of Warlight, spread over what the seat has."""
    from arena.games.warlight.world import NAMES

    world, name = table.world, NAMES[ask.seat]
    own = [region for region in world.board.regions if world.owner[region] == ask.seat]
    if ask.head.endswith("place_armies"):
        return ", ".join(f"{name} place_armies {own[i % len(own)]} 1" for i in range(10))
    if ask.head.endswith("attack/transfer"):
        ways = [(source, to) for source in own for to in world.board.neighbors[source]]
        ways.sort(key=lambda way: (world.owner[way[1]] == ask.seat, -world.armies[way[0]]))
        return ", ".join(f"{name} attack/transfer {one} {to} 5" for one, to in ways[:10])
    return ask.tail.split()[0]


def rounds_per_s(game: Game, setup: Setup, answerer: Answerer, samples: int) -> float:
    """Rounds per second of one match, its answers worked out beforehand."""
    answers = collect_answers(Table(game, setup), answerer)
    return median(_replay_rate(Table(game, setup), answers) for _ in range(samples))


def collect_answers(table: Table, answerer: Answerer) -> list[tuple[Reply, ...]]:
    """Play a match to its end and keep the answers."""
    answers: list[tuple[Reply, ...]] = []
    while table.outcome is None:
        answers.append(tuple(Answer(answerer(table, ask)) for ask in table.asked))
        table.answer_all(answers[-1])
    return answers


def _replay_rate(table: Table, answers: list[tuple[Reply, ...]]) -> float:
    table.take()
    rounds = 0
    start = time.perf_counter()
    for replies in answers:
        table.answer_all(replies)
        rounds += sum([type(step) is Show for step in table.take()])
    return rounds / (time.perf_counter() - start)


# -- jobs ------------------------------------------------------------------------------------


def measure_jobs(samples: int, matches: int = 60) -> Jobs:
    """The same matches one at a time and two at a time, in turn; the medians."""
    with tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder))
        specs = [_with_replay(spec, Path(folder) / f"{i}.jsonl") for i in range(matches)]
        pairs = [(matches_per_s(specs, 1), matches_per_s(specs, 2)) for _ in range(samples)]
        machine = median(2 * loop_ms(1) / loop_ms(2) for _ in range(samples))
    one, two = median(one for one, _ in pairs), median(two for _, two in pairs)
    return Jobs(one, two, median(two / one for one, two in pairs), machine)


def loop_ms(copies: int) -> float:
    """The wall time of so many bare loops at once, each on a core of its own."""
    start = time.perf_counter()
    processes = []
    for core in range(copies):
        with pinned(core):
            processes.append(subprocess.Popen([sys.executable, "-I", "-S", "-c", BARE_LOOP]))
    for process in processes:
        process.wait()
    return (time.perf_counter() - start) * 1000


def _with_replay(spec: MatchSpec, path: Path) -> MatchSpec:
    return MatchSpec(spec.game, spec.bots, spec.seed, spec.settings, replay=path)


def matches_per_s(specs: Sequence[MatchSpec], jobs: int) -> float:
    """Whole matches per second, the start of the workers included."""
    start = time.perf_counter()
    for _ in play_all(specs, jobs=jobs, pin=True):
        pass
    return len(specs) / (time.perf_counter() - start)
