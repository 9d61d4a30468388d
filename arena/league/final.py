"""Finals: further matches between the versions of one moment, which nobody could prepare for.

A final is *declared* with the SHA-256 of its seed, which the declarer keeps, and of a secret, which
the file keeps, while bots may still change. It is *started* after its moment, by telling both, and
a public value that nobody could choose, if the declaration names one. The matches follow from all
of these and all versions of before the moment (`Final.draw`), also those that were withdrawn or
refused: else, with the value known, some could be withdrawn until the matches suit somebody. So
neither the declarer nor who reads the file knows them while bots may change, and `wrong_finals`
proves that none was exchanged.

One final is open at a time: with several, one could be picked that suits somebody. Those that were
never started are told (`open_finals`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import UsageError
from arena.league.league import League
from arena.league.plan import Stage
from arena.league.rows import player_of, seats_of
from arena.league.sums import Scope
from arena.league.table import LeagueTable, table_of
from arena.league.types import (
    LeaguePlayer,
    PlannedMatch,
    block_name,
    block_of,
    hashed,
    match_seed,
    seed_hash,
)
from arena.tournament.pairings import round_robin_of_teams

SEED = 16
"""Minimum characters of a seed: a shorter one could be found from its hash."""


class Final(Struct, frozen=True):
    """A final that was declared."""

    number: int
    hash: str
    """SHA-256 of its seed, in hexadecimal."""
    due: str
    """Versions that were uploaded before that moment (UTC) take part."""
    rounds: int
    seed: str
    """Empty until it is started."""
    bots: tuple[str, ...]
    """Those that take part, as fixtures call them; none until it is started."""
    started: str | None
    """When (UTC)."""
    secret: str | None
    """What the file keeps, and nobody is told before the start; None before format 5."""
    source: str | None
    """Which public value is added; None: none."""
    beacon: str | None
    """That value, once the final has started."""
    declarer: str
    ended: str | None
    """Why it was called off; None if it was not."""
    versions: tuple[str, ...]
    """All that came before its moment, whatever became of them."""

    @property
    def event(self) -> str:
        """The event of its matches."""
        return f"final {self.number}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be started."""
        return self.started is None and self.ended is None

    @property
    def secret_hash(self) -> str:
        """What is published of its secret; empty before format 5."""
        return seed_hash(self.secret) if self.secret else ""

    @property
    def draw(self) -> str:
        """The seed from which its matches follow."""
        if self.secret is None:
            return self.seed
        value = None if self.beacon is None else plain_value(self.beacon)
        return hashed("final", self.seed, self.secret, value, self.versions)

    def seed_of(self, block: str) -> str:
        """The seed of the matches of a block."""
        return block if self.secret is None else match_seed(self.draw, block)


def plain_value(beacon: str) -> str:
    """The letters and digits of a public value: how it is written must not bear on the matches, for
    who types it in could try. Those that are not of ASCII may look alike: such a value is refused.
    """
    text = unicodedata.normalize("NFKC", beacon).casefold()
    return "".join(filter(str.isalnum, text))


_CAME = (
    "coalesce((SELECT upload.at FROM outcome JOIN upload ON upload.number = outcome.upload "
    "WHERE outcome.submission = submission.number), submission.at)"
)
"""When a version was handed in. One that waited in the queue was examined later."""
_FINAL = (
    "SELECT final.number, hash, due, rounds, coalesce(seed, ''), coalesce(bots, '[]'), "
    "final_start.at, secret, final.beacon, final_start.beacon, "
    "coalesce((SELECT name FROM account WHERE number = final.account), 'the command line'), "
    "final_end.reason, (SELECT json_group_array(bot) FROM (SELECT DISTINCT bot FROM submission "
    f"WHERE {_CAME} < due ORDER BY bot)) FROM final "
    "LEFT JOIN final_start ON final_start.final = final.number "
    "LEFT JOIN final_end ON final_end.final = final.number"
)


def finals(league: League) -> list[Final]:
    """All finals, in the order in which they were declared."""
    if not league.store.has_site:
        return []
    decode = msgspec.json.Decoder(tuple[str, ...]).decode
    return [
        Final(number, hash, due, rounds, seed, decode(bots), *[*rest, decode(versions)])
        for number, hash, due, rounds, seed, bots, *rest, versions in league.store.all(
            f"{_FINAL} ORDER BY final.number"
        )
    ]


def final(league: League, number: int) -> Final:
    """One final. Raises UsageError."""
    found = next((one for one in finals(league) if one.number == number), None)
    if found is None:
        raise UsageError(f"there is no final {number}: declare one first")
    return found


def open_finals(league: League) -> Iterator[str]:
    """A sentence for each final that was never started, with its declarer."""
    for one in finals(league):
        if one.started is None:
            state = "has not started" if one.ended is None else f"was called off: {one.ended}"
            yield f"{one.event}, declared by {one.declarer} for {one.due} UTC, {state}"


def entrants(league: League, due: str) -> list[LeaguePlayer]:
    """Who would take part in a final of that moment: of each name the last version that was
    uploaded before it and plays, without those of testers. A version that was examined later, since
    it waited in the queue, takes part as well."""
    query = (
        f"SELECT name, bot, content, entry, max(number) AS last FROM submission WHERE {_CAME} < ? "
        "AND (passed OR number IN (SELECT submission FROM admission)) "
        "AND number NOT IN (SELECT submission FROM withdrawal) "
        "AND name NOT IN (SELECT bot FROM unranked) GROUP BY name ORDER BY last"
    )
    return [player_of(row) for row in league.store.all(query, (due,))]


def players_of(league: League, found: Final) -> list[LeaguePlayer]:
    """Who takes part in a final that was started, by name. Bots that were withdrawn are left out
    where everybody of their team is banned."""
    query = (
        "SELECT name, bot, content, entry, max(number) FROM submission "
        "WHERE bot IN (SELECT value FROM json_each(?)) GROUP BY bot "
        "HAVING sum(number NOT IN (SELECT submission FROM withdrawal)) "
        "OR name NOT IN (SELECT bot FROM owner WHERE NOT EXISTS (SELECT 1 FROM member_now "
        "JOIN role_now ON role_now.account = member_now.account "
        "WHERE member_now.team = owner.team AND role != 'banned')) ORDER BY name"
    )
    return [player_of(row) for row in league.store.all(query, (_ids(found.bots),))]


def final_table(league: League, found: Final) -> LeagueTable:
    """The table of a final: its own matches alone."""
    return table_of(league, players_of(league, found), Scope(event=found.event))


# -- its matches -----------------------------------------------------------------------------------


def final_stages(league: League) -> Iterator[Stage]:
    """A stage for each final with matches to play."""
    for one in finals(league):
        if one.started is None:
            continue
        rounds = list(_rounds(league, one))
        total = sum(map(len, rounds))
        if _played(league, one, list(chain.from_iterable(rounds))) < total:
            yield Stage(total, iter(rounds), one.event)


def _rounds(league: League, found: Final) -> Iterator[list[PlannedMatch]]:
    """In each round all of different teams meet once, on one map, from every seat. (In finals of
    format 4 those of one team meet, too.) The groups are those of all who took part at the start,
    whoever has dropped out."""
    bots, left = sorted(found.bots), {one.bot for one in players_of(league, found)}
    names = [league.copy_of(bot)[0] for bot in bots]
    teams = bots if found.secret is None else league.teams_of(names)
    turns = round_robin_of_teams(teams, league.terms.seats)
    groups = [[bots[one] for one in group] for group in turns]
    for round in range(found.rounds):
        yield [
            match for group in groups if left >= set(group) for match in _block(found, group, round)
        ]


def _block(found: Final, group: list[str], round: int) -> list[PlannedMatch]:
    matches = block_of(found.draw, found.event, round, group, round)
    return [replace(match, seed=found.seed_of(match.block)) for match in matches]


def _played(league: League, found: Final, matches: list[PlannedMatch]) -> int:
    query = (
        "SELECT count(*) FROM valid JOIN fixture ON fixture.number = valid.fixture "
        "WHERE event = ? AND id IN (SELECT value FROM json_each(?))"
    )
    values = found.event, _ids([one.id for one in matches])
    return int((league.store.one(query, values) or (0,))[0])


def _ids(values: object) -> str:
    return msgspec.json.encode(values).decode()


# -- proving them ----------------------------------------------------------------------------------


def wrong_finals(league: League) -> Iterator[str]:
    """What contradicts the commitments of finals."""
    started = {one.event: one for one in finals(league) if one.started is not None}
    for one in started.values():
        if seed_hash(one.seed) != one.hash:
            yield f"{one.event}: its seed is not the one whose hash was published"
        if one.started is not None and one.started < one.due:
            yield f"{one.event}: it was started before its versions were final"
        if one.beacon is not None and not plain_value(one.beacon).isascii():
            yield f"{one.event}: its public value may have been written so that it suits somebody"
        yield from _wrong_bots(league, one)
    for (number,) in league.store.all(_WITHOUT_SECRET) if league.store.has_site else ():
        yield f"final {number}: it has no secret, so its declarer knew its matches"
    query = (
        "SELECT fixture.number, event, round, block, seed, seats, chain.number, coalesce(("
        "SELECT first.number FROM chain AS first WHERE first.kind = 'final_start' "
        "AND 'final ' || first.row = event), chain.number) FROM fixture "
        "JOIN chain ON chain.kind = 'fixture' AND chain.row = fixture.number "
        "WHERE fixture.number IN final_match"
    )
    for number, event, round, block, seed, seats, link, start in league.store.rows(query):
        found, bots = started.get(event), sorted(seats_of(seats))
        if found is None or link <= start:
            yield f"fixture {number}: its final had not started"
        elif round >= found.rounds or not set(bots) <= set(found.bots):
            yield f"fixture {number}: {event} has no such match"
        elif (block, seed) != (block_name(found.draw, event, bots, round), found.seed_of(block)):
            yield f"fixture {number}: it does not follow from the seed of {event}"


_WITHOUT_SECRET = (
    "SELECT final.number FROM final JOIN chain ON kind = 'final' AND row = final.number "
    "WHERE secret IS NULL AND chain.number > (SELECT number FROM chain WHERE kind = 'seed' LIMIT 1)"
)
"""Finals of leagues of format 4 were declared before their first seed was drawn."""


def _wrong_bots(league: League, found: Final) -> Iterator[str]:
    """Bots of a final that were not the last versions of their names at its moment, and such that
    were left out. Only what the chain had before the start bears on it."""
    before = (
        "SELECT row FROM chain WHERE kind = '{}' AND number < "
        "(SELECT number FROM chain WHERE kind = 'final_start' AND row = ?)"
    )
    query = (
        f"SELECT bot, name IN ({_OF_TESTERS}) "
        f"FROM (SELECT name, bot, max(number) FROM submission WHERE {_CAME} < ? "
        f"AND number IN ({before.format('submission')}) "
        f"AND (passed OR number IN ({before.format('admission')})) "
        f"AND number NOT IN ({before.format('withdrawal')}) GROUP BY name)"
    )
    values = (found.due, *[found.number] * 3)
    last = dict(league.store.all(query, values))
    for bot in sorted(set(found.bots) - last.keys()):
        yield f"{found.event}: {bot} was not the last version of its name at {found.due}"
    for bot in sorted(last.keys() - set(found.bots)):
        if not last[bot]:
            yield f"{found.event}: {bot} was left out"


_OF_TESTERS = (
    "SELECT bot FROM owner WHERE team IN (SELECT team FROM member "
    "WHERE account IN (SELECT account FROM role WHERE role = 'tester')) "
    "UNION SELECT bot FROM upload WHERE account IN (SELECT account FROM role WHERE role = 'tester')"
)
"""The names of whoever was a tester at any time."""
