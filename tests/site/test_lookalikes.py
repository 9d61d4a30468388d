"""Names that look alike."""

from __future__ import annotations

import pytest

from arena.errors import UsageError
from arena.site.lookalikes import lookalike, require_distinct


@pytest.mark.parametrize(
    "name",
    [
        *("nina", "NINA", "Nіna", "ＮＩＮＡ", "N\u3164ina", "Ni\ufe0fna", " Nina ", "Νina", "𝐍ina"),
    ],
)
def test_what_looks_like_nina(name: str) -> None:
    assert lookalike(name, ["Tom", "Nina"]) == "Nina"


@pytest.mark.parametrize(
    ("name", "like"),
    [("AIice", "Alice"), ("pau1", "paul"), ("rosa", "гоѕа"), ("straße", "strasse")],
)
def test_what_looks_alike(name: str, like: str) -> None:
    assert lookalike(name, [like]) == like
    assert lookalike(like, [name]) == name


def test_honest_names_do_not() -> None:
    """Also those of one alphabet, with numbers, and with marks."""
    names = [
        *("Zoë", "Zoe", "Tom", "Torn", "Иван", "Ivan", "Anna", "Ana", "bot", "b0t", "名前", "Jose"),
        *("José", "team 1", "team 2", "team 10", "a b", "ab", "Müller", "Mueller", "👍", "👎"),
    ]
    for at, name in enumerate(names):
        assert lookalike(name, names[:at]) is None, name


@pytest.mark.parametrize("name", ["\u3164", "\u2800\u2800", "\ufe0f"])
def test_a_name_can_be_seen(name: str) -> None:
    with pytest.raises(UsageError, match="can be seen"):
        require_distinct(name, [], "somebody")
