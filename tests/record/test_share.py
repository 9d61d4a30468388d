"""Copies of records for others: what is left out, and what still proves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.record.reader import Match, save, shared
from arena.record.verify import verify
from tests.record.forge import lines_of, sealed


@pytest.fixture
def match(rich: bytes) -> Match:
    """A finished match of two bots that both drew and wrote to stderr."""
    lines = [line for line in lines_of(rich) if line["type"] not in ("stderr", "drawn")]
    for seat in (0, 1):
        at = next(
            i for i, one in enumerate(lines) if one["type"] == "player" and one["seat"] == seat
        )
        said = {"seat": seat, "request": 1, "text": f"secret {seat}"}
        lines[at:at] = [{"type": "stderr", **said}, {"type": "drawn", **said}]
    return Match.parse(sealed(lines))


@pytest.mark.parametrize(
    ("own", "name"), [([], "x.jsonl"), ([1], "x.jsonl.gz"), ([0, 1], "x.jsonl")]
)
def test_a_copy_has_the_words_of_its_owner_alone_and_is_proved(
    own: list[int], name: str, match: Match, tmp_path: Path
) -> None:
    path = tmp_path / name
    save(shared(match, own), path)
    copy, verdict = Match.read(path), verify(path)
    for seat in (0, 1):
        kept = seat in own
        assert match.stderr(seat)
        assert match.drawn(seat)
        assert copy.stderr(seat) == (match.stderr(seat) if kept else ())
        assert copy.drawn(seat) == (match.drawn(seat) if kept else ())
        assert copy.heard(seat) == match.heard(seat)
        assert copy.totals(seat) == match.totals(seat)
    assert (copy.digest, copy.seal == match.seal) == (match.digest, own == [0, 1])
    assert (verdict.problem, verdict.digest, verdict.seal) == ("", match.digest, copy.seal)


def test_a_record_that_ends_early_gets_no_seal(match: Match) -> None:
    early = Match(match.header, match.records[:20])
    assert shared(early, []) == early


def test_a_file_that_cannot_be_made_is_told(match: Match, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        save(match, tmp_path / "none" / "x.jsonl")
