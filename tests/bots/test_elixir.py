"""Elixir: how the sources of a mix project are built and started."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.scripts import in_project
from tests.bots.samples import write

MIX = 'defmodule M do\n  defp deps do\n    [{:own, path: "deps/own"}]\n  end\nend\n'


def test_a_script_is_no_project(here: Path) -> None:
    write(here, {"bot.exs": "", "bot.ex": ""})
    assert in_project(here, "bot.ex") is None
    write(here, {"mix.exs": MIX})
    assert in_project(here, "bot.exs") is None


def test_all_modules_of_the_project_are_compiled(here: Path) -> None:
    files = {"mix.exs": MIX, "lib/bot.ex": "", "lib/bot/a.ex": "", "test/x.ex": "", "b.ex": "",
             "deps/own/mix.exs": "", "deps/own/lib/own.ex": ""}  # fmt: skip
    write(here, files)
    language = in_project(here, "lib/bot.ex")
    assert language is not None
    found = language.together(here, "lib/bot.ex", list(files))
    assert found == ["lib/bot.ex", "lib/bot/a.ex", "deps/own/lib/own.ex"]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("defmodule A.B do\n  def main(args), do: 1\nend", "A.B.main([])"),
        ("defmodule A do\n  def main do\n  end\nend", "A.main()"),
        ("defmodule A do\n  def main(), do: 1\nend", "A.main()"),
        ("defmodule A do\n  def run(_x) do\nend", "A.run([])"),
        ("defmodule A do\n  def start(_type, _args) do\n",
         "A.start(:normal, []); Process.sleep(:infinity)"),
        ("defmodule A do\n  def start() do\n", "A.start()"),
    ],
)  # fmt: skip
def test_its_main_function_is_called(text: str, call: str, here: Path) -> None:
    write(here, {"mix.exs": MIX, "lib/bot.ex": text})
    language = in_project(here, "lib/bot.ex")
    assert language is not None
    assert language.facts(here, "lib/bot.ex") == {"call": call}
