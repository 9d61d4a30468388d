"""Common parts of games beyond `arena.core`: protocol formats, refusals, maps, randomness."""

from arena.core.lines import BLANKS, trim
from arena.core.offers import NO_MOVES
from arena.core.ranking import ranks
from arena.games.kit.arrays import OwnedRows, owner_columns
from arena.games.kit.maps import (
    Cell,
    MapTexts,
    around,
    held,
    links_text,
    reachable,
)
from arena.games.kit.talking import (
    ONLY_ALONE,
    CappedNotes,
    Refusal,
    Streams,
    answer_text,
    ask_each,
    letter,
    tell,
    tell_each,
)
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
    "BLANKS",
    "NO_MOVES",
    "ONLY_ALONE",
    "CappedNotes",
    "Cell",
    "MapTexts",
    "OwnedRows",
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
    "owner_columns",
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
    "trim",
    "value_text",
]
