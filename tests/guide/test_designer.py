"""The game in the guide is a game: taken out of it, installed outside the repository, played,
proved, and tested by the plug-in for pytest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from arena.games import kit
from tests.support import wheels
from tests.support.wheels import ROOT

GUIDE = (ROOT / "arena" / "guide" / "designer.md").read_text("utf-8")
MODULE, _, OWN_TESTS = re.findall(r"```python\n(.*?)```\n", GUIDE, re.DOTALL)
(PROJECT,) = re.findall(r"```toml\n(.*?)```\n", GUIDE, re.DOTALL)
BOT = """import sys

for line in sys.stdin:
    if line.startswith("update_map"):
        squares = line.split()[1:]
    if line.startswith("go"):
        print(squares.index("."), flush=True)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the game is installed."""
    games = tomllib.loads(PROJECT)["project"]["entry-points"]["arena.games"]
    files = {"tictactoe.py": MODULE}
    return wheels.install(tmp_path_factory.mktemp("designer"), "tictactoe", files, games, pip=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder in which its author works."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "my_bot.py").write_text(BOT)
    return tmp_path


@pytest.mark.dear
def test_it_is_a_game_like_any_other(site: Path, project: Path) -> None:
    def arena(*arguments: str) -> str:
        return wheels.run(site, "arena", *arguments, cwd=project).stdout

    assert re.search(r"^tictactoe +Tic-tac-toe +2$", arena("games"), re.MULTILINE)
    assert arena("games", "tictactoe", "--rules").startswith("# Tic-tac-toe\n")
    assert arena("check", "tictactoe", "my_bot.py").count("ok  ") == 7
    played = arena("play", "tictactoe", "my_bot.py", "my_bot.py", "--replay", "match.jsonl")
    assert "player1 won with mark 7." in played
    assert "match.jsonl: ok" in arena("verify", "match.jsonl")


def test_a_game_in_one_module_has_no_kits(site: Path, project: Path) -> None:
    new = wheels.run(site, "arena", "new", "tictactoe", "python", cwd=project, status=2)
    assert "tictactoe has no starter kits: begin with arena guide author" in new.stderr


@pytest.mark.dear
def test_pytest_finds_it_without_test_code(site: Path, project: Path) -> None:
    alone = [f"-pno:{name}" for name in ("anyio", "hypothesispytest", "xdist", "xdist.looponfail")]
    pytest = ("pytest", *alone)
    written = wheels.run(site, *pytest, "-q", "--update-playthroughs", cwd=project).stdout
    again = wheels.run(site, *pytest, "-v", cwd=project).stdout
    assert "14 passed" in written
    assert "14 passed" in again
    assert "pyproject.toml::tictactoe::determinism PASSED" in again
    text = (project / "playthroughs" / "tictactoe-2.txt").read_text()
    assert '{"type":"tell","seat":0,"line":"settings game tictactoe"}\n' in text


def test_the_tests_in_the_guide_pass(site: Path, project: Path) -> None:
    (project / "own_tests.py").write_text(OWN_TESTS)
    wheels.run(site, "own_tests", cwd=project)


def test_the_game_is_as_short_as_the_guide_says() -> None:
    assert len(MODULE.splitlines()) < 140


def test_the_guide_has_all_of_the_kit_and_its_links_lead_somewhere() -> None:
    table = GUIDE.partition("## The kit")[2].partition("## Tests")[0]
    names = {name for row in table.splitlines() if row.startswith("| `") for name in
             re.findall(r"`(\w+)`", row.split("|")[1])}  # fmt: skip
    assert names == set(kit.__all__)
    headings = {
        re.sub(r"[^\w -]", "", line[3:].lower()).replace(" ", "-")
        for line in GUIDE.splitlines()
        if line.startswith("## ")
    }
    links = re.findall(r"\]\(#(.*?)\)", GUIDE)
    assert set(links) == headings


def words(pattern: str, text: str) -> set[str]:
    """The names that a list in the text separates by commas."""
    (names,) = re.findall(pattern, text)
    return set(re.findall(r"(?:^|, )(\w+)", names.strip()))


def test_it_names_each_key_of_a_board_that_the_page_uses() -> None:
    pages = {path.stem: path.read_text("utf-8") for path in (ROOT / "arena/view").rglob("*.js")}
    boards = "".join(path.read_text("utf-8") for path in (ROOT / "arena/games").rglob("board.js"))
    used = set(re.findall(r"\bboard\.(\w+)", "".join(pages.values())))
    used |= words(r"arena\.pickable = \(\{ (.*?) \}", pages["draw"])
    given = words(r"make\.make\(this\.stage, \{ (.*?) \}\)", pages["pane"])
    moment = words(r"this\.board\.draw\(\{ (.*?) \}\)", pages["pane"])
    assert set(re.findall(r"\bmatch\.(\w+)", boards)) <= given
    row = r"^\| `((?:match\.)?\w+)(?:\((?:\{(.*?)\}|.*?)\))?`"
    named = dict(re.findall(row, GUIDE, re.MULTILINE))
    assert {name.removeprefix("match.") for name in named if name.startswith("match.")} == given
    assert used <= {*named}
    assert set(named["draw"].split(", ")) == moment
