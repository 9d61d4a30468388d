"""What `scale.md` says can be run, and follows from its own figures."""

from __future__ import annotations

import re

import pytest

from arena.guide.pages import find_guide
from arena.league import plan
from tests.experiments.ladder.__main__ import LARGEST_FIT, WITHIN, make_parser
from tests.experiments.ladder.world import STRENGTHS_SD
from tests.guide.reading import flat, rows

TEXT = flat("scale")
COMMANDS = re.findall(
    r"^python -m tests\.experiments\.ladder (.+)$", find_guide("scale").text, re.MULTILINE
)


def test_there_is_a_command_for_each_subject() -> None:
    subjects = {words.split()[0] for words in COMMANDS}
    assert subjects == {"matchmaking", "table", "storage", "traffic", "convergence"}


@pytest.mark.parametrize("words", COMMANDS)
def test_its_commands_are_understood(words: str) -> None:
    assert make_parser().parse_args(words.split()).subject == words.split()[0]


def test_what_it_says_of_the_simulation() -> None:
    assert f"a standard deviation of {STRENGTHS_SD:.0f} Elo" in TEXT
    assert f"within {WITHIN:.0%} of all".replace("%", " %") in TEXT
    assert f"up to {LARGEST_FIT} bots" in TEXT


def test_what_it_says_of_endless_play() -> None:
    assert f"until it has {plan.PLACEMENT} matches" in TEXT
    assert f"{plan.BLOCKS} blocks per bot" in TEXT


def test_the_days_on_paper_follow_from_the_figures_of_a_match() -> None:
    for _, _, _, _, record, _, day, rate in rows("scale", "game | rounds | playing"):
        size = 1024 * float(record.removesuffix(" KiB"))
        assert float(day.removesuffix(" GiB")) == pytest.approx(size * 1e6 / 2**30, abs=0.6)
        assert float(rate.removesuffix(" Mbit/s")) == pytest.approx(size * 8 / 86_400, rel=0.02)
