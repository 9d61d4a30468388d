"""Imports point down and never form a cycle, and pure parts use no process, clock or file."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from arena.testing.conformance import PURE_IMPORTS
from tests import structure
from tests.structure import ROOT, Graph, parsed

FLOORS = (
    ("errors", "text"),
    ("core",),
    ("games",),
    ("sandbox",),
    ("record",),
    ("view",),
    ("bots",),
    ("players",),
    ("web",),
    ("match",),
    ("trial",),
    ("runtime",),
    ("tournament",),
    ("api",),
    ("league",),
    ("__init__",),
    ("testing", "doctor", "guide", "cluster", "site", "train", "workbench"),
    ("cli",),
    ("__main__",),
)
"""The rooms of `arena/` from the bottom up. A module imports from its own floor and those below."""
LOOSE = {"__init__", "__main__", "errors", "text"}
"""The only modules that stand in `arena/` itself."""
APART = {"experiments", "hostile", "support"}
"""Folders of tests that belong to no room."""
PURE = ("core", "games", "tournament")
ALLOWED = {
    "random": {"arena.core.rng"},
    "pickle": {"arena.core.table"},  # to compare two worlds, in memory
    "io": {"arena.core.table"},
    "importlib": {
        *("arena.core", "arena.core.registry", "arena.core.game", "arena.tournament.algebra"),
    },
    "array": {
        f"arena.tournament.{name}" for name in ("algebra", "ratings", "results", "standings")
    },
    "numpy": {"arena.tournament.algebra"},  # an extra, for the ratings of many bots
}
"""The few things beyond `PURE_IMPORTS`, and which modules may have them."""

CHANGING_STRUCTS = {
    *("arena.games.codecharacter.world.Soldier", "arena.games.codecharacter.world.Tower"),
}
"""All of them are copied with the world, so their copy must be cheap."""
FROZEN_DATACLASSES = {
    *("arena.core.game.Game", "arena.core.game.Setup", "arena.core.view.GameView"),
    *(
        "arena.record.reader.Match",
        "arena.api.play.PlayedMatch",
        "arena.bots.program.BotProgram",
        "arena.bots.numbers.TunedNumber",
    ),
}
"""Generic types; records, which keep what they have computed; and a bot with its numbers, which the
command line finds before it has imported msgspec."""
LONGEST_ROW = 6
"""Maximum fields of a NamedTuple outside of `BARE`."""
BARE = ("arena.sandbox.keeper.", "arena.doctor.escape")
"""Modules of processes that have the standard library alone."""

LAZY = {
    "arena.cli": "a command imports what runs it once its arguments are right",
    "arena.__init__": "the keeper imports the package, and needs nothing of it",
    "arena.__main__": "importing it must start nothing",
    "arena.api.check": "Trio, while the keeper starts",
    "arena.api.conditions": "Trio, for those that keep the bots' folders; records, for maps",
    "arena.api.inside": "Trio and the referee, while the keeper starts and the walls go up; "
    "processes, for those whose thread has a loop already",
    "arena.api.live": "the server of pages, for those that watch",
    "arena.api.play": "Trio and the referee, for those that are inside Trio",
    "arena.api.rerun": "Trio, while the keeper starts",
    "arena.api.submission": "Trio, for those that only read a league",
    "arena.bots": "a bot that is a script needs no builder, archive, archive library or runtime",
    "arena.cluster.keys": "cryptography: an extra",
    "arena.core.game": "importlib.resources: 13 ms, for kits and documents alone",
    "arena.core.table": "pickle, for those that try answers out",
    "arena.core.registry": "importlib.metadata: 30 ms, for games of other distributions",
    "arena.errors": "difflib, for wrong names",
    "arena.games.openspiel.library": "games in Python, which need numpy: half a second",
    "arena.league.bots": "what builds and tests, shared by the processes of several bots",
    "arena.league.likeness": "Trio, for those that only read a league",
    "arena.league.table": "numpy, an extra, for the ratings of many bots",
    "arena.match.play": "drawings, for the few bots that draw; records, for matches from positions",
    "arena.players.entrant": "Trio, and the one kind of player that sits down",
    "arena.record.pgn": "open_spiel, an extra, for openings as PGN alone",
    "arena.runtime": "worker processes, for series; what they share is imported before the fork",
    "arena.sandbox.keeper.main": "control groups and folders, for what starts after the keeper",
    "arena.sandbox.session": "Trio, while the keeper starts",
    "arena.sandbox.usage.choice": "psutil, where there is no /proc",
    "arena.text": "difflib, for wrong names",
    "arena.tournament": "statistics: 5 ms, which a single match saves; numpy, an extra",
    "arena.workbench": "numpy and cmaes, an extra; statistics; how bots in folders are recognised",
    "arena.site.hosting": "the server uses one class of it, and none of what plays a match",
}
"""Rooms and modules that import within functions, and what waits there. All else is imported at the
top of its module."""

SHARED_CONSTANTS = 97
"""Most names of constants that several modules may have: 97 today, and there shall be fewer."""


@cache
def arrows() -> Graph:
    """Of the arena."""
    return structure.read(ROOT / "arena")


def floor(module: str) -> int:
    """The floor on which a module stands."""
    room = [*module.split("."), "__init__"][1]
    found = [i for i, rooms in enumerate(FLOORS) if room in rooms]
    assert found, f"{module} stands on no floor: add its room to FLOORS"
    return found[0]


def up_the_stairs(graph: Graph) -> list[str]:
    """The imports that run from a lower floor to a higher one."""
    return [
        f"{module} imports {imported}"
        for module, imports in graph.items()
        for imported in imports
        if floor(imported) > floor(module)
    ]


def test_imports_point_down() -> None:
    assert not up_the_stairs(arrows())


def test_no_imports_form_a_circle() -> None:
    assert not structure.circles(arrows())


def test_no_folders_import_each_other() -> None:
    assert not structure.circles(structure.rooms(arrows(), ROOT / "arena"))


def test_no_package_imports_its_own_face() -> None:
    """A module that imports the package it stands in gets a half-made one."""
    assert not structure.own_faces(arrows())


def test_few_modules_stand_loose() -> None:
    assert {path.stem for path in (ROOT / "arena").glob("*.py")} == LOOSE


def test_one_name_is_one_thing() -> None:
    assert structure.homonyms(ROOT / "arena") == {}


def test_few_constants_share_a_name() -> None:
    """A name such as `FILES` tells little without its module: name a constant by what it bounds."""
    shared = structure.shared_constants(ROOT / "arena")
    assert len(shared) <= SHARED_CONSTANTS, shared


def wrong_classes(module: str, tree: ast.Module) -> list[str]:
    """The classes that break the rule of CONTRIBUTING on values and state, with the breach."""
    found = []
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)):
        bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        options = [ast.unparse(option) for option in node.keywords]
        marks = " ".join(ast.unparse(mark) for mark in node.decorator_list)
        name = f"{module}.{node.name}"
        if "Struct" in bases and "frozen=True" not in options and name not in CHANGING_STRUCTS:
            found.append(f"{name}: a Struct that can change")
        if "dataclass" in marks and "frozen=True" in marks and name not in FROZEN_DATACLASSES:
            found.append(f"{name}: a frozen dataclass")
        if "dataclass" in marks and "frozen=True" not in marks and "slots=True" not in marks:
            found.append(f"{name}: a dataclass without slots")
        fields = sum(isinstance(one, ast.AnnAssign) for one in node.body)
        if "NamedTuple" in bases and fields > LONGEST_ROW and not module.startswith(BARE):
            found.append(f"{name}: a NamedTuple with {fields} fields")
    return found


def test_values_are_frozen_structs_and_state_is_a_dataclass() -> None:
    modules = structure.modules(ROOT / "arena").items()
    wrong = [line for name, path in modules for line in wrong_classes(name, parsed(path))]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("class A(msgspec.Struct): ...", "a Struct that can change"),
        ("@dataclass(frozen=True, slots=True)\nclass A: ...", "a frozen dataclass"),
        ("@dataclass\nclass A: ...", "a dataclass without slots"),
        (
            "class A(NamedTuple):" + "".join(f"\n x{i}: int" for i in range(7)),
            "a NamedTuple with 7",
        ),
        ("class A(Struct, frozen=True): ...", ""),
        ("@dataclass(slots=True, eq=False)\nclass A: ...", ""),
        ("class A(NamedTuple):\n x: int", ""),
    ],
)
def test_wrong_classes_are_found(source: str, wrong: str) -> None:
    found = wrong_classes("arena.m", ast.parse(source))
    assert len(found) == bool(wrong)
    assert all(wrong in one for one in found)


def lazy_imports(tree: ast.Module) -> int:
    """How many imports stand in functions."""
    kinds = (ast.Import, ast.ImportFrom)
    functions = (
        one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return sum(isinstance(one, kinds) for function in functions for one in ast.walk(function))


def test_imports_stand_at_the_top_where_no_start_is_saved() -> None:
    found = set()
    for module, path in structure.modules(ROOT / "arena").items():
        name = f"{module}.__init__" if module == "arena" else module
        if lazy_imports(parsed(path)):
            found.add(next((one for one in LAZY if f"{name}.".startswith(f"{one}.")), name))
    assert found == set(LAZY)


def test_lazy_imports_are_counted() -> None:
    assert (
        lazy_imports(ast.parse("import a\ndef f():\n  import b\n  def g():\n    from c import d\n"))
        >= 2
    )
    assert lazy_imports(ast.parse("import a\ndef f(): ...")) == 0


def test_tests_lie_where_what_they_test_lies() -> None:
    """A folder of tests has the name of a room; `APART` are those of the whole arena."""
    folders = {path.parent.relative_to(ROOT / "tests") for path in ROOT.glob("tests/**/test_*.py")}
    strange = {
        str(folder)
        for folder in folders
        if folder.parts and folder.parts[0] not in APART and not (ROOT / "arena" / folder).is_dir()
    }
    assert strange == set()


@pytest.mark.parametrize("kind", ["up", "circle", "within a floor", "under TYPE_CHECKING", "lazy"])
def test_the_checks_see_what_they_are_for(kind: str, tmp_path: Path) -> None:
    """Each kind of wrong import, made in a small package, is found."""
    wrong = {
        "up": ("core/a.py", "from arena.cli.b import x\n", "cli/b.py", ""),
        "circle": ("core/a.py", "import arena.games.b\n", "games/b.py", "import arena.core.a\n"),
        "within a floor": (
            *("core/a.py", "from arena.core import b\n"),
            *("core/b.py", "from arena.core.a import x\n"),
        ),
        "under TYPE_CHECKING": (
            *("core/a.py", "if TYPE_CHECKING:\n    from arena.core.b import X\n"),
            *("core/b.py", "from arena.core.a import y\n"),
        ),
        "lazy": (
            *("core/a.py", "def f():\n    from arena.core.b import x\n"),
            *("core/b.py", "from arena.core.a import y\n"),
        ),
    }[kind]
    for name, text in zip(wrong[::2], wrong[1::2], strict=True):
        path = tmp_path / "arena" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()
    graph = structure.read(tmp_path / "arena")
    assert bool(up_the_stairs(graph)) == (kind in ("up", "circle"))
    assert bool(structure.circles(graph)) == (kind != "up")


def test_the_pure_parts_are_pure() -> None:
    for module, path in structure.modules(ROOT / "arena").items():
        if module.split(".")[1:2] and module.split(".")[1] in (*PURE, "errors", "text"):
            for imported in structure.imported_names(path):
                top = imported.partition(".")[0]
                allowed = top in {"arena", "errno", "difflib", "shlex"} or module in ALLOWED.get(
                    top, ()
                )
                assert allowed or top in PURE_IMPORTS, f"{module} imports {imported}"


def test_the_figures_of_a_package(tmp_path: Path) -> None:
    """Two modules, of which one imports the other: two rooms, an arrow and no circle."""
    package = tmp_path / "arena"
    for folder, text in {
        "core": "class X: 1\nMOST, _A = 1, 2\n",
        "match": "import arena.core.m\nclass X: 1\nMOST: int = 1\ndef f():\n  0\n",
    }.items():
        (package / folder).mkdir(parents=True)
        (package / folder / "m.py").write_text(text)
    assert list(structure.report(package)) == [
        "modules    2, 7 lines, median 4",
        "weight     7 lines that are not blank, without the games",
        "functions  1, 2 lines, median 2",
        "loose      0 at the top: ",
        "rooms      2",
        "arrows     1 between rooms, 1 between modules",
        "circles    0 of modules, 0 of rooms",
        "homonyms   1",
        "           X: arena.core.m, arena.match.m",
        "constants  1 names in several modules",
        "           MOST: arena.core.m, arena.match.m",
        "imports    1 lines",
        "longest    arena.match.m 5, arena.core.m 2",
    ]


def test_nothing_but_the_package_stands_at_the_top() -> None:
    allowed = {
        "pyproject.toml", "README.md", "arena", "protocol.md", "sample_bots", "tests", "LICENSE",
        "CHANGELOG.md",
    }  # fmt: skip
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - {"dist", "build"} == allowed  # those two are built, and git ignores them
