"""``python -m tests.experiments.bench`` measures what it says, on any machine. How fast that is, is
for people to read; here only what is far from any limit, in proportion."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.core.game import Setup
from arena.core.registry import find_game, game_names
from tests.experiments.bench.__main__ import MEASUREMENTS, main, measure, read_run
from tests.experiments.bench.matches import SEED_OF_64
from tests.support.tools import needs_tool

pytestmark = pytest.mark.dear


def test_the_map_has_64_regions() -> None:
    game = find_game("warlight")
    world = game.world(Setup(SEED_OF_64, 2, game.settings()))
    assert len(world.board.regions) == 64


def test_a_run_is_printed_saved_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "run.json"
    main(["proof", "--samples", "1", "--save", str(saved)])
    assert list(read_run(saved)) == ["proof.us", "proof.rules_ratio"]
    assert read_run(saved)["proof.rules_ratio"].median > 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == [
        "proof.us",
        "proof.rules_ratio",
    ]
    main(["proof", "--samples", "1", "--against", str(saved)])
    *_, last = capsys.readouterr().out.splitlines()
    assert last.startswith("proof.rules_ratio ")
    assert last.endswith("  too few samples")


def test_what_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["request", "jobs"])
    assert "there is no jobs: choose from request, c_request" in capsys.readouterr().err


@pytest.mark.alone
@pytest.mark.tool
def test_every_measurement() -> None:
    """With one sample."""
    needs_tool("gcc", "gcc")
    run = measure(list(MEASUREMENTS), 1)
    found = {name: one.median for name, one in run.items()}
    unmeasured = {"request.keeper_cpu_us", "c_request.keeper_cpu_us"}  # it may have slept
    assert min(value for name, value in found.items() if name not in unmeasured) > 0
    assert {name.split(".")[0] for name in found} == set(MEASUREMENTS)
    rates = [name for name in found if name.endswith(".rounds_per_s")]
    assert rates == [f"rules.{game}.rounds_per_s" for game in game_names()]
    assert all(1000 / found[name] < found["start.trio_ms"] for name in rates)
    assert found["proof.rules_ratio"] > 1
    assert all(found[f"audit.{game}.rules_ratio"] > 1 for game in game_names())
