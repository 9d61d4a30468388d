"""Sizes in words."""

from __future__ import annotations

import pytest

from arena.errors import UsageError
from arena.sizes import parse_size, size_text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 << 20),
        ("1G", 1 << 30),
        ("1.5GiB", 3 << 29),
        ("2048 kb", 2 << 20),
        (" 64MB ", 64 << 20),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["512", "0M", "-1G", "1T", "", "lots", "10K", "1e3M", "١M"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="give at least 1M, with a unit"):
        parse_size(text)


def test_sizes_for_people() -> None:
    assert [size_text(n << 20) for n in (1, 300, 1024, 1536)] == [
        "1 MiB",
        "300 MiB",
        "1 GiB",
        "1.5 GiB",
    ]
