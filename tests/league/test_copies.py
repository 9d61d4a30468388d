"""Sources that are nearly the same are found, whatever was done to hide it; honest ones are not."""

from __future__ import annotations

from pathlib import Path

from arena.league.bots import hand_in
from arena.league.copies import copied_pairs, copies_page, fingerprints
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


def enter(league: League, folder: Path, name: str, source: str) -> None:
    bot = lay_out(folder, name, "cat\n")
    (bot / "bot.py").write_text(source)
    hand_in(league, bot, name, test=passes)


def test_a_disguised_copy_is_told_and_an_honest_bot_is_not(tmp_path: Path) -> None:
    with opened(tmp_path / "l") as league:
        for name, source in (("nina", ORIGINAL), ("tom", DISGUISED), ("zoe", HONEST)):
            enter(league, tmp_path / "sources", name, source)
        (pair,) = copied_pairs(league)
        assert pair.bots == ("nina", "tom")
        assert not pair.identical
        assert pair.share > 0.8
        page = copies_page(league, [pair])
        assert "sum_of_all" in page
        assert page.count("<table") >= 1
        assert "<script" not in page


def test_bots_of_a_team_are_not_told(tmp_path: Path, monkeypatch: object) -> None:
    with opened(tmp_path / "l") as league:
        for name in ("nina", "nina2"):
            enter(league, tmp_path / "sources", name, ORIGINAL)
        assert len(copied_pairs(league)) == 1
        league.teams = lambda players: [1 for _ in players]  # type: ignore[method-assign]
        assert copied_pairs(league) == []


def test_kits_are_common_to_all() -> None:
    from arena.league.copies import _of_kits

    kit = Path("arena/games/warlight/kits/python").resolve()
    assert fingerprints(kit)
    assert fingerprints(kit) <= _of_kits("warlight")


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
        assert copied_pairs(league) == []


def test_brackets_and_commas_do_not_hide_a_copy(tmp_path: Path) -> None:
    hidden = ORIGINAL.replace("region.owner", "((region.owner))").replace("])", "],)")
    hidden = hidden.replace("return ", "pass; return ").replace("total ", "(total) ")
    with opened(tmp_path / "l") as league:
        enter(league, tmp_path / "sources", "nina", ORIGINAL)
        enter(league, tmp_path / "sources", "tom", hidden)
        (pair,) = copied_pairs(league)
        assert pair.bots == ("nina", "tom")
