"""Starting real programs: what they find, and that it goes with them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from arena.bots.program import BotProgram
from arena.errors import BotError
from arena.match.play import play_match
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.open import recipe
from arena.players.terms import PlayerTerms
from arena.sandbox.levels import Level
from arena.sandbox.session import keeper_running, run_with
from tests.support.descriptors import watched_descriptors
from tests.support.leftovers import left_behind
from tests.support.live import HONEST, honest, hostile, play, program, seats, stderr
from tests.tiny import TinySettings


def test_a_program_that_does_not_exist() -> None:
    with pytest.raises(BotError, match=r"cannot start ghost: .*No such file"):
        play(BotProgram("ghost", ("/no/such/program",), None, None, "ghost"), honest())


def test_secrets_of_the_caller_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    nosy = "import os, sys\nprint(sorted(os.environ), file=sys.stderr, flush=True)\n" + HONEST
    bad, _ = seats(play(program("-c", nosy), honest()))
    assert "PATH" in stderr(bad)
    assert "SECRET" not in stderr(bad)


def test_programs_have_private_folders_which_go_with_them() -> None:
    lays = "import os, sys\nopen('egg', 'x')\nprint(os.getcwd(), file=sys.stderr, flush=True)\n"
    report = play(program("-c", lays + HONEST), program("-c", lays + HONEST))
    first, second = (Path(stderr(player).strip()) for player in report.players)
    assert first != second
    assert not first.exists()
    assert not second.exists()


def test_no_descriptors_of_the_arena_are_open_in_a_program() -> None:
    counts = "import os, sys\nprint(os.listdir('/proc/self/fd'), file=sys.stderr, flush=True)\n"
    bad, _ = seats(play(program("-c", counts + HONEST), honest()))
    assert stderr(bad).strip() == "['0', '1', '2', '3']"  # 3 is the listing itself


def test_no_program_stands_for_one_behind_other_walls() -> None:
    """One that was prepared is taken by the key of its recipe."""
    keeper: Any = None  # it starts nothing here
    bot = BotProgram("bot", ("/bin/true",), None, None, "bot")
    keys = [recipe(keeper, bot, PlayerTerms(level=level)).key for level in Level]
    assert keys == [recipe(keeper, bot, PlayerTerms(level=level)).key for level in Level]
    assert all(one != other for one, other in combinations(keys, 2))


@pytest.mark.dear
def test_many_matches_leave_no_descriptor_behind() -> None:
    spec = MatchSpec("tiny", programs((honest(), hostile("leave"))), "1", TinySettings())
    with keeper_running() as keeper:
        run_with(keeper, lambda children: play_match(spec, children))  # opens what all share
        with watched_descriptors() as opened:
            for _ in range(3):
                run_with(keeper, lambda children: play_match(spec, children))
            assert opened() == {}
        assert left_behind(keeper.process.pid) == []
