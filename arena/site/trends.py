"""How a rating became what it is: the rating of a bot over time, and its change within a day.

To fit the whole league again for each point of a curve would take a second a point. So a point is
the rating that a bot's own results up to then imply, against the ratings that its rivals have now.
The last point is the rating of the table: at the maximum of the likelihood both are the same. The
interval is that of independent games, widened as much as the table widens it for the last point,
since the games on one map depend on each other and the rivals' ratings are estimates too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from arena.league.league import League
from arena.league.rows import ranks_of, seats_of
from arena.league.table import LeagueTable
from arena.tournament.ratings import ELO, PRIOR, Z, law
from arena.tournament.standings import Standing

POINTS = 30
"""Points of a curve of one version, at most."""
DAY = timedelta(days=1)
Scores = Counter[tuple[float, float]]
"""How often a bot got these points (1, ½, 0) against a rival of that rating."""


class RatingPoint(Struct, frozen=True):
    """What the results of a version up to a match say."""

    version: int
    games: int
    at: str
    elo: float
    error: float
    """Half of the 95 % interval."""


def rating_curve(
    league: League, table: LeagueTable, name: str, versions: Sequence[tuple[int, str]], until: str
) -> list[RatingPoint]:
    """The curve of a bot over its `versions` (number, id in fixtures), the oldest first."""
    elo = _ratings(league, table)
    row = next((one for one in table.table.standings if one.name == name), None)
    found: list[RatingPoint] = []
    for version, bot in versions:
        found += _curve(league, table, bot, version, elo, until)
    if row is None or not found or not found[-1].error or not row.games:
        return found
    wider = row.error / found[-1].error
    return [
        RatingPoint(one.version, one.games, one.at, one.elo, one.error * wider) for one in found
    ]


def _curve(
    league: League, table: LeagueTable, bot: str, version: int, elo: Mapping[str, float], until: str
) -> list[RatingPoint]:
    rows = league.store.all(
        "SELECT valid.at, fixture.seats, valid.ranks FROM seat JOIN valid "
        "ON valid.number = seat.result JOIN fixture ON fixture.number = valid.fixture "
        "WHERE seat.bot = ? AND valid.at < ? ORDER BY valid.number",
        (bot, until),
    )
    scored = [(at, _scores(bot, seats, ranks, elo)) for at, seats, ranks in rows]
    games = [(at, scores) for at, scores in scored if scores]
    ends = {len(games) * point // POINTS for point in range(1, POINTS + 1)} - {0}
    points: list[RatingPoint] = []
    so_far = Scores()
    for number, (at, scores) in enumerate(games, 1):
        so_far.update(scores)
        if number in ends:
            value, error = estimate(so_far, table, points[-1].elo if points else 0.0)
            points.append(RatingPoint(version, number, at, value, error))
    return points


def _scores(
    bot: str, seats: str, ranks: str, elo: Mapping[str, float]
) -> list[tuple[float, float]]:
    """The points of a bot against each rival of a match; none if one of them plays no more, since
    the table leaves such matches out."""
    bots = seats_of(seats)
    places = dict(zip(bots, ranks_of(ranks, len(bots)), strict=True))
    rivals = [one for one in bots if one != bot]
    if not all(one in elo for one in rivals):
        return []
    own = places[bot]
    return [(elo[one], 1.0 if own < places[one] else 0.5 * (own == places[one])) for one in rivals]


def estimate(scores: Scores, table: LeagueTable, start: float = 0.0) -> tuple[float, float]:
    """The rating that such scores imply, and half of its interval, in Elo. The search is short when
    it starts nearby."""
    counts: dict[tuple[float, float], float] = dict(scores)
    points = sum(score * count for (_, score), count in counts.items())
    if table.table.notes or points in (0, scores.total()):  # the prior of the table, or all alike
        for score in (0.0, 1.0):
            counts[0.0, score] = counts.get((0.0, score), 0) + PRIOR
    rating = start / ELO
    for _ in range(50):
        expected = [(law(rating, elo / ELO), score, n) for (elo, score), n in counts.items()]
        slope = sum(n * (score - share) for share, score, n in expected)
        information = sum(n * share * (1 - share) for share, _, n in expected)
        step = max(-1.0, min(1.0, slope / max(information, 1e-9)))
        rating += step
        if abs(step) < 1e-7:
            break
    return rating * ELO, Z * ELO * math.sqrt((1 - table.table.draw) / max(information, 1e-9))


def _ratings(league: League, table: LeagueTable) -> dict[str, float]:
    """The ratings of the versions that play now, by id."""
    rows: dict[str, Standing] = {row.name: row for row in table.table.standings}
    return {
        player.bot: rows[player.name].elo
        for player in league.players()
        if player.name in rows and rows[player.name].games
    }


def changes(league: League, table: LeagueTable) -> dict[str, float]:
    """By how much each rating has changed within a day, by name; of those alone that had one then.

    What a version that has been replaced had then counts, so a better version shows.
    """
    then = (datetime.now(UTC) - DAY).strftime("%Y-%m-%d %H:%M:%S")
    names = _played_then(league, then)
    if not names:
        return {}
    elo = _ratings(league, table)
    scores: dict[str, Scores] = {}
    rows = league.store.rows(
        "SELECT fixture.seats, valid.ranks, count(*) FROM valid JOIN fixture "
        "ON fixture.number = valid.fixture WHERE valid.at <= ? GROUP BY fixture.seats, valid.ranks",
        (then,),
    )
    for seats, ranks, count in rows:
        for bot in seats_of(seats):
            if bot in names:
                for one in _scores(bot, seats, ranks, elo):
                    scores.setdefault(names[bot], Scores())[one] += count
    now = {row.name: row.elo for row in table.table.standings if row.games}
    return {
        name: now[name] - estimate(found, table)[0] for name, found in scores.items() if name in now
    }


def _played_then(league: League, then: str) -> dict[str, str]:
    """The names of the versions that played at that time, by id."""
    rows = league.store.all(
        "SELECT bot, name, max(number) FROM submission WHERE at <= ? AND "
        "(passed OR number IN (SELECT submission FROM admission)) AND number NOT IN "
        "(SELECT submission FROM withdrawal WHERE at <= ?) GROUP BY name",
        (then, then),
    )
    return {bot: name for bot, name, _ in rows}


# -- the picture -----------------------------------------------------------------------------------

WIDTH, HEIGHT = 600.0, 180.0
"""Of the picture, in its own units."""


class CurvePicture(Struct, frozen=True):
    """A curve as parts of a picture: for each version a band and a line, as points of SVG."""

    parts: list[tuple[int, str, str, float]]
    """Version, band, line, and where it begins from the left."""
    top: float
    bottom: float
    """Ratings at the edges, in Elo."""


def picture(points: Sequence[RatingPoint]) -> CurvePicture | None:
    """The picture of a curve; None without points. Points stand side by side, in their order."""
    if not points:
        return None
    known = [one for one in points if one.games >= FEW] or list(points)
    bottom = min(one.elo - one.error for one in known)
    top = max(max(one.elo + one.error for one in known), bottom + 1)
    places = [((at + 0.5) / len(points) * WIDTH, one) for at, one in enumerate(points)]

    def at(x: float, elo: float) -> str:
        y = (top - min(max(elo, bottom), top)) / (top - bottom) * HEIGHT
        return f"{x:.1f},{y:.1f}"

    parts = []
    for version in dict.fromkeys(one.version for one in points):
        own = [(x, one) for x, one in places if one.version == version]
        if len(own) == 1:  # a line needs two ends
            x, one = own[0]
            own = [(x - 4, one), (x + 4, one)]
        upper = [at(x, one.elo + one.error) for x, one in own]
        lower = [at(x, one.elo - one.error) for x, one in reversed(own)]
        line = " ".join(at(x, one.elo) for x, one in own)
        parts.append((version, " ".join([*upper, *lower]), line, own[0][0]))
    return CurvePicture(parts, top, bottom)


FEW = 4
"""Before so many games the interval is as wide as everything else together: it is cut off."""
