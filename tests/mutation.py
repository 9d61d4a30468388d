"""Mutation testing: cosmic-ray changes the sources in one place at a time and runs the tests that
should then fail::

    .ci/mutate core                        # a sample of the mutants of arena/core
    .ci/mutate record --sample 200 --seed 7 --minutes 60
    .ci/mutate sandbox/levels bots/cache   # any folders or modules of arena/

It works in a copy of the sources, so the clone stays unchanged. The tests of ``arena/F`` are those
in ``tests/F``, except those that measure real time; the test file of the changed module runs first
(see `tests.mutant`). If a folder has slow tests, name its modules: then only their own test files
run. Mutants that no test notices are printed: either a test is missing, or the mutant changes
nothing that matters.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from cosmic_ray.tools.filters.operators_filter import main as filter_operators
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

from tests.structure import ROOT

ALSO = {
    "core": ("tests/testing/test_playthroughs.py",),
    "text": ("tests/test_text.py", "tests/test_text_foreign.py"),
}
"""Tests of a folder beyond its mirror: draws of the random streams are proved by playthroughs."""

CONFIG = """
[cosmic-ray]
module-path = {sources}
timeout = {timeout:.1f}
excluded-modules = []
test-command = "{tests}"

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = [
    # Of eleven replacements for an operator one or two say all; "|" stands mostly in annotations.
    "core/ReplaceBinaryOperator_(?!(Add_Sub|Sub_Add|Mul_FloorDiv|Div_Mul|FloorDiv_Mul|Mod_Mul|LShift_RShift|RShift_LShift|BitAnd_BitXor)$)",
    "core/ReplaceComparisonOperator_(?!(Eq_NotEq|NotEq_Eq|Lt_LtE|Lt_GtE|LtE_Lt|LtE_Gt|Gt_GtE|Gt_LtE|GtE_Gt|GtE_Lt|Is_IsNot|IsNot_Is)$)",
]
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the mutants that were run, out of all that there are."""

    all: int
    killed: int
    survivors: list[str]
    """Their diffs."""

    def text(self) -> str:
        """For people: the share that survives, and each survivor."""
        run = self.killed + len(self.survivors)
        share = f"{len(self.survivors)} survived ({len(self.survivors) / max(run, 1):.1%})"
        return "\n".join([*self.survivors, f"{run} of {self.all} mutants: {share}"])


@dataclass(frozen=True, slots=True)
class Session:
    """A copy of the sources in which some parts of `arena/` are mutated."""

    folder: Path
    parts: Sequence[str]

    def write_config(self, timeout: float) -> None:
        """Say what is mutated, which tests run, and for how many seconds at most."""
        sources = [source_of(part) for part in self.parts]
        tests = dict.fromkeys(test for part in self.parts for test in tests_of(part))
        words = shlex.join([sys.executable, "-m", "tests.mutant", *sources, "--", *tests])
        text = CONFIG.format(sources=sources, timeout=timeout, tests=words)
        self.config.write_text(text)

    @property
    def config(self) -> Path:
        """The configuration of cosmic-ray."""
        return self.folder / "mutation.toml"

    @property
    def database(self) -> Path:
        """What cosmic-ray knows of each mutant."""
        return self.folder / "mutation.sqlite"

    def cosmic_ray(self, *words: str, seconds: float | None = None) -> None:
        """Run cosmic-ray; after so many seconds it is ended, with all that it started."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        command = [sys.executable, "-m", "cosmic_ray.cli", *words]
        process = subprocess.Popen(command, cwd=self.folder, env=environment)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        finally:
            _end(process)
        if status != 0:
            sys.exit(f"cosmic-ray {words[0]} failed: do the tests pass as they are?")


def source_of(part: str) -> str:
    """The folder or module of `arena/`, from the root of the clone."""
    found = [path for path in (f"arena/{part}", f"arena/{part}.py") if (ROOT / path).exists()]
    return found[0] if found else sys.exit(f"there is no arena/{part}")


def tests_of(part: str) -> list[str]:
    """The tests of a folder or module of `arena/`; of the folder, if a module has none."""
    folder, name = os.path.split(part)
    mirrors = (f"tests/{folder}/test_{name}.py", f"tests/test_{name}.py", f"tests/{part}")
    found = [path for path in mirrors if (ROOT / path).exists()]
    return [*(found or [f"tests/{folder}"])[:1], *ALSO.get(part, ())]


def copy_sources(folder: Path) -> None:
    """All files that git knows or would take."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def mutate(parts: Sequence[str], sample: int, seed: int, minutes: float) -> Tally:
    """Run the tests of some parts of `arena/` against a sample of their mutants."""
    with tempfile.TemporaryDirectory() as name:
        session = Session(Path(name), parts)
        session.folder.chmod(0o755)  # bots behind walls run as another user
        copy_sources(session.folder)
        session.write_config(timeout=900)
        start = time.monotonic()
        session.cosmic_ray("baseline", str(session.config))
        session.write_config(timeout=3 * (time.monotonic() - start) + 10)
        found = make_mutants(session, sample, seed)
        print(
            f"{min(sample, found)} of {found} mutants of {' '.join(parts)}, seed {seed}", flush=True
        )
        words = "exec", str(session.config), str(session.database)
        session.cosmic_ray(*words, seconds=minutes * 60)
        return tally(session.database, found)


def make_mutants(session: Session, sample: int, seed: int) -> int:
    """Find the mutants, and keep a sample of them. Returns how many there were."""
    config, database = str(session.config), str(session.database)
    session.cosmic_ray("init", config, database)
    filter_operators([database, config])
    with use_db(database, WorkDB.Mode.open) as db:
        items = sorted(db.pending_work_items, key=_place)
        kept = set(random.Random(seed).sample(range(len(items)), min(sample, len(items))))
        for number, item in enumerate(items):
            if number not in kept:
                db.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED))
    return len(items)


def _place(item: WorkItem) -> tuple[str, str, int]:
    """What a mutant is. That is the same in each run; its id is not."""
    (mutation,) = item.mutations
    return str(mutation.module_path), mutation.operator_name, mutation.occurrence


def tally(database: Path, found: int) -> Tally:
    """What became of the mutants."""
    with use_db(str(database), WorkDB.Mode.open) as db:
        results = [result for _, result in db.results if result.test_outcome is not None]
    survived = [one.diff or "" for one in results if one.test_outcome is TestOutcome.SURVIVED]
    return Tally(found, len(results) - len(survived), survived)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all below it, if it still runs."""
    if process.poll() is None:
        one = psutil.Process(process.pid)
        for each in [*one.children(recursive=True), one]:
            each.kill()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the survivors, and their share."""
    parser = argparse.ArgumentParser(
        prog=".ci/mutate", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument(
        "parts", metavar="PART", nargs="+", help="a folder or module of arena/: core, bots/cache …"
    )
    parser.add_argument("--sample", type=int, default=100, help="so many mutants (100)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--minutes", type=float, default=30, help="stop after that (30)")
    said = parser.parse_args(arguments)
    print(mutate(said.parts, said.sample, said.seed, said.minutes).text())


if __name__ == "__main__":
    main()
