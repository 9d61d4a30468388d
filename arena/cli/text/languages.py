"""What ``arena doctor --languages`` prints."""

from __future__ import annotations

from arena.cli.text.layout import say, styled
from arena.doctor.capability import Status
from arena.doctor.languages import LanguageDiagnosis, LanguageTest
from arena.text import joined, milliseconds, safe

_SAID = 5
"""Lines that are shown of what a compiler says."""


def say_test(test: LanguageTest) -> None:
    """One language at one level, as soon as it is known."""
    is_good = test.status is Status.PASS
    mark = styled(f"{test.status:5}", fg="green" if is_good else "red")
    what = f"{mark} {test.language:12} {test.level:14}"
    if is_good:
        built = f"built in {milliseconds(test.build)}, " if test.build >= 5 else ""
        answer = milliseconds(test.answer)
        return say(f"{what}  {built}first line after {milliseconds(test.start)}, answer {answer}")
    said = [f"      {line}" for line in safe(test.said).strip().splitlines()[-_SAID:]]
    return say("\n".join([f"{what}  {safe(test.problem)}", *said]))


def summary(found: LanguageDiagnosis) -> str:
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
