"""A league whose file is damaged, or made to do harm: every command ends with a sentence."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli import main
from arena.errors import LeagueError
from arena.league import bots
from arena.league.league import League
from arena.league.schema import LINKED
from arena.league.store import extend
from tests.hostile.arena_runs import arena as start
from tests.league.making import ANSWERS, lay_out, passes
from tests.league.test_chain import COLUMNS, forged

PAGE = 4096
COMMANDS = (
    *("show", "show 1", "table", "table --csv", "table --json", "export --csv", "export --html"),
    *("export --json", "run", "stop", "add {bot}", "withdraw bot1", "verify"),
    *("record 1 -o {copy} --overwrite", "admit bot4 --reason x", "annul 1 --reason x"),
)


@pytest.fixture
def says(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[int]]:
    """The exit statuses of commands on a file. One that ends with an exception fails the test."""
    monkeypatch.setattr(bots, "examine", lambda terms, bot, tell: passes(terms, bot))
    bot = lay_out(tmp_path, "late", ANSWERS.format(answer=3))

    def run(path: Path, *commands: str) -> list[int]:
        places = {"bot": bot, "copy": tmp_path / "copy.jsonl"}
        return [_run(path, *words.format(**places).split()) for words in commands]

    def _run(path: Path, name: str, *options: str) -> int:
        words = ["verify", str(path)] if name == "verify" else ["league", name, str(path), *options]
        capfd.readouterr()
        status = main.run(words)
        out, err = capfd.readouterr()
        assert status in (0, 1, 2, 4), err
        assert status == 0 or err.startswith("arena: ") or "WRONG" in out, (words, err)
        return status

    return run


def spoilt_pages(whole: bytes) -> Iterator[bytes]:
    """The file with each of its pages but the first in turn zeroed."""
    for at in range(PAGE, len(whole), PAGE):
        yield whole[:at] + bytes(PAGE) + whole[at + PAGE :]


def test_a_page_that_is_zeroed(full: Path, says: Callable[..., list[int]]) -> None:
    for spoilt in spoilt_pages(full.read_bytes()):
        full.write_bytes(spoilt)
        assert says(full, "show") == [1]


@pytest.mark.dear
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_on_each_zeroed_page(
    command: str, full: Path, says: Callable[..., list[int]]
) -> None:
    for spoilt in spoilt_pages(full.read_bytes()):
        full.write_bytes(spoilt)
        assert says(full, command) == [1]


@pytest.mark.parametrize("share", [0, 1, 50, 100, 1000, PAGE, PAGE + 1, 5 * PAGE, -PAGE])
def test_a_file_that_is_cut(share: int, full: Path, says: Callable[..., list[int]]) -> None:
    full.write_bytes(full.read_bytes()[:share])
    assert set(says(full, *COMMANDS)) <= {1, 2}


@pytest.mark.dear
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_each_command_on_each_column_of_another_type(
    table: str, column: str, full: Path, says: Callable[..., list[int]]
) -> None:
    whole = full.read_bytes()
    for value in ("x'00ff'", "-9223372036854775808", "CAST(x'80' AS TEXT)", "'['"):
        full.write_bytes(whole)
        try:
            with forged(full) as file:
                file.execute(f"UPDATE OR IGNORE {table} SET {column} = {value}")
        except sqlite3.IntegrityError:
            continue
        kept, is_refused = full.read_bytes(), says(full, "show") == [1]
        for command in () if is_refused else COMMANDS:
            full.write_bytes(kept)
            says(full, command)


def test_a_column_of_another_type(full: Path, says: Callable[..., list[int]]) -> None:
    whole = full.read_bytes()
    for table, column in COLUMNS:
        full.write_bytes(whole)
        try:
            with forged(full) as file:
                file.execute(f"UPDATE OR IGNORE {table} SET {column} = x'00ff'")
        except sqlite3.IntegrityError:
            continue
        assert says(full, "show") == [1], f"{table}.{column}"


SCHEMAS = {
    "a recursive view": "DROP VIEW player; CREATE VIEW player AS WITH RECURSIVE n(name) AS "
    "(SELECT 1 UNION ALL SELECT name + 1 FROM n) SELECT name FROM n",
    "a view of itself": "DROP VIEW valid; CREATE VIEW valid AS SELECT * FROM valid",
    "a trigger": "CREATE TRIGGER more AFTER INSERT ON withdrawal BEGIN "
    "INSERT INTO void (fixture, attempt, reason) VALUES (1, 9, ''); END",
    "no index": "DROP INDEX sums_of",
    "another table": "CREATE TABLE other (x)",
    "no refusal": "DROP TRIGGER result_update",
    "no seats": "DROP TRIGGER seat_delete; DROP VIEW counted; DROP TABLE seat",
}


@pytest.mark.parametrize("deed", SCHEMAS.values(), ids=SCHEMAS.keys())
def test_another_schema(deed: str, full: Path, says: Callable[..., list[int]]) -> None:
    with closing(sqlite3.connect(full)) as file:
        file.executescript(deed)
    assert set(says(full, *COMMANDS)) == {1}


@pytest.mark.dear
def test_a_schema_that_is_no_text(full: Path, says: Callable[..., list[int]]) -> None:
    full.write_bytes(full.read_bytes().replace(b"BEFORE UPDATE", b"BEFOR\xad UPDATE"))
    assert set(says(full, *COMMANDS)) == {1}


def test_an_index_that_says_otherwise(full: Path, says: Callable[..., list[int]]) -> None:
    """Nothing but what looks at all that it says notices; the rows are as they were."""
    with forged(full) as file:
        (page,) = file.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sums_of'"
        ).fetchone()
    whole = bytearray(full.read_bytes())
    start = (page - 1) * PAGE
    entries = whole[start : start + PAGE]
    with League(full) as league:
        bot = league.players()[0].bot.encode()
    whole[start : start + PAGE] = entries.replace(bot, bot[::-1])
    full.write_bytes(whole)
    assert says(full, "verify", "run") == [1, 1]


@pytest.mark.dear
@pytest.mark.parametrize("seed", range(2))
def test_damage_by_chance(seed: int, full: Path, says: Callable[..., list[int]]) -> None:
    """Nothing fails but with a sentence, and what is read otherwise is not proved."""
    chance, whole, right = random.Random(seed), full.read_bytes(), dumped(full)
    for _ in range(40):
        spoilt = bytearray(whole)
        one, other = (PAGE * chance.randrange(1, len(whole) // PAGE) for _ in range(2))
        match chance.choice(["bytes", "head of a page", "page"]):
            case "bytes":
                for _ in range(chance.choice([1, 3, 20])):
                    spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
            case "head of a page":
                spoilt[one + chance.randrange(12)] = chance.randrange(256)
            case _:
                spoilt[one : one + PAGE] = whole[other : other + PAGE]
        full.write_bytes(spoilt)
        if says(full, "verify") == [0]:
            assert dumped(full) == right
        for command in ("show", "show 1", "table", "export --csv", "run"):
            full.write_bytes(spoilt)
            says(full, command)


def made_anew(path: Path) -> None:
    """The chain over all rows as they stand."""
    with forged(path) as file:
        links = file.execute("SELECT kind, row FROM chain ORDER BY number").fetchall()
        file.execute("DELETE FROM chain")
        there = {kind: f"SELECT 1 FROM {kind} WHERE rowid = ?" for kind in LINKED}
        extend(
            file,
            [(kind, row) for kind, row in links if file.execute(there[kind], (row,)).fetchone()],
        )


def dumped(path: Path) -> list[str]:
    """All that SQLite finds in a file."""
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as file:
        return list(file.iterdump())


@pytest.mark.dear
def test_a_value_of_100_mb(full: Path, says: Callable[..., list[int]]) -> None:
    report = "UPDATE submission SET report = CAST(zeroblob(100000000) AS TEXT) WHERE number = 4"
    with forged(full) as file:
        file.execute(report)
    assert says(full, "verify", "admit bot4 --reason x") == [1, 1]
    assert set(says(full, *COMMANDS)) <= {0, 1}


@pytest.mark.dear
def test_rows_of_what_is_not_there(full: Path, says: Callable[..., list[int]]) -> None:
    """The types are right, and the rows do not fit together."""
    whole = full.read_bytes()
    for deed in (
        'UPDATE fixture SET seats = \'["nobody","no one"]\'',
        "UPDATE fixture SET seats = '[]'",
        "UPDATE result SET ranks = '[1]'",
        "UPDATE result SET ranks = '{}'",
        "UPDATE seat SET faults = '[]'",
        "UPDATE seat SET bot = 'nobody'",
        "DELETE FROM seat",
        "DELETE FROM submission",
        "UPDATE league SET terms = '{}'",
        "UPDATE submission SET report = '{}'",
        "UPDATE submission SET content = ''",
    ):
        full.write_bytes(whole)
        with forged(full) as file:
            file.execute(deed)
        statuses = dict(zip(COMMANDS, says(full, *COMMANDS), strict=True))
        assert statuses["verify"] == 1, deed


IMPOSSIBLE = {
    "a rank too many": ("match 1", "UPDATE result SET ranks = '[9,9,9]' WHERE fixture = 1"),
    "a rank too high": ("match 1", "UPDATE result SET ranks = '[9,9]' WHERE fixture = 1"),
    "a rank below 1": ("match 1", "UPDATE result SET ranks = '[1,-1]' WHERE fixture = 1"),
    "no seats": ("match 1", "DELETE FROM seat WHERE result = 1"),
    "another at a seat": ("match 1", "UPDATE seat SET bot = 'x' WHERE result = 1 AND seat = 0"),
    "a seat too many": (
        "match 1",
        "INSERT INTO seat SELECT at, 1, 7, bot, points, fate, stopped, detail, faults FROM seat "
        "WHERE result = 1 AND seat = 0",
    ),
    "points without end": ("match 1", "UPDATE seat SET points = 9e999 WHERE result = 1"),
    "faults below none": ("match 1", """UPDATE seat SET faults = '{"x":-1}' WHERE result = 1"""),
    "no fate": ("match 1", "UPDATE seat SET fate = 'eaten' WHERE result = 1"),
    "rounds below none": ("match 1", "UPDATE result SET rounds = -7 WHERE fixture = 1"),
    "an attempt below 1": ("match 1", "UPDATE result SET attempt = -7 WHERE fixture = 1"),
    "a round below none": ("match 1", "UPDATE fixture SET round = -7 WHERE number = 1"),
    "a planned seat too many": (
        "match 1",
        "UPDATE fixture SET seats = json_insert(seats, '$[2]', 'x') WHERE number = 1",
    ),
    "nobody planned": ("match 1", "UPDATE fixture SET seats = '[]' WHERE number = 1"),
    "a stranger planned": (
        "match 1",
        """UPDATE fixture SET seats = '["nobody","no one"]' WHERE number = 1""",
    ),
    "a name that reverses": (
        "the name",
        "UPDATE submission SET name = 'a' || char(8238) WHERE number = 1",
    ),
    "a name that commands": (
        "the name",
        "UPDATE submission SET name = char(27) || '[2J' WHERE number = 1",
    ),
    "no name": ("the name", "UPDATE submission SET name = '' WHERE number = 1"),
    "a result of no match": ("result", "UPDATE result SET fixture = 77 WHERE fixture = 1"),
    "a withdrawal of nobody": ("withdrawal", "UPDATE withdrawal SET submission = 77"),
    "terms of no seats": ("seats", "UPDATE league SET terms = json_set(terms, '$.seats', -2)"),
}


@pytest.mark.parametrize(("named", "deed"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_rows_that_cannot_be_with_the_chain_made_anew(
    named: str,
    deed: str,
    full: Path,
    says: Callable[..., list[int]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing but their shape gives them away."""
    with forged(full) as file:
        file.execute(deed)
    made_anew(full)
    for words in (["verify"], ["league", "run"]):
        status = main.run([*words, str(full)])
        out, err = capfd.readouterr()
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert f"{full} is damaged: " in err
        assert named in err
    says(full, *COMMANDS)


@pytest.mark.parametrize("kind", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal"])
def test_what_is_no_file_beside_it(kind: Callable[[Path], None], end: str, full: Path) -> None:
    kind(beside := full.with_name(full.name + end))
    ran = start("league", "show", full)
    _, err = ran.communicate(timeout=60)
    assert (ran.returncode, f"{beside} is not an ordinary file" in err) == (1, True), err


@pytest.mark.dear
def test_a_pipe_in_the_place_of_records_and_bots(full: Path) -> None:
    with League(full) as league:
        record, (player, *_) = league.record(1), league.players()
        copy = league.copy_of(player.bot)[2]
    record.unlink()
    os.mkfifo(record)
    copy.chmod(0o755)
    os.mkfifo(copy / "pipe")
    ran = start("verify", full, "--jobs", 1)
    out, err = ran.communicate(timeout=60)
    assert ran.returncode == 1, err
    assert (
        "match 1: cannot read it: it is not an ordinary file, but a folder, a pipe or a device"
        in out
    )
    assert f"the copy of {player.name}" in out
    shown = start("league", "show", full, 1)
    shown.communicate(timeout=60)
    assert shown.returncode == 2  # the game is known in this process alone


def test_what_is_no_file_in_its_folder(full: Path, says: Callable[..., list[int]]) -> None:
    (Path(f"{full}.d") / "drafts" / "x").mkdir()
    assert says(full, "run", "show") == [4, 0]
    lock = Path(f"{full}.d") / "judge"
    lock.unlink()
    lock.mkdir()
    assert says(full, "run") == [2]


def test_a_tail_of_one_tib(full: Path, says: Callable[..., list[int]]) -> None:
    os.truncate(full, 1 << 40)
    assert set(says(full, "show", "table", "verify")) <= {0, 1}


def test_a_folder_that_is_a_file(full: Path) -> None:
    shutil.rmtree(f"{full}.d")
    Path(f"{full}.d").write_text("")
    with pytest.raises(LeagueError, match="without its folder"):
        League(full)


def test_a_fault_of_ours_is_not_blamed_on_the_file(full: Path) -> None:
    with pytest.raises(ZeroDivisionError), League(full):
        1 / 0  # noqa: B018
    with forged(full) as file:
        file.execute("DELETE FROM void")
    with (
        pytest.raises(LeagueError, match="void 1: it, or a row before it, was changed"),
        League(full),
    ):
        1 / 0  # noqa: B018
