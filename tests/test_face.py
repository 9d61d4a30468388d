"""`import arena`: what it offers, and what it costs."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

import arena
from tests.structure import ROOT


def test_every_public_name_is_there_and_documented() -> None:
    for name in arena.__all__:
        assert getattr(arena, name).__doc__, name
    assert set(arena.__all__) <= set(dir(arena))


def test_what_type_checkers_see_is_what_is_there() -> None:
    """The imports under TYPE_CHECKING, `__all__` and the table of homes name the same things."""
    tree = ast.parse((ROOT / "arena" / "__init__.py").read_text("utf-8"))
    seen = {
        (node.module.removeprefix("arena."), alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    homes = {(home, name) for home, names in arena._HOMES.items() for name in names}
    assert seen == homes
    assert sorted(name for _, name in homes) == sorted(arena.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'plya'"):
        arena.plya  # noqa: B018


def test_importing_it_loads_nothing() -> None:
    heavy = "('arena', 'trio', 'msgspec', 'click')"
    code = f"import sys, arena; print([m for m in sys.modules if m.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "['arena']"
