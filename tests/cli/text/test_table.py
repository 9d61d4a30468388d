"""The table for people: a crosstable is as telling as there is room for."""

from __future__ import annotations

import random

import pytest

from arena.cli.text import table
from arena.tournament.standings import make_table
from tests.experiments.leagues import league


@pytest.mark.parametrize(
    ("bots", "title", "columns"),
    [(4, "ahead-level-behind:", 60), (20, "per cent", 120), (50, "tenths", 120)],
)
def test_each_against_each_fits(
    bots: int, title: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "width", lambda: columns)
    names = [f"bot{number}" for number in range(bots)]
    found = make_table(names, league(random.Random(1), bots, 1, "independent")[1])
    lines = table.table_text(found)
    at = next(at for at, line in enumerate(lines) if line.startswith(title))
    cross = lines[at + 1 :]
    assert max(map(len, cross)) <= columns
    rows = {line.split()[1]: line.split()[2:] for line in cross[-bots:]}
    assert set(rows) == set(names)
    assert {len(cells) for cells in rows.values()} == {bots}
    ranked = [line.split()[1] for line in cross[-bots:]]
    cells = {(cell.bot, cell.rival): cell for cell in found.crosstable}
    cell = cells[names.index(ranked[0]), names.index(ranked[1])]
    share = {4: table._in_full, 20: table._percent, 50: table._tenths}[bots](cell)
    assert rows[ranked[0]][1] == share


def test_there_is_no_minus_zero() -> None:
    found = make_table(["a", "b", "c"], league(random.Random(1), 3, 0, "independent")[1])
    assert "-0" not in "".join(table.table_text(found)).replace("10^(-D", "")
