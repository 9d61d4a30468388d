"""The table of an event for people: standings, ratings, and who did how against whom."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence

import msgspec

from arena.api.conditions import usual_clock
from arena.api.series import Series
from arena.cli.text.layout import table, width
from arena.cli.text.match import advice, stranger
from arena.core.limits import Limits
from arena.core.settings import Settings
from arena.games.kit.wire import points_text
from arena.match.report import MatchReport, PlayerReport
from arena.match.spec import MatchSpec, numbered
from arena.players.terms import Terms, Timing
from arena.record.failures import last_words
from arena.record.position import Position
from arena.text import counted, safe
from arena.tournament.standings import Cell, ResultTable, Standing

COUNTED = ("games", "wins", "draws", "losses", "points", "score")
WORDS = [
    "points: by the rules, added up",
    "score: opponents beaten; a tie is half",
]
RATED_WORDS = [
    *WORDS,
    "Elo: as in arena compare, D more give the share 1 / (1 + 10^(-D/400)) of the points; the mean "
    "of all bots is 0",
    "±: half of the 95 % interval, against the mean of all; games on one seed count as one",
    "ranks: those that a bot may truly have, with a confidence of 95 %",
]


def table_text(found: ResultTable) -> list[str]:
    """Two bots with their scores; more of them by rating, and below it each against each."""
    if len(found.standings) < 3:
        rows = [[*_counts(row), f"{row.low:.1%} to {row.high:.1%}"] for row in found.standings]
        return [table(("bot", *COUNTED, "95 % interval"), rows, 1, width()), "", *WORDS]
    ranked = sorted(found.standings, key=lambda row: (row.rank, row.bot))
    words = [*RATED_WORDS, *map(safe, found.notes)]
    notes = [line for one in words for line in textwrap.wrap(one, width() or 100)]
    lines = [_rated(ranked), "", *notes]
    if len(ranked) > MOST_CROSSED:
        return lines
    return [*lines, "", *_crosstable(found, ranked)]


MOST_CROSSED = 100
"""Bots whose crosstable is printed: that of more is wider than any screen, and a page or a document
has it."""


def _counts(row: Standing) -> list[str]:
    counts = map(str, (row.games, row.wins, row.draws, row.losses))
    return [safe(row.name), *counts, points_text(row.points), f"{row.score:.1%}"]


def _rated(ranked: Sequence[Standing]) -> str:
    head = ("", "bot", *COUNTED, "Elo", "±", "ranks", "stopped")
    rows = [
        [
            str(row.rank),
            *_counts(row),
            f"{round(row.elo)}",  # there is no -0
            f"{row.error:.0f}",
            ranks_text(row),
            ", ".join(f"{count} {why}" for why, count in sorted(row.stopped.items())) or "-",
        ]
        for row in ranked
    ]
    return table(head, rows, 2, width())


def ranks_text(row: Standing) -> str:
    """The ranks that a bot may truly have."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}-{row.worst}"


def _crosstable(found: ResultTable, ranked: Sequence[Standing]) -> list[str]:
    """Each against each, in as many words as there is room for."""
    cells = {(cell.bot, cell.rival): cell for cell in found.crosstable}
    lines = list[str]()
    for title, text in CELLS.items():
        rows = [
            [str(at), safe(row.name), *(_cell(cells.get((row.bot, by.bot)), text) for by in ranked)]
            for at, row in enumerate(ranked, 1)
        ]
        heads = _heads(len(ranked), upright=text is not _tenths)
        lines = [title, *_columns([*heads, *rows])]
        if max(map(len, lines[1:])) <= (width() or WIDE):
            break
    return lines


def _heads(bots: int, *, upright: bool) -> list[list[str]]:
    """The numbers of the columns; where these are one character wide, one digit below the other."""
    numbers = [str(at) for at in range(1, bots + 1)]
    if upright:
        return [["", "bot", *numbers]]
    digits = len(str(bots))
    lines = [[number.rjust(digits)[place].strip() for number in numbers] for place in range(digits)]
    return [["", "bot" if place == digits - 1 else "", *line] for place, line in enumerate(lines)]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose names are flush left; its cells are as close as they may be."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = " " if max(widths[2:]) < len("0-0-0") else "  "
    return [
        gap.join([
            *(cell.ljust(wide) for cell, wide in zip(row[:2], widths[:2], strict=True)),
            *(cell.rjust(wide) for cell, wide in zip(row[2:], widths[2:], strict=True)),
        ]).rstrip()
        for row in rows
    ]  # fmt: skip


def _cell(cell: Cell | None, text: Callable[[Cell], str]) -> str:
    return "-" if cell is None else text(cell)


def _in_full(cell: Cell) -> str:
    return f"{cell.ahead}-{cell.level}-{cell.behind}"


def _percent(cell: Cell) -> str:
    return f"{cell.score:.0%}".rstrip("%")


def _tenths(cell: Cell) -> str:
    """One character: ``0`` is less than a tenth, ``5`` from a half, and ``X`` all."""
    return "X" if cell.score == 1 else str(int(cell.score * 10))


WIDE = 120
"""Columns of a crosstable that is not for a terminal."""
CELLS: dict[str, Callable[[Cell], str]] = {
    "ahead-level-behind:": _in_full,
    "per cent of the points of these two:": _percent,
    "tenths of the points of these two, X for all:": _tenths,
}
"""What a crosstable may say of two bots, the most telling first."""


# The command that plays a match again.


def play_command(spec: MatchSpec, map_file: str = "MAP", origin: str = "POS") -> str:
    """``arena play GAME BOT… --seed S``, with the settings and conditions that are not the usual
    ones: what played behind walls does so again. A spec does not know where its map file lies, nor
    the position that it begins at (`origin`)."""
    words = ["arena", "play", spec.game, *(entrant.command for entrant in spec.entrants)]
    if spec.position is None:
        words += ["--seed", spec.seed, *_changes(spec.settings)]
    else:
        words += ["--from", origin, *_times(spec, spec.position)]
    words += _conditions(spec)
    if spec.position is None:
        if spec.find_game().budget(spec.settings) is not None:
            words += ["--meter", "instructions"]
        words += ["--map", map_file] if spec.map is not None else []
    return safe(shlex.join(words))


def _times(spec: MatchSpec, position: Position) -> list[str]:
    """The time settings that differ from those of the position."""
    own = position.setup(spec.find_game()).settings
    times = {"--timebank": "timebank", "--time-per-move": "time_per_move"}
    values = {word: (getattr(spec.settings, key), getattr(own, key)) for word, key in times.items()}
    return [word for name, (now, was) in values.items() if now != was for word in (name, str(now))]


def _conditions(spec: MatchSpec) -> list[str]:
    terms, usual = spec.terms, Terms(timing=Timing(usual_clock()))
    usually_forfeit = spec.find_game().substitutes(spec.settings)
    valued = {
        "--sandbox": (str(terms.sandbox), str(usual.sandbox)),
        "--clock": (terms.timing.clock.value, usual.timing.clock.value),
        "--start-up": (str(terms.timing.start_up), str(usual.timing.start_up)),
        "--memory": (_size(terms.limits), _size(usual.limits)),
    }
    words = [word for name, (one, other) in valued.items() if one != other for word in (name, one)]
    flags = {
        "--no-pondering": not terms.timing.pondering,
        "--sequential": terms.sequential,
        f"--{'no-' * (not terms.forfeit)}forfeit": terms.forfeit != usually_forfeit,
    }
    words += [name for name, holds in flags.items() if holds]
    return words + [word for name in spec.pass_env for word in ("--pass-env", name)]


def _size(limits: Limits) -> str:
    """The memory of a bot as the option takes it, which asks for some limit always."""
    memory = limits.memory or Limits().memory or 0
    return f"{memory >> 20}M" if memory % (1 << 20) == 0 else f"{memory >> 10}K"


def _changes(settings: Settings) -> list[str]:
    usual = msgspec.structs.asdict(type(settings)())
    given = msgspec.structs.asdict(settings)
    changed = (f"{key}={_text(value)}" for key, value in given.items() if value != usual[key])
    return [word for change in changed for word in ("--set", change)]


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


# The table of a series for people.

LOST = 5
"""Records of lost games that are named for each bot."""


def series_text(series: Series) -> str:
    """What was played of it: the standings, then what to look at."""
    first = series.first
    lines = [
        f"{first.game}, seed {first.seed}, {len(series.reports)} of {counted(series.games, 'game')}"
    ]
    if series.voids:
        lines.append(
            f"{series.voids} × void: the machine held the arena up; these matches were played again"
        )
    lines += ["", *table_text(series.table)]
    return "\n".join(
        [*lines, *_lost(series), *_faults(series), *_strangers(series), *_speed(series)]
    )


def _speed(series: Series) -> list[str]:
    hourly = series.matches_per_hour
    return [] if hourly is None else ["", f"{hourly:,.0f} matches an hour at --jobs {series.jobs}"]


def _seats(series: Series) -> Iterator[tuple[int, MatchReport, str, PlayerReport]]:
    """Each seat of each match: the number of the game, the report, and who sat there."""
    for game, report in sorted(series.reports.items()):
        for bot, player in zip(series.schedule[game].order, report.players, strict=True):
            yield game, report, safe(series.names[bot]), player


def _lost(series: Series) -> list[str]:
    """The records of the games that each bot lost."""
    found: dict[str, list[str]] = {}
    for game, _, name, player in _seats(series):
        path = numbered(series.first.replay, game + 1)
        if path is not None and player.rank > 1:
            found.setdefault(name, []).append(str(path))
    lines = [f"  {name}: {_few(paths)}" for name, paths in sorted(found.items())]
    return ["", "records of lost games:", *lines] if lines else []


def _few(paths: list[str]) -> str:
    more = len(paths) - LOST
    return " ".join(paths[:LOST]) + (f" and {more} more" if more > 0 else "")


def _faults(series: Series) -> list[str]:
    """Faults by bot and kind over all games, with where to see the first."""
    counts: dict[tuple[str, str], int] = {}
    example: dict[tuple[str, str], str] = {}
    for game, report, name, player in _seats(series):
        for code, count in player.faults.items():
            key = (name, code)
            counts[key] = counts.get(key, 0) + count
            first = player.first_faults[code]
            example.setdefault(
                key,
                f"first with seed {report.seed} as player{player.seat + 1}, "
                f"round {first.round}: {safe(first.detail)}{_said(player, code)}"
                f"\n    {play_command(series.spec(game), origin=series.origin(game))}",
            )
    lines = [f"  {name}: {n} × {code}, {example[name, code]}" for (name, code), n in counts.items()]
    return ["", "faults:", *sorted(lines)] if lines else []


def _said(player: PlayerReport, code: str) -> str:
    """The last words of a program that was stopped."""
    said = last_words("".join(turn.text for turn in player.stderr))
    return f": {safe(said)}" if said and player.stopped == code else ""


def _strangers(series: Series) -> list[str]:
    """A word on each bot that did not play in any match."""
    said: dict[str, str] = {}
    players: set[str] = set()
    for _, report, name, player in _seats(series):
        if why := stranger(player):
            said[name] = f"{name} {why}, in each of them: {advice(report, player)}"
        else:
            players.add(name)
    lines = [text for name, text in sorted(said.items()) if name not in players]
    return ["", *lines] if lines else []
