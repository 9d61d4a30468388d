"""What `organiser.md` says is so."""

from __future__ import annotations

import re
from pathlib import Path

import arena
from arena.bots.languages import LANGUAGES
from arena.cli import status
from arena.doctor.repairs import CONTAINERS
from arena.sandbox.interrupts import INTERRUPTED
from arena.sandbox.keeper import cgroup
from arena.tournament.schedule import Schedule
from arena.tournament.sprt import FLOOR
from tests.cli.conftest import SHELL, SIMPLE, Arena
from tests.guide.reading import block, flat, rows
from tests.vm.situations import SITUATIONS

TEXT = flat("organiser")


def test_the_exit_statuses() -> None:
    statuses = [int(row[0]) for row in rows("organiser", "status | meaning")]
    assert statuses == [
        *(
            status.DONE,
            status.BAD,
            status.USAGE,
            status.BOT,
            status.FAULT,
            status.FULL_DISK,
            INTERRUPTED,
        )
    ]


def test_the_seeds_of_a_series() -> None:
    seeds = [game.seed for game in Schedule("1", ((0, 1),), 6, alone=True)]
    assert seeds[::2] == seeds[1::2]
    assert f"The match seeds are {', '.join(seeds[::2])} … for `--seed 1`" in TEXT


def test_the_table_of_a_series(arena: Arena) -> None:
    short = ("--games", "2", "--seed", "1", "--set", "max_rounds=3")
    printed = arena("play", "warlight", SIMPLE, SHELL, *short).out
    assert printed.splitlines()[2].split() == block("organiser", "bot ").splitlines()[0].split()


def test_the_recipe_for_an_image_has_all_languages() -> None:
    recipe = (Path(arena.__file__).parent / "guide" / "Containerfile").read_text()
    words = {*recipe.replace('"', " ").split(), "default-jre-headless"}  # the JDK has it
    lacking = {language.name for language in LANGUAGES if set(language.packages.split()) - words}
    assert lacking == {"Forth", "Nim"}, "which Debian 13 does not have"


def test_the_flags_for_containers_are_those_of_the_doctor() -> None:
    for (kind, _), command in CONTAINERS.items():
        told = command.removeprefix(f"{kind.lower()} run ").removesuffix(" …")
        for option in re.findall(r"--\S+ (\S+)", told):
            assert option in TEXT


def test_the_way_to_control_groups() -> None:
    for words in re.findall(r"`(.*?)`", cgroup.ADVICE):
        assert f"`{words}`" in TEXT


def test_how_it_is_started_names_what_is_tried_in_the_guest() -> None:
    """`python -m tests.vm` tries each way."""
    chapter = TEXT.partition("## How it is started")[2].partition("## In a container")[0]
    ways = {"ssh", "tmux", "screen", "nohup", "scope", "unit", "cron", "sudo", "root"}
    for name in SITUATIONS:
        for word in ways & {*name.split()}:
            assert word in chapter


def test_the_guide_says_after_how_many_pairs_a_comparison_may_end() -> None:
    assert f"It judges no less than {FLOOR} pairs." in TEXT
