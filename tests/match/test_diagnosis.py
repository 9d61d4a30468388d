"""From evidence to one cause."""

from __future__ import annotations

from typing import Any

import pytest

from arena.match.diagnosis import RULES, diagnose, is_puzzling
from arena.match.evidence import Evidence
from arena.players.player import Stopped

REQUEST = "go bid 10000"
PYTHON = 'Traceback (most recent call last):\n  File "/a/bot.py", line 3, in <module>\n'
CRASHED: dict[str, Any] = {"stopped": Stopped.CRASHED, "stopped_detail": "left with exit code 1"}

CASES: list[tuple[str, dict[str, Any], str]] = [
    (
        "no_flush",
        {"missed": True, "held_back": "5", "comes_when_full": True, "cpu": 9.0, "bank": 10.0},
        "it does not flush its answers: they came when its input was closed, '5' first",
    ),
    (
        "reads_all",
        {"missed": True, "held_back": "5"},
        "it reads all its input before its first answer: its answers came when its input was "
        "closed, '5' first",
    ),
    ("stderr", {"missed": True, "on_stderr": "5"}, "it answers on stderr: '5'"),
    (
        "slow_start",
        {"missed": True, "late": 11.25, "bank": 10.0},
        "it starts too slowly: its first answer came after 11.2 s, and it had 10.0 s",
    ),
    (
        "slow",
        {"missed": True, "late": 11.25, "bank": 10.0, "answers": 3, "request": REQUEST},
        "it is too slow: its answer to 'go bid 10000' came after 11.2 s, and it had 10.0 s",
    ),
    (
        "unfinished",
        {"missed": True, "unfinished": "5"},
        "its answer has no newline at its end: '5'",
    ),
    (
        "prompt",
        {"first_answer": "? 5", "inner_answer": "5", "refused": 2},
        "it prints more than its answer: '? 5' instead of '5'",
    ),
    (
        "unasked",
        {"unasked": "hello", "accepted": 3},
        "it prints lines that were not asked for: 'hello'",
    ),
    (
        "busy",
        {"missed": True, "bank": 10.0, "cpu": 9.0, "request": REQUEST},
        "it computes without an end: no answer to 'go bid 10000' within 10.0 s, of which it used "
        "9.0 s of CPU",
    ),
    (
        "silent",
        {"missed": True, "bank": 10.0, "cpu": 0.02, "request": REQUEST},
        "it does not answer: no answer to 'go bid 10000' within 10.0 s, and it used 0.0 s of CPU",
    ),
    (
        "other_game",
        {"missed": True, "other_game": "toroid"},
        "it is a bot for another game: it does not play tiny, and it plays toroid",
    ),
    (
        "crash",
        {**CRASHED, "stderr": PYTHON + "ZeroDivisionError: division by zero\n", "request": "go"},
        "it crashed before its first answer: ZeroDivisionError: division by zero (bot.py, line 3)",
    ),
    (
        "crash",
        {**CRASHED, "answers": 3},
        "it crashed after 3 answers: left with exit code 1",
    ),
    (
        "exit",
        {"stopped": Stopped.EXITED},
        "it left before its first answer, with exit code 0",
    ),
    (
        "closed",
        {"stopped": Stopped.CLOSED, "answers": 1},
        "it closed its stdin or stdout after 1 answers, and kept running",
    ),
    (
        "memory",
        {"stopped": Stopped.MEMORY, "stopped_detail": "used 70 MiB of 64 MiB"},
        "it exceeded a limit before its first answer: used 70 MiB of 64 MiB",
    ),
]


@pytest.mark.parametrize(("code", "seen", "sentence"), CASES)
def test_H1_a_cause_for_each_evidence(code: str, seen: dict[str, Any], sentence: str) -> None:
    cause = diagnose(Evidence("tiny", **seen))
    assert cause is not None
    assert (cause.code, cause.sentence) == (code, sentence)
    assert cause.fix


@pytest.mark.parametrize(
    ("request_line", "head"),
    [
        ("go attack/transfer 10000", "go attack/transfer"),
        ("go action 9500 2", "go action"),
        ("pick_starting_region 10000 2 4 5 8", "pick_starting_region"),
    ],
)
def test_the_fix_names_the_request_that_is_forgotten(request_line: str, head: str) -> None:
    cause = diagnose(Evidence("tiny", missed=True, request=request_line))
    assert cause is not None
    assert cause.fix == f"answer this line: {head} …"


SAID = [
    ("import", PYTHON + "ModuleNotFoundError: No module named 'numpyx'\n", "numpyx"),
    (
        "import",
        "node:internal/modules:1\nError: Cannot find module 'left-pad'\nRequire stack:\n",
        "left-pad",
    ),
    ("import", "bot.rb:1:in `require': cannot load such file -- nope (LoadError)\n", "nope"),
    ("import", "Can't locate Nope.pm in @INC (you may need to install it)\n", "Nope.pm"),
    ("import", "lua: bot.lua:1: module 'nope' not found:\n\tno field\n", "nope"),
    (
        "import",
        'Exception in thread "main" java.lang.NoClassDefFoundError: a/B\n',
        "NoClassDefFoundError: a/B",
    ),
    ("import", "./bot: error while loading shared libraries: libx.so.1: no", "libx.so.1"),
    (
        "syntax",
        "  File \"/a/bot.py\", line 1\n    x\nSyntaxError: expected ':'\n",
        "(bot.py, line 1)",
    ),
    (
        "syntax",
        "/a/bot.js:3\nlet = 5\n    ^\n\nSyntaxError: Unexpected token\n",
        "(bot.js, line 3)",
    ),
    ("syntax", "bot.rb:1: syntax error, unexpected end-of-input\n", "unexpected end-of-input"),
    ("syntax", 'syntax error at bot.pl line 1, near "x"\n', "bot.pl line 1"),
    ("syntax", "PHP Parse error:  syntax error, unexpected token in bot.php on line 2\n", "line 2"),
    ("syntax", "lua: bot.lua:1: '=' expected near <eof>\n", "near <eof>"),
    ("syntax", "bot.sh: line 3: syntax error: unexpected end of file\n", "line 3"),
    ("missing_file", "python3: can't open file '/a/nosuch.py': [Errno 2] No such file\n", "nosuch"),
    ("missing_file", "Error: Unable to access jarfile nosuch.jar\n", "nosuch.jar"),
    ("missing_file", "bash: nosuch.sh: No such file or directory\n", "nosuch.sh"),
]


@pytest.mark.parametrize(("code", "stderr", "names"), SAID)
def test_H1_what_interpreters_say_is_understood(code: str, stderr: str, names: str) -> None:
    cause = diagnose(Evidence("tiny", stderr=stderr, **CRASHED))
    assert cause is not None
    assert cause.code == code
    assert names in cause.sentence


def test_H1_a_bot_that_plays_has_no_cause() -> None:
    assert diagnose(Evidence("tiny", answers=5, accepted=5)) is None
    assert diagnose(Evidence("tiny", answers=5, accepted=4, stderr="SyntaxError: x")) is None


@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("bot.py", "print(answer, flush=True)"),
        ("Bot.java", "out.flush() behind each println of a PrintWriter"),
        ("python3 bot.py --fast", "print(answer, flush=True)"),
        ("./bot", "arena guide author says how, by language"),
    ],
)
def test_H1_how_to_flush_is_told_for_its_language(command: str, way: str) -> None:
    cause = diagnose(Evidence("tiny", command=command, held_back="5", comes_when_full=True))
    assert cause is not None
    assert cause.fix == f"flush after each answer: {way}"


@pytest.mark.parametrize(
    ("seen", "puzzling"),
    [
        ({"answers": 4}, True),
        ({"answers": 4, "refused": 4}, True),
        ({"answers": 4, "refused": 3, "accepted": 1}, False),
        ({**CRASHED}, True),
        ({**CRASHED, "stderr": "SyntaxError: x"}, False),
        ({"missed": True}, False),
    ],
)
def test_H1_only_a_bot_that_the_rules_do_not_understand_is_offered_other_games(
    seen: dict[str, Any], puzzling: bool
) -> None:
    assert is_puzzling(Evidence("tiny", **seen)) is puzzling


def test_H1_each_rule_is_needed() -> None:
    """Without any of them, some case has another cause."""
    for rule in RULES:
        rest = [one for one in RULES if one is not rule]
        evidence = [Evidence("tiny", **seen) for _, seen, _ in CASES]
        evidence += [Evidence("tiny", stderr=stderr, **CRASHED) for _, stderr, _ in SAID]
        without = [next((c for r in rest for c in r(one)), None) for one in evidence]
        assert without != [diagnose(one) for one in evidence], rule.__name__
