"""The golden files: what is played and drawn today is what was checked by hand."""

from __future__ import annotations

import pytest

from tests.games.hextrategic.goldens import GOLDEN, SEATS, texts

TEXTS = texts()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_nothing_has_changed(name: str) -> None:
    assert TEXTS[name] == (GOLDEN / name).read_text("utf-8"), (
        "if this is meant: python -m tests.games.regenerate hextrategic, and raise rules_version"
    )


def test_no_golden_file_is_missing_or_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


class Board:
    """A golden board, read from its file alone, as a bot would."""

    def __init__(self, seats: int) -> None:
        lines = (GOLDEN / f"board_{seats}.txt").read_text("utf-8").split("\n\n")[0].splitlines()
        words = {tuple(line.split()[:2]): line.split() for line in lines}
        self.n = int(words["settings", "radius"][2])
        self.start_units = int(words["settings", "start_units"][2])
        self.ranges = [int(word) for word in words["settings", "neutral_units"][2:]]
        cells = words["setup_map", "cells"][2:]
        update = lines[-1].split()[1:]
        assert cells[::4] == update[::3] == [str(cell) for cell in range(len(cells) // 4)]
        self.at = list(zip(map(int, cells[1::4]), map(int, cells[2::4]), strict=True))
        self.content = dict(
            zip(self.at, zip(cells[3::4], map(int, update[2::3]), strict=True), strict=True)
        )
        self.owner = dict(zip(self.at, update[1::3], strict=True))
        self.corners = [(self.n, 0), (0, self.n), (-self.n, self.n), (-self.n, 0), (0, -self.n),
                        (self.n, -self.n)]  # fmt: skip


def orbit(seats: int, q: int, r: int) -> list[tuple[int, int]]:
    """Where the symmetries of the page carry a cell: turns by 60°, or turns and mirrors."""
    if seats == 4:
        return [(q, r), (-q, -r), (q + r, -r), (-q - r, r)]
    turned = [(q, r), (-r, q + r), (-q - r, q), (-q, -r), (r, -q - r), (q + r, -q)]
    return turned[:: 6 // seats]


@pytest.mark.parametrize("seats", SEATS)
def test_the_golden_boards_keep_the_rules(seats: int) -> None:
    board = Board(seats)
    assert board.n == (4 if seats < 4 else 5)
    assert len(board.at) == 3 * board.n**2 + 3 * board.n + 1
    starts = {2: "03", 3: "024", 4: "1245", 6: "012345"}[seats]
    for seat, corner in enumerate(starts):
        start = board.corners[int(corner)]
        assert board.owner.pop(start) == f"player{seat + 1}"
        assert board.content[start] == ("normal", board.start_units)
    assert set(board.owner.values()) == {"neutral"}
    for q, r in board.owner:
        same = {board.content[cell] for cell in orbit(seats, q, r)}
        assert len(same) == 1, "an orbit has one type and one number"
        ((kind, units),) = same
        place = 2 * ["normal", "bronze", "silver", "gold"].index(kind)
        assert board.ranges[place] <= units <= board.ranges[place + 1]


def test_the_match_shows_what_it_is_for() -> None:
    text = TEXTS["match.txt"]
    for word in ("syntax", "not_own", "too_many", "surrender", "(late)", "auto", "removed"):
        assert word in text
