"""From replays to a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.core.registry import find_game
from arena.record.reader import Match
from arena.view.game import board_script
from arena.view.page import make_page
from arena.view.story import tell_story


def view_page(replays: Sequence[Path]) -> str:
    """One page with these replays. Raises ReplayError, which names the file."""
    stories = [tell_story(Match.read(path), path.name) for path in replays]
    names = dict.fromkeys(story.game for story in stories)
    scripts = [board_script(find_game(name)) for name in names]
    blocks = [(f"story-{i}", msgspec.json.encode(story)) for i, story in enumerate(stories)]
    title = stories[0].title if len(stories) == 1 else f"{len(stories)} matches"
    return make_page(f"{title} · arena", blocks, [script for script in scripts if script])
