"""``arena bench`` plays real matches and says how many. How fast that is, is for people to read."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.bench import Bench, Forecast
from arena.cli.bench import bench_text
from arena.core import registry
from arena.sandbox.levels import Level
from tests.cli.conftest import QUICK, Arena

RESULT = Bench(
    game="warlight",
    bots=["one", "two"],
    seats=2,
    sandbox=Level.CGROUP,
    jobs=2,
    seconds=20.04,
    matches=17,
    stopped=0,
    matches_per_hour=3037.4,
    lowest=2950.0,
    highest=3110.0,
    requests_per_s=1234.5,
    cpu_ms=412.3,
    league=Forecast(60, 3540, 4195.7),
)


@pytest.mark.dear
@pytest.mark.parametrize("jobs", [1, 2])
def test_real_matches_are_counted(
    arena: Arena, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ran = arena(
        *("bench", "warlight", QUICK, QUICK, "--sandbox", "off"),
        *("--jobs", str(jobs), "--seconds", "1", "--json"),
    )
    assert ran.status == 0, ran.err
    assert f"playing warlight for 1 s, {jobs} match" in ran.err
    found = json.loads(ran.out)
    assert found["bots"] == ["simple #1", "simple #2"]
    assert (found["sandbox"], found["jobs"], found["seats"]) == ("off", jobs, 2)
    assert found["seconds"] >= 1
    assert found["matches"] >= jobs
    assert 0 < found["lowest"] <= found["matches_per_hour"] <= found["highest"]
    assert found["requests_per_s"] * found["seconds"] > found["matches"]
    assert found["cpu_ms"] is None or found["cpu_ms"] > 0
    assert found["league"]["bots"] == 60
    assert list(tmp_path.glob("arena-bench-*")) == []


@pytest.mark.dear
def test_without_bots_the_kit_plays(arena: Arena) -> None:
    ran = arena("bench", "tncc", "--sandbox", "off", "--jobs", "1", "--seconds", "1")
    assert ran.status == 0, ran.err
    assert "tncc between kit #1 and kit #2 at the level off, 1 at a time: " in ran.out
    assert "a program was stopped" not in ran.out


def test_what_it_says() -> None:
    assert bench_text(RESULT) == (
        "3,037 matches an hour (2,950 to 3,110)\n"
        "1,234 requests a second, 412 ms of CPU time a match\n"
        "60 bots, one round robin from both sides: 3,540 matches in about 1:09 h\n"
        "\n"
        "warlight between one and two at the level sandbox+cgroup, 2 at a time: "
        "17 matches in 20.0 s"
    )


def test_what_it_says_of_matches_cut_short_of_many_bots_and_of_unknown_cpu_time() -> None:
    many = replace(RESULT, bots=["a", "b", "c", "d"], seats=3, stopped=2, cpu_ms=None)
    text = bench_text(many)
    assert "1,234 requests a second\n" in text
    assert "from every seat" in text
    assert "between 4 bots at" in text
    assert "in 2 of them a program was stopped" in text
    assert "arena check" in text


@pytest.mark.dear
def test_programs_that_are_stopped_are_told(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "crash.sh"
    bot.write_text("exit 1\n")
    words = ("--sandbox", "off", "--jobs", "1", "--seconds", "1")
    ran = arena("bench", "warlight", str(bot), QUICK, *words)
    assert ran.status == 0, ran.err
    (count,) = (line.split()[1] for line in ran.out.splitlines() if "was stopped" in line)
    assert f": {count} match" in ran.out  # in all of them


def test_a_game_without_a_kit_needs_bots(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "tiny", "tests.tiny:TINY")
    ran = arena("bench", "tiny")
    assert ran.status == 2
    assert "no starter kit in Python: name the bots that play, as in arena bench tiny my" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("my_bot.py", "'my_bot.py'"),
        ("warlight one.sh", "warlight is for 2 bots, and 1 is given"),
        ("warlight human one.sh", "only bots play here"),
        (
            "warlight python3 one.sh",
            "are read as two bots: quote the command: arena bench warlight",
        ),
        ("warlight --seconds 0", "'0' is not a whole number from 1 on"),
        ("--quick", "--quick"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.sh").write_text("exit 0\n")
    ran = arena("bench", *words.split())
    assert ran.status == 2
    assert said in ran.err
