"""Patches give the new value, and name no more than what changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.view.story import Patch, patch_between

JSON = st.recursive(
    st.none() | st.integers(0, 3),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.sampled_from("ab"), part),
    max_leaves=12,
)


def patched(value: Any, patch: Patch) -> Any:
    """As `static/story.js` applies it."""
    if isinstance(patch, list):
        return patch[0]
    copy = value.copy() if patch else value
    for key, part in patch.items():
        at = int(key) if isinstance(copy, list) else key
        copy[at] = patched(copy[at], part)
    return copy


@given(JSON, JSON)
def test_a_patch_gives_the_new_value(old: Any, new: Any) -> None:
    assert patched(old, patch_between(old, new)) == new


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": [3]}),
        ([1, 2, 3], [1, 2, 4], {"2": [4]}),
        ([1, 2, 3], [None, None, 3], [[None, None, 3]]),
        ([[1, 2], [3, 4]], [[1, None], [3, None]], {"0": {"1": [None]}, "1": {"1": [None]}}),
        ([1], [1, 2], [[1, 2]]),
        ([1], [1], {}),
    ],
)
def test_a_patch_is_small(old: Any, new: Any, patch: Patch) -> None:
    assert patch_between(old, new) == patch
