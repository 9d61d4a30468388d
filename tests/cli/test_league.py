"""``arena league``: from an empty folder to a table, and every command on the way."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from arena.bots.intake import TakenIn
from arena.cli import main
from arena.league.league import Folder, League
from arena.league.plan import Meetings
from arena.sandbox.levels import Level
from arena.text import counted
from tests.cli.conftest import QUICK as QUICK_BOT
from tests.cli.conftest import SHELL, SIMPLE, Arena
from tests.cli.test_main import loaded
from tests.hostile.arena_runs import arena as start
from tests.league.making import ANSWERS, begin, lay_out, play


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A league of two quick bots that has not played."""
    path = tmp_path / "cup.league"
    begin(path, *QUICK, game="warlight", settings={"max_rounds": "2"}).store.close()
    return path


@pytest.fixture
def long_cup(tmp_path: Path) -> Path:
    """The same with bots that wait before they play: many matches take long, and little of it is
    work."""
    path = tmp_path / "cup.league"
    bots = [f"sleep 0.2\n{bot}" for bot in QUICK]
    begin(path, *bots, game="warlight", settings={"max_rounds": "2"}).store.close()
    return path


QUICK = [ANSWERS.format(answer="No moves"), ANSWERS.format(answer="No moves") + "#\n"]


def test_from_nothing_to_a_table(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "c.league"
    new = ("--game", "warlight", "--set", "max_rounds=2", "--sandbox", "off", "--seed", "5")
    begun = arena("league", "new", path, *new).out
    assert re.search("a league of warlight for 2 bots a match, seed SHA-256 [0-9a-f]{64}, ", begun)
    assert "simple: passed" in arena("league", "add", path, QUICK_BOT, SHELL).out
    ran = arena("league", "run", path, "--rounds", "2")
    assert ran.status == 0
    assert ran.out.startswith("4 matches played")
    printed = arena("league", "table", path).out
    assert re.search(r"border +4", printed)
    assert re.search(r"digest [0-9a-f]{64}", printed)
    shown = arena("league", "show", path, "1").out
    words = shlex.split(shown.splitlines()[-1])[1:]
    (digest,) = re.findall(r"digest ([0-9a-f]{64})", shown)
    again = json.loads(arena(*words, "--json", "--replay", tmp_path / "r.jsonl").out)
    assert again["digest"] == digest
    assert re.search(r"player1 .* [0-9.]+ m?s .* MiB", shown)
    assert f"arena view {path}.d/records/0/1.jsonl.gz" in shown
    assert arena("verify", path).out.startswith(f"{path}: ok, 4 records, ")


@pytest.mark.dear
def test_no_two_names_share_the_page_of_a_report(arena: Arena, cup: Path, tmp_path: Path) -> None:
    bad, pages = tmp_path / "bad.py", tmp_path / "pages"
    bad.write_text("print(1/0)\n")
    for name in ("a b", "a_b", "a/b"):
        assert arena("submit", cup, bad, "--name", name, "--pages", pages).status == 1
    assert len(list(pages.glob("a_b*.html"))) == 3
    assert (pages / "a_b.html").exists()
    ran = arena("submit", cup, bad, "--pages", bad / "pages")
    assert (ran.status, "name another folder" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing.py", "there is no file {place}/nothing.py: name an archive, or a source file"),
        ("bot", "put it into an archive (tar czf bot.tar.gz -C {place} bot)"),
        ("my bot", "put it into an archive (tar czf bot.tar.gz -C {place} 'my bot')"),
    ],
)
def test_a_site_takes_files(arena: Arena, tmp_path: Path, name: str, says: str) -> None:
    for folder in ("bot", "my bot"):
        (tmp_path / folder).mkdir()
    (token := tmp_path / "token").write_text("secret\n")
    ran = arena("submit", "http://127.0.0.1:1/cup", tmp_path / name, "--token", token)
    assert (ran.status, says.format(place=tmp_path) in ran.err) == (2, True)


@pytest.mark.dear
def test_a_bot_that_fails_its_test_does_not_play(arena: Arena, cup: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("print(1/0)\n")
    ran = arena("submit", cup, bad, "--pages", tmp_path / "pages")
    assert ran.status == 1
    assert "ZeroDivisionError" in (tmp_path / "pages" / "bad.html").read_text()
    assert "bad may not play warlight: it crashed before its first answer" in ran.out
    assert "  ZeroDivisionError: division by zero" in ran.out
    silent = tmp_path / "silent.py"
    silent.write_text("pass\n")
    said = json.loads(arena("submit", cup, silent, "--json").out)["submissions"][0]
    assert not said["report"]["ok"]
    assert said["report"]["cause"]["sentence"]
    assert [row[-1] for row in table_of(arena("league", "show", cup).out)] == [
        "plays", "plays", "refused", "refused",
    ]  # fmt: skip


@pytest.mark.dear
def test_of_several_bots_each_is_tested_whatever_the_others_do(
    arena: Arena,
    cup: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("good", "bad", "odd"):
        (tmp_path / f"{name}.sh").write_text("exit 3" if name == "bad" else f"{QUICK[0]}# {name}")
    keep = Folder.keep_bot

    def stumbling(self: Folder, given: Path, sandbox: Level) -> TakenIn:
        if given.stem == "odd":
            raise IndexError("pop from empty list")
        return keep(self, given, sandbox)

    monkeypatch.setattr(Folder, "keep_bot", stumbling)
    bots = [tmp_path / f"{name}.sh" for name in ("odd", "good", "bad")]
    ran = arena("submit", cup, *bots, "--jobs", "2")
    assert ran.status == 1
    assert ran.out.splitlines()[-1] == "1 of 3 play; refused: odd.sh, bad"
    words = " ".join(ran.out.split())
    assert (
        "read or tested: IndexError: pop from empty list (an error of the arena? --traceback shows"
        in words
    )
    main.run(["submit", str(cup), str(bots[0]), "--traceback"])
    assert "in stumbling" in capfd.readouterr().err


def table_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()[3:]]


@pytest.mark.dear
def test_versions_and_withdrawal(arena: Arena, cup: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot1.py"
    shutil.copy(SIMPLE, bot)
    refused = arena("submit", cup, bot)
    assert refused.status == 2
    assert "another bot already plays as bot1: add --name bot1" in refused.err
    assert arena("submit", cup, bot, "--name", "bot1").status == 0
    assert "plays already, unchanged" in arena("submit", cup, bot, "--name", "bot1").out
    assert states(arena, cup) == ["replaced", "plays", "plays"]
    versions = [line.split()[:2] for line in arena("league", "show", cup).out.splitlines()[3:]]
    assert versions == [["bot1", "1"], ["bot2", "1"], ["bot1", "2"]]
    assert "the version before plays again" in arena("league", "withdraw", cup, "bot1").out
    assert states(arena, cup) == ["replaced", "plays", "withdrawn", "plays"]
    assert "no longer plays" in arena("league", "withdraw", cup, "bot1").out
    assert "no bot plays as 'bot1'" in arena("league", "withdraw", cup, "bot1").err


@pytest.mark.dear
def test_an_organiser_admits_a_bot_that_failed_its_test(
    arena: Arena, cup: Path, tmp_path: Path
) -> None:
    bad, broken = tmp_path / "bad.py", tmp_path / "broken.c"
    bad.write_text("print(1/0)\n")
    broken.write_text("int main( {")
    refused = arena("submit", cup, bad)
    assert f'arena league admit {cup} bad --reason "…"' in refused.out
    admit = ("league", "admit", cup, "bad", "--reason")
    assert "the reason is empty" in arena(*admit, " ").err
    assert "bad: admitted, plays from now on" in arena(*admit, "plays well elsewhere").out
    assert states(arena, cup) == ["plays", "plays", "plays"]
    assert "admitted: plays well elsewhere" in arena("league", "show", cup).out
    assert "is admitted already: there is nothing to admit" in arena(*admit, "x").err
    assert arena("league", "run", cup).out.startswith("6 matches played")
    for name, says in (
        ("bot1", "passed its test: there is nothing to admit"),
        ("bod", "no bot 'bod' was handed in: did you mean 'b"),
    ):
        ran = arena("league", "admit", cup, name, "--reason", "x")
        assert (ran.status, says in ran.err) == (2, True), ran.err
    refused = arena("submit", cup, broken)
    assert refused.status == 1
    assert "league admit" not in refused.out
    ran = arena("league", "admit", cup, "broken", "--reason", "x")
    assert (ran.status, "did not get as far as a test match" in ran.err) == (2, True), ran.err
    assert arena("league", "withdraw", cup, "bad", "--reason", "it is late").status == 0
    shown = arena("league", "show", cup).out
    assert "admitted: plays well elsewhere; withdrawn: it is late" in shown
    assert arena("verify", cup).status == 0


@pytest.mark.dear
def test_a_result_is_annulled_and_the_match_played_again(arena: Arena, cup: Path) -> None:
    annul = ("league", "annul", cup, "1", "--reason", "the disk was slow")
    assert "there is no match 1" in arena(*annul).err
    assert arena("league", "run", cup).out.startswith("2 matches played")
    told = re.findall("chain ([0-9a-f]{64})", arena("verify", cup).out)
    before = json.loads(arena("league", "table", cup, "--json").out)
    assert "arena league missing" in arena(*annul).out
    assert "has no result that counts" in arena(*annul).err
    assert "not played yet" in arena("league", "show", cup, "1").out
    assert json.loads(arena("league", "table", cup, "--json").out)["table"]["games"] == 1
    assert arena("league", "missing", cup).out.startswith("1 match played")
    shown = arena("league", "show", cup, "1").out
    assert "annulled, attempt 1: the disk was slow (its record: " in shown
    assert f"record {cup}.d/records/0/1-2.jsonl.gz" in shown
    after = json.loads(arena("league", "table", cup, "--json").out)
    assert after["digest"] == before["digest"]
    assert "nothing is left to play" in arena("league", "run", cup).out
    proved = arena("verify", cup, "--chain", *told)
    assert (proved.status, "ok, 3 records" in proved.out) == (0, True)
    assert "2 rows since the given chain" in proved.out
    since = arena("verify", cup, "--since", *told)
    assert (since.status, "taken on trust), " in since.out) == (0, True)
    assert "2 rows since the given chain" in since.out
    never = arena("verify", cup, "--since", "0" * 64)
    assert (never.status, "never had the chain 000" in never.err, never.out) == (1, True, "")
    other = arena("verify", cup, "--chain", "0" * 64)
    assert (other.status, "another league, is mistyped, or rows" in other.out) == (1, True)


LARGE = str(10**25)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("league", "show", "{cup}", LARGE), f"'{LARGE}' is not a whole number from 1 on"),
        (("league", "annul", "{cup}", LARGE, "--reason", "x"), "is not a whole number from 1 on"),
        (("league", "record", "{cup}", LARGE, "-o", "x.jsonl"), "is not a whole number from 1 on"),
        (("verify", "{cup}", "--chain", ""), "--chain '' is not a chain: give the 64 hex digits"),
        (
            ("verify", "{cup}", "--chain", "zz"),
            "--chain 'zz' is not a chain: give the 64 hex digits",
        ),
        (("verify", "{cup}", "--since", "zz"), "--since 'zz' is not a chain: give the 64 hex"),
        (
            ("verify", "{cup}", "--since", "0" * 64, "--chain", "0" * 64),
            "--since proves what --chain proves, too: leave --chain out",
        ),
        (("verify", "{cup}", "--jobs", "1000"), "is not a whole number from 1 to 256"),
        (("submit", "{cup}", "b.py", "--jobs", "257"), "is not a whole number from 1 to 256"),
        (
            ("submit", "{cup}", "b.py", "--name", " "),
            "'' is not a valid name: give 1 to 64 characters",
        ),
        (("submit", "{cup}", "b.py", "--pages", ""), "the path is empty"),
        (("league", "table", ""), "the path is empty"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_done(
    arena: Arena, cup: Path, words: tuple[str, ...], error: str
) -> None:
    whole = cup.read_bytes()
    ran = arena(*[word.format(cup=cup) for word in words])
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert error in ran.err
    assert cup.read_bytes() == whole


def test_a_table_as_csv(arena: Arena, cup: Path) -> None:
    arena("league", "run", cup)
    rows = list(csv.DictReader(arena("league", "table", cup, "--csv").out.splitlines()))
    assert [(row["bot"], row["matches"]) for row in rows] == [("bot1", "2"), ("bot2", "2")]
    assert arena("league", "table", cup, "--csv", "--json").status == 2


def test_a_command_of_a_league_is_found_without_its_group(arena: Arena) -> None:
    assert "did you mean 'league withdraw'?" in arena("withdraw", "x", "y").err


def test_a_record_has_the_ending_of_one(arena: Arena, cup: Path, tmp_path: Path) -> None:
    ran = arena("league", "record", cup, "1", "-o", tmp_path / "x.txt")
    assert "name a file that ends in .jsonl or .jsonl.gz" in ran.err


def states(arena: Arena, cup: Path) -> list[str]:
    found = json.loads(arena("league", "show", cup, "--json").out)
    return [bot["state"] for bot in found["bots"]]


@pytest.mark.dear
def test_hostile_names_do_no_harm(arena: Arena, tmp_path: Path) -> None:
    names = ["=cmd()", "<script>", "a\u202e[2J", '@x,"y"\'']
    path = tmp_path / "n.league"
    with begin(path, game="warlight", settings={"max_rounds": "1"}) as league:
        from arena.league.bots import hand_in
        from tests.league.making import passes

        for number, name in enumerate(names):
            code = QUICK[0] + f"# {number}\n"
            hand_in(league, lay_out(tmp_path, f"b{number}", code), name, test=passes)
    arena("league", "run", path)
    rows = list(csv.DictReader(arena("league", "export", path, "--csv").out.splitlines()))
    assert len(rows) == 24
    assert {row["player"] for row in rows} == {"player1", "player2"}
    assert {row["bot"] for row in rows} == {"'=cmd()", "<script>", "a?[2J", "'@x,\"y\"'"}
    page = arena("league", "export", path, "--html").out
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    document = json.loads(arena("league", "export", path, "--json").out)
    assert len(document["matches"]) == 12
    assert "\u202e" not in arena("league", "table", path).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["new", "{cup}", "--game", "warlight"], "the file {cup} exists already"),
        (["new", "{cup}2"], "name a game: --game warlight"),
        (["new", "{cup}2", "--game", "warlight", "--seats", "3"], "warlight is for 2 bots"),
        (["new", "{cup}2", "--game", "warlight", "--set", "luckk=1"], "did you mean 'luck'"),
        (["table", "{cup}2"], "there is no league {cup}2: begin one with"),
        (["table", SIMPLE], "is not a league"),
        (["show", "{cup}", "99"], "there is no match 99: the league has 0 so far"),
        (["export", "{cup}"], "name a format: arena league export"),
        (["add", "{cup}"], "name a bot"),
        (["add", "{cup}", "python3 x.py"], "a league takes copies of files"),
        (["add", "{cup}", SIMPLE, SHELL, "--name", "x"], "cannot all play as 'x'"),
        (["add", "{cup}", SIMPLE, "--name", " "], "is not a valid name"),
        (["add", "{cup}", SIMPLE, "--name", "a\nb"], r"'a\nb' is not a valid name: give 1 to 64"),
        (["frobnicate", "{cup}"], "there is no command 'frobnicate'"),
    ],
)
def test_O17_what_cannot_be_is_refused_in_one_sentence(
    words: list[str], said: str, arena: Arena, cup: Path
) -> None:
    ran = arena("league", *[word.format(cup=cup) for word in words])
    assert ran.status == 2
    assert said.format(cup=cup) in ran.err.replace("\n", " ")


def test_nothing_to_stop(arena: Arena, cup: Path) -> None:
    ran = arena("league", "stop", cup)
    assert ran.status == 1
    assert "no process plays" in ran.err


@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        (signal.SIGINT, 2),
        pytest.param(signal.SIGTERM, 2, marks=pytest.mark.dear),
        pytest.param(signal.SIGINT, 1, marks=pytest.mark.dear),
        (signal.SIGHUP, 1),
    ],
)
def test_O07_asked_to_end_it_keeps_what_was_played(long_cup: Path, number: int, jobs: int) -> None:
    """In the background of a script, too, where SIGINT is ignored (then another has to do)."""
    ignore = number != signal.SIGINT
    process = start(
        *("league", "run", long_cup, "--rounds", "500", "--jobs", jobs, "--log-every", "1"),
        preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignore else None,
    )
    for line in process.stderr:  # type: ignore[union-attr]  # it is a pipe
        if " of 1000 matches, " in line:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.rstrip().endswith("arena: interrupted")
    with League(long_cup) as league:
        assert 0 < league.count("result") < 1000
        assert f", {counted(league.count('result'), 'match', 'matches')}" in out
        assert list((Folder(long_cup).path / "drafts").iterdir()) == []


@pytest.mark.dear
def test_stopped_from_another_terminal(long_cup: Path) -> None:
    process = start("league", "run", long_cup, "--forever", "--log-every", "1")
    for line in process.stderr:  # type: ignore[union-attr]  # it is a pipe
        if " matches, " in line:
            break
    asked = start("league", "stop", long_cup)
    asked.communicate(timeout=60)
    assert asked.returncode == 0
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "stopped as requested: run it again to continue" in out


@pytest.mark.parametrize(
    "words", [("table",), ("show",), ("meta",), ("export", "--html")], ids=" ".join
)
def test_what_only_reads_a_league_does_not_load_trio(words: tuple[str, ...], cup: Path) -> None:
    name, *rest = words
    modules = loaded("league", name, str(cup), *rest)
    assert "arena.league.table" in modules
    assert not modules & {"trio", "arena.league.judge"}


def test_what_is_exported_is_one_thing(arena: Arena, tmp_path: Path) -> None:
    cup = tmp_path / "cup.league"
    assert arena("league", "new", cup, "--game", "warlight", "--sandbox", "off").status == 0
    ran = arena("league", "export", cup, "--json", "--csv")
    assert ran.status == 2
    assert "--csv and --json exclude each other: choose one" in ran.err
    assert "name a format" in arena("league", "export", cup).err


TALKS = """while read -r line; do
    case $line in go*|pick*)
        echo "@viz side secret of NAME" >&2
        echo "secret of NAME" >&2
        case $line in go*) exit 3;; esac
        echo "No moves"
    esac
done
"""


def test_what_a_bot_writes_is_told_to_its_author_alone(arena: Arena, tmp_path: Path) -> None:
    cup, copy = tmp_path / "cup.league", tmp_path / "1.jsonl"
    bots = [TALKS.replace("NAME", name) for name in ("bot1", "bot2")]
    with begin(cup, *bots, game="warlight", settings={"max_rounds": "2"}) as league:
        play(league)
    for command in ("table", "show", "export --csv", "export --json", "export --html"):
        name, *options = command.split()
        ran = arena("league", name, cup, *options)
        assert (ran.status, "secret" in ran.out) == (0, False), command
    assert "secret" not in arena("league", "show", cup, "1", "--json").out
    seen = {}
    for owner in (None, "bot1", "bot2"):
        ran = arena(
            *("league", "record", cup, "1", "-o", copy, "--overwrite"),
            *(("--for", owner) if owner else ()),
        )
        assert (ran.status, ran.out) == (0, f"{copy}\n")
        seen[owner] = set(re.findall("secret of (bot.)", copy.read_text()))
        assert arena("verify", copy).status == 0
    assert seen == {None: set(), "bot1": {"bot1"}, "bot2": {"bot2"}}
    for match, says in (
        ("1 --for eve", "'eve' did not play match 1: 'bot"),
        ("99", "there is no match 99"),
    ):
        ran = arena("league", "record", cup, *match.split(), "-o", tmp_path / "x.jsonl")
        assert (ran.status, says in ran.err) == (2, True), ran.err


@pytest.mark.dear
def test_the_field_as_a_whole(arena: Arena, tmp_path: Path) -> None:
    path, page = tmp_path / "cup.league", tmp_path / "field.html"
    bots = [*QUICK, f"{QUICK[0]}##\n"]
    with begin(path, *bots, game="warlight", settings={"max_rounds": "2"}) as league:
        early = arena("league", "meta", path)
        assert (early.status, "play a round first" in early.err) == (2, True)
        play(league, Meetings(2))
    ran = arena("league", "meta", path, "-o", page)
    assert ran.status == 0
    assert "12 matches in 6 blocks, 3 pairs" in ran.out
    assert "<h2>Cycles</h2>" in page.read_text()
    assert json.loads(arena("league", "meta", path, "--json").out)["field"]["games"] == 12
    assert arena("league", "meta", path, "--csv").out.startswith("kind,name,of,value,low,high")
    for words, why in (
        (("-o", page), "exists already: name another with --output, or add --overwrite"),
        (("-o", tmp_path / "field.txt"), "name a file that ends in .html"),
        (("-o", tmp_path / "none" / "field.html"), "cannot write"),
        (("--csv", "--json"), "exclude each other: choose one"),
        (("--jobs", "2"), "--jobs is for --likeness"),
        (("--likeness", tmp_path / "none.jsonl"), "cannot read the positions"),
    ):
        refused = arena("league", "meta", path, *words)
        assert refused.status != 0
        assert why in refused.err
    assert arena("league", "meta", path, "-o", page, "--overwrite").status == 0
