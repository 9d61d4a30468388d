"""Third-party packages: handmade wheels, installed with pip, with the arena beside them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.support.forks import ArenaProcess

ROOT = Path(__file__).parents[2]
WHEEL = """Wheel-Version: 1.0
Generator: by hand
Root-Is-Purelib: true
Tag: py3-none-any
"""


def install(
    folder: Path,
    name: str,
    files: Mapping[str, str],
    games: Mapping[str, str],
    *,
    pip: bool = True,
) -> Path:
    """Install a package into a new folder `site`, and return the folder. `files` maps paths to
    contents, and `games` are the entry points. Without `pip` the wheel is unpacked directly, which
    has the same effect."""
    info = f"{name}-1.0.dist-info"
    points = "".join(f"{game} = {target}\n" for game, target in games.items())
    content = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": WHEEL,
        f"{info}/entry_points.txt": f"[arena.games]\n{points}",
    }
    record = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in (content | {f"{info}/RECORD": record}).items():
            archive.writestr(path, text)
    site = folder / "site"
    if pip:
        options = ["-q", "--no-index", "--no-deps", "--target", str(site), str(wheel)]
        subprocess.run([sys.executable, "-m", "pip", "install", *options], check=True, cwd=folder)
    else:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    return site


def run(
    site: Path, *arguments: str, cwd: Path | str = "/", status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m ARGUMENTS`` where the package is installed, away from our sources. The arena
    is forked from a process that has not seen the package."""
    path = os.pathsep.join([str(site), str(ROOT)])
    process = ArenaProcess(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out, err = process.communicate()
    assert process.returncode == status, out + err
    return subprocess.CompletedProcess(process.args, status, out, err)
