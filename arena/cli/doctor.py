"""The command ``arena doctor``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

from arena.cli.status import BAD, DONE, print_json
from arena.cli.text.layout import folded, say, styled
from arena.doctor.capability import Capability, Diagnosis, Status
from arena.doctor.examine import examine
from arena.errors import UsageError
from arena.sandbox.levels import SANDBOX_MODES
from arena.text import safe

COLOURS = {Status.PASS: "green", Status.DEGRADED: "yellow", Status.FAIL: "red"}
UNLOCKS = {
    "sandbox+cgroup": "limits that the kernel keeps",
    "sandbox": "no network, no other processes, a read-only system",
    "guard": "files, network and system calls refused",
}
"""What each level adds to the one below."""
WORDS = {Status.FAIL: "Missing", Status.DEGRADED: "Degraded"}
WIDTH = 100


@click.command(name="doctor")
@click.option(
    "--sandbox",
    type=click.Choice(list(SANDBOX_MODES)),
    default="auto",
    help="The level that must hold, as for arena play.  [default: auto]",
)
@click.option("--slow", is_flag=True, help="Add probes that take half a minute.")
@click.option(
    "--languages", is_flag=True, help="Build and run a bot in every language, at each level."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(sandbox: str, slow: bool, languages: bool, as_json: bool) -> int:
    """Test which walls and limits work on this machine, and say what is missing and how to repair
    it. Exit status 1 if the level of --sandbox does not hold."""
    if languages and slow:
        raise UsageError("--slow and --languages are different tests: choose one")
    if languages:
        return _try_languages(sandbox, as_json)
    diagnosis = examine(SANDBOX_MODES[sandbox], slow=slow)
    if as_json:
        print_json(diagnosis)
    else:
        say(_text(diagnosis))
    return DONE if diagnosis.granted else BAD


def _try_languages(sandbox: str, as_json: bool) -> int:
    from arena.cli.text import languages
    from arena.doctor.languages import examine_languages

    tell = (lambda test: None) if as_json else languages.say_test
    found = examine_languages(SANDBOX_MODES[sandbox], tell=tell)
    print_json(found) if as_json else say(languages.summary(found))
    return DONE if found.is_good and found.levels else BAD


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
