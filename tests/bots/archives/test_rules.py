"""What an archive may hold, by names and sizes alone."""

from __future__ import annotations

import pytest

from arena.bots.archives.rules import (
    DEPTH,
    ENTRIES,
    MIB,
    NAME,
    RATIO,
    RATIO_FROM,
    STREAM,
    TOTAL,
    UNPACKING_SECONDS,
    DamagedError,
    Entry,
    EntryKind,
    Names,
    UnpackingBudget,
    parts_of,
    problem_of,
)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("bot.py", ("bot.py",)),
        ("./a//b/./c.py", ("a", "b", "c.py")),
        ("./", ()),
        ("a..b/...c", ("a..b", "...c")),
        ("com.py", ("com.py",)),
        ("Größe/日本.txt", ("Größe", "日本.txt")),
        ("d/" * (DEPTH - 1) + "f", ("d",) * (DEPTH - 1) + ("f",)),
        ("n" * NAME, ("n" * NAME,)),
    ],
)
def test_ordinary_names(name: str, parts: tuple[str, ...]) -> None:
    assert parts_of(name) == (parts, None)


@pytest.mark.parametrize(
    "name",
    ["..", "a/..", "../a", "/a", "//a", "a\\b", "c:x", "a\0b", "a\nb", "\udc80", "NUL", "com1.txt",
     "a ", "b./c", "d/" * DEPTH + "f", "n" * (NAME + 1), "é" * NAME],
)  # fmt: skip
def test_names_that_are_refused(name: str) -> None:
    parts, problem = parts_of(name)
    assert parts == ()
    assert problem is not None


def test_folders_may_be_named_again_and_files_may_not() -> None:
    names = Names()
    assert names.problem_with(("a", "b"), EntryKind.FILE) is None
    assert names.problem_with(("a",), EntryKind.FOLDER) is None
    assert names.problem_with(("a", "c"), EntryKind.FILE) is None
    assert names.problem_with(("a", "c"), EntryKind.FILE) == "is there twice: pack it once"
    assert "both a file and a folder" in str(names.problem_with(("a",), EntryKind.FILE))
    assert "only in case" in str(names.problem_with(("A", "d"), EntryKind.FILE))


def test_kinds_and_sizes() -> None:
    assert problem_of(Entry("a.py", EntryKind.FILE, 64 * MIB)) is None
    assert problem_of(Entry("a.py", EntryKind.FILE, 64 * MIB + 1)) is not None
    assert problem_of(Entry("a.jar", EntryKind.FILE, 1)) is None
    assert problem_of(Entry("a.TAR.GZ", EntryKind.FILE, 1)) is not None


def test_the_budget() -> None:
    budget = UnpackingBudget(packed=TOTAL)
    budget.data(TOTAL)
    with pytest.raises(DamagedError, match="more than 256 MiB"):
        budget.data(1)
    small = UnpackingBudget(packed=RATIO_FROM // RATIO // 2)
    small.data(RATIO_FROM)
    with pytest.raises(DamagedError, match=f"{RATIO} times"):
        small.data(1)
    many = UnpackingBudget(packed=1)
    for _ in range(ENTRIES):
        many.entry()
    with pytest.raises(DamagedError, match="more than 10000 files"):
        many.entry()


def test_all_bytes_of_a_stream_count() -> None:
    budget = UnpackingBudget(packed=1)
    budget.stream(STREAM)
    with pytest.raises(DamagedError, match="unpacks to more than 295 MiB"):
        budget.stream(1)


def test_all_work_counts() -> None:
    now = [5.0]
    budget = UnpackingBudget(packed=1, clock=lambda: now[0])
    now[0] += UNPACKING_SECONDS
    for work in (budget.work, budget.entry, lambda: budget.data(0), lambda: budget.stream(0)):
        work()
    now[0] += 0.1
    for work in (budget.work, budget.entry, lambda: budget.data(0), lambda: budget.stream(0)):
        with pytest.raises(DamagedError, match="more than 60 s of CPU time"):
            work()
