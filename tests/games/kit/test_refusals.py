"""Refusals, and notes on an answer."""

from __future__ import annotations

from arena.core.steps import Note, Tell
from arena.games.kit import CappedNotes, Refusal
from arena.games.kit.talking import MOST_NOTES

NO_FORM = Refusal("syntax", "y")


def test_what_is_told_and_noted() -> None:
    refusal = Refusal("lost", "it is gone", fault=False)
    assert refusal.tell(1) == Tell(1, "result illegal lost")
    assert refusal.tell(0, 3) == Tell(0, "result 3 illegal lost")
    assert refusal.note(1, "go\n") == Note(1, "lost", r"'go\n': it is gone", fault=False)


def test_no_faults_no_notes() -> None:
    assert CappedNotes(0, "were dropped").close() == []


def test_a_note_quotes_and_explains() -> None:
    notes = CappedNotes(1, "were dropped")
    notes.add("player2 attack/transfer 1 2 3", Refusal("frozen", "no army of region 1 is free"))
    assert notes.close() == [
        Note(1, "frozen", "'player2 attack/transfer 1 2 3': no army of region 1 is free")
    ]


def test_there_is_an_end_to_the_notes_but_not_to_the_count() -> None:
    capped = CappedNotes(0, "came to nothing")
    for _ in range(MOST_NOTES + 1):
        capped.add("x", NO_FORM)
    *notes, more = capped.close()
    assert len(notes) == MOST_NOTES
    assert capped.count == MOST_NOTES + 1
    assert more == Note(0, "more", "and 1 more orders of this answer came to nothing", fault=False)


def test_exactly_so_many_need_no_remark() -> None:
    capped = CappedNotes(0, "were dropped", most=2)
    for _ in range(2):
        capped.add("x", NO_FORM)
    assert capped.close() == [Note(0, "syntax", "'x': y")] * 2


def test_notes_are_taken_once_and_capped_in_all() -> None:
    capped, taken = CappedNotes(0, "were dropped", most=2), []
    for _ in range(5):
        capped.add("x", NO_FORM)
        taken.append(len(capped.take()))
    assert taken == [1, 1, 0, 0, 0]
    assert capped.close() == [
        Note(0, "more", "and 3 more orders of this answer were dropped", fault=False)
    ]


def test_more_than_real_bots_send_is_noted_one_by_one() -> None:
    assert MOST_NOTES > 206
