"""Clojure: how a source of several is started."""

from __future__ import annotations

from pathlib import Path

from arena.bots.machines import in_project
from tests.bots.samples import write


def start(folder: Path, main: str) -> str:
    language = in_project(folder, main)
    assert language is not None
    return language.facts(folder, main)["start"]


def test_a_script_without_a_namespace_is_no_project(here: Path) -> None:
    write(here, {"bot.clj": "(println 1)"})
    assert in_project(here, "bot.clj") is None


def test_the_main_function_of_its_namespace_is_called(here: Path) -> None:
    write(here, {"code/a/b_c.clj": "(ns a.b-c)\n(defn -main [& args])", "project.clj":
                 '(defproject x "1" :source-paths ["more"])'})  # fmt: skip
    said = start(here, "code/a/b_c.clj")
    assert "(require 'a.b-c) ((resolve 'a.b-c/-main))" in said
    assert f'[place ["{here}/code" "{here}/more" "{here}/src"' in said


def test_a_source_that_starts_itself_is_loaded(here: Path) -> None:
    for call in ("(-main)", "(apply -main *command-line-args*)"):
        write(here, {"src/a.clj": f"(ns a)\n(defn -main [])\n{call}\n"})
        assert f'(load-file "{here}/src/a.clj")' in start(here, "src/a.clj")


def test_jars_beside_it_are_found(here: Path) -> None:
    write(here, {"src/a.clj": "(ns a)\n(defn- -main [])", "lib/x.jar": ""})
    assert f'"{here}/lib/x.jar"' in start(here, "src/a.clj")
