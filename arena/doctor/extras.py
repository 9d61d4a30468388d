"""What can be installed besides: the libraries of the extras, as `pyproject.toml` names them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from arena.doctor.capability import Capability, degraded, passed
from arena.doctor.context import ProbeContext

EXTRAS = {
    "web": (("starlette", "anycorn"), "no --live", "pip install '.[web]'"),
    "cluster": (
        ("cryptography",),
        "no arena cluster keys",
        "pip install '.[cluster]'",
    ),
}
"""The distributions of an extra, what is missing without them, and what installs them. (`wasm` is
tried by a probe of its own.)"""


def extras(context: ProbeContext) -> list[Capability]:
    """A line for each."""
    return [_extra(name, *found) for name, found in EXTRAS.items()]


def _extra(name: str, distributions: tuple[str, ...], without: str, repair: str) -> Capability:
    releases = {one: _release(one) for one in distributions}
    missing = [one for one, release in releases.items() if not release]
    if missing:
        text = f"{' and '.join(missing)} not installed"
        return degraded(name, text, without, repair)
    return passed(name, ", ".join(f"{one} {release}" for one, release in releases.items()))


def _release(distribution: str) -> str:
    """The release that is installed; empty when none is."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
