"""The pace at which a stream is read, by the seconds of a core that this takes."""

from __future__ import annotations

import pytest

from arena.players.process import READ_BURST, READ_SHARE, Pace


def test_a_burst_is_free_and_a_flood_is_not() -> None:
    pace = Pace()
    assert pace.wait(READ_BURST, 100.0) == pytest.approx(0)
    assert pace.wait(READ_SHARE, 100.0) == pytest.approx(1.0)
    assert pace.wait(READ_SHARE, 101.0) == pytest.approx(1.0)


def test_quiet_earns_a_new_burst_but_no_more_than_one() -> None:
    pace = Pace()
    pace.wait(READ_BURST + READ_SHARE, 0.0)
    assert pace.wait(READ_BURST, 1000.0) == pytest.approx(0)
    assert pace.wait(READ_SHARE, 1000.0) == pytest.approx(1.0)


def test_a_log_below_the_share_never_waits() -> None:
    pace = Pace()
    assert {pace.wait(READ_SHARE / 10, second / 10) for second in range(1000)} == {0.0}
