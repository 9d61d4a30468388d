"""What `site.md` says to those who run a site, and of its public pages, is so."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from arena.cli.main import run
from arena.cli.serve import PORT
from arena.league.league import League
from arena.league.plan import PLACEMENT
from arena.site import app, uploads
from arena.site.contest import Contest
from tests.guide.reading import block, flat, rows
from tests.league.conftest import tiny_known
from tests.league.making import opened, play

TEXT = flat("site")


def test_the_limits_of_uploads() -> None:
    assert f"An upload has at most {uploads.LARGEST >> 20} MiB" in TEXT
    assert f"may upload {uploads.HOURLY} times an hour, and two of its uploads may wait" in TEXT
    assert uploads.WAITING == 2
    sizes = [
        int(size)
        for size in re.findall(r"client_max_body_size (\d+)m;", block("site", "limit_conn_zone"))
    ]
    assert sizes == [65]  # an archive, with what a form adds
    assert "max_size 65MB" in block("site", "{\n    servers")
    assert f"http://127.0.0.1:{PORT}" in TEXT
    assert f"until it has {PLACEMENT} matches" in TEXT


def test_every_page_of_the_table_is_a_route() -> None:
    paths = {route.path.removeprefix("/{contest}/") for file in app.FILES for route in file}
    named = {row[0].strip("`") for row in rows("site", "page | shows")}
    assert {re.sub(r"\{\w+\}", "N", path) for path in paths} >= {
        path.replace("/M", "/N") for path in named
    }


def test_the_backup_of_a_league_in_use_is_whole(tmp_path: Path) -> None:
    """By the commands of the guide, while a site has the file open and changes it."""
    path = tmp_path / "cup.league"
    *commands, verify = block("site", "mkdir -p backup").splitlines()
    commands = [line.replace("python3 -c", f"{sys.executable} -c") for line in commands]
    with tiny_known():
        with opened(path, "1", "2") as league:
            play(league)
        with Contest(path), League(path) as league:
            league.annul([1], "while it runs")
            subprocess.run(["/bin/sh", "-ec", "\n".join(commands)], cwd=tmp_path, check=True)
            copy = tmp_path / "backup" / "cup.league"
            assert verify == "arena verify backup/cup.league"
            assert run(["verify", str(copy), "--jobs", "1"]) == 0
            with League(copy) as kept:
                assert kept.chain() == league.chain()
        shutil.rmtree(tmp_path / "backup")
