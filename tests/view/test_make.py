"""The page as a file: what is in it, how large it is, and what cannot be shown."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.core.registry import GAMES
from arena.errors import ArenaFault, ReplayError, UsageError
from arena.games.warlight import view
from arena.view.page import view_page
from tests.structure import ROOT
from tests.view.records import HOSTILE, record


def file(folder: Path, game: str = "warlight", *, hostile: bool = False, cut: int = 0) -> Path:
    """A record in a file; `cut`: without so many lines at its end."""
    path = folder / f"{game}{cut}.jsonl"
    lines = record(game, hostile=hostile).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) - cut]))
    return path


def unpacked(page: str, name: str) -> bytes:
    """What is packed in a page under that name."""
    (packed,) = re.findall(f'<script type="application/octet-stream" id="{name}">(.*?)<', page)
    return zlib.decompress(base64.b64decode(packed), wbits=31)


def block(page: str, name: str) -> Any:
    """The data of a page under that name."""
    return json.loads(unpacked(page, name))


@pytest.mark.parametrize("game", GAMES)
def test_a_page_has_all_that_its_policy_allows_and_nothing_else(game: str, tmp_path: Path) -> None:
    page = view_page([file(tmp_path, game)])
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="(.*?)"', page)
    (loader,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    allowed = [loader.encode(), unpacked(page, "script")]
    digests = [base64.b64encode(hashlib.sha256(one).digest()).decode() for one in allowed]
    scripts = " ".join(f"'sha256-{digest}'" for digest in digests)
    style = base64.b64encode(hashlib.sha256(unpacked(page, "style")).digest()).decode()
    policies = html.unescape(policy).split("; ")
    assert policies[:3] == [
        "default-src 'none'",
        f"script-src {scripts}",
        f"style-src 'sha256-{style}'",
    ]
    code = (unpacked(page, "script") + unpacked(page, "style")).decode()
    assert not re.search(r"https?://(?!www\.w3\.org)", page + code)
    assert not re.search(r"(src|href)\s*=|<style|<link| on\w+=", page)
    assert "</script" not in loader
    story = block(page, "story-0")
    assert len(story["frames"]) == len(story["standing"]) == len(story["orders"]) >= 5
    assert [len(row) for row in story["chances"]] == [2] * len(story["frames"])
    assert [len(frames) for frames in block(page, "texts-0")] == [len(story["frames"])] * 2
    early = [] if story["outcome"] else ["The record ends before the match did."]
    assert story["notes"] == early


@pytest.mark.dear
def test_the_page_of_a_thousand_turns_is_small(tmp_path: Path) -> None:
    bot, path = ROOT / "sample_bots" / "codecharacter" / "simple.py", tmp_path / "r.jsonl"
    match = arena.play("codecharacter", [str(bot)] * 2, seed=1, sandbox="off", replay=path)
    assert len(match.frames) == 1001
    assert len(view_page([path])) <= 1_500_000


def test_the_page_of_a_warlight_match_is_small(tmp_path: Path) -> None:
    assert len(view_page([file(tmp_path)])) <= 80_000  # 150,000 are promised, for large maps, too


def test_a_record_that_is_cut_off_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    page = view_page([file(tmp_path, cut=20)])
    assert "The record ends before the match did." in block(page, "story-0")["notes"]


def test_nothing_foreign_stands_in_the_page_itself(tmp_path: Path) -> None:
    page = view_page([file(tmp_path, hostile=True)])
    assert "alert(" not in page
    assert block(page, "story-0")["seats"][0]["name"] == HOSTILE


def test_several_records_make_a_page_with_a_list(tmp_path: Path) -> None:
    page = view_page([file(tmp_path), file(tmp_path, "toroid")])
    index = block(page, "index")
    assert (index["mode"], [one["title"] for one in index["matches"]]) == (
        "matches",
        ["Warlight AI Challenge 2", "Toroid Wars"],
    )
    assert block(page, "story-1")["game"] == "toroid"


def test_a_comparison_says_where_the_matches_differ(tmp_path: Path) -> None:
    one, other = file(tmp_path), tmp_path / "other.jsonl"
    other.write_bytes(re.sub(rb'(?s)("seat":1,"text":")(.*)', rb"\1other \2", record("warlight")))
    index = block(view_page([one, other], compare=True), "index")
    assert index["mode"] == "compare"
    assert index["differences"] == [{"round": 0, "text": "player2 answers differently.", "seat": 1}]
    assert block(view_page([one, one], compare=True), "index")["differences"] == []


def test_a_record_that_the_rules_do_not_give_is_shown_without_views(tmp_path: Path) -> None:
    path = tmp_path / "changed.jsonl"
    armies = re.compile(rb'"round":3,.*?"armies":\[(\d+)')
    data = record("warlight")
    at = armies.search(data)
    assert at
    path.write_bytes(data[: at.start(1)] + b"99" + data[at.end(1) :])
    story = block(view_page([path]), "story-0")
    assert story["seen"] is None
    assert "What seats saw is unknown: the rules give a different round 3" in story["notes"][-1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello\n", "not a line of a replay"),
        ("", "is not a replay"),
        (record("warlight").split(b"\n")[0].decode() + "\n", "there is nothing to show"),
    ],
    ids=["text", "empty", "a header alone"],
)
def test_what_cannot_be_shown_is_one_sentence(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(ReplayError, match=says):
        view_page([path])


def test_a_frame_that_is_none_of_its_game_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(record("warlight").replace(b'"owner":[', b'"owner":["x",'))
    with pytest.raises(ReplayError, match=r"x\.jsonl has frames that do not belong to warlight"):
        view_page([path])


@pytest.mark.parametrize("part", ["standing", "events", "orders", "seen"])
def test_a_bug_in_what_a_game_says_of_its_frames_is_told_with_its_line(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Any:
        raise KeyError("heap")

    # as if the function stood in the package of the game
    monkeypatch.setitem(fails.__globals__, "__name__", "arena.games.warlight.view")
    change: dict[str, Any] = {part: fails}
    monkeypatch.setattr(view, "VIEW", replace(view.VIEW, **change))
    with pytest.raises(ArenaFault) as caught:
        view_page([file(tmp_path)])
    said = r"warlight0\.jsonl cannot be shown: what warlight says of its frames failed at "
    assert re.search(
        said + rf".*{Path(__file__).name}:\d+ \(KeyError\('heap'\)\)", str(caught.value)
    )


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="for two replays, not 1"):
        view_page([file(tmp_path)], compare=True)
    with pytest.raises(UsageError, match="warlight and toroid cannot be compared"):
        view_page([file(tmp_path), file(tmp_path, "toroid")], compare=True)
