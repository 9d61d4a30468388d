"""What games share beyond `arena.core`: the forms of the protocol, refusals, maps, chance."""

from arena.core.ranking import ranks
from arena.games.kit.chance import Streams
from arena.games.kit.maps import (
    Cell,
    around,
    held,
    links_text,
    reachable,
)
from arena.games.kit.maptexts import MapTexts
from arena.games.kit.refusals import ONLY_ALONE, CappedNotes, Refusal
from arena.games.kit.show import letter
from arena.games.kit.talking import answer_text, ask_each, tell, tell_each
from arena.games.kit.wire import (
    game_over_line,
    is_no_moves,
    only_orders,
    pieces,
    player_names,
    point,
    points_text,
    read_integer,
    read_thousandths,
    settings_lines,
    thousandths,
    value_text,
)
from arena.text import counted, joined, quote

__all__ = [
    "ONLY_ALONE",
    "CappedNotes",
    "Cell",
    "MapTexts",
    "Refusal",
    "Streams",
    "answer_text",
    "around",
    "ask_each",
    "counted",
    "game_over_line",
    "held",
    "is_no_moves",
    "joined",
    "letter",
    "links_text",
    "only_orders",
    "pieces",
    "player_names",
    "point",
    "points_text",
    "quote",
    "ranks",
    "reachable",
    "read_integer",
    "read_thousandths",
    "settings_lines",
    "tell",
    "tell_each",
    "thousandths",
    "value_text",
]
