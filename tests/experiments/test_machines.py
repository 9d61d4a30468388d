"""A small cluster of many workers; see `tests.experiments.machines`."""

from __future__ import annotations

import pytest

from tests.experiments.machines import kills

pytestmark = pytest.mark.dear


def test_a_lost_judge_and_half_of_the_workers_change_no_result() -> None:
    assert kills(matches=90, workers=10, sleep=0.2, count=2) == []
