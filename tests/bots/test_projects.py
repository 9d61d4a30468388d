"""For each language of the table a real project's shape, from its folder to an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.languages import LANGUAGES
from arena.core.replies import Answer
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.builds import needs_linux, why_no_walls
from tests.bots.projects import PROJECTS, Project
from tests.bots.samples import write
from tests.bots.talk import first_answer
from tests.sandbox.walls import ci_or_skip
from tests.support.tools import dear, needs_tool


@pytest.mark.tool
@needs_linux
@pytest.mark.parametrize(
    "project",
    dear(PROJECTS, but=lambda project: project.name in ("python", "c", "shell")),
    ids=lambda project: project.name,
)
def test_L_a_project_of_many_files_runs(project: Project, tmp_path: Path) -> None:
    """Built once, behind the walls, and started there and without them."""
    for tool, package in project.tools.items():
        needs_tool(tool, package)
    if why := why_no_walls(SandboxMode.STRICT):
        ci_or_skip(why)
    write(tmp_path / "project", {"data/words.txt": "resource\n", **project.files})
    for mode, socket in ((SandboxMode.STRICT, "refused"), (Level.OFF, "socket")):
        bot = find_bot(str(tmp_path / "project"), sandbox=mode)
        expected = project.tries.replace("socket", socket)
        assert first_answer(bot, mode) == (Answer(expected), "")


def test_every_language_has_a_project() -> None:
    """But WebAssembly, which sees no file and has no thread and no child, and those whose self-test
    has to do: they are one file, or their compilers find the others."""
    tested = {project.name for project in PROJECTS}
    names = {
        ".py": "python",
        ".js": "javascript",
        ".rb": "ruby",
        ".pl": "perl",
        ".sh": "shell",
        ".rs": "rust",
        ".cs": "csharp",
    }
    others = {
        *("Tcl", "R", "Scheme", "Lisp", "Prolog", "Forth", "Raku", "Elixir", "Kotlin", "Scala"),
        *("Clojure", "Groovy", "TypeScript", "Erlang", "Racket", "Haskell", "OCaml", "Pascal"),
        *("Ada", "Fortran", "D", "Nim", "Crystal", "Vala", "COBOL", "WebAssembly"),
    }
    endings = [language.endings[0] for language in LANGUAGES if language.name not in others]
    assert {names.get(ending, ending[1:]) for ending in endings} == tested
