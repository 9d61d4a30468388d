"""Notes on an answer."""

from __future__ import annotations

from arena.games.warlight import faults as module
from arena.games.warlight.faults import MOST_NOTES, Faults
from arena.steps import Note


def test_no_faults_no_notes() -> None:
    assert Faults(0).notes() == []


def test_a_note_quotes_and_explains() -> None:
    faults = Faults(1)
    faults.add("frozen", "player2 attack/transfer 1 2 3", "no army of region 1 is free")
    assert faults.notes() == [
        Note(1, "frozen", "'player2 attack/transfer 1 2 3': no army of region 1 is free")
    ]


def test_there_is_an_end_to_the_notes_but_not_to_the_count() -> None:
    faults = Faults(0)
    for _ in range(MOST_NOTES + 1):
        faults.add("syntax", "x", "y")
    *notes, more = faults.notes()
    assert len(notes) == MOST_NOTES
    assert faults.count == MOST_NOTES + 1
    assert more == Note(0, "more", "and 1 more orders of this answer came to nothing", fault=False)


def test_more_than_real_bots_send_is_noted_one_by_one() -> None:
    assert MOST_NOTES > 206


def test_every_code_is_explained() -> None:
    codes = [
        line.split("``")[1] for line in (module.__doc__ or "").splitlines() if line[:2] == "``"
    ]
    assert len(codes) == 14
