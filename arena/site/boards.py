"""Matches that people play in the browser: who sits where, the limits on them, and their records.

Such a match is *open* until each seat that is no bot's has its person, who comes by a link; then it
is *playing*, by a process of its own (`arena.site.hosting`), until it is *over*. It is neither a
fixture nor a result, so no table counts it and `arena verify` does not know it. Its record is for
those who sat at it, and for organisers.

A person is an account, or a guest, where organisers let everybody play: a browser with a secret in
a cookie. A match whose process was killed does not go on, since nobody could give the bots back
what they knew.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.errors import UsageError
from arena.league.league import Folder, League
from arena.league.store import Change
from arena.league.types import spec_of
from arena.site.accounts import Participant, new_secret, secret_hash
from arena.site.deeds import doing
from arena.text import counted, joined

SHORTEST, LONGEST = 60, 24 * 3600
"""Seconds that a person may have for each answer."""
NOT_OVER = 2
"""Matches of one person that are open or played at a time."""
GUESTS = 4
"""Matches that guests have begun and that are not over, of all guests: whoever forgets a cookie is
another guest."""
GUESTS_OF_ADDRESS = GUESTS // 2
"""Those of them from one address."""
PLAYING = 8
"""Matches that are played at a time, each by a process with its bots."""
OPEN = 100
"""Matches that wait for people."""
HOURLY, HOURLY_GUESTS = 20, 60
"""Matches that one account, and all guests together, may begin in an hour."""
WAITS = 24
"""Hours that a match waits for its people."""
NOBODY, MEMBERS, EVERYBODY = "play-off", "play-members", "play-all"
"""Who may play: the kinds of moments of which the newest holds."""
STOPPED = (
    "The site was started anew during the match, which does not go on. It counts for nobody: "
    "begin another."
)
FAILED = "The match was broken off by a failure of the site. Tell the organiser, or begin another."
DID_NOT_COME = f"Nobody took the free seat within {WAITS} hours."


class Sitter(Struct, frozen=True):
    """Who asks for a seat: an account, or a guest with a secret."""

    name: str
    account: int | None = None
    secret: str = ""

    @property
    def hash(self) -> str:
        """What the file keeps of a guest."""
        return "" if self.account is not None else secret_hash(self.secret)


class Chair(Struct, frozen=True):
    """A seat of a match."""

    name: str
    """Of its bot or its person; empty while it is free."""
    bot: str | None
    """The bot in the league; None for a person."""


class PeopleMatch(Struct, frozen=True):
    """A match of people, as one of them sees it."""

    number: int
    at: str
    seconds: int
    seed: str
    """What decides all that is random in it: no page shows it."""
    chairs: tuple[Chair, ...]
    mine: int | None
    """The seat of who asks; None for an organiser who looks on."""
    is_maker: bool
    """Whether who asks has begun it."""
    sentence: str
    problem: str
    is_over: bool

    @property
    def state(self) -> str:
        """``open``, ``playing``, ``over`` or ``broken off``."""
        if self.is_over:
            return "broken off" if self.problem else "over"
        return "playing" if all(chair.name for chair in self.chairs) else "open"


# -- who may play ----------------------------------------------------------------------------------


def who_may(league: League) -> str:
    """Who may play now: NOBODY, MEMBERS or EVERYBODY."""
    found = league.store.one(
        "SELECT kind FROM moment WHERE kind IN (?, ?, ?) AND due <= CURRENT_TIMESTAMP "
        "ORDER BY due DESC, number DESC LIMIT 1",
        (NOBODY, MEMBERS, EVERYBODY),
    )
    return str(found[0]) if found is not None else MEMBERS


def let_play(league: League, organiser: Participant, kind: str) -> None:
    """Say who may play from now on. Raises UsageError."""
    if kind not in (NOBODY, MEMBERS, EVERYBODY):
        raise UsageError(f"choose who may play: {joined([NOBODY, MEMBERS, EVERYBODY])}")
    with doing(league, organiser.number, "said who may play") as deed:
        (now,) = league.store.one("SELECT CURRENT_TIMESTAMP") or ("",)
        deed.add("moment", kind=kind, due=now, account=organiser.number, reason="")
        deed.detail = kind


def require_may(league: League, who: Sitter) -> None:
    """Raise UsageError unless this person may play now."""
    allowed = who_may(league)
    if allowed == NOBODY:
        raise UsageError("the organiser does not let people play now")
    if who.account is None and allowed != EVERYBODY:
        raise UsageError("only who is signed in may play here: sign in")
    if spec_of(league.terms).find_game().budget(spec_of(league.terms).settings) is not None:
        raise UsageError("this contest counts instructions instead of time: people cannot play it")


# -- beginning and joining -------------------------------------------------------------------------


def begin(league: League, who: Sitter, seat: int, rivals: Sequence[str], seconds: int) -> int:
    """Begin a match: who asks takes a seat, and `rivals` are the others in their order: names of
    bots, or empty for somebody who is invited. Returns its number.

    Raises UsageError for bots that do not play, a wrong time, and where a limit is reached.
    """
    count = league.terms.seats
    if not 0 <= seat < count or len(rivals) != count - 1:
        raise UsageError(f"this contest has {count} in a match: choose your seat and the others")
    if not SHORTEST <= seconds <= LONGEST:
        raise UsageError("choose between a minute and a day for each answer")
    bots = {player.name: player.bot for player in league.players()}
    for name in rivals:
        if name and name not in bots:
            raise UsageError(f"no bot is called {name!r} here (any more): choose another")
    seats = [bots.get(name) for name in rivals]
    seats.insert(seat, None)
    with league.store.changing() as change:
        require_may(league, who)
        _require_room(league, who, playing=seats.count(None) == 1, begins=True)
        number = change.add(
            "people_match",
            account=who.account,
            seconds=seconds,
            seed=secrets.token_hex(8),
            seats=msgspec.json.encode(seats).decode(),
        )
        _sit(change, number, seat, who)
    return number


def invite(league: League, who: Sitter, number: int) -> str:
    """Make the link of a match that waits, in place of an earlier one. Returns its secret.

    Raises UsageError for who has not begun it, and for a match that waits for nobody.
    """
    found = people_match(league, number, who)
    if found is None or not found.is_maker:
        raise UsageError("there is no such match of yours")
    if found.state != "open":
        raise UsageError("this match waits for nobody: begin another")
    secret = new_secret()
    with league.store.changing() as change:
        change.add("people_link", people_match=number, hash=secret_hash(secret))
    return secret


def join(league: League, secret: str, who: Sitter) -> int:
    """Take the first free seat of the match with that link. Returns its number.

    Raises UsageError for a link that does not hold (any more) and where a limit is reached.
    """
    with league.store.changing() as change:
        require_may(league, who)
        found = league.store.one(
            "SELECT people_match, missing FROM people_link "
            "JOIN people_open ON people_open.number = people_match WHERE missing > 0 "
            "AND hash = ? AND people_link.number IN "
            "(SELECT max(number) FROM people_link GROUP BY people_match) "
            f"AND people_open.at > datetime('now', '-{WAITS} hours')",
            (secret_hash(secret),),
        )
        if found is None:
            raise UsageError("this link was used, has ended, or was mistyped: ask for another")
        number, missing = found
        if seat_of(league, number, who) is not None:
            raise UsageError("you sit at this match already: the link is for somebody else")
        _require_room(league, who, playing=missing == 1, begins=False)
        match = people_match(league, number, None)
        assert match is not None
        _sit(change, number, [chair.name for chair in match.chairs].index(""), who)
    return int(number)


def take_back(league: League, who: Sitter, number: int) -> None:
    """End an own match that waits still. Raises UsageError for another."""
    found = people_match(league, number, who)
    if found is None or not found.is_maker or found.state != "open":
        raise UsageError("there is no such match of yours that waits")
    end(league, number, problem="It was taken back.", only_open=True)


def open_matches(league: League) -> set[int]:
    """The matches that are not over."""
    return {number for (number,) in league.store.all("SELECT number FROM people_open")}


def _sit(change: Change, number: int, seat: int, who: Sitter) -> None:
    change.add(
        "people_seat",
        people_match=number,
        seat=seat,
        account=who.account,
        hash=who.hash,
        name=who.name,
    )


def _require_room(league: League, who: Sitter, *, playing: bool, begins: bool) -> None:
    """Raise UsageError where a limit is reached; `playing`: the match would begin at once."""
    own, guests, played, waiting, hourly = league.store.one(
        "SELECT (SELECT count(DISTINCT people_match) FROM people_seat WHERE account IS ?1 "
        "AND hash = ?2 AND people_match IN (SELECT number FROM people_open)), "
        "(SELECT count(*) FROM people_open WHERE account IS NULL), "
        "(SELECT count(*) FROM people_open WHERE missing = 0), "
        "(SELECT count(*) FROM people_open WHERE missing > 0), "
        "(SELECT count(*) FROM people_match WHERE account IS ?1 "
        "AND at > datetime('now', '-1 hour'))",
        (who.account, who.hash),
    ) or (0, 0, 0, 0, 0)
    if own >= NOT_OVER:
        raise UsageError(f"{counted(own, 'match', 'matches')} of yours are not over: end one first")
    if playing and played >= PLAYING:
        raise UsageError(f"{played} people's matches are played now: try again in some minutes")
    if not begins:
        return
    if who.account is None and guests >= GUESTS:
        raise UsageError(f"guests play {guests} matches now: try again in some minutes, or sign in")
    if not playing and waiting >= OPEN:
        raise UsageError(f"{waiting} matches wait for people: try again later")
    if hourly >= (HOURLY_GUESTS if who.account is None else HOURLY):
        raise UsageError(f"{hourly} matches were begun within an hour: go on later")


# -- matches ---------------------------------------------------------------------------------------

_MATCH = (
    "SELECT number, people_match.at, seconds, seed, seats, sentence, problem "
    "FROM people_match LEFT JOIN people_end ON people_end.people_match = number"
)
_SITS = "SELECT people_match FROM people_seat WHERE account IS ? AND hash = ?"


def people_match(
    league: League, number: int, who: Sitter | None, *, organises: bool = False
) -> PeopleMatch | None:
    """One match: for who sits at it, for organisers, and without `who` for the site itself."""
    found = league.store.one(f"{_MATCH} WHERE number = ?", (number,))
    if found is None:
        return None
    match = _match(league, found, who)
    return match if who is None or organises or match.mine is not None else None


def matches_of(league: League, who: Sitter, most: int = 20) -> list[PeopleMatch]:
    """The matches of a person, the newest first."""
    query = f"{_MATCH} WHERE number IN ({_SITS}) ORDER BY number DESC LIMIT ?"
    rows = league.store.all(query, (who.account, who.hash, most))
    return [_match(league, row, who) for row in rows]


def seat_of(league: League, number: int, who: Sitter) -> int | None:
    """The seat of a person at a match."""
    query = (
        "SELECT seat FROM people_seat WHERE people_match = ? AND account IS ? AND hash = ? LIMIT 1"
    )
    found = league.store.one(query, (number, who.account, who.hash))
    return None if found is None else int(found[0])


def _match(league: League, row: Sequence[object], who: Sitter | None) -> PeopleMatch:
    number, at, seconds, seed, seats, sentence, problem = row
    assert isinstance(number, int)
    assert isinstance(seconds, int)
    query = "SELECT seat, name FROM people_seat WHERE people_match = ? ORDER BY number"
    people: dict[int, str] = dict(league.store.all(query, (number,)))
    bots = msgspec.json.decode(str(seats), type=list[str | None])
    chairs = [
        Chair(people.get(seat, "") if bot is None else league.copy_of(bot)[0], bot)
        for seat, bot in enumerate(bots)
    ]
    mine = None if who is None else seat_of(league, number, who)
    first = next(iter(people), None)  # who began it sat down first
    return PeopleMatch(
        number=number,
        at=str(at),
        seconds=seconds,
        seed=str(seed),
        chairs=tuple(chairs),
        mine=mine,
        is_maker=mine is not None and mine == first,
        sentence=str(sentence or ""),
        problem=str(problem or ""),
        is_over=sentence is not None,
    )


# -- the side of the site --------------------------------------------------------------------------


def ready(league: League) -> list[int]:
    """The matches whose people all sit, and that are not over. Ends those that waited too long."""
    late = f"missing > 0 AND at <= datetime('now', '-{WAITS} hours')"
    for (number,) in league.store.all(f"SELECT number FROM people_open WHERE {late}"):
        end(league, number, problem=DID_NOT_COME, only_open=True)
    query = "SELECT number FROM people_open WHERE missing = 0 ORDER BY number"
    return [number for (number,) in league.store.all(query)]


def end_broken(league: League) -> None:
    """End what a site that was killed has left: for a site that begins."""
    for number in ready(league):
        end(league, number, problem=STOPPED)
    for draft in folder_of(league.folder).glob("draft-*"):
        draft.unlink(missing_ok=True)


def end(
    league: League, number: int, sentence: str = "", problem: str = "", *, only_open: bool = False
) -> None:
    """End a match. Does nothing if it has ended or, with `only_open`, has begun."""
    with league.store.changing() as change:
        query = "SELECT missing FROM people_open WHERE number = ?"
        found = league.store.one(query, (number,))
        if found is not None and (found[0] > 0 or not only_open):
            change.add("people_end", people_match=number, sentence=sentence, problem=problem)


def folder_of(folder: Folder) -> Path:
    """Where the records of people's matches are kept."""
    return folder.path / "people"


def record_of(folder: Folder, number: int) -> Path:
    """The record of a match that is over."""
    return folder_of(folder) / f"{number // 1000}" / f"{number}.jsonl.gz"


def draft_of(folder: Folder, number: int) -> Path:
    """The record of a match that is played."""
    return folder_of(folder) / f"draft-{number}.jsonl.gz"
