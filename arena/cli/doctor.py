"""The command ``arena doctor``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

from arena.cli.status import BAD, DONE, print_json
from arena.cli.text.layout import folded, say, styled
from arena.doctor.capability import Capability, Diagnosis, Status
from arena.doctor.examine import examine
from arena.doctor.languages import LanguageDiagnosis, LanguageTest, examine_languages
from arena.sandbox.levels import SANDBOX_MODES
from arena.text import joined, milliseconds, safe

COLOURS = {Status.PASS: "green", Status.DEGRADED: "yellow", Status.FAIL: "red"}
UNLOCKS = {
    "sandbox+cgroup": "limits that the kernel keeps",
    "sandbox": "no network, no other processes, a read-only system",
    "guard": "files, network and system calls refused",
}
"""What each level adds to the one below."""
WORDS = {Status.FAIL: "Missing", Status.DEGRADED: "Degraded"}
WIDTH = 100
COMPILER_LINES = 5
"""Lines that are shown of what a compiler says."""


@click.command(name="doctor")
@click.option(
    "--sandbox",
    type=click.Choice(list(SANDBOX_MODES)),
    default="auto",
    help="The level that must hold, as for arena play.  [default: auto]",
)
@click.option(
    "--languages", is_flag=True, help="Build and run a bot in every language, at each level."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(sandbox: str, languages: bool, as_json: bool) -> int:
    """Test which walls and limits work on this machine, and say what is missing and how to repair
    it. Exit status 1 if the level of --sandbox does not hold."""
    if languages:
        return _try_languages(sandbox, as_json)
    diagnosis = examine(SANDBOX_MODES[sandbox])
    if as_json:
        print_json(diagnosis)
    else:
        say(_text(diagnosis))
    return DONE if diagnosis.granted else BAD


def _try_languages(sandbox: str, as_json: bool) -> int:
    tell = (lambda test: None) if as_json else say_test
    found = examine_languages(SANDBOX_MODES[sandbox], tell=tell)
    print_json(found) if as_json else say(languages_text(found))
    return DONE if found.is_good and found.levels else BAD


def say_test(test: LanguageTest) -> None:
    """One language at one level, as soon as it is known."""
    is_good = test.status is Status.PASS
    mark = styled(f"{test.status:5}", fg="green" if is_good else "red")
    what = f"{mark} {test.language:12} {test.level:14}"
    if is_good:
        built = f"built in {milliseconds(test.build)}, " if test.build >= 5 else ""
        answer = milliseconds(test.answer)
        return say(f"{what}  {built}first line after {milliseconds(test.start)}, answer {answer}")
    said = [f"      {line}" for line in safe(test.said).strip().splitlines()[-COMPILER_LINES:]]
    return say("\n".join([f"{what}  {safe(test.problem)}", *said]))


def languages_text(found: LanguageDiagnosis) -> str:
    """What comes of all of them."""
    good = {test.language for test in found.tests} - {
        test.language for test in found.tests if test.status is not Status.PASS
    }
    lines = [
        "",
        f"{len(good)} languages work at {joined(found.levels) if found.levels else 'none'}.",
    ]
    for level, why in found.unavailable.items():
        lines.append(f"Not tried: {level}: {safe(why)}")
    if found.missing:
        packages = " ".join(found.missing.values())
        lines += [
            f"Not installed: {', '.join(found.missing)}",
            f"  sudo apt-get install {packages}",
        ]
    return "\n".join(lines)


def _text(diagnosis: Diagnosis) -> str:
    width = max((len(one.name) for one in diagnosis.capabilities), default=0)
    lines = [line for one in diagnosis.capabilities for line in _lines(one, width)]
    return "\n".join([*_verdict(diagnosis), *_repairs(diagnosis), "", *lines])


def _verdict(diagnosis: Diagnosis) -> list[str]:
    """Lines that say what works and what is missing."""
    strict = "refused" if set(diagnosis.missing) >= {"sandbox", "sandbox+cgroup"} else "granted"
    lines = [f"--sandbox auto takes the level {styled(diagnosis.level, bold=True)}; "
             f"--sandbox strict is {strict}."]  # fmt: skip
    if not diagnosis.granted:
        lines.append(styled(f"--sandbox {diagnosis.wished} does not hold here.", fg="red"))
    if diagnosis.missing:
        level, problem = list(diagnosis.missing.items())[-1]  # the next level up
        text = f"Next level: {level} ({UNLOCKS[level]}). It lacks: {safe(problem)}"
        lines += textwrap.wrap(text, WIDTH)
    return [*lines, folded(_counted(diagnosis.capabilities), 0)]


def _counted(found: Sequence[Capability]) -> str:
    """Summary: ``33 of 35 checks passed. Degraded: user, languages.``"""
    names = {status: [one.name for one in found if one.status is status] for status in Status}
    told = [f"{len(names[Status.PASS])} of {len(found)} checks passed"]
    told += [f"{WORDS[status]}: {', '.join(names[status])}" for status in WORDS if names[status]]
    return f"{'. '.join(told)}."


def _repairs(diagnosis: Diagnosis) -> list[str]:
    """Repairs and packages, with their purposes, as whole lines to copy."""
    found = [one for one in diagnosis.capabilities if one.repair]
    lines = [f"  {safe(one.repair)}  ({one.name})" for one in found]
    return ["What can be done:", *lines] if lines else []


def _lines(one: Capability, width: int) -> list[str]:
    mark = styled(f"{one.status.value:8}", fg=COLOURS[one.status])
    indent = width + 12
    lines = [f"{mark}  {one.name:{width}}  {folded(safe(one.found), indent)}"]
    if one.consequence:
        lines.append(f"{'':{indent}}→ {folded(safe(one.consequence), indent + 2)}")
    return lines
