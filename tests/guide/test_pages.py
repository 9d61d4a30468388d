"""The guides are found, listed in order, and each names its readers."""

from __future__ import annotations

import pytest

from arena.errors import UsageError
from arena.guide.pages import ORDER, find_guide, guide_names


def test_the_guides_come_in_their_order() -> None:
    names = guide_names()
    assert {"author", "organiser", "safety", "clocks", "speed", "records"} <= set(names)
    assert names == [name for name in ORDER if name in names]


@pytest.mark.parametrize("name", guide_names())
def test_a_guide_begins_with_its_title_and_its_readers(name: str) -> None:
    guide = find_guide(name)
    assert guide.text.startswith("# ")
    assert guide.about.startswith("For ")
    assert guide.about.endswith(".")
    assert len(guide.about) <= 110, "it stands in a list"


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no guide 'auther': did you mean 'author'"):
        find_guide("auther")
