"""From evidence to one cause."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from arena.players.player import Stopped
from arena.record.failures import spot
from arena.trial.diagnosis import (
    RULES,
    Evidence,
    IllegalAnswers,
    Overrun,
    Release,
    diagnose,
    is_puzzling,
)
from tests.support.tools import every

REQUEST = "go bid 10000"
PYTHON = 'Traceback (most recent call last):\n  File "/a/bot.py", line 3, in <module>\n'
CRASHED: dict[str, Any] = {"stopped": Stopped.CRASHED, "stopped_detail": "left with exit code 1"}

CASES: list[tuple[str, dict[str, Any], str]] = [
    (
        "no_flush",
        {
            "missed": True,
            "held_back": "5",
            "release": Release.MORE_REQUESTS,
            "cpu": 9.0,
            "bank": 10.0,
        },
        "it does not flush its answers: they came when its input was closed, '5' first",
    ),
    (
        "reads_all",
        {"missed": True, "held_back": "5"},
        "it reads all its input before its first answer: its answers came when its input was "
        "closed, '5' first",
    ),
    (
        "reads_ahead",
        {"missed": True, "held_back": "5", "release": Release.MORE_INPUT},
        "it reads ahead, and answers a request only when more input follows: it answered '5' when "
        "further lines came",
    ),
    ("stderr", {"missed": True, "on_stderr": "5"}, "it answers on stderr: '5'"),
    (
        "slow_start",
        {"missed": True, "late": 11.25, "bank": 10.0},
        "it starts too slowly: its first answer came after 11.2 s, but it had only 10.0 s",
    ),
    (
        "slow_start",
        {"missed": True, "unread": True, "bank": 10.0, "cpu": 0.02, "request": REQUEST},
        "it starts too slowly: it had not read its first request after 10.0 s, and used 0.0 s of "
        "CPU",
    ),
    (
        "slow",
        {"missed": True, "late": 11.25, "bank": 10.0, "answers": 3, "request": REQUEST},
        "it is too slow: its answer to 'go bid 10000' came after 11.2 s, but it had only 10.0 s",
    ),
    (
        "unfinished",
        {"missed": True, "unfinished": "5"},
        "its answer has no newline at its end: '5'",
    ),
    (
        "prompt",
        {"first_answer": "? 5", "inner_answer": "5"},
        "it prints more than its answer: '? 5' instead of '5'",
    ),
    (
        "unasked",
        {"unasked": "hello", "accepted": 3},
        "it prints lines that answer no request: 'hello'",
    ),
    (
        "busy",
        {"missed": True, "bank": 10.0, "cpu": 9.0, "request": REQUEST},
        "it does not stop computing: no answer to 'go bid 10000' within 10.0 s, and it used "
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
        "it is a bot for another game: it does not play tiny, but it plays toroid",
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
        "crash",
        {**CRASHED, "answers": 30, "round": 10},
        "it crashed in round 10: left with exit code 1",
    ),
    (
        "exit",
        {"stopped": Stopped.EXITED},
        "it exited before its first answer, with exit code 0",
    ),
    (
        "closed",
        {"stopped": Stopped.CLOSED, "answers": 1},
        "it closed its stdin or stdout after 1 answer, and kept running",
    ),
    (
        "memory",
        {"stopped": Stopped.MEMORY, "stopped_detail": "used 70 MiB of 64 MiB"},
        "it exceeded its limit of memory before its first answer: used 70 MiB of 64 MiB",
    ),
    (
        "hog",
        {"missed": True, "answers": 8, "round": 3, "overrun": Overrun(41.2, 61.5, 401)},
        "it takes too long in real time: its match was ended in round 3 after 41 s, in which its "
        "processes and threads, up to 401 at a time, used 62 s of CPU",
    ),
    (
        "instructions",
        {"missed": True, "request": "go action 10000", "instructions": 3001},
        "it computes too much: its answer to 'go action 10000' took 3,001 instructions, more than "
        "the limit",
    ),
    (
        "illegal",
        {"accepted": 9, "illegal": IllegalAnswers("go bid", 59, 2, "bet 5", "bid 5")},
        "none of its 59 answers to 'go bid' was legal; the first, in round 2: 'bet 5'",
    ),
]


@every("code, seen, sentence", CASES)
def test_a_cause_for_each_evidence(code: str, seen: dict[str, Any], sentence: str) -> None:
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


def test_a_python_bot_takes_what_it_imports_along() -> None:
    said = PYTHON + "ModuleNotFoundError: No module named 'numpyx'\n"
    cause = diagnose(Evidence("tiny", stderr=said, **CRASHED))
    assert cause is not None
    assert "pip install --target FOLDER" in cause.fix
    assert "-r requirements.txt" in cause.fix


SAID = [
    ("import", PYTHON + "ModuleNotFoundError: No module named 'numpyx'\n", "numpyx"),
    (
        "old_python",
        PYTHON + "ImportError: cannot import name 'clock' from 'time' (unknown location)\n",
        "it is written for an older Python: cannot import name 'clock' from 'time'",
    ),
    ("old_python", PYTHON + "NameError: name 'xrange' is not defined\n", "'xrange'"),
    (
        "old_python",
        PYTHON + "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?\n",
        "older Python",
    ),
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
        "windows",
        "bot.sh: line 3: syntax error near unexpected token `$'in\\r''\nbot.sh: line 3: `  case'\n",
        "(CR LF)",
    ),
    ("windows", "bot.sh: line 2: $'\\r': command not found\n", "(CR LF)"),
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


@every("code, stderr, names", SAID)
def test_what_interpreters_say_is_understood(code: str, stderr: str, names: str) -> None:
    cause = diagnose(Evidence("tiny", stderr=stderr, **CRASHED))
    assert cause is not None
    assert cause.code == code
    assert names in cause.sentence


LINES = [
    (PYTHON + "IndexError: x\n", ("bot.py", "3")),
    (PYTHON + '  File "/usr/lib/python3.11/json/decoder.py", line 355, in x\nE\n', ("bot.py", "3")),
    ("/a/bot.js:12\n  x.y\n    ^\n\nTypeError: x\n    at f (/a/bot.js:12:5)\n", ("bot.js", "12")),
    (
        'Exception in thread "main" java.lang.X: y\n\tat java.base/java.lang.A.b(A.java:65)\n'
        "\tat Bot.main(Bot.java:7)\n",
        ("Bot.java", "7"),
    ),
    ("bot.rb:4:in `main': undefined (NameError)\n\tfrom bot.rb:9:in `x'\n", ("bot.rb", "4")),
    ("Illegal division by zero at bot.pl line 5.\n", ("bot.pl", "5")),
    ("PHP Fatal error:  Uncaught E: x in /a/bot.php:6\nStack trace:\n", ("bot.php", "6")),
    ("lua: bot.lua:8: attempt to index a nil value\n", ("bot.lua", "8")),
    ("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:5 +0x1d\n", ("main.go", "5")),
    ("thread 'main' panicked at src/main.rs:9:5:\nindex\n", ("main.rs", "9")),
    ("thread 'main' panicked at 'index', src/main.rs:9:5\n", ("main.rs", "9")),
    ("I am done at last\n", None),
]


@pytest.mark.parametrize(("stderr", "where"), LINES)
def test_the_line_that_crashed_is_known(stderr: str, where: tuple[str, str] | None) -> None:
    assert spot(stderr) == where


CRASHES = [
    (
        "Execution error (ArithmeticException) at core/-main (c.clj:2).\nDivide by zero\n\n"
        "Full report at:\n/tmp/clojure-134.edn\n",
        "Execution error (ArithmeticException) at core/-main (c.clj:2): Divide by zero",
    ),
    (
        "Syntax error compiling at (d.clj:1:1).\nUnable to resolve symbol: foo\n\n"
        "Full report at:\n/tmp/clojure-5.edn\n",
        "Syntax error compiling at (d.clj:1:1): Unable to resolve symbol: foo",
    ),
    (
        'Exception in thread "main" java.lang.X: y\n\tat Bot.main(Bot.java:7)\n',
        'Exception in thread "main" java.lang.X: y',
    ),
    ("** (RuntimeError) boom\n    e.exs:1: (file)\n    (elixir) lib/code.ex:1\n", "boom"),
    ("thread 'main' panicked at src/main.rs:9:5:\nindex\nnote: run with X\n", "9:5: index"),
    ("panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:5 +0x1d\n", "panic: no"),
]


@pytest.mark.parametrize(("stderr", "said"), CRASHES)
def test_a_crash_is_quoted_by_its_exception(stderr: str, said: str) -> None:
    cause = diagnose(Evidence("tiny", answers=1, request=REQUEST, stderr=stderr, **CRASHED))
    assert cause is not None
    assert said in cause.sentence


def test_a_crash_is_mended_at_its_line() -> None:
    crashed = Evidence("tiny", stderr=PYTHON + "IndexError: x\n", request=REQUEST, **CRASHED)
    cause = diagnose(crashed)
    assert cause is not None
    assert cause.fix == "correct line 3 of bot.py"
    blind = diagnose(Evidence("tiny", answers=1, request=REQUEST, **CRASHED))
    assert blind is not None
    assert blind.fix == "find out why it ends there; the last request was 'go bid 10000'"


def test_line_ends_of_windows_are_mended_in_its_file() -> None:
    stderr = "$'\\r': command not found"
    cause = diagnose(Evidence("tiny", source="my bot.sh", stderr=stderr, **CRASHED))
    assert cause is not None
    assert cause.fix == "run sed -i 's/\\r$//' 'my bot.sh'"


def test_only_orders_that_were_never_legal_let_a_bot_play_all_the_same() -> None:
    causes = [diagnose(Evidence("tiny", **seen)) for _, seen, _ in CASES]
    assert {cause.code for cause in causes if cause and not cause.fails} == {"illegal"}


def test_a_bot_that_plays_has_no_cause() -> None:
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
def test_how_to_flush_is_told_for_its_language(command: str, way: str) -> None:
    for seen in (Evidence("tiny", command=command), Evidence("tiny", "mybot", source=command)):
        cause = diagnose(replace(seen, missed=True, held_back="5", release=Release.MORE_REQUESTS))
        assert cause is not None
        assert cause.fix == f"flush after each answer: {way}"


@pytest.mark.parametrize(
    ("seen", "puzzling"),
    [
        ({"answers": 4}, True),
        ({"answers": 4, "accepted": 1}, False),
        ({**CRASHED}, True),
        ({**CRASHED, "stderr": "SyntaxError: x"}, False),
        ({"answers": 4, "illegal": IllegalAnswers("go", 4, 1, "x", "")}, True),
        ({"missed": True}, False),
    ],
)
def test_only_a_bot_that_the_rules_do_not_understand_is_offered_other_games(
    seen: dict[str, Any], puzzling: bool
) -> None:
    assert is_puzzling(Evidence("tiny", **seen)) is puzzling


def test_each_rule_is_needed() -> None:
    """Without any of them, some case has another cause."""
    for rule in RULES:
        rest = [one for one in RULES if one is not rule]
        evidence = [Evidence("tiny", **seen) for _, seen, _ in CASES]
        evidence += [Evidence("tiny", stderr=stderr, **CRASHED) for _, stderr, _ in SAID]
        without = [next((c for r in rest for c in r(one)), None) for one in evidence]
        assert without != [diagnose(one) for one in evidence], rule.__name__


@pytest.mark.parametrize("release", Release)
def test_no_answer_is_complained_of_that_was_not_missed(release: Release) -> None:
    assert diagnose(Evidence("tiny", held_back="5", release=release, answers=5, accepted=5)) is None


def test_a_start_that_takes_longer_than_its_bank_gets_more_for_its_start() -> None:
    late = diagnose(Evidence("tiny", missed=True, late=12.3, bank=10.0))
    assert late is not None
    assert late.fix.endswith("--start-up 25000")
    unread = diagnose(Evidence("tiny", missed=True, unread=True, bank=10.0))
    assert unread is not None
    assert unread.fix.endswith("--start-up MS")
