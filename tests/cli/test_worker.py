"""`arena worker`: what it refuses before it starts anything."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Arena


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("127.0.0.1:8786", "is no address of a scheduler: give tcp://HOST:PORT"),
        ("tcp://127.0.0.1", "is no address of a scheduler"),
        ("tcp://127.0.0.1:x", "is no address of a scheduler"),
        ("tcp://judge.example:8786", "is open to all that can reach it"),
        ("tls://judge.example:8786", "tls:// needs --tls-ca, --tls-cert and --tls-key"),
    ],
)
def test_addresses_that_it_refuses(arena: Arena, address: str, error: str) -> None:
    ran = arena("worker", address)
    assert ran.status == 2
    assert error in ran.err


def test_without_an_address_it_says_what_is_missing(arena: Arena) -> None:
    ran = arena("worker")
    assert ran.status == 2
    assert "ADDRESS" in ran.err
