"""Shared fixtures, and the selection and order of tests.

Test functions may be ``async``: they run under Trio, on a mock clock that jumps if they request the
fixture `autojump_clock`, or that the test moves on by itself (`still_clock`).

Tests marked `dear` (`tools.dear`) are left out unless a marker (``-m dear``), a test or a file is
named, or failed tests are run again (``--lf``). So are tests that open pages, tests that run
`alone`, and cases that a marker `dear_for` names, which all get the marker here. A file with
``pytestmark = pytest.mark.dear`` is not imported.

Tests marked `alone` measure real time. They run last, each while no other test runs: every test
holds a lock across all pytest-xdist workers, exclusive if it is `alone` and shared otherwise."""

from __future__ import annotations

import fcntl
import gc
import inspect
import os
import re
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
import trio
import trio.testing

if TYPE_CHECKING:
    from tests.support.tabs import Tabs

# The tests start some thousand processes. Where Python may not keep what it compiled, each of them
# compiles the arena anew: that is a third of what `arena play` takes.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples in each run, which need no database, and no limit of time on a busy machine.
hypothesis.settings.register_profile(
    "tests", derandomize=True, database=None, deadline=None, print_blob=True
)
hypothesis.settings.load_profile("tests")
DEEP = int(os.environ.get("ARENA_TESTS_DEEP", "1"))
"""So many times the usual examples of random matches."""

for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGQUIT, signal.SIG_DFL),
):
    # Tests send these to arenas, which respect that what started them ignores one (nohup, a
    # background job of a script); whatever started the tests shall not matter.
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)

# Tests at a terminal say themselves how large it is and whether it has colours.
for _name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
    os.environ.pop(_name, None)

# Bots behind walls run as another user, who must be able to read what the tests write for them.
os.umask(0o022)

LOCK = Path(__file__)
"""What is locked: a file that all workers have, and that nothing removes."""


def is_alone(item: pytest.Item) -> bool:
    """Whether no other test may run beside this one."""
    return item.get_closest_marker("alone") is not None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the dear tests. Put those that open pages first, and those that run alone last:
    the others need not wait for them."""
    for item in items:
        if is_alone(item) or needs_browser(item) or is_dear_case(item):
            item.add_marker(pytest.mark.dear)
    if not is_chosen(config):
        dear = [item for item in items if item.get_closest_marker("dear")]
        items[:] = [item for item in items if not item.get_closest_marker("dear")]
        config.hook.pytest_deselected(items=dear)
    items.sort(key=lambda item: (is_alone(item), not needs_browser(item)))


LIBRARIES = re.compile(
    "No module named '(playwright|axe_playwright_python|schemathesis|pandas|pyarrow|pyspiel)"
)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file that imports a library of the extra `test-all` which is not installed."""
    report = yield
    if report.failed and LIBRARIES.search(str(report.longrepr)) and os.environ.get("CI") != "true":
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, "Skipped: pip install '.[test-all]'")
    return report


LACKS_WALLS = re.compile(r"this machine lacks the walls of --sandbox ([\w+]+): ")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that fails since this machine lacks a level of walls: commands that it runs say
    so, and a keeper of the tests' own proves it. Where that one has the level, the refusal is a
    fault. With the environment variable CI=true the test fails in both cases."""
    report = yield
    said = LACKS_WALLS.search(str(report.longrepr)) if report.failed else None
    if said and os.environ.get("CI") != "true":
        from tests.sandbox.programs import missing

        if problem := missing(said[1]):
            report.outcome = "skipped"
            report.longrepr = (report.nodeid, 0, f"Skipped: {problem}")
    return report


def is_dear_case(item: pytest.Item) -> bool:
    """Whether its parameters are among those that a marker `dear_for` names."""
    patterns = [one for marker in item.iter_markers("dear_for") for one in marker.args]
    case = item.name.partition("[")[2].removesuffix("]")
    return any(fnmatchcase(case, pattern) for pattern in patterns)


DEAR_FILE = re.compile(r"^pytestmark = .*\bpytest\.mark\.dear\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files of which all tests are dear: each worker would import them for nothing, and
    what they import may be in no other extra than `test-all`."""
    if is_chosen(config) or not collection_path.name.startswith("test_"):
        return None
    return bool(DEAR_FILE.search(collection_path.read_text("utf-8"))) or None


def needs_browser(item: pytest.Item) -> bool:
    """Whether it opens pages. Such tests come first: one worker begins with all of them, others
    take from the end of what it has to do, and one browser is started, not one by each."""
    return "all_tabs" in getattr(item, "fixturenames", ())


def pytest_collection_finish() -> None:
    """No search for garbage looks at all modules and tests again: that was a seventh of the CPU
    time of tests which start no process."""
    gc.freeze()


def is_chosen(config: pytest.Config) -> bool:
    """Whether the command line names tests more closely than by their folders, dear ones too."""
    if "not dear" in config.option.markexpr:
        return False
    named = any(".py" in word for word in config.invocation_params.args if not word.startswith("-"))
    return named or bool(config.option.markexpr or config.getoption("lf", False))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Let ``-n auto`` start half as many workers again as there are cores: tests also wait. Each
    more would cost what it takes to import all tests."""
    can_tell = hasattr(os, "sched_getaffinity")  # Linux
    cores = len(os.sched_getaffinity(0)) if can_tell else os.cpu_count() or 1
    return cores + (cores + 1) // 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let each worker begin with tests that follow each other, and not with every second test:
    what tests of a file share is made once then (keepers, cluster, browser), and not by all."""
    if config.getoption("dist") != "load":  # another one was asked for
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test beside others, or alone."""
    with LOCK.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX if is_alone(item) else fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # also for children that were forked meanwhile


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Time stands still while anything can run, and jumps when everything waits."""
    return trio.testing.MockClock(autojump_threshold=0)


@pytest.fixture
def still_clock() -> trio.testing.MockClock:
    """Time stands still, also while threads work, until the test moves it on. (Where everything
    waits for ever it jumps in the end, so that the test fails.)"""
    return trio.testing.MockClock(autojump_threshold=60)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Run coroutine functions with Trio."""
    function = pyfuncitem.obj
    if inspect.iscoroutinefunction(function):

        def run(**fixtures: Any) -> None:
            clocks = (one for one in fixtures.values() if isinstance(one, trio.testing.MockClock))
            clock = next(clocks, None)

            async def inside() -> None:
                with trio.fail_after(60 if clock is None else 10**9):
                    await function(**fixtures)

            trio.run(inside, clock=clock)

        pyfuncitem.obj = run
    return (yield)


@pytest.fixture(scope="session", autouse=True)
def _no_keeper_outlives_the_tests() -> Iterator[None]:
    """Tests share keepers (`tests.support.keepers`)."""
    yield
    if "tests.support.keepers" in sys.modules:
        sys.modules["tests.support.keepers"].close_keepers()


@pytest.fixture
def lent_keepers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is played in this process shares keepers with other tests, and does not know it."""
    from arena.sandbox import session
    from tests.support.keepers import lend

    monkeypatch.setattr(session, "launch_keeper", lend)


@pytest.fixture
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that no other program uses: what is left in it is the test's."""
    (tmp_path / "t").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    return tmp_path / "t"


@pytest.fixture
def tabs(all_tabs: Tabs) -> Iterator[Tabs]:
    """Where a test opens pages. When it ends, nothing may have gone wrong in them."""
    yield all_tabs
    all_tabs.close()


ADDRESS_BAR = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup")
"""Each window of Chromium loads two pages more for what its address bar may drop down. Nobody sees
them, and they cost as much as the first page of a test."""
PLAYWRIGHT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "AimEnabled"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "PreconnectToSearch"),
)
"""What Playwright switches off: a list of one's own takes the place of its list."""


@pytest.fixture(scope="session")
def all_tabs() -> Iterator[Tabs]:
    """One browser for all tests of a worker: its library can run once in a process."""
    from playwright.sync_api import expect, sync_playwright

    from tests.support.tabs import PATIENCE_MS, Tabs
    from tests.support.tools import needs_tool

    path = needs_tool("chromium", "chromium")
    expect.set_options(timeout=PATIENCE_MS)  # 5 s otherwise, whatever the patience of the pages
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu"]  # to play the part of a GPU costs a tenth more
        flags.append("--disable-features=" + ",".join((*ADDRESS_BAR, *PLAYWRIGHT)))
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield Tabs(browser)
        browser.close()
