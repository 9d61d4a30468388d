"""``arena bench``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.bench.compare import compare, read_bench
from arena.bench.measure import Bench, bench
from arena.bench.proofs import Proof
from arena.bench.requests import Request
from arena.bench.samples import Spread
from arena.bench.sandbox import Walls
from arena.cli.options.files import FilePath
from arena.cli.status import print_json
from arena.cli.text.layout import say, table
from arena.errors import UsageError
from arena.sandbox.levels import Level


@click.command(name="bench")
@click.option("--quick", is_flag=True, help="Fewer samples: a look, not a measurement.")
@click.option(
    "--against",
    type=FilePath(),
    metavar="FILE",
    help="Compare with an earlier run, saved with --json, and say what is more than noise.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(quick: bool, against: Path | None, as_json: bool) -> None:
    """Measure the arena on this machine, in about two minutes: the cost of a request, of
    starting a match, of the rules, and how matches spread over two cores."""

    def progress(text: str) -> None:
        say(f"measuring: {text}", err=True)

    if against is not None and as_json:
        raise UsageError("--against is for people: save with --json, then compare without it")
    earlier = read_bench(against) if against is not None else None
    result = bench(0.2 if quick else 1.0, progress)
    if as_json:
        print_json(result)
        return
    say(_text(result))
    if earlier is not None:
        say(f"\n{_comparison(result, earlier)}")


def _comparison(now: Bench, then: Bench) -> str:
    rows = [
        [one.name, _range(one.then), _range(one.now), f"{one.ratio:.2f} ×", one.verdict]
        for one in compare(now, then)
    ]
    return table(("in proportion", "then", "now", "", ""), rows)


def _range(spread: Spread) -> str:
    return f"{spread.median:.3g} ({spread.low:.3g} to {spread.high:.3g})"


def _text(result: Bench) -> str:
    rows = [
        *_requests(result, "request", "Python", result.request),
        *(_requests(result, "c_request", "C", result.c_request) if result.c_request else []),
        *(_waiting(result) if result.waiting else []),
        *_sizes(result),
        *_start(result),
        *_rules(result),
        *(_proof(result, result.proof) if result.proof else []),
        *_jobs(result),
        *(row for walls in result.walls for row in _walls(result, walls)),
    ]
    machine = f"{result.cores} cores, Python {result.python}"
    return table((machine, "measured", "95 % interval", "in proportion"), rows)


def _row(result: Bench, text: str, figure: str, form: str, proportion: str) -> list[str]:
    """A figure with its unit, how sure it is, and what it means."""
    spread = result.spreads[figure]
    low, high = (form.format(value).split()[0] for value in (spread.low, spread.high))
    return [text, form.format(spread.median), f"{low} to {high}", proportion]


def _requests(result: Bench, figure: str, bots: str, request: Request) -> list[list[str]]:
    floor = f"{request.floor_ratio:.1f} × the floor, a bare pipe ({request.floor_us:.1f} µs)"
    others = f"its keeper {request.keeper_cpu_us:.1f}, the bots {request.bots_cpu_us:.1f} µs"
    return [
        _row(result, f"a request, bots in {bots}", f"{figure}.us", "{:.1f} µs", floor),
        _row(result, "  CPU time of the arena", f"{figure}.arena_cpu_us", "{:.1f} µs", others),
    ]


def _waiting(result: Bench) -> list[list[str]]:
    text, each = "  where four bots are waited for", "CPU time of the arena, no rules"
    return [_row(result, text, "waiting.arena_cpu_us", "{:.1f} µs", each)]


def _sizes(result: Bench) -> list[list[str]]:
    return [
        _row(
            *(result, f"  on a map of {size.regions} regions", f"sizes.{size.regions}.us"),
            *("{:.1f} µs", f"{size.size_ratio:.2f} × 16 regions"),
        )
        for size in result.sizes
    ]


def _start(result: Bench) -> list[list[str]]:
    start = result.start
    trio = f"{start.trio_ratio:.2f} × only importing Trio ({start.trio_ms:.0f} ms)"
    far = f"{start.long_ratio:.2f} × only importing Trio"
    turns = "1000 turns of codecharacter, from the shell"
    return [
        _row(result, "a match of 160 rounds, from the shell", "start.shell_ms", "{:.0f} ms", trio),
        _row(result, turns, "start.long_ms", "{:.0f} ms", far),
        _row(
            *(result, "starting and ending a match", "start.match_ms", "{:.1f} ms"),
            "in a running arena",
        ),
    ]


def _rules(result: Bench) -> list[list[str]]:
    ten = "warlight rules, ten orders a side"
    form, alone = "{:.0f} rounds/s", "no processes"
    return [
        _row(result, ten, "ten_orders.rounds_per_s", form, f"{alone}, 64 regions"),
        *(
            _row(
                result,
                f"{rules.game} rules, random orders",
                f"rules.{rules.game}.rounds_per_s",
                form,
                f"{alone}, {rules.seats} players; no orders: {rules.idle_rounds_per_s:.0f}",
            )
            for rules in result.rules
        ),
    ]


def _proof(result: Bench, proof: Proof) -> list[list[str]]:
    again = f"{proof.rules_ratio:.1f} × the rules alone"
    return [_row(result, "verifying a record, a request", "proof.us", "{:.1f} µs", again)]


def _jobs(result: Bench) -> list[list[str]]:
    jobs = result.jobs
    two = f"{jobs.ratio:.2f} × one at a time; two bare loops: {jobs.machine_ratio:.2f} × one"
    return [
        _row(result, "matches, one at a time", "jobs.one", "{:.1f} /s", "each on one core"),
        _row(result, "matches, --jobs 2", "jobs.two", "{:.1f} /s", two),
    ]


def _walls(result: Bench, walls: Walls) -> list[list[str]]:
    """The costs at one isolation level."""
    behind, figure = walls.level is not Level.OFF, f"walls.{walls.level}"
    start = f"{walls.start_more_ms:.1f} ms more than off" if behind else "to its first word"
    same = "in the same matches as behind walls"
    ahead = f"{walls.ahead_more_ms:+.1f} ms to off" if behind else "as in a series"
    request = f"{walls.request_ratio:.2f} × off" if behind else same
    look = f"a look at its limits, {walls.level}"
    return [
        _row(result, f"starting a bot, {walls.level}", f"{figure}.start_ms", "{:.1f} ms", start),
        _row(
            result, f"the same, prepared, {walls.level}", f"{figure}.ahead_ms", "{:.1f} ms", ahead
        ),
        _row(result, f"a request, {walls.level}", f"{figure}.request_us", "{:.1f} µs", request),
        _row(result, look, f"{figure}.look_us", "{:.0f} µs", "every 50 ms"),
    ]
