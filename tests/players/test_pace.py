"""The pace at which a stream is read, by the seconds of a core that this takes."""

from __future__ import annotations

import pytest

from arena.players.process import BURST, SHARE, Pace


def test_a_burst_is_free_and_a_flood_is_not() -> None:
    pace = Pace()
    assert pace.wait(BURST, 100.0) == 0
    assert pace.wait(SHARE, 100.0) == pytest.approx(1.0)
    assert pace.wait(SHARE, 101.0) == pytest.approx(1.0)


def test_quiet_earns_a_new_burst_but_no_more_than_one() -> None:
    pace = Pace()
    pace.wait(BURST + SHARE, 0.0)
    assert pace.wait(BURST, 1000.0) == 0
    assert pace.wait(SHARE, 1000.0) == pytest.approx(1.0)


def test_a_log_below_the_share_never_waits() -> None:
    pace = Pace()
    assert {pace.wait(SHARE / 10, second / 10) for second in range(1000)} == {0.0}
