"""The table of a series for people."""

from __future__ import annotations

from collections.abc import Iterator

from arena.api.series import Series
from arena.cli.text.match import advice, stranger
from arena.cli.text.repeat import play_command
from arena.cli.text.table import table_text
from arena.match.report import MatchReport, PlayerReport
from arena.match.spec import numbered
from arena.record.stderr import last_words
from arena.text import counted, safe

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
            f"{series.voids} × void: the machine held the arena up; those were played again"
        )
    lines += ["", *table_text(series.table)]
    return "\n".join([*lines, *_lost(series), *_faults(series), *_strangers(series)])


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
                f"\n    {play_command(series.spec(game))}",
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
