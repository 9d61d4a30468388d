"""Languages whose sources run without compilation."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from arena.bots import modules
from arena.bots.content import beginning
from arena.bots.language import Language
from arena.bots.manifests import MAX_PROJECTS, manifests_around, read_manifest
from arena.bots.modules import ELIXIR_MODULE

# Elixir: the sources of a mix project, compiled and started without mix.

_MAIN = re.compile(rb"^[ \t]*+def[ \t]++(main|start|run)\b[ \t]*+(?:\(([^)\n]*+))?+", re.MULTILINE)


def in_project(folder: Path, main: str) -> Language | None:
    """The variant for a source below a ``mix.exs``: all sources of the project become modules, and
    the main function is called. Any other source is a script."""
    if not main.endswith(".ex") or not _projects(folder, main):
        return None
    return Language(
        "Elixir",
        (".ex",),
        compile=("elixirc -o ../out {source}",),
        run=("elixir --erl +S1 -pa {out} -e {call}",),
        install="elixir (Debian, Ubuntu) or https://elixir-lang.org",
        together=_together,
        facts=_facts,
    )


def _projects(folder: Path, main: str) -> list[PurePath]:
    """The folders of the source's project and of the projects in the tree that it needs."""
    found = manifests_around(folder, main, "mix.exs")[:1]
    named = [name for one in found for name in one.paths(one.projects)]
    needed = [read_manifest(folder, name) for name in named[:MAX_PROJECTS]]
    return [one.place for one in (*found, *needed) if one is not None]


def _together(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    places = [place / "lib" for place in _projects(folder, main)]
    own = [name for place in places for name in modules.below(place, names)]
    return [name for name in own if name.endswith(".ex")]


def _facts(folder: Path, main: str) -> Mapping[str, str]:
    """The call of the main function: with the list of arguments, as in an escript, or as the start
    of an application, which then runs until its input ends."""
    text = beginning(folder / main)
    module = re.search(ELIXIR_MODULE, text)
    name = module[1].decode() if module else PurePath(main).stem.capitalize()
    functions = {found[1].decode(): found[2] or b"" for found in _MAIN.finditer(text)}
    for function in ("main", "run", "start"):
        if function in functions:
            return {"call": f"{name}.{_call(function, functions[function].decode())}"}
    return {"call": f"{name}.main([])"}


def _call(function: str, parameters: str) -> str:
    count = parameters.count(",") + 1 if parameters.strip() else 0
    if function == "start" and count == 2:
        return "start(:normal, []); Process.sleep(:infinity)"
    return f"{function}({'[]' if count else ''})"


_RUN_MODULE = (
    "import runpy,sys;place,sys.path[0],name=sys.argv[1:4];sys.path.insert(1,place);"
    "sys.argv[1:4]=[];runpy.run_module(name,run_name='__main__',alter_sys=True)"
)
"""Runs a module of a package, with the package's parent folder and its own on the path."""


def _python_module(folder: Path, main: str) -> Language | None:
    """The variant for a source that imports its own package, by name or relatively."""
    *places, file = PurePath(main).parts
    text = beginning(folder / main)
    named = rb"|".join(re.escape(os.fsencode(place)) for place in places)
    pattern = rb"^[ \t]*+(?:from[ \t]++\.|(?:from|import)[ \t]++(?:" + named + rb")[. \t])"
    if not places or not re.search(pattern, text, re.MULTILINE):
        return None
    if not all(place.isidentifier() for place in (*places, PurePath(file).stem)):
        return None
    return Language(
        "Python",
        (".py",),
        run=(
            "{activated} -c {start} {place} {own} {name}",
            "python3 -c {start} {place} {own} {name}",
        ),
        install="python3 (Debian, Ubuntu) or https://www.python.org",
        facts=_module_facts,
    )


def _module_facts(folder: Path, main: str) -> dict[str, str]:
    """Root the package at the topmost folder that the source names, or that is a package."""
    *places, file = PurePath(main).parts
    text = beginning(folder / main)
    start = len(places) - 1
    for depth, place in reversed(list(enumerate(places))):
        named = rb"^[ \t]*+(?:from|import)[ \t]++" + re.escape(os.fsencode(place)) + rb"[. \t]"
        is_package = (folder / Path(*places[: depth + 1]) / "__init__.py").is_file()
        if is_package or re.search(named, text, re.MULTILINE):
            start = depth
    module = ".".join([*places[start:], PurePath(file).stem])
    place = str(folder / Path(*places[:start]))
    return {
        "start": _RUN_MODULE,
        "place": place,
        "own": str((folder / main).parent),
        "name": module,
    }


def _lua_path(folder: Path, main: str) -> dict[str, str]:
    """A module path that includes the source's folder, wherever the bot runs."""
    place = str((folder / main).parent)
    return {"path": f"package.path=[==[{place}/?.lua;{place}/?/init.lua;]==]..package.path"}


SCRIPTS = (
    Language(
        "Python",
        (".py",),
        run=("{activated} {source}", "python3 {source}"),
        install="python3 (Debian, Ubuntu) or https://www.python.org",
        guard=rb"^if[ \t(]++(?:__name__[ \t]*+==|['\"]__main__['\"][ \t]*+==)",
        in_project=_python_module,
    ),
    Language(
        "JavaScript",
        (".js", ".mjs", ".cjs"),
        run=("node {source}", "nodejs {source}"),
        install="nodejs (Debian, Ubuntu) or https://nodejs.org",
        marked=True,
    ),
    Language(
        "Ruby",
        (".rb",),
        run=("ruby -I {files}/lib {source}",),
        guard=rb"^if (?:__FILE__ == \$(?:0|PROGRAM_NAME)|\$(?:0|PROGRAM_NAME) == __FILE__)",
        install="ruby (Debian, Ubuntu) or https://www.ruby-lang.org",
    ),
    Language(
        "PHP",
        (".php",),
        # Without this option, warnings go to stdout, among the answers.
        run=("php -d display_errors=stderr {source}",),
        install="php-cli (Debian, Ubuntu) or https://www.php.net",
        marked=True,
    ),
    Language(
        "Lua",
        (".lua",),
        run=tuple(f"{lua} -e {{path}} {{source}}" for lua in ("lua", "lua5.4", "lua5.3", "luajit")),
        facts=_lua_path,
        install="lua5.4 (Debian, Ubuntu) or https://www.lua.org",
    ),
    Language(
        "Perl",
        (".pl",),
        run=("perl -I {files}/lib {source}",),
        install="perl (Debian, Ubuntu) or https://www.perl.org",
        marked=True,
    ),
    Language(
        "shell",
        # Plain sh would fail on the arrays and [[ ]] that most .sh files use without declaring it.
        (".sh",),
        run=("bash {source}", "sh {source}"),
        install="bash (Debian, Ubuntu) or https://www.gnu.org/software/bash",
    ),
    Language(
        "AWK",
        # Unless told otherwise, mawk reads a pipe in 4 KiB blocks, so it never gets its first
        # line. The others read by line (and answer by fflush(), as does busybox awk).
        (".awk",),
        run=("gawk -f {source}", "mawk -W interactive -f {source}", "awk -f {source}"),
        install="gawk (Debian, Ubuntu) or https://www.gnu.org/software/gawk",
    ),
    Language(
        "Tcl",
        (".tcl",),
        run=("tclsh {source}", "tclsh8.6 {source}"),
        install="tcl (Debian, Ubuntu) or https://www.tcl-lang.org",
    ),
    Language(
        "R",
        (".R", ".r"),
        run=("Rscript --vanilla {source}",),
        install="r-base-core (Debian, Ubuntu) or https://www.r-project.org",
    ),
    Language(
        "Scheme",
        (".scm",),
        # Compiled files would go into the home folder, which is new for each match.
        run=("guile --no-auto-compile -s {source}", "guile3.0 --no-auto-compile -s {source}"),
        install="guile-3.0 (Debian, Ubuntu) or https://www.gnu.org/software/guile",
    ),
    Language(
        "Lisp",
        (".lisp", ".lsp"),
        run=("sbcl --script {source}",),
        install="sbcl (Debian, Ubuntu) or https://www.sbcl.org",
    ),
    Language(
        "Prolog",
        (".pro", ".prolog"),
        run=("swipl -q -g main -t halt {source}",),
        install="swi-prolog-nox (Debian, Ubuntu) or https://www.swi-prolog.org",
    ),
    Language(
        "Forth",
        (".fth", ".4th"),
        run=("gforth {source}",),
        install="gforth (Debian, Ubuntu) or https://gforth.org",
    ),
    Language(
        "Raku",
        (".raku", ".p6"),
        run=("raku {source}",),
        install="rakudo (Debian, Ubuntu) or https://raku.org",
    ),
    Language(
        "Elixir",
        # One scheduler: by default it starts a thread per core; these threads are counted, and
        # they spin while they wait.
        (".exs", ".ex"),
        run=("elixir --erl +S1 {source}",),
        install="elixir (Debian, Ubuntu) or https://elixir-lang.org",
        guard=rb"^[ \t]++def main\b",
        in_project=in_project,
    ),
)
