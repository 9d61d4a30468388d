"""`import arena`: the names that it offers, and its cost."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, get_args, get_origin

import pytest

import arena
import arena.core
from tests.structure import ROOT

HANDED_ON = (arena.BotProgram, arena.Entrant, arena.MatchSpec)
"""What callers get and give back, and need not look into."""


def test_every_public_name_is_there_and_documented() -> None:
    for name in arena.__all__:
        assert getattr(arena, name).__doc__, name
    assert set(arena.__all__) <= set(dir(arena))


@pytest.mark.parametrize("face", [arena, arena.core], ids=lambda face: face.__name__)
def test_what_type_checkers_see_is_what_is_there(face: Any) -> None:
    """The imports under TYPE_CHECKING and the table of homes name the same things."""
    tree = ast.parse(inspect.getsource(face))
    seen = {
        (node.module.removeprefix("arena." if face is arena else ""), alias.asname)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    homes = {(home, name) for home, names in face._HOMES.items() for name in names.split()}
    assert seen == homes
    assert sorted(name for _, name in homes) == face.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'plya'"):
        arena.plya  # noqa: B018


def test_importing_it_loads_nothing() -> None:
    heavy = "('arena', 'trio', 'msgspec', 'click')"
    code = f"import sys, arena; print([m for m in sys.modules if m.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "['arena']"


def test_the_types_of_what_is_public_are_public() -> None:
    """Those in the annotations of functions, and of the members of what these give, and so on."""
    public = {getattr(arena, name) for name in arena.__all__}
    public |= {getattr(arena.core, name) for name in arena.core.__all__}
    found = [getattr(arena, name) for name in arena.__all__]
    for thing in found:  # it grows
        for where, kind in annotated(thing):
            assert kind in public, f"{where}: {kind.__module__}.{kind.__name__}"
            if kind not in found:
                found.append(kind)


def annotated(thing: Any) -> Iterator[tuple[str, type]]:
    """The arena's types in the annotations of a function, or of a class and its public methods,
    and where each stands."""
    if inspect.isfunction(thing):
        for name, text in thing.__annotations__.items():
            for kind in classes(evaluated(text, thing.__module__)):
                yield f"{thing.__qualname__}, {name}", kind
    elif inspect.isclass(thing) and thing not in HANDED_ON:
        for base in thing.__mro__:
            if base.__module__.startswith("arena"):
                yield from members(base)


def members(owner: type) -> Iterator[tuple[str, type]]:
    for name, text in vars(owner).get("__annotations__", {}).items():
        if not name.startswith("_"):
            for kind in classes(evaluated(text, owner.__module__)):
                yield f"{owner.__qualname__}.{name}", kind
    for name, member in vars(owner).items():
        if not name.startswith("_"):
            getter = getattr(member, "fget", None) or getattr(member, "func", None)
            yield from annotated(getter or getattr(member, "__func__", member))


def evaluated(annotation: Any, module: str) -> Any:
    """An annotation, which is text, as type checkers see it in its module."""
    if not isinstance(annotation, str):
        return annotation
    home = sys.modules[module]
    return eval(annotation, {**vars(home), **imported(home), "Any": Any})


@cache
def imported(home: ModuleType) -> dict[str, Any]:
    """What a module imports, also for type checkers alone."""
    tree = ast.parse(inspect.getsource(home))
    return {
        alias.asname or alias.name: imported_name(node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def imported_name(module: str, name: str) -> Any:
    """What ``from module import name`` gives: a part of it, or a module in it."""
    home = importlib.import_module(module)
    return (
        getattr(home, name) if hasattr(home, name) else importlib.import_module(f"{module}.{name}")
    )


def classes(annotation: Any) -> Iterator[type]:
    """The arena's classes in an annotation."""
    for part in (annotation, get_origin(annotation)):
        if isinstance(part, type) and part.__module__.startswith("arena"):
            yield part
    for inner in annotation if isinstance(annotation, list) else get_args(annotation):
        yield from classes(inner)
