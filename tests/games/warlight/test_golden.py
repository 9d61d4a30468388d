"""The golden files: what is played and drawn today is what was checked by hand."""

from __future__ import annotations

import pytest

from tests.games.warlight.goldens import GOLDEN, texts

TEXTS = texts()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_nothing_has_changed(name: str) -> None:
    assert TEXTS[name] == (GOLDEN / name).read_text("utf-8"), (
        "if this is meant: python -m tests.games.regenerate warlight, and raise rules_version"
    )


def told(name: str) -> dict[str, list[str]]:
    """The lines of a golden map, by their second word."""
    lines = (GOLDEN / name).read_text("utf-8").split("\n\n")[0].splitlines()
    return {line.split()[1]: line.split()[2:] for line in lines}


@pytest.mark.parametrize("name", ["map_small.txt", "map_default.txt", "map_large.txt"])
def test_the_golden_maps_keep_the_rules(name: str) -> None:
    """Read from the file alone, as a bot would."""
    lines = told(name)
    supers = dict(zip(*[map(int, lines["regions"])] * 2, strict=True))
    count = max(supers.values())
    assert list(supers) == list(range(1, len(supers) + 1))
    assert list(supers.values()) == sorted(supers.values())
    assert list(map(int, lines["super_regions"][::2])) == list(range(1, count + 1))
    assert lines["max_rounds"] == [str(5 * len(supers) // 2)]
    wastelands, starts = lines["wastelands"], lines["starting_regions"]
    assert len(set(wastelands)) == count // 2
    assert [supers[int(region)] for region in starts] == list(range(1, count + 1))
    assert not set(starts) & set(wastelands)
    assert 1 <= int(lines["starting_pick_amount"][0]) <= count // 2


def test_no_golden_file_is_missing_or_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


def test_the_match_shows_what_it_is_for() -> None:
    text = TEXTS["match.txt"]
    for word in ("syntax", "not_owned", "repeated", "frozen", "phase", "stop 1 timeouts"):
        assert word in text
    # player 1 sees region 5, not 6, and is told of both
    assert "0> opponent_moves player2 attack/transfer 5 4 3 player2 attack/transfer 5 6 3" in text
