"""Recorded matches as tables of data: rows, JSON lines, Parquet, and data frames."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from arena.api.series import Series
from arena.core.ranking import shares
from arena.errors import UsageError
from arena.record.output import whole_file
from arena.record.reader import MAX_RECORD_SIZE, Match
from arena.record.rows import Row, rows_of

Recorded: TypeAlias = Match | str | Path | Iterable[Match | str | Path]
"""Matches or the files of their records; one, or several."""

ROW_ENDINGS = (".jsonl", ".jsonl.gz", ".parquet")
"""How the names of files of rows end."""
ROW_GROUP = 10_000
"""Rows that are in memory while a Parquet file is written."""
NESTED_FIELDS = {
    *("faults", "first_faults", "time_ms", "wall_ms", "thought_ms", "delay_ms", "held_up_ms"),
    *("instructions", "exit", "stderr", "not_drawn"),
}
"""What a report has of a player that is no single value, which a frame leaves out: by name, since
some are None for functions and not for programs, and columns are the same for both."""


def rows(matches: Recorded) -> Iterator[Row]:
    """The rows of matches or of their records, a row for each request, one match after the other::

        for row in arena.rows("lost.jsonl.gz"):
            print(row.seat, row.observation, row.answer, row.score)

    Raises ReplayError, and UsageError for a game that is not installed.
    """
    if isinstance(matches, Match | str | Path):
        matches = [matches]
    for one in matches:
        yield from rows_of(one if isinstance(one, Match) else _read(one))


def _read(path: str | Path) -> Match:
    return Match.read(path, largest=MAX_RECORD_SIZE)


def write_rows(
    matches: Recorded,
    path: str | Path,
    *,
    overwrite: bool = False,
) -> int:
    """Write the rows of matches to a file, and return how many there are. The name says the format:
    ``.parquet`` (needs the extra `data`), ``.jsonl`` or ``.jsonl.gz``. The file appears when it is
    whole.

    Raises as `rows`, and UsageError for another ending, or a file that is there, unless `overwrite`
    lets it be replaced.
    """
    path = Path(path)
    if not path.name.endswith(ROW_ENDINGS):
        raise UsageError(f"{path}: end the name with .parquet, .jsonl or .jsonl.gz")
    write = _write_parquet if path.suffix == ".parquet" else _write_lines
    with whole_file(path) as part:
        if path.exists() and not overwrite:
            raise UsageError(f"{path} exists already: name another, or give overwrite=True")
        return write(rows(matches), part)


def _write_lines(found: Iterator[Row], path: Path) -> int:
    count = 0
    with gzip.open(path, "wb") if path.suffix == ".gz" else open(path, "wb") as file:
        for row in found:
            file.write(msgspec.json.encode(row) + b"\n")
            count += 1
    return count


def _write_parquet(found: Iterator[Row], path: Path) -> int:
    count, schema, parquet = 0, _schema(), _require("pyarrow.parquet")
    with parquet.ParquetWriter(path, schema, compression="zstd") as file:
        while group := list(islice(found, ROW_GROUP)):
            file.write_table(_table(group))
            count += len(group)
    return count


def data_frame(played: Series | Recorded) -> Any:
    """A data frame of pandas: of matches, with their `rows`; of a series, with a row for each
    match and seat. Needs the extra `data`::

        frame = arena.data_frame("lost.jsonl.gz")
        print(frame.groupby("player")["charged_ms"].describe())

    Raises as `rows`, and UsageError without the extra.
    """
    pandas = _require("pandas")
    if isinstance(played, Series):
        found = [row for game in sorted(played.reports) for row in _seats(game, played)]
        return pandas.DataFrame(found)
    return _table(rows(played)).to_pandas()


def _seats(game: int, series: Series) -> Iterator[dict[str, Any]]:
    """A row of one match of a series for each seat."""
    report, bots = series.reports[game], series.schedule[game].order
    scores = shares([one.rank for one in report.players])
    outcome = {"seed": report.seed, "rounds": report.rounds, "reason": report.reason}
    for player, bot in zip(report.players, bots, strict=True):
        own = msgspec.to_builtins(player)
        plain = {name: value for name, value in own.items() if name not in NESTED_FIELDS}
        yield {
            "match": game + 1,
            "bot": series.names[bot],
            **plain,
            "score": scores[player.seat],
            "time_ms": player.time_ms.total,
            "slowest_ms": player.time_ms.max,
            "fault_count": sum(player.faults.values()),
            **outcome,
        }


def _table(found: Iterable[Row]) -> Any:
    schema = _schema()
    return _require("pyarrow").Table.from_pylist(
        [msgspec.to_builtins(row) for row in found], schema=schema
    )


def _require(name: str) -> Any:
    """A module of the extra `data`. Raises UsageError without it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(
            f"this needs {name.partition('.')[0]}, which is not installed: pip install "
            "'.[data]' in a clone"
        ) from None


def _schema() -> Any:
    """The columns of `Row`, in its order."""
    pa = _require("pyarrow")
    number, text = pa.int32(), pa.string()
    texts = pa.list_(text)
    choice = pa.struct(
        {
            "offered": texts,
            "least": number,
            "most": number,
            "may_end": pa.bool_(),
            "picked": text,
        }
    )
    other: dict[str, Any] = {
        **dict.fromkeys(("rules_version", "seat", "request", "round", "rank"), number),
        **dict.fromkeys(("observation", "faults"), texts),
        **dict.fromkeys(("charged_ms", "points", "score"), pa.float64()),
        "bank_ms": pa.int64(),
        "choices": pa.list_(choice),
    }
    return pa.schema([(name, other.get(name, text)) for name in Row.__struct_fields__])
