"""The command ``arena doctor``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from arena.cli.status import BAD, DONE, print_json
from arena.cli.text.layout import folded, say, styled, table
from arena.doctor.capability import Capability, Diagnosis, Status
from arena.doctor.examine import examine
from arena.doctor.machine import LanguageTools, language_tools
from arena.sandbox.levels import SANDBOX_MODES, Level
from arena.text import safe

STATUS_COLOURS = {Status.PASS: "green", Status.DEGRADED: "yellow", Status.FAIL: "red"}
UNLOCKS = {
    Level.CGROUP: "limits that the kernel keeps",
    Level.SANDBOX: "no network, no other processes, a read-only system",
}
"""What each level adds to the one below."""
STATUS_WORDS = {Status.FAIL: "Missing", Status.DEGRADED: "Degraded"}


@click.command(name="doctor")
@click.option(
    "--sandbox",
    type=click.Choice(list(SANDBOX_MODES)),
    default="auto",
    help="The level that must hold, as for arena play.  [default: auto]",
)
@click.option(
    "--languages", is_flag=True, help="List the compilers and interpreters of all languages."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(sandbox: str, languages: bool, as_json: bool) -> int:
    """Test which walls and limits work on this machine, and say what is missing and how to repair
    it. Exit status 1 if the level of --sandbox does not hold."""
    if languages:
        tools = language_tools()
        print_json({"languages": tools}) if as_json else say(languages_text(tools))
        return DONE
    diagnosis = examine(SANDBOX_MODES[sandbox])
    print_json(diagnosis) if as_json else say(diagnosis_text(diagnosis))
    return DONE if diagnosis.granted else BAD


def languages_text(tools: Sequence[LanguageTools]) -> str:
    """The languages of bots, and what to install for those that are missing."""
    here = [(tool.name, " ".join(tool.endings), tool.program) for tool in tools if tool.program]
    missing = [tool for tool in tools if tool.program is None]
    lines = [table(["language", "sources", "program"], here, left=3)]
    if missing:
        lines += ["", f"Not installed: {', '.join(tool.name for tool in missing)}"]
        packages = dict.fromkeys(" ".join(tool.packages for tool in missing).split())
        lines += [f"  sudo apt-get install {' '.join(packages)}"]
    return "\n".join(lines)


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """What holds, the next step, what else can be done, and each row."""
    width = max((len(row.name) for row in diagnosis.capabilities), default=0)
    rows = [line for row in diagnosis.capabilities for line in _lines(row, width)]
    return "\n".join([*_verdict(diagnosis), *_repairs(diagnosis), "", *rows])


def _verdict(diagnosis: Diagnosis) -> list[str]:
    strict = "granted" if diagnosis.level in (Level.SANDBOX, Level.CGROUP) else "refused"
    lines = [f"--sandbox auto takes the level {styled(diagnosis.level, bold=True)}; "
             f"--sandbox strict is {strict}."]  # fmt: skip
    if not diagnosis.granted:
        lines.append(styled(f"--sandbox {diagnosis.wished} does not hold here.", fg="red"))
    if (step := diagnosis.next_step) is not None:
        lacks = f"For the level {step.level} ({UNLOCKS[step.level]}) it lacks: {safe(step.lacks)}"
        lines += [folded(lacks, 0), "Next step:", f"  {safe(step.step)}"]
    return [*lines, folded(_counted(diagnosis.capabilities), 0)]


def _counted(rows: Sequence[Capability]) -> str:
    """Summary: ``33 of 35 checks passed. Degraded: user, languages.``"""
    names = {status: [row.name for row in rows if row.status is status] for status in Status}
    parts = [f"{len(names[Status.PASS])} of {len(rows)} checks passed"]
    for status, word in STATUS_WORDS.items():
        if names[status]:
            parts.append(f"{word}: {', '.join(names[status])}")
    return f"{'. '.join(parts)}."


def _repairs(diagnosis: Diagnosis) -> list[str]:
    """Repairs and packages beside the next step, with their purposes, as whole lines to copy."""
    step = diagnosis.next_step
    rows = {row.repair: row.name for row in reversed(diagnosis.capabilities) if row.repair}
    rows.pop(step.step if step is not None else "", None)
    lines = [f"  {safe(repair)}  ({name})" for repair, name in reversed(rows.items())]
    return ["What else can be done:", *lines] if lines else []


def _lines(row: Capability, width: int) -> list[str]:
    mark = styled(f"{row.status.value:8}", fg=STATUS_COLOURS[row.status])
    indent = width + 12
    lines = [f"{mark}  {row.name:{width}}  {folded(safe(row.found), indent)}"]
    if row.consequence:
        lines.append(f"{'':{indent}}→ {folded(safe(row.consequence), indent + 2)}")
    return lines
