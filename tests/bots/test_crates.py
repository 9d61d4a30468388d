"""Rust: the crates of a project, in the order in which they need each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots import compiled
from arena.bots.compiled import compiled_before, edition, libraries
from arena.bots.find import find_bot
from tests.bots.samples import write
from tests.support.tools import needs_tool


def package(name: str, *needs: str) -> str:
    lines = "".join(f'{need} = {{ path = "../{need}" }}\n' for need in needs)
    return f'[package]\nname = "{name}"\nedition = "2018"\n[dependencies]\n{lines}'


@pytest.fixture(autouse=True)
def _compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "find_command", lambda name: f"/bin/{name}")


def roots(folder: Path, main: str) -> list[str]:
    return [command[-1] for command in compiled_before(folder, main)]


def test_a_source_alone_has_none(here: Path) -> None:
    write(here, {"main.rs": ""})
    assert edition(here, "main.rs") == {"edition": "2021"}
    assert (libraries(here, "main.rs", []), roots(here, "main.rs")) == ([], [])


def test_each_crate_after_those_that_it_needs(here: Path) -> None:
    write(
        here,
        {
            "bot/Cargo.toml": package("bot", "a", "b"),
            "bot/src/main.rs": "",
            "bot/src/lib.rs": "",
            "a/Cargo.toml": package("a", "b"),
            "a/src/lib.rs": "",
            "b/Cargo.toml": package("b"),
            "b/src/lib.rs": "",
        },
    )
    main = "bot/src/main.rs"
    assert edition(here, main) == {"edition": "2018"}
    assert roots(here, main) == ["b/src/lib.rs", "a/src/lib.rs", "bot/src/lib.rs"]
    found = libraries(here, main, [])
    assert found[:2] == ["-L", "../out"]
    assert found[3::2] == [f"{name}=../out/lib{name}.rlib" for name in ("a", "b", "bot")]


def test_crates_that_need_each_other_end(here: Path) -> None:
    files = {"a/Cargo.toml": package("a", "b"), "a/src/lib.rs": "", "a/src/main.rs": "",
             "b/Cargo.toml": package("b", "a"), "b/src/lib.rs": ""}  # fmt: skip
    write(here, files)
    assert roots(here, "a/src/main.rs") == ["b/src/lib.rs", "a/src/lib.rs"]


def test_the_root_of_a_crate_is_never_an_option(here: Path) -> None:
    said = package("bot", "a") + '[lib]\npath = "@a.rs"\n'
    other = package("a") + '[lib]\npath = "../-Clinker=x"\n'
    write(here, {"Cargo.toml": said.replace("../a", "a"), "@a.rs": "", "a/Cargo.toml": other,
                 "-Clinker=x": "", "src/main.rs": ""})  # fmt: skip
    assert roots(here, "src/main.rs") == ["./-Clinker=x", "./@a.rs"]


def test_a_crate_outside_of_the_folder_is_not_read(here: Path) -> None:
    write(here, {"in/Cargo.toml": package("in", "out"), "in/src/main.rs": "",
                 "out/Cargo.toml": package("out"), "out/src/lib.rs": ""})  # fmt: skip
    assert roots(here / "in", "src/main.rs") == []


@pytest.mark.tool
@pytest.mark.dear
def test_a_source_alone_needs_no_other(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    needs_tool("rustc", "rustc")
    write(here, {"Cargo.toml": package("bot"), "src/lib.rs": "nothing", "bot.rs": "fn main() {}"})
    assert find_bot(str(here / "bot.rs")).name == "bot"
