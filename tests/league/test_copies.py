"""Sources that are nearly the same are found, whatever was done to hide it; honest ones are not."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import pytest
from pygments.lexers import get_lexer_for_filename

from arena.errors import UsageError
from arena.league import copies
from arena.league.bots import hand_in
from arena.league.copies import codes_of, copies_page, league_copies, side_by_side
from arena.league.league import League
from tests.league.making import lay_out, opened, passes

ORIGINAL = """import sys

def value(state):
    total = 0
    for region in state.regions:
        if region.owner == state.me and region.armies > 3:
            total += region.armies * 2 - len(region.neighbours)
        elif region.owner != state.me:
            total -= region.armies
    return total

def best(moves, state):
    scored = [(value(state.after(move)), move) for move in moves]
    scored.sort(key=lambda pair: pair[0], reverse=True)
    return scored[0][1] if scored else None

def read(stream):
    for line in stream:
        words = line.split()
        if words and words[0] == "go":
            yield {"kind": words[1], "time": int(words[2]), "rest": words[3:]}
"""
_PARTS = ORIGINAL.split("\n\n")
DISGUISED = "# my own work\n" + "\n\n\n".join([_PARTS[0], _PARTS[3], _PARTS[2], _PARTS[1]]).replace(
    "total", "sum_of_all"
).replace("region", "land").replace("scored", "candidates").replace("words", "w").replace(
    "    ", "  "
).replace("return sum", "# and now\n  return sum").replace('"go"', "'GO'")
HONEST = """import random
class Player:
    def __init__(self):
        self.board = {}
        self.random = random.Random(7)
    def answer(self, request):
        options = self.board.get(request.name, [])
        while options and self.random.random() < 0.5:
            options.pop()
        try:
            return options[-1].text
        except IndexError:
            return "No moves"
    def update(self, key, number):
        self.board.setdefault(key, []).append(number)
        if len(self.board) > 100:
            self.board.clear()
"""


def enter(league: League, folder: Path, name: str, source: str, file: str = "bot.py") -> None:
    bot = lay_out(folder, name, "cat\n")
    (bot / file).write_text(source)
    hand_in(league, bot, name, test=passes)


def test_a_disguised_copy_is_told_and_an_honest_bot_is_not(tmp_path: Path) -> None:
    with opened(tmp_path / "l") as league:
        for name, source in (("nina", ORIGINAL), ("tom", DISGUISED), ("zoe", HONEST)):
            enter(league, tmp_path / "sources", name, source)
        (pair,) = league_copies(league).pairs
        assert pair.bots == ("nina", "tom")
        assert not pair.identical
        assert pair.share > 0.8
        page = copies_page(league, league_copies(league))
        assert "<mark>    sum_of_all = 0</mark>" not in page  # its blanks are its own
        assert "<mark>  sum_of_all = 0</mark>" in page
        assert "<mark>    total = 0</mark>" in page
        assert "<mark># my own work" not in page
        assert "<script" not in page


def test_bots_of_a_team_are_not_told(tmp_path: Path) -> None:
    with opened(tmp_path / "l") as league:
        for name in ("nina", "nina2"):
            enter(league, tmp_path / "sources", name, ORIGINAL)
        assert len(league_copies(league).pairs) == 1
        league.teams = lambda players: [1 for _ in players]  # type: ignore[method-assign]
        assert league_copies(league).pairs == []


def test_kits_are_common_to_all() -> None:
    from arena.league.copies import _of_kits

    kit = Path("arena/games/warlight/kits/python").resolve()
    assert codes_of(kit)
    assert codes_of(kit) <= _of_kits("warlight")


def told(league: League) -> list[tuple[tuple[str, str], bool]]:
    return [(pair.bots, pair.identical) for pair in league_copies(league).pairs]


def test_files_with_other_names_are_identical(tmp_path: Path) -> None:
    """Also in a language that nobody knows, where nothing has fingerprints."""
    with opened(tmp_path / "l") as league:
        for name, file in (("nina", "bot.py"), ("tom", "mine.py")):
            enter(league, tmp_path / "sources", name, ORIGINAL, file)
        for name, file in (("ada", "ada.odd"), ("bob", "bob.odd")):
            enter(league, tmp_path / "sources", name, "x" * 99, file)
        assert told(league) == [(("ada", "bob"), True), (("nina", "tom"), True)]


def test_who_hands_in_the_kit_as_it_is_has_copied_nobody(tmp_path: Path) -> None:
    with opened(tmp_path / "l") as league:
        for name in ("nina", "tom"):
            enter(league, tmp_path / "sources", name, ORIGINAL)
        kit = codes_of(tmp_path / "sources" / "nina")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(copies, "_of_kits", lambda game: kit)
            assert told(league) == []


def test_what_a_lexer_is_slow_at_hides_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow bot is named, and compared with nobody; the others are."""

    def slow(name: str, **options: bool) -> Any:
        if name == "slow.py":
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)  # nobody wants to wait for READING_TIME
            re.match("(a|aa)+$", "a" * 99 + "b")
        return get_lexer_for_filename(name, **options)

    monkeypatch.setattr("arena.league.copies.get_lexer_for_filename", slow)
    with opened(tmp_path / "l") as league:
        enter(league, tmp_path / "sources", "hider", HONEST, "slow.py")
        for name in ("nina", "tom"):
            enter(league, tmp_path / "sources", name, ORIGINAL.replace("value", name))
        assert league_copies(league).unread == ["hider"]
        assert told(league) == [(("nina", "tom"), False)]
        with pytest.raises(UsageError, match="take more than 5 s to read"):
            side_by_side(league, (1, 2))


def test_sources_are_text_whatever_is_in_them(tmp_path: Path) -> None:
    with opened(tmp_path / "l") as league:
        for name in ("nina", "<b>"):
            hidden = "\u202e'</pre><script>alert(1)</script>'"
            enter(league, tmp_path / "sources", name, f"{ORIGINAL}x = {hidden}\n", "<i>.py")
        page = side_by_side(league, (1, 2))
        assert "&lt;script&gt;" in page
        assert not re.search("<script|<b>|<i>|\u202e", page)
        with pytest.raises(UsageError, match="do not both play"):
            side_by_side(league, (1, 7))


def test_honest_bots_of_one_kit_are_not_told(tmp_path: Path) -> None:
    """Both authors have let a program format the kit, which it changes in the same places; what
    they have written themselves differs."""
    kit = Path("arena/games/toroid/kits/python")
    common, bot = [(kit / name).read_text() for name in ("toroid.py", "bot.py")]
    thoughts = {
        "nina": bot.replace("country.units >= 8", "country.units >= self.limit(game)").replace(
            "    def act(",
            "    limits = [4, 6, 9, 12]\n\n    def limit(self, game):\n"
            "        return self.limits[min(game.turn // 50, 3)]\n\n    def act(",
        ),
        "tom": bot.replace(
            "        return wait()",
            "        for side in ('left', 'right'):\n"
            "            if getattr(game, side)(country).owner == game.me and game.turn % 3:\n"
            "                return wait()\n        return build()",
        ),
    }
    with opened(tmp_path / "l", game="toroid") as league:
        for name, source in thoughts.items():
            place = lay_out(tmp_path / "sources", name, "cat\n")
            for file, text in (("bot.py", source), ("toroid.py", common)):
                (place / file).write_text(text.replace(") -> ", ",) -> "))
            hand_in(league, place, name, test=passes)
        assert league_copies(league).pairs == []


def test_brackets_and_commas_do_not_hide_a_copy(tmp_path: Path) -> None:
    hidden = ORIGINAL.replace("region.owner", "((region.owner))").replace("])", "],)")
    hidden = hidden.replace("return ", "pass; return ").replace("total ", "(total) ")
    with opened(tmp_path / "l") as league:
        enter(league, tmp_path / "sources", "nina", ORIGINAL)
        enter(league, tmp_path / "sources", "tom", hidden)
        (pair,) = league_copies(league).pairs
        assert pair.bots == ("nina", "tom")
