"""C, C++ and Go: which files of a folder make one program."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots import content, modules
from arena.bots.modules import include_options, of_one_package, of_one_program
from tests.bots.samples import write


def test_sources_in_folders_below_are_one_program(here: Path) -> None:
    files = {
        "src/bot.c": "int main(void) {}",
        "src/a.c": "int domain(int x) { return x; }",
        "src/deep/b.c": "// calls main(\n",
        "src/tests/c.c": "",
        "src/tool.c": "#include <stdio.h>\n  int main (int c, char **v) {}\n",
        "other/d.c": "",
    }
    write(here, files)
    names = [name for name in files if name != "src/bot.c"]
    assert of_one_program(here, "src/bot.c", names) == ["src/a.c", "src/deep/b.c"]


def test_a_source_elsewhere_is_taken_when_its_header_is_included(here: Path) -> None:
    files = {
        "one/main.c": '#include "plan.h"\n#include "../common/words.h"\nint main(void) {}',
        "one/plan.c": "",
        "common/words.h": '#include "base.h"\n',
        "common/words.c": "",
        "common/base.c": "",
        "common/unused.c": "",
        "two/main.c": "int main(void) {}",
        "two/plan.c": "",
        "two/words.c": "",
        "one/base.txt": "",
    }
    write(here, files)
    names = [name for name in files if name.endswith(".c") and name != "one/main.c"]
    found = of_one_program(here, "one/main.c", names)
    assert found == ["one/plan.c", "common/words.c", "common/base.c"]


def test_main_may_lie_in_a_folder_of_examples(here: Path) -> None:
    write(here, {"examples/bot.c": "", "examples/a.c": ""})
    assert of_one_program(here, "examples/bot.c", ["examples/a.c"]) == ["examples/a.c"]


def test_sources_are_looked_at_to_a_limit(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "SCANNED_TOGETHER", 5)
    write(here, {"bot.c": "", "a.c": "     ", "b.c": "int main() {}"})
    assert of_one_program(here, "bot.c", ["a.c", "b.c"]) == ["a.c", "b.c"]


def test_a_package_of_go() -> None:
    names = ["a.go", "a_test.go", "inner/b.go"]
    assert of_one_package(Path(), "main.go", names) == ["a.go"]


@pytest.mark.parametrize(
    ("main", "names", "options"),
    [
        ("bot.c", [], ["-I./include", "-I./src"]),
        ("src/bot.c", ["a.h"], ["-I./src", "-I./include"]),
        ("code/bot.c", ["inc/a.h", "inc/b.hpp"], ["-I./code", "-I./include", "-I./src",
                                                  "-iquote./inc"]),
    ],
)  # fmt: skip
def test_where_headers_are(main: str, names: list[str], options: list[str]) -> None:
    assert include_options(Path(), main, names) == options


def test_folders_with_headers_to_a_limit() -> None:
    names = [f"{number}/x.h" for number in range(modules.MOST_FOLDERS + 10)]
    assert len(include_options(Path(), "bot.c", names)) == modules.MOST_FOLDERS + 2
