"""The boards of all games, drawn by node without a browser: nothing fails, and a board steps
through as many orders as there are sentences."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.core.game import AnyGame
from arena.core.view import find_view
from arena.view import page
from arena.view.page import board_script
from tests.support.tools import needs_tool
from tests.view.test_seen import Watched, cases, playing, see

STUB = Path(__file__).with_name("stub.js")
SHARED = ("dom", "draw", "areas", "marks")
FRAMES = 12


def watch(game: AnyGame, seats: int) -> dict[str, Any]:
    """A short match: what spectators see, and what each seat sees."""
    watched, answer = Watched(game, see(game), seats), playing("boards")
    span = watched.span()
    while watched.table.asked and len(span.shown) < FRAMES:
        for ask in watched.table.asked:
            watched.table.answer(ask.seat, answer(watched.table, ask))
        span.extend(watched.span())
    board = json.loads(span.shown[0]).get("board")
    views = [[json.loads(seen[seat]) for seen in span.seen] for seat in range(seats)]
    assert all(view[0].get("board") == board for view in views)
    return {
        "game": game.name,
        "frames": [json.loads(frame) for frame in span.shown],
        "views": views,
        "settings": msgspec.to_builtins(watched.table.setup.settings),
        "seats": [seat_of(number) for number in range(seats)],
    }


def seat_of(number: int) -> dict[str, Any]:
    label = f"player{number + 1}"
    return {"name": "bot", "label": label, "letter": "ABCD"[number], "colour": f"--seat-{number}"}


def draw(games: list[tuple[AnyGame, dict[str, Any]]]) -> Any:
    """What the stub says of these matches."""
    folder = Path(page.__file__).with_name("static")
    scripts = [(folder / f"{name}.js").read_text("utf-8") for name in SHARED]
    scripts += [board_script(game) or "" for game, _ in games]
    job = {"scripts": scripts, "matches": [match for _, match in games]}
    node = needs_tool("node", "nodejs")
    run = subprocess.run(
        [node, str(STUB)], input=json.dumps(job), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


@pytest.mark.dear_for("warlight", "hextrategic", "tncc")
@pytest.mark.parametrize(("game", "seats"), [*cases()])
def test_a_board_steps_through_the_orders(game: AnyGame, seats: int) -> None:
    view, match = find_view(game), watch(game, seats)
    assert view
    [told] = draw([(game, match)])
    frames = [match["frames"], *match["views"]]
    assert told["all"] == [[len(view.orders(frame)) for frame in seen] for seen in frames]
    assert sum(told["all"][0]) > 0
    assert told["heads"]
