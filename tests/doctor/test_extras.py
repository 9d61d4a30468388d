"""The libraries that can be installed besides."""

from __future__ import annotations

import re
import tomllib

import pytest

from arena.doctor import examine
from arena.doctor.capability import Status
from tests.doctor.probing import without
from tests.structure import ROOT


def test_each_extra_has_a_line_with_its_releases() -> None:
    found = examine.extras(without(why=""))
    assert [one.name for one in found] == ["wasm", "web", "openspiel", "cluster"]
    assert all(one.status is Status.PASS for one in found)
    assert re.fullmatch(r"starlette [\d.]+, h11 [\d.]+, wsproto [\d.]+, jinja2 .+", found[1].found)


def test_what_is_missing_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examine, "_release", lambda name: "" if name == "h11" else "1.0")
    _, web, _, cluster = examine.extras(without(why=""))
    assert (web.status, web.found) == (Status.DEGRADED, "h11 not installed")
    assert (web.consequence, web.repair) == ("no --live, no arena serve", "pip install '.[web]'")
    assert cluster.found == "cryptography 1.0"


def test_they_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for name, (distributions, _, repair) in examine.EXTRAS.items():
        assert repair == f"pip install '.[{name}]'"
        listed = project["optional-dependencies"][name]
        assert [re.split("[<>=]", one)[0] for one in listed] == [*distributions]
