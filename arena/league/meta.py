"""The field of a league as a whole: as a document, as CSV, and as a page."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import PurePath

from msgspec import Struct

from arena.league.export import PAGE_HEAD, csv_line, html_table
from arena.league.league import League
from arena.league.likeness import Likeness
from arena.league.sums import sums_of
from arena.league.table import blocks_by_round
from arena.league.types import SeedAccount
from arena.tournament.meta import Blocks, FieldReport, field_report


class LeagueField(Struct, frozen=True):
    """The document printed by `arena league meta --json`."""

    game: str
    seed: SeedAccount
    digest: str
    """As in the table of the league."""
    field: FieldReport
    likeness: Likeness | None = None
    """How alike the bots answer, if positions were given."""


def league_field(league: League) -> LeagueField:
    """The field of the players that the table lists. Raises UsageError for too few matches."""
    players = league.ranked()
    sums = sums_of(league, players)
    maps: dict[str, Blocks] = {}
    if league.book is not None:
        for round_, blocks in sorted(blocks_by_round(league, players).items()):
            name = PurePath(league.book.name(round_)).name
            maps[name] = [*maps.get(name, ()), *blocks]
    names = [player.name for player in players]
    return LeagueField(
        league.terms.game,
        league.seed(),
        sums.digest,
        field_report(names, sums.tally, maps),
    )


HEAD = ("kind", "name", "of", "value", "low", "high")


def field_csv(found: LeagueField) -> str:
    """All numbers as CSV: the header, then a line for each number with its interval."""
    return "".join(map(csv_line, [HEAD, *_lines(found.field), *_like_lines(found)]))


def _like_lines(found: LeagueField) -> Iterator[tuple[object, ...]]:
    for pair in found.likeness.pairs if found.likeness else ():
        kind = "clones" if pair.clones else "likeness"
        yield kind, *pair.bots, pair.share, pair.low, pair.high


def _lines(found: FieldReport) -> Iterator[tuple[object, ...]]:
    yield "cyclic", "", "", found.cyclic, found.low, found.high
    yield "luck", "", "", found.luck, "", ""
    yield "chance", "", "", found.chance, "", ""
    for cycle in found.cycles:
        yield "cycle", " > ".join(cycle.bots), "Elo", cycle.elo, cycle.low, cycle.high
    for bot in found.bots:
        yield "elo", bot.name, "", bot.elo, "", ""
        if bot.nash is not None:
            yield "nash", bot.name, "", bot.nash, bot.nash_low, bot.nash_high
            yield "score", bot.name, "Nash mixture", bot.score, bot.score_low, bot.score_high
    for seat in found.seats:
        yield "seat", f"player{seat.seat + 1}", seat.map, seat.score, seat.low, seat.high
    if found.maps is not None:
        yield "maps", "", "correlation", found.maps.correlation, found.maps.low, found.maps.high


# Text of numbers, for the terminal and the page.


def share_text(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """``12.3 % (10.1 to 14.5)``; a dash for none."""
    if value is None:
        return "-"
    text = f"{100 * value:.1f} %"
    return text if low is None or high is None else f"{text} ({100 * low:.1f} to {100 * high:.1f})"


def cyclic_sentence(found: FieldReport) -> str:
    """What the cyclic part is, and whether it is more than luck."""
    share = share_text(found.cyclic, found.low, found.high)
    verdict = (
        "ratings do not explain this field alone"
        if found.chance < 0.05
        else "these matches do not show that ratings miss anything"
    )
    return (
        f"{verdict}: they leave {share} of the squared log odds of all pairs unexplained, after "
        f"the {share_text(found.luck)} that luck alone makes are taken off; in fields that ratings "
        f"explain, luck leaves as much in {share_text(found.chance)} of all cases"
    )


def maps_sentence(found: FieldReport) -> str:
    """What the correlation of maps says; empty without one."""
    one = found.maps
    if one is None:
        return ""
    what = "maps neither surely favour a seat nor a bot"
    if one.low > 0:
        what = "maps favour a seat, now this one, now that one"
    elif one.high < 0:
        what = "maps favour a bot, whatever its seat"
    return (
        f"correlation of the first seat's results in both games on a map: {one.correlation:+.2f} "
        f"({one.low:+.2f} to {one.high:+.2f}): {what}"
    )


CYCLE_HEAD = ("each beats the next", "scores", "beyond ratings, Elo")
BOT_HEAD = ("bot", "Elo", "part of the mixture", "score against it")
SEAT_HEAD = ("from", "seat", "blocks", "share of the points")


def cycle_rows(found: FieldReport) -> list[tuple[str, ...]]:
    """The cycles, the surest first."""
    return [
        (
            " > ".join((*one.bots, one.bots[0])),
            ", ".join(f"{100 * score:.0f} %" for score in one.scores),
            f"{one.elo:+.0f} ({one.low:+.0f} to {one.high:+.0f})",
        )
        for one in found.cycles
    ]


def bot_rows(found: FieldReport) -> list[tuple[str, ...]]:
    """The bots by their scores against the mixture, or by their ratings."""
    ordered = sorted(found.bots, key=lambda one: (-(one.score or 0.0), -one.elo, one.name))
    return [
        (
            one.name,
            f"{one.elo:.0f}",
            share_text(one.nash, one.nash_low, one.nash_high),
            share_text(one.score, one.score_low, one.score_high),
        )
        for one in ordered
    ]


def seat_rows(found: FieldReport) -> list[tuple[str, ...]]:
    """The seats, over all matches and by position."""
    return [
        (
            one.map or "all matches",
            f"player{one.seat + 1}",
            str(one.blocks),
            share_text(one.score, one.low, one.high),
        )
        for one in found.seats
    ]


LIKE_HEAD = ("bot", "and", "same answers", "positions", "")


def like_sentence(found: Likeness) -> str:
    """What was compared."""
    return (
        f"the same answers at {found.telling} of {found.positions} positions, which are those at "
        "which not all bots answer alike"
    )


def like_rows(found: Likeness) -> list[tuple[str, ...]]:
    """The pairs, the most alike first."""
    return [
        (
            *pair.bots,
            share_text(pair.share, pair.low, pair.high),
            str(pair.positions),
            "clones" if pair.clones else "",
        )
        for pair in found.pairs
    ]


_PAGE = (
    PAGE_HEAD
    + """\
td:first-child, th:first-child {{ text-align: left }}
</style></head><body>
<h1>{title}</h1>
<p>{games} matches in {blocks} blocks, {pairs} pairs, digest {digest}. All intervals are of 95 %,
over blocks.</p>
{sections}
</body></html>
"""
)


def field_page(found: LeagueField) -> str:
    """The field as a page that needs nothing else."""
    field = found.field
    parts = [
        _section("Cycles", cyclic_sentence(field), CYCLE_HEAD, cycle_rows(field)),
        _section(
            "The mixture that no bot beats",
            "its parts, and the score of each bot against it (Nash averaging): copies of a bot "
            "share its part and change no other score",
            BOT_HEAD,
            bot_rows(field),
        ),
        _section("Seats and maps", maps_sentence(field), SEAT_HEAD, seat_rows(field)),
        *(
            [_section("Likeness", like_sentence(like), LIKE_HEAD, like_rows(like))]
            if (like := found.likeness)
            else []
        ),
        *(f"<p>{_sentence(note)}</p>" for note in field.notes),
    ]
    return _PAGE.format(
        wide="60em",
        title=html.escape(f"The field as a whole: {found.game}, league seed {found.seed}"),
        games=field.games,
        blocks=field.blocks,
        pairs=field.pairs,
        digest=found.digest,
        sections="\n".join(parts),
    )


def _section(title: str, text: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    paragraph = f"<p>{_sentence(text)}</p>\n" if text else ""
    return f"<h2>{title}</h2>\n{paragraph}{html_table(head, rows) if rows else ''}"


def _sentence(text: str) -> str:
    return html.escape(f"{text[:1].upper()}{text[1:]}.")
