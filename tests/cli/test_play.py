"""``arena play``: matches, series, wrong usage, and what a terminal shows."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pexpect
import psutil
import pytest

from arena.cli.text.match import match_text
from arena.core.clock import Clock
from arena.core.steps import Fate
from arena.errors import MachineError
from arena.match.referee import Fairness
from arena.match.report import FaultReport, MatchReport, PlayerReport, TimeReport
from arena.record.reader import Match
from arena.record.verify import verify
from arena.sandbox.enforcement import enforcement
from arena.sandbox.levels import Level
from tests.cli.conftest import QUICK, SHELL, SIMPLE, Arena, arena_process
from tests.support.forks import ArenaTerminal

SLEEPER = f"""{sys.executable} -c "import time; time.sleep(99)" """


FEW = ("--set", "max_rounds=8")
"""The shell's bot takes a second for a match of a hundred."""


def test_a_match_between_two_languages(arena: Arena) -> None:
    ran = arena("play", "warlight", SIMPLE, SHELL, "--seed", "7", *FEW)
    assert ran.status == 0
    assert re.match(r"player\d won in round \d+: player\d has no regions left\.|A draw", ran.out)
    assert "warlight, seed 7, " in ran.out
    assert re.search(r"player1  simple +\d", ran.out)
    assert re.search(r"player2  border +\d", ran.out)
    assert "faults" not in ran.out
    assert ran.err == ""


def test_the_document(arena: Arena, tmp_path: Path) -> None:
    replay = tmp_path / "r.jsonl"
    options = ("--seed", "7", "--replay", str(replay), "--json")
    ran = arena("play", "warlight", SIMPLE, SHELL, *options, *FEW)
    document = json.loads(ran.out)
    assert set(document) >= {
        "game", "seed", "rules_version", "status", "reason", "rounds", "requests", "wall_ms",
        "players", "replay",
    }  # fmt: skip
    assert document["status"] == "completed"
    for seat, player in enumerate(document["players"]):
        assert set(player) >= {
            "seat", "name", "command", "rank", "points", "fate", "stopped", "faults", "requests",
            "time_ms", "cpu_ms", "peak_memory", "exit",
        }  # fmt: skip
        assert player["seat"] == seat
        assert player["exit"] == {"code": 0}
        assert player["faults"] == {}
        assert set(player["time_ms"]) == {"total", "max"}
    assert verify(replay).ok
    assert document["digest"] == verify(replay).digest
    assert document["seal"] == verify(replay).seal


@pytest.mark.dear
def test_which_of_several_sources_plays_is_told_once(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "strong"
    (bot / "src").mkdir(parents=True)
    shutil.copyfile("sample_bots/toroid/simple.py", bot / "src" / "main.py")
    (bot / "src" / "plot.py").write_text("")
    short = ("--seed", "7", "--set", "normal_game_turn_per_player=1")
    said = "arena: strong plays src/main.py (found by its name)\n"
    assert arena("play", "toroid", str(bot), str(bot), *short).err == said
    assert arena("play", "toroid", str(bot), str(bot), *short, "--games", "2").err.startswith(said)
    ran = arena("check", "toroid", str(bot), *short, "--sandbox", "off")
    assert "arena: it plays src/main.py (found by its name)\n" in ran.err


def test_where_to_read_what_a_healthy_bot_wrote_to_stderr(arena: Arena, tmp_path: Path) -> None:
    bot, other = tmp_path / "talks.py", tmp_path / "too.py"
    bot.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'):\n"
        "        print('I see', line, end='', file=sys.stderr, flush=True)\n"
        "        print('No moves', flush=True)\n"
    )
    other.write_bytes(bot.read_bytes())
    replay = tmp_path / "r.jsonl"
    short = ("--seed", "7", "--set", "normal_game_turn_per_player=1")
    ran = arena("play", "toroid", str(bot), str(other), *short, "--replay", str(replay))
    assert (
        "player1 talks and player2 too wrote to stderr: "
        "the lines stderr of the replay have it by turn, --show-stderr prints it as it comes\n"
    ) in ran.out
    wrote = Match.read(replay).stderr(0)
    assert [turn.request for turn in wrote] == list(range(1, len(wrote) + 1))
    assert all(turn.text.startswith("I see go action ") for turn in wrote)
    ran = arena("play", "toroid", str(bot), "sample_bots/toroid/simple.py", *short)
    assert "player1 talks wrote to stderr: --json or --replay shows it by turn, " in ran.out


def test_the_same_seed_is_the_same_match(arena: Arena, tmp_path: Path) -> None:
    def played(name: str, *options: str) -> Any:
        replay = str(tmp_path / name)
        ran = arena(
            *("play", "warlight", SIMPLE, SHELL, "--seed", "7", *FEW),
            *("--replay", replay, "--json", *options),
        )
        document = json.loads(ran.out)
        return document["digest"], document["reason"], document["rounds"]

    first = played("a.jsonl")
    assert first == played("b.jsonl")
    assert first == played("c.jsonl.gz", "--sequential", "--pin")


def test_forfeit_is_proved_by_the_record(arena: Arena, tmp_path: Path) -> None:
    """Of all changes to a record, this one concerns who has won."""
    (tmp_path / "crash.py").write_text("raise SystemExit(1)")
    words = ("play", "warlight", QUICK, str(tmp_path / "crash.py"), "--seed", "3", "--json")

    def played(name: str, *options: str) -> Any:
        return json.loads(arena(*words, "--replay", str(tmp_path / name), *options).out)

    by_rules, by_forfeit = played("a.jsonl"), played("b.jsonl", "--forfeit")
    assert by_rules["reason"] != by_forfeit["reason"] == "forfeit"
    assert [player["rank"] for player in by_forfeit["players"]] == [1, 2]
    assert by_forfeit["rounds"] < by_rules["rounds"]
    assert arena("verify", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")).status == 0
    record = (tmp_path / "b.jsonl").read_text()
    (tmp_path / "b.jsonl").write_text(record.replace(',"forfeit":true', "", 1))
    assert arena("verify", str(tmp_path / "b.jsonl")).status == 1


def test_without_a_seed_one_is_drawn_and_printed(arena: Arena) -> None:
    first, second = (
        json.loads(arena("play", "warlight", QUICK, QUICK, "--json", *FEW).out)["seed"]
        for _ in range(2)
    )
    assert first != second


def test_settings_reach_the_game(arena: Arena) -> None:
    options = ("--set", "max_rounds=3", "--set", "starting_armies=9", "--timebank", "5000")
    ran = arena("play", "warlight", QUICK, QUICK, "--json", *options)
    document = json.loads(ran.out)
    assert document["rounds"] == 3
    assert document["players"][0]["last_request"].startswith("go attack/transfer 5000")


def test_a_map_file(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    path.write_text(json.dumps(small_map()))
    ran = arena("play", "warlight", SIMPLE, SIMPLE, "--map", str(path), "--json")
    assert json.loads(ran.out)["rounds"] <= 15


def small_map() -> dict[str, Any]:
    return {
        "Regions": [
            {"id": i, "superRegion": (i + 1) // 2, "neighbors": [i + 1] if i < 6 else []}
            for i in range(1, 7)
        ],
        "SuperRegions": [{"id": i, "bonus": i} for i in range(1, 4)],
    }


def broken_map(tmp_path: Path) -> str:
    """Links on both sides, but for one."""
    data = small_map()
    for region in data["Regions"][1:-1]:
        region["neighbors"].insert(0, region["id"] - 1)
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data))
    return str(path)


def test_a_map_with_a_one_way_link_is_refused(arena: Arena, tmp_path: Path) -> None:
    ran = arena("play", "warlight", SIMPLE, SIMPLE, "--map", broken_map(tmp_path))
    assert ran.status == 2
    assert ran.err.startswith("arena: region 5 lists 6 as a neighbour but 6 does not list 5")
    assert ran.err.count("\n") == 1


WRONG = [
    (("play", "warlihgt", "A", "A"), 2, "there is no game 'warlihgt': did you mean 'warlight'?"),
    (("play", "warlight"), 2, "warlight is for 2 bots, and 0 are given: name 2 bots"),
    (("play", "warlight", "A"), 2, "warlight is for 2 bots, and 1 is given: name 2 bots"),
    (
        ("play", "warlight", "A", "A", "A"),
        2,
        "warlight is for 2 bots, and 3 are given: name 2 bots",
    ),
    (("play",), 2, "name a game and a bot: arena play GAME my_bot.py (games: warlight, toroid, "),
    (("play", "A", "A"), 2, f"{SIMPLE!r} is a file, and the game comes first: arena play war"),
    (("play", "/", "A"), 2, "'/' is a folder, and the game comes first: arena play warlight / "),
    (
        ("play", "warlight", "python3", "A"),
        2,
        f"'python3' and {SIMPLE!r} are read as two bots: quote the command: arena play warlight "
        f'"python3 {SIMPLE}"',
    ),
    (("play", "warlight", "A", "A", "--seed", ""), 2, "the seed is empty: give a text or a"),
    (("play", "warlight", "A", "simpel.py"), 2, "there is no file or folder 'simpel.py'"),
    (
        ("play", "warlight", "A", "A", "--timebank", "-5"),
        2,
        "timebank=-5 is not allowed: give a whole number from 1 to 86400000",
    ),
    (
        ("play", "warlight", "A", "A", "--set", "lukc=3"),
        2,
        "there is no setting 'lukc': did you mean 'luck'?",
    ),
    (
        ("play", "warlight", "A", "A", "--set", "luck=1001"),
        2,
        "luck=1001 is not allowed: give a whole number from 0 to 1000",
    ),
    (("play", "warlight", "A", "A", "--set", "luck"), 2, "--set luck: give KEY=VALUE"),
    (("play", "warlight", "A", "A", "--memory", "512"), 2, "'512' is not a size: give at least 1M"),
    (("play", "warlight", "A", "A", "--games", "0"), 2, "invalid value for '--games'"),
    (("play", "warlight", "A", "A", "--jobs", "0"), 2, "invalid value for '--jobs'"),
    (("play", "warlight", "A", "A", "--sed", "1"), 2, "no such option"),
    (("play", "warlight", "A", "A", "--map", "no.json"), 2, "cannot read the map no.json: No such"),
    (("play", "warlight", "A", "A", "--map", "A"), 2, "the map "),
    (
        ("play", "warlight", "A", "A", "--replay", "/no/such/r.jsonl"),
        2,
        "cannot write the replay /no/such/r.jsonl: No such file or directory",
    ),
    (("paly",), 2, "there is no command 'paly': did you mean 'play'?"),
    (("play", "warlight", "A", "no_such_program --fast"), 3, "cannot start 'no_such_program"),
]


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize(("words", "status", "message"), WRONG, ids=lambda v: str(v)[:60])
def test_wrong_usage(
    arena: Arena, words: tuple[str, ...], status: int, message: str, as_json: bool
) -> None:
    arguments = [SIMPLE if word == "A" else word for word in words]
    ran = arena(*arguments, *(["--json"] if as_json else []))
    assert ran.status == status
    assert ran.err.startswith(f"arena: {message}")
    assert ran.err.count("\n") == 1
    if as_json:
        document = json.loads(ran.out)
        assert document["status"] == "error"
        assert document["error"].startswith(message)
    else:
        assert ran.out == ""


def test_a_source_that_does_not_compile(arena: Arena, tmp_path: Path) -> None:
    source = tmp_path / "broken.c"
    source.write_text("int main() { return nothing; }\n")
    ran = arena("play", "warlight", str(source), SIMPLE)
    assert ran.status == 3
    assert "cannot compile broken.c" in ran.err
    first, *said = ran.err.splitlines()
    assert first.startswith("arena: cannot compile broken.c")
    assert "nothing" in "".join(said)  # what the compiler itself said, below


def test_a_program_that_cannot_start(arena: Arena, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    ran = arena("play", "warlight", str(program), SIMPLE)
    assert ran.status == 3
    assert "/no/such/interpreter" in ran.err


def test_faults_are_counted_with_the_first_example(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "odd.py"
    bot.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('pick'): print(line.split()[2], flush=True)\n"
        "    if line.startswith('go'): print('player9 place_armies 1 1, tea', flush=True)\n"
    )
    ran = arena("play", "warlight", str(bot), SIMPLE, "--seed", "1", "--set", "max_rounds=4")
    assert ran.status == 0
    assert re.search(r"player1 odd: \d+ × syntax, first in round 1: 'tea'", ran.out)
    assert re.search(r"player1 odd: \d+ × name, first in round 1: .*your name is player1", ran.out)


def test_a_crash_is_told_with_its_last_words(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "sick.py"
    bot.write_text("import sys\nfor line in sys.stdin:\n    if 'pick' in line: 1 / 0\n")
    ran = arena("play", "warlight", str(bot), SIMPLE, "--seed", "1")
    assert ran.status == 0
    assert "crashed" in ran.out
    assert "left with exit code 1" in ran.out
    assert "last request: pick_starting_region 10000 " in ran.out
    assert "stderr, request 1: ZeroDivisionError: division by zero" in ran.out
    assert "arena rerun" not in ran.out  # nothing was recorded


def test_how_a_crash_is_reached_again_is_told(arena: Arena, tmp_path: Path) -> None:
    bot, record = tmp_path / "sick.py", tmp_path / "r.jsonl"
    bot.write_text("import sys\nfor line in sys.stdin:\n    if 'pick' in line: 1 / 0\n")
    played = ("play", "warlight", SIMPLE, str(bot), "--seed", "1")
    ran = arena(*played, "--replay", str(record))
    (again,) = re.findall("to find out why: arena (.*)", ran.out)
    assert again == f"rerun {record} --player 2 {bot}"
    assert "crashed in round 0, request 1" in arena(*again.split()).out
    series = arena(*played, "--games", "2").out
    assert "left with exit code 1: ZeroDivisionError: division by zero\n" in series
    assert f"    arena {' '.join(played)}\n" in f"{series}\n"


def test_a_series(arena: Arena, tmp_path: Path) -> None:
    options = ("--games", "4", "--jobs", "2", "--seed", "5", "--replay", str(tmp_path / "s.jsonl"))
    ran = arena("play", "warlight", SIMPLE, SHELL, *options, *FEW, "--json")
    assert ran.status == 0
    document = json.loads(ran.out)
    matches, summary = document["matches"], document["summary"]
    assert [match["seed"] for match in matches] == ["5", "5", "5.1", "5.1"]
    names = [[player["name"] for player in match["players"]] for match in matches]
    assert names == [["simple", "border"], ["border", "simple"]] * 2
    rows = summary["standings"]
    assert [row["games"] for row in rows] == [4, 4]
    assert sum(row["wins"] + row["draws"] / 2 for row in rows) == 4
    assert all(row["low"] <= row["score"] <= row["high"] for row in rows)
    replays = sorted(tmp_path.iterdir())
    assert [path.name for path in replays] == [f"s-{i}.jsonl" for i in (1, 2, 3, 4)]
    assert all(verify(path).ok for path in replays)


@pytest.mark.dear
def test_a_series_is_the_same_with_any_number_of_jobs(arena: Arena) -> None:
    def outcomes(jobs: str) -> Any:
        options = ("--games", "4", "--jobs", jobs, "--seed", "5", "--json", *FEW)
        document = json.loads(arena("play", "warlight", SIMPLE, SIMPLE, *options).out)
        return [
            [(player["rank"], player["last_answer"]) for player in match["players"]]
            for match in document["matches"]
        ]

    assert outcomes("1") == outcomes("2")


def test_a_series_for_people(arena: Arena) -> None:
    ran = arena("play", "warlight", SIMPLE, SIMPLE, "--games", "2", "--seed", "5", *FEW)
    assert "warlight, seed 5, 2 of 2 games" in ran.out
    assert re.search(r"simple #1 +2 ", ran.out)
    assert re.search(r"simple #2 +2 ", ran.out)
    assert "95 % interval" in ran.out


@pytest.mark.dear
def test_more_bots_than_seats_play_a_round_robin(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "sick bot.py"
    bot.write_text("import sys\nfor line in sys.stdin:\n    if 'pick' in line: 1 / 0\n")
    options = ("--games", "2", "--seed", "5", "--set", "max_rounds=4")
    out = arena("play", "warlight", QUICK, SHELL, str(bot), *options).out
    assert "warlight, seed 5, 6 of 6 games" in out
    assert re.search(r"^\d  sick bot +4 .* 4 crashed$", out, re.M)
    assert "ahead-level-behind:" in out
    again = next(line for line in out.splitlines() if "--seed 5." in line)
    assert again.strip().startswith("arena play warlight ")
    assert again.endswith("-3.1 --set max_rounds=4")
    match = json.loads(arena(*shlex.split(again)[1:], "--json").out)
    assert "crashed" in [player["stopped"] for player in match["players"]]


def test_a_single_match_of_too_many_says_how_they_all_play(arena: Arena) -> None:
    ran = arena("play", "warlight", SIMPLE, SHELL, SIMPLE)
    assert ran.status == 2
    assert "name 2 bots, or add --games 10 to play all against all" in ran.err


def test_a_bot_that_cannot_start_stops_the_series(arena: Arena, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fELF nonsense")
    program.chmod(0o755)
    ran = arena("play", "warlight", str(program), SIMPLE, "--games", "4", "--jobs", "2")
    assert ran.status == 3
    assert "cannot start bot" in ran.err


def test_ctrl_c_ends_a_match_and_its_bots() -> None:
    process = arena_process("play", "warlight", SLEEPER, SIMPLE, "--json")
    bots = wait_for_bots(process.pid, 2)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "arena: interrupted"
    assert json.loads(out)["error"] == "interrupted"
    assert_gone(bots)


@pytest.mark.dear
def test_a_killed_arena_leaves_no_bot_and_a_readable_replay(tmp_path: Path) -> None:
    replay = tmp_path / "r.jsonl"
    process = arena_process("play", "warlight", SLEEPER, SIMPLE, "--replay", str(replay))
    bots = wait_for_bots(process.pid, 2)
    while not replay.exists() or replay.read_bytes().count(b"\n") < 5:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    assert_gone(bots)
    verdict = verify(replay)
    assert "everything up to there is right" in verdict.problem


def wait_for_bots(pid: int, count: int) -> list[psutil.Process]:
    """The bots of an arena: what its keepers have started, without the copies of themselves that
    they fork ahead."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(psutil.NoSuchProcess):
            keepers = psutil.Process(pid).children()
            pairs = [(bot, keeper) for keeper in keepers for bot in keeper.children()]
            bots = [bot for bot, keeper in pairs if bot.cmdline() not in ([], keeper.cmdline())]
            if len(bots) == count:
                return bots
        time.sleep(0.02)
    raise AssertionError("the bots did not start")


def assert_gone(processes: list[psutil.Process]) -> None:
    assert processes
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert alive == []


@pytest.mark.dear
def test_a_terminal_sees_a_live_line_and_the_table() -> None:
    command = f"{sys.executable} -m arena play warlight {SIMPLE} {SHELL} --seed 7 {' '.join(FEW)}"
    child = ArenaTerminal(command, encoding="utf-8", timeout=60, dimensions=(30, 160))
    child.expect(r"round .*\d+/\d+.*player1 \d+ region")
    child.expect(r"won in round|A draw")
    child.expect("player1  simple")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.dear
def test_colours_only_on_a_terminal_that_wants_them() -> None:
    def shown(**environment: str) -> str:
        command, env = f"{sys.executable} -m arena play nogame", {**os.environ, **environment}
        child = ArenaTerminal(command, encoding="utf-8", timeout=30, env=env)
        child.expect(pexpect.EOF)
        child.close()
        return str(child.before)

    assert "\x1b[31m" in shown()
    assert "\x1b[3" not in shown(NO_COLOR="1")


def test_watching_draws_the_board() -> None:
    command = f"{sys.executable} -m arena play warlight {QUICK} {SHELL} --seed 9 --watch"
    child = ArenaTerminal(
        f"{command} --set max_rounds=2",
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 120),
        env={**os.environ, "NO_COLOR": "1"},
    )
    child.expect(r"round 1 of 2: player1 \d+ region")
    child.expect(r"A\d(\x1b\[0m)? +\.2")  # bold, which is no colour
    child.expect(r"round 2 of 2")
    child.expect("A draw")
    child.expect(pexpect.EOF)


def test_watching_without_a_terminal_prints_the_boards(arena: Arena) -> None:
    options = ("--seed", "9", "--set", "max_rounds=2", "--watch", "--json")
    ran = arena("play", "warlight", QUICK, QUICK, *options)
    assert [line[:12] for line in ran.err.splitlines() if line.startswith("round")] == [
        f"round {i} of 2" for i in range(3)
    ]
    assert json.loads(ran.out)["rounds"] == 2


def test_watching_a_series_is_refused(arena: Arena) -> None:
    ran = arena("play", "warlight", SIMPLE, SIMPLE, "--watch", "--games", "2")
    assert ran.status == 2
    assert ran.err == "arena: --watch shows one match: leave out --games\n"


def test_O11_void_matches_of_a_series_are_counted(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    moods = iter([False, True, *[False] * 9])

    def check(self: Fairness) -> None:
        if next(moods):
            raise MachineError("bad time")

    monkeypatch.setattr(Fairness, "check_sleep", check)
    rounds = ("--set", "max_rounds=1", "--seed", "1", "--games", "2")
    ran = arena("play", "warlight", QUICK, QUICK, *rounds)
    assert ran.status == 0
    assert "1 × void: the machine held the arena up; these matches were played again" in ran.out
    monkeypatch.setattr(Fairness, "check_sleep", lambda self: None)
    ran = arena("play", "warlight", QUICK, QUICK, *rounds, "--json")
    assert json.loads(ran.out)["summary"]["void"] == 0


def test_O11_three_void_matches_stop_a_series_that_still_prints_its_table(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(self: Fairness) -> None:
        raise MachineError("bad time")

    monkeypatch.setattr(Fairness, "check_sleep", check)
    words = ("play", "warlight", QUICK, QUICK, "--set", "max_rounds=1", "--games", "2")
    ran = arena(*words)
    assert ran.status == 4
    assert "3 matches in a row were void, the last: bad time" in ran.err
    assert "0 of 2 games" in ran.out
    assert "3 × void" in ran.out
    assert ran.out.count("simple") == 2
    summary = json.loads(arena(*words, "--json").out)["summary"]
    assert (summary["played"], summary["void"]) == (0, 3)
    assert summary["stopped"].startswith("3 matches in a row were void")


def test_the_clock_and_pondering_are_options(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    options = ("--clock", "cpu", "--no-pondering", "--set", "max_rounds=3", "--replay", str(path))
    ran = arena("play", "warlight", QUICK, QUICK, *options, "--json")
    assert ran.status == 0
    document = json.loads(ran.out)
    assert document["clock"] == "cpu"
    for player in document["players"]:
        assert player["time_ms"] == player["thought_ms"]
        assert player["delay_ms"]["max"] <= player["delay_ms"]["total"]
        assert player["pondered_ms"] >= 0
    assert verify(path).problem == ""
    assert json.loads(path.read_text().splitlines()[0])["clock"] == "cpu"


def test_a_bot_that_a_busy_machine_held_up_is_told_so() -> None:
    """The line under the table, from a report as a busy machine would make it."""
    times = TimeReport(1000.0, 600.0)
    player = PlayerReport(
        seat=0, name="bot", command="bot", rank=1, points=1, fate=Fate.SURVIVED, stopped=None,
        stopped_detail="", faults={"timeout": 1},
        first_faults={"timeout": FaultReport(1, 1, "no answer")}, requests=2,
        time_ms=times, wall_ms=times,
        thought_ms=TimeReport(12.0, 6.0), delay_ms=TimeReport(430.0, 400.0), pondered_ms=0.0,
        start_up_ms=None, held_up_ms=None, instructions=None, cpu_ms=20.0, peak_memory=1, exit=None,
        left_behind=False, last_request="",
        last_answer="", last_answered=2,
        stderr=[],
    )  # fmt: skip
    report = MatchReport(
        game="tiny", seed="1", rules_version=1, status="completed", reason="r", sentence="Done.",
        rounds=1, requests=2, wall_ms=1000.0, clock=Clock.WALL, sandbox=Level.OFF,
        means=enforcement(Level.OFF),
        players=[player], replay=None,
        digest=None,
    )  # fmt: skip
    text = match_text(report)
    assert "held up by a busy machine:" in text
    assert (
        "player1 bot: ready but not run for 430 ms of its 1.00 s (at most 400 ms in one request)"
    ) in text
    quiet = msgspec.structs.replace(player, delay_ms=TimeReport(19.0, 19.0))
    assert "held up" not in match_text(msgspec.structs.replace(report, players=[quiet]))
    in_time = msgspec.structs.replace(player, faults={}, first_faults={})
    text = match_text(msgspec.structs.replace(report, players=[in_time]))
    assert "held up" not in text  # it lost nothing by that


def test_a_command_whose_script_is_not_there_is_not_played(arena: Arena) -> None:
    ran = arena("play", "warlight", "python3 nosuch.py", SIMPLE)
    assert ran.status == 2
    assert ran.err == "arena: there is no file 'nosuch.py' for 'python3' to run: check the path\n"


SILENT = "import sys\nfor line in sys.stdin: pass\n"


def test_a_bot_that_never_answered_gets_a_word(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "silent.py"
    bot.write_text(SILENT)
    played = ("play", "warlight", str(bot), QUICK, "--timebank", "300", "--set", "max_rounds=3")
    word = f"arena check warlight {bot} says why"
    ran = arena(*played)
    assert ran.status == 0
    assert f"player1 silent gave no answer in the whole match: {word}" in ran.out
    series = arena(*played, "--games", "2").out
    assert f"silent gave no answer in the whole match, in each of them: {word}" in series
    assert "simple gave" not in ran.out + series


def test_a_bot_for_another_game_gets_a_word(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "alien.py"
    bot.write_text(
        "for line in open(0):\n    if line[:2] in ('pi', 'go'): print('e4', flush=True)\n"
    )
    out = arena("play", "warlight", str(bot), QUICK, "--set", "max_rounds=3").out
    assert (
        "player1 alien gave answers that the rules refused (is it a bot for another game?): " in out
    )


def test_the_compilers_words_are_in_the_document(arena: Arena, tmp_path: Path) -> None:
    source = tmp_path / "broken.c"
    source.write_text("int main() { return nothing; }\n")
    document = json.loads(arena("play", "warlight", str(source), SIMPLE, "--json").out)
    assert "nothing" in document["output"]


def test_two_bots_of_one_name_are_told_apart_everywhere(arena: Arena, tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "twin.py").write_text("import sys; sys.exit(1)")
    bots = [str(tmp_path / place / "twin.py") for place in ("a", "b")]
    out = arena("play", "warlight", *bots).out
    assert "player1  twin #1" in out
    assert "player2 twin #2: 1 × crashed" in out
    series = arena("play", "warlight", *bots, "--games", "2").out
    assert "  twin #1: 2 × crashed" in series
    assert "  twin #2: 2 × crashed" in series


def test_a_record_is_not_replaced_without_a_word(arena: Arena, tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    played = ("play", "warlight", QUICK, QUICK, "--set", "max_rounds=1", "--replay", str(record))
    assert arena(*played).status == 0
    ran, before = arena(*played), record.read_bytes()
    assert ran.status == 2
    assert ran.err == (
        f"arena: the record {record} exists already: name another with --replay, or add "
        "--overwrite\n"
    )
    assert record.read_bytes() == before
    assert arena(*played, "--overwrite").status == 0
    (tmp_path / "r-2.jsonl").write_text("")
    assert "r-2.jsonl exists already" in arena(*played, "--games", "3").err
    assert arena(*played, "--games", "1").status == 2


def test_a_series_says_what_it_counts_and_names_the_lost_records(
    arena: Arena, tmp_path: Path
) -> None:
    loser = tmp_path / "loser.sh"
    loser.write_text("exit\n")
    record = str(tmp_path / "r.jsonl")
    out = arena(
        *("play", "warlight", str(loser), QUICK, "--games", "12", "--replay", record, "--forfeit"),
    ).out
    assert "points: by the rules, added up\n" in out
    assert "score: opponents beaten; a tie is half\n" in out
    five = " ".join(str(tmp_path / f"r-{game}.jsonl") for game in range(1, 6))
    assert f"records of lost games:\n  loser: {five} and 7 more\n" in out
    assert re.search(r"\n\n[\d,]+ matches an hour at --jobs 1\n$", out)
    short = arena("play", "warlight", str(loser), QUICK, "--games", "2", "--jobs", "2").out
    assert "an hour" not in short  # each job has only started


@pytest.mark.dear_for("40-*")
@pytest.mark.parametrize(
    ("columns", "series"), [(40, ()), (40, ("--games", "2")), (120, ("--games", "2"))]
)
def test_nothing_is_wider_than_the_terminal(columns: int, series: tuple[str, ...]) -> None:
    """Neither the live line nor the table."""
    words = ("play", "warlight", QUICK, SHELL, "--set", "max_rounds=4", *series)
    child = ArenaTerminal(
        sys.executable,
        ["-m", "arena", *words],
        encoding="utf-8",
        timeout=60,
        dimensions=(30, columns),
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "", "LINES": ""},
    )
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", child.before or "")
    lines = [line for line in re.split(r"[\r\n]+", shown) if line]
    live = [line for line in lines if re.match(r"(round|game) ", line)]
    assert live
    assert max(map(len, live)) <= columns
    begins = next(i for i, line in enumerate(lines) if "simple" in line and line not in live)
    table = lines[begins:]
    assert [line for line in table if len(line) > columns] == []
    if series:
        assert re.search(r"[\d.]+/(s|min) ", shown)
        assert "left" in shown
        assert re.search(r"simple \d+ %", shown)


def test_watching_is_in_colour() -> None:
    words = ["-m", "arena", "play", "warlight", QUICK, SHELL, "--seed", "9", "--watch"]
    child = ArenaTerminal(
        sys.executable,
        [*words, "--set", "max_rounds=1"],
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 120),
        env={name: text for name, text in os.environ.items() if name != "NO_COLOR"}
        | {"TERM": "xterm-256color"},
    )
    child.expect(r"\x1b\[[0-9;]*m" + r"A\d")
    child.expect(pexpect.EOF)


@pytest.mark.dear
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-"])
def test_closed_streams_are_no_trouble(closed: str) -> None:
    words = f"{sys.executable} -m arena play warlight {QUICK} {SHELL} --set max_rounds=2"
    done = subprocess.run(
        ["sh", "-c", f"{words} {closed}"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "player1  simple" in done.stdout
    assert "timeout" not in done.stdout


def test_a_series_of_millions_begins_at_once() -> None:
    """Its plan is lazy: it takes no more memory than a series of two."""
    process = arena_process(
        *("play", "warlight", SIMPLE, SIMPLE, "--games", "20000000", "--set", "max_rounds=1")
    )
    bots = wait_for_bots(process.pid, 2)
    taken = psutil.Process(process.pid).memory_info().rss
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert_gone(bots)
    assert taken < 200 << 20


def test_what_bots_write_is_kept_by_seat(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(f"open('log', 'w').write('mine')\n{Path(SIMPLE).read_text()}")
    target = str(tmp_path / "kept")
    played = ("play", "warlight", str(bot), QUICK, *FEW)
    assert arena(*played, "--keep-files", target).status == 0
    assert (tmp_path / "kept" / "player1" / "log").read_text() == "mine"
    again = arena(*played, "--keep-files", target)
    assert again.status == 2
    assert f"{target} is not empty: name a new folder" in again.err
    below = ("--keep-files", str(bot / "kept"))
    assert "bot.py/kept: Not a directory" in arena("play", "warlight", QUICK, QUICK, *below).err
    series = ("--games", "2", "--keep-files", f"{target}-2")
    assert arena(*played, *series).status == 0
    assert (tmp_path / "kept-2" / "match-1" / "player1" / "log").exists()
    assert (tmp_path / "kept-2" / "match-2" / "player2" / "log").exists()


@pytest.mark.parametrize("command", ["play", "check"])
def test_a_file_beside_a_single_file_is_named(command: str, arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "words.txt").touch()
    bot = tmp_path / "bot.py"
    bot.write_text("open('words.txt')\n")
    others = [SIMPLE] if command == "play" else []
    said = arena(command, "warlight", str(bot), *others).err
    assert "words.txt lies beside bot.py, but a single file travels alone" in said
    assert 'a bot.toml that says main = "bot.py"' in said


def test_a_series_names_it_once_for_each_bot(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "words.txt").touch()
    bot = tmp_path / "bot.py"
    bot.write_text("open('words.txt')\n")
    said = arena("play", "warlight", QUICK, str(bot), "--games", "2", *FEW).err
    assert said.count("bot: words.txt lies beside bot.py, but a single file travels alone") == 1


def test_a_name_that_is_no_text_is_reported(arena: Arena, tmp_path: Path) -> None:
    bot = tmp_path / os.fsdecode(b"b\xffd.py")
    bot.write_text(Path(SIMPLE).read_text())
    ran = arena("play", "warlight", str(bot), SIMPLE, "--json")
    assert ran.status == 0
    assert "b\\\\xffd.py" in ran.out
