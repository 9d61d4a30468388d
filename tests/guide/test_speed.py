"""What `speed.md` says is so."""

from __future__ import annotations

import re

from msgspec.structs import replace

from arena.bench import LEAGUE_BOTS, SLICES
from arena.cli.bench import bench_text, command
from tests.cli.test_bench import RESULT
from tests.guide.reading import block, flat

TEXT = flat("speed")


def unmeasured(text: str) -> str:
    """A text without its numbers and their units of time."""
    return re.sub(r"\d[\d.,:]*\d|\d", "N", re.sub(r"(\d) (min|h)\b", r"\1 T", text))


def test_the_example_is_what_the_bench_prints() -> None:
    shown = block("speed", "$ arena bench").removeprefix("$ arena bench\n").rstrip("\n")
    kit = replace(RESULT, bots=["kit #1", "kit #2"])
    assert unmeasured(shown) == unmeasured(bench_text(kit))


def test_the_numbers_of_the_bench() -> None:
    (seconds,) = (option.default for option in command.params if option.name == "seconds")
    assert f"plays matches of Warlight for {seconds} s" in TEXT
    assert SLICES == 5
    assert "the median of five slices" in TEXT
    assert f"\n{LEAGUE_BOTS} bots, one round robin" in block("speed", "$ arena bench")
