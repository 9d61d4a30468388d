"""``arena bench``"""

from __future__ import annotations

import click

from arena.bench import Bench, bench
from arena.bench.walls import Walls
from arena.cli import print_json
from arena.cli.text import table
from arena.sandbox.levels import Level


@click.command(name="bench")
@click.option("--quick", is_flag=True, help="Fewer samples: a look, not a measurement.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(quick: bool, as_json: bool) -> None:
    """Measure the arena on this machine, in about half a minute: the cost of a request, of
    starting a match, of the rules, and how matches spread over two cores."""

    def progress(text: str) -> None:
        click.echo(f"measuring: {text}", err=True)

    result = bench(0.2 if quick else 1.0, progress)
    if as_json:
        print_json(result)
    else:
        click.echo(_text(result))


def _walls(walls: Walls) -> list[list[str]]:
    """The costs at one isolation level."""
    behind = walls.level is not Level.OFF
    return [
        [
            f"starting a bot, {walls.level}",
            f"{walls.start_ms:.1f} ms",
            f"{walls.start_more_ms:.1f} ms more than off" if behind else "to its first word",
        ],
        [
            f"a request, {walls.level}",
            f"{walls.request_us:.0f} µs",
            f"{walls.request_ratio:.2f} × off" if behind else "in the same matches as behind walls",
        ],
        [f"a look at its limits, {walls.level}", f"{walls.look_us:.0f} µs", "every 50 ms"],
    ]


def _text(result: Bench) -> str:
    request, start, jobs = result.request, result.start, result.jobs
    rows = [
        [
            "a request, everything included",
            f"{request.us:.0f} µs",
            f"{request.floor_ratio:.1f} × the floor, a bare pipe ({request.floor_us:.1f} µs)",
        ],
        [
            "a match of 160 rounds, from the shell",
            f"{start.shell_ms:.0f} ms",
            f"{start.trio_ratio:.2f} × only importing Trio ({start.trio_ms:.0f} ms)",
        ],
        [
            "1000 turns of codecharacter, from the shell",
            f"{start.long_ms:.0f} ms",
            f"{start.long_ratio:.2f} × only importing Trio",
        ],
        ["starting and ending a match", f"{start.match_ms:.0f} ms", "in a running arena"],
        [
            "warlight rules, ten orders a side",
            f"{result.ten_orders_rounds_per_s:.0f} rounds/s",
            "no processes, 64 regions",
        ],
        *(
            [
                f"{rules.game} rules, random orders",
                f"{rules.rounds_per_s:.0f} rounds/s",
                f"no processes, {rules.seats} players; no orders: {rules.idle_rounds_per_s:.0f}",
            ]
            for rules in result.rules
        ),
        ["matches, one at a time", f"{jobs.one:.1f} /s", "each on one core"],
        [
            "matches, --jobs 2",
            f"{jobs.two:.1f} /s",
            f"{jobs.ratio:.2f} × one at a time; two bare loops: {jobs.machine_ratio:.2f} × one",
        ],
        *(row for walls in result.walls for row in _walls(walls)),
    ]
    head = (f"{result.cores} cores, Python {result.python}", "measured", "in proportion")
    return table(head, rows)
