"""The input test on hundreds of honest bots, none of which may be refused, and on faulty ones, each
of which has its own cause::

    python -m tests.experiments.honest --bots 300 --load 8 --jobs 4 [--sandbox strict] [--seed 1]

Honest bots start late, answer late (asleep or busy, in one thread or two), and are starved by
`--load` busy loops, but miss no answer by the fair clock. The exit status is 1 when an honest bot
is refused, or when a faulty one gets a wrong cause.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import trio

from arena.api.conditions import make_spec
from arena.core.registry import find_game
from arena.errors import MachineError
from arena.sandbox.levels import SANDBOX_MODES
from arena.sandbox.session import keeper_running, run_with
from arena.trial.check import check as check_bot
from arena.trial.report import Check

if TYPE_CHECKING:
    from arena.sandbox.children import Children

PICK = "    if line.startswith('pick'): print(line.split()[2]{0})\n"
GO = "    if line.startswith('go'): print('No moves'{0})\n"
ANSWERS = (PICK + GO).format(", flush=True")

READ_AHEAD = """import os
for data in iter(lambda: os.fdopen(0, 'rb', closefd=False).read(4096), b''):
    for line in data.decode().splitlines():
        if line.startswith('pick'): print(line.split()[2], flush=True)
"""
FAULTY = {
    "no_flush": "for line in open(0):\n" + (PICK + GO).format(""),
    "reads_all": "import sys\nfor line in sys.stdin.read().splitlines():\n" + ANSWERS,
    "reads_ahead": READ_AHEAD,
    "slow_start": "import time; time.sleep(3)\nfor line in open(0):\n" + ANSWERS,
    "slow": "import time\nfor line in open(0):\n"
    "    if line.startswith('go'): time.sleep(3)\n" + ANSWERS,
    "import": "import no_such_module_17\n",
    "syntax": "for line in open(0)\n    pass\n",
    "stderr": "import sys\nfor line in open(0):\n" + (PICK + GO).format(", file=sys.stderr"),
    "prompt": "while True:\n    line = input('? ')\n" + ANSWERS,
    "unasked": "print('Hello', flush=True)\nfor line in open(0):\n" + ANSWERS,
    "unfinished": "for line in open(0):\n" + PICK.format(", end='', flush=True"),
    "busy": "while True: pass\n",
    "silent": "for line in open(0): pass\n",
    "crash": "for line in open(0):\n    if line.startswith('pick'): 1 / 0\n",
    "exit": "input()\n",
    "closed": "import os, time; os.close(1); time.sleep(99)\n",
    "output": "while True: print('No moves' * 99999)\n",
    "missing_file": "import os; os.execvp('python3', ['python3', 'no_such_file.py'])\n",
}
"""Bots for Warlight, by the code of what is wrong with them."""
BANKS = {
    "slow_start": "2000",
    "slow": "2000",
    "busy": "500",
    "silent": "500",
    "stderr": "500",
    "unfinished": "500",
}
"""The time banks, in ms, of those that miss answers by being slow."""

PYTHON = """import sys, time
def spend(seconds):
    if not {burns}: return time.sleep(seconds)
    until = time.process_time() + seconds
    while time.process_time() < until: pass
spend({start})
for line in sys.stdin:
    words = line.split()
    if words[0] in ("go", "pick_starting_region"):
        spend({answer})
        print(words[2] if words[0] != "go" else "No moves", flush=True)
"""
THREADS = """import queue, sys, threading, time
requests = queue.SimpleQueue()
def work():
    time.sleep({start})
    while True:
        words = requests.get()
        time.sleep({answer})
        print(words[2] if words[0] != "go" else "No moves", flush=True)
threading.Thread(target=work, daemon=True).start()
for line in sys.stdin:
    if line.startswith(("go", "pick_starting_region")):
        requests.put(line.split())
"""
SHELL = """sleep {start}
while read -r head first second rest; do
    case $head in
        go) sleep {answer}; echo "No moves" ;;
        pick_starting_region) sleep {answer}; echo "$second" ;;
    esac
done
"""
C = """#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void spend(double seconds) {{
    clock_t until = clock() + seconds * CLOCKS_PER_SEC;
    if (!{burns}) usleep(seconds * 1000000);
    else while (clock() < until) {{}}
}}
int main(void) {{
    static char line[99999];
    int first;
    spend({start});
    while (fgets(line, sizeof line, stdin)) {{
        if (strncmp(line, "go", 2) == 0) {{ spend({answer}); puts("No moves"); }}
        if (sscanf(line, "pick_starting_region %*d %d", &first) == 1) {{
            spend({answer}); printf("%d\\n", first);
        }}
        fflush(stdout);
    }}
}}
"""
JAVA = """import java.util.Scanner;
class Bot {{
    public static void main(String[] args) throws Exception {{
        Thread.sleep((long) ({start} * 1000));
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {{
            String[] words = in.nextLine().split(" ");
            boolean go = words[0].equals("go");
            if (!go && !words[0].equals("pick_starting_region")) continue;
            Thread.sleep((long) ({answer} * 1000));
            System.out.println(go ? "No moves" : words[2]);
        }}
    }}
}}
"""
LANGUAGES = {
    ".py": (PYTHON, "python3"),
    "_threads.py": (THREADS, "python3"),
    ".sh": (SHELL, "bash"),
    ".c": (C, "gcc"),
    ".java": (JAVA, "javac"),
}
"""By the end of the file: its text, and the program that it needs."""


VOID = "void"
"""What is found where the machine kept the test from being fair."""


LOOP = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""What keeps a core busy for as long as its parent lives."""


STARTS_IN = 300
"""Milliseconds that any of the languages but Java takes to start, if it is not kept waiting."""


class Bot(NamedTuple):
    """A bot to be tested, and the time bank of its matches in ms."""

    path: Path
    timebank: str
    code: str = ""
    """What is wrong with it; empty where nothing is."""


class Tested(NamedTuple):
    """What became of one bot."""

    bot: Bot
    found: str
    """The code of what is wrong, or a failed step; empty where nothing is."""
    sentence: str
    seconds: float

    @property
    def is_as_told(self) -> bool:
        """Whether it had the cause that is its own, or none. (The machine may be too busy to
        tell.)"""
        return self.found in (self.bot.code, VOID)


def honest(folder: Path, count: int, seed: int) -> Iterator[Bot]:
    """So many bots, in all languages that this machine has. Every fourth takes up to nine tenths of
    a long time bank to start, the others of a short one to answer."""
    random = Random(seed)
    languages = [end for end, (_, tool) in LANGUAGES.items() if shutil.which(tool)]
    for number in range(count):
        end = languages[number % len(languages)]
        bank = random.choice([1000, 2000]) if number % 4 else 10_000
        if end == ".java":
            bank = 10_000  # it takes a second to start, as it is
        part = random.uniform(0, 0.9) * (bank - STARTS_IN) / 1000
        start, answer = (0.0, part) if bank < 10_000 else (part, random.uniform(0, 0.2))
        values = {"start": f"{start:.3f}", "answer": f"{answer:.3f}", "burns": number // 5 % 2}
        folder_of_it = folder / f"honest{number}"
        folder_of_it.mkdir()
        name = "Bot.java" if end == ".java" else f"bot{end}"
        (folder_of_it / name).write_text(LANGUAGES[end][0].format(**values))
        yield Bot(folder_of_it / name, str(bank))


def faulty(folder: Path, codes: Mapping[str, str] = FAULTY) -> Iterator[Bot]:
    """Those with something wrong."""
    for code, body in codes.items():
        path = folder / f"{code}.py"
        path.write_text(body)
        yield Bot(path, BANKS.get(code, "10000"), code)


def examine_all(bots: Sequence[Bot], *, jobs: int = 1, sandbox: str = "off") -> list[Tested]:
    """Test them, so many at a time; the first seat of a short match of each."""
    mode = SANDBOX_MODES[sandbox]
    with keeper_running(mode) as keeper:
        return run_with(keeper, partial(_examine_all, bots=bots, jobs=jobs, sandbox=sandbox))


async def _examine_all(
    children: Children, *, bots: Sequence[Bot], jobs: int, sandbox: str
) -> list[Tested]:
    found: list[Tested] = []
    limit = trio.CapacityLimiter(jobs)

    async def run(bot: Bot) -> None:
        async with limit:
            found.append(await _test(bot, children, sandbox))
            if not found[-1].is_as_told:
                print(f"{bot.path.parent.name}/{bot.path.name}: {found[-1].found}", flush=True)

    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(run, bot)
    return found


async def _test(bot: Bot, children: Children, sandbox: str) -> Tested:
    game, timebank = find_game("warlight"), bot.timebank
    settings = {"max_rounds": "2", "timebank": timebank, "time_per_move": timebank}
    spec = await trio.to_thread.run_sync(
        partial(
            make_spec,
            game,
            [str(bot.path)] * 2,
            {"seed": "check", "settings": settings, "sandbox": sandbox},
        )
    )
    start = time.monotonic()
    try:
        result = await check_bot(spec, children, places=[0])
    except MachineError as error:
        return Tested(bot, VOID, str(error), time.monotonic() - start)
    return Tested(bot, *_fault(result), time.monotonic() - start)


def _fault(result: Check) -> tuple[str, str]:
    if result.cause is not None:
        return result.cause.code, result.cause.sentence
    wrong = [step for step in result.steps if not step.ok and not step.warning]
    return (wrong[0].name, wrong[0].detail) if wrong else ("", "")


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many busy loops meanwhile, each in a session of its own."""
    word = [sys.executable, "-c", LOOP]
    running = [subprocess.Popen(word, start_new_session=True) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in running:
            loop.kill()
            loop.wait()


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--bots", type=int, default=100)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sandbox", choices=SANDBOX_MODES, default="off")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, busy(given.load):
        bots = [*honest(Path(folder), given.bots, given.seed), *faulty(Path(folder))]
        found = examine_all(bots, jobs=given.jobs, sandbox=given.sandbox)
    good = [one for one in found if not one.bot.code]
    bad = [one for one in found if one.bot.code]
    wrong = [one for one in found if not one.is_as_told]
    void = sum(one.found == VOID for one in found)
    for one in wrong:
        print(f"{one.bot.path.parent.name}/{one.bot.path.name}: {one.found}: {one.sentence}")
    for one in bad:
        print(f"{one.bot.code:14} {one.seconds:5.1f} s  {one.sentence}")
    refused = sum(not one.is_as_told for one in good)
    right = sum(one.found == one.bot.code for one in bad)
    print(f"honest: {refused} of {len(good)} refused; faulty: {right} of {len(bad)} by their cause")
    print(f"not judged, since the machine was too busy: {void}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
