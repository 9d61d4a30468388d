"""Whole matches of Warlight with real programs: the odd habits of bots that people wrote, and
programs that fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core.registry import find_game
from arena.core.settings import parse
from arena.match.play import play_match
from arena.match.report import ExitReport, MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.record.verify import verify
from arena.sandbox.session import run_with
from tests.support.keepers import shared_keeper

ROOT = Path(__file__).parents[3]
SIMPLE = find_bot(str(ROOT / "sample_bots" / "warlight" / "simple.py"))
HOSTILE = str(ROOT / "tests" / "hostile" / "bot.py")


def play(*bots: BotProgram, replay: Path, **values: object) -> MatchReport:
    settings = parse(find_game("warlight").settings, values)
    spec = MatchSpec("warlight", programs(bots), "5", settings, replay=replay)
    with shared_keeper() as keeper:
        report = run_with(keeper, lambda children: play_match(spec, children))
    assert verify(replay).problem == ""
    return report


@pytest.mark.parametrize(
    ("sin", "stopped"),
    [("leave", "exited"), ("crash", "crashed"), ("mute", "timeouts"), ("flood", "output")],
)
def test_who_fails_loses_to_who_plays(tmp_path: Path, sin: str, stopped: str) -> None:
    bad = BotProgram(sin, (sys.executable, HOSTILE, sin, "6"), None, None, sin)
    values = {"timebank": 1000, "time_per_move": 500}
    report = play(bad, SIMPLE, replay=tmp_path / "r.jsonl", **values)
    loser, winner = report.players
    assert loser.stopped == stopped
    assert report.reason == "elimination"
    assert (winner.rank, winner.points, winner.fate) == (1, 1, "survived")
    assert (loser.rank, loser.points, loser.fate) == (2, 0, "eliminated")
    assert winner.faults == {}


QUIRKY = '''
"""The habits of many bots in one: CRLF, blanks around the line, commas at the end and empty
orders, "no MOVES", a blank line instead of it, stray blank lines, hundreds of orders, noise on
stderr, a slow start, and no exit at the end of input."""
import sys, time
time.sleep(0.4)
me, mine, turn = "", [], 0
for line in sys.stdin:
    words = line.split()
    print("read", line.strip()[:60], file=sys.stderr)
    if words[:2] == ["settings", "your_bot"]:
        me = words[2]
    elif words[0] == "update_map":
        mine = [r for r, owner in zip(words[1::3], words[2::3]) if owner == me]
    elif words[0] == "pick_starting_region":
        sys.stdout.write(f" {words[2]} \\r\\n\\n")
    elif words[:2] == ["go", "place_armies"]:
        turn += 1
        orders = ["%s place_armies %s 1" % (me, r) for r in (mine * 60)[:5]]
        text = ["{0},", "{0}, ", "  {0} ,,,,", ",{0}"][turn % 4].format(" , ".join(orders))
        sys.stdout.write(text + "\\r\\n")
        if turn % 3 == 0:
            sys.stdout.flush()
            sys.stdout.write("\\n")
    elif words[:2] == ["go", "attack/transfer"]:
        sys.stdout.write(["no MOVES\\n", "\\n", "No moves,\\n", "   \\n"][turn % 4])
    sys.stdout.flush()
time.sleep(60)
'''


def test_the_habits_of_real_bots_are_no_faults(tmp_path: Path) -> None:
    source = tmp_path / "quirky.py"
    source.write_text(QUIRKY)
    report = play(find_bot(str(source)), SIMPLE, replay=tmp_path / "r.jsonl", max_rounds=30)
    quirky = report.players[0]
    assert quirky.faults == {}
    assert quirky.stopped is None
    assert quirky.exit == ExitReport(signal="SIGKILL", by_arena=True)
    assert report.rounds > 5


def test_a_line_with_200_orders(tmp_path: Path) -> None:
    source = tmp_path / "many.py"
    source.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    words = line.split()\n"
        "    if words[0] == 'pick_starting_region': print(words[2], flush=True)\n"
        "    elif words[:2] == ['settings', 'your_bot']: me = words[2]\n"
        "    elif words[0] == 'update_map': mine = words[1]\n"
        "    elif words[:2] == ['go', 'place_armies']:\n"
        "        print(','.join([f'{me} place_armies {mine} 1'] * 205), flush=True)\n"
        "    elif words[0] == 'go': print('No moves', flush=True)\n"
    )
    report = play(find_bot(str(source)), SIMPLE, replay=tmp_path / "r.jsonl", max_rounds=2)
    assert set(report.players[0].faults) == {"no_armies"}  # all were read, most were too many


def test_a_bot_of_another_game_and_one_that_answers_rubbish(tmp_path: Path) -> None:
    rubbish = tmp_path / "rubbish.py"
    rubbish.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith(('go', 'pick')): print('build 3 4; {[(,\\x1b[2J', flush=True)\n"
    )
    report = play(find_bot(str(rubbish)), SIMPLE, replay=tmp_path / "r.jsonl")
    assert report.players[1].rank == 1
    assert report.players[0].stopped is None
    assert set(report.players[0].faults) == {"syntax"}
