"""Moments of a contest: when uploads close, the table freezes, matches pause, finals begin.

A moment is a row with a kind and a time, made now or beforehand. For each pair of kinds in `PAIRS`
the newest moment that has come holds. A moment that was planned is called off by its counterpart at
the same time, since nothing is removed.

The freeze
==========

While the table is frozen, everybody but organisers sees the contest as it was just before the
freeze: `visible_until` says before which moment, and every page, list, download and answer of the
API that shows results keeps to it (`is_visible` for one match, `Contest.table` for the table). That
holds for authors and their own bots as well, whose later results would tell the later ranks.
Uploads, their reports and unranked matches go on.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Struct

from arena.errors import UsageError
from arena.league.final import Final, entrants, final, finals, plain_value
from arena.league.league import League
from arena.league.types import seed_hash
from arena.site import accounts
from arena.site.accounts import Participant
from arena.site.deeds import doing, reason_of
from arena.text import counted, joined

CLOSE, FREEZE, PAUSE = "close", "freeze", "pause"
PAIRS = {CLOSE: "open", FREEZE: "thaw", PAUSE: "resume"}
"""What begins something, and what ends it."""
NAMES = {
    CLOSE: ("set the deadline for uploads", "opened uploads"),
    FREEZE: ("froze the public table", "thawed the public table"),
    PAUSE: ("paused matches", "went on with matches"),
}
"""What the audit log calls them."""
HOLDS = {CLOSE: "uploads are closed", FREEZE: "the table is frozen", PAUSE: "matches are paused"}
ENDED = {CLOSE: "uploads are open", FREEZE: "the table is not frozen", PAUSE: "matches go on"}
YEARS = 5
"""How far ahead a moment may be."""
ROUNDS = 1000
FORM = "%Y-%m-%d %H:%M:%S"
_GIVEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?Z?")


# -- what holds ------------------------------------------------------------------------------------


def since(league: League, kind: str) -> str | None:
    """Since when that holds which a kind of `PAIRS` begins; None when it does not. Further moments
    that begin it change nothing while it holds."""
    ended = PAIRS[kind]
    found = league.store.one(
        "WITH come AS (SELECT kind, due, number FROM moment "
        "WHERE kind IN (?1, ?2) AND due <= CURRENT_TIMESTAMP) "
        "SELECT min(due) FROM come WHERE kind = ?1 AND NOT EXISTS (SELECT 1 FROM come AS later "
        "WHERE later.kind = ?2 AND (later.due, later.number) > (come.due, come.number))",
        (kind, ended),
    )
    return None if found is None else found[0]


def visible_until(league: League, viewer: Participant | None = None) -> str | None:
    """Before which moment (UTC) results, versions and ratings are visible to a viewer; None: all of
    them. Rows whose `at` is less may be shown."""
    if viewer is not None and viewer.may("organise"):
        return None
    return since(league, FREEZE)


def is_visible(league: League, match: int, viewer: Participant | None = None) -> bool:
    """Whether a viewer may see the result of a match, and its record. True for a match that has no
    result: there is nothing to see."""
    until = visible_until(league, viewer)
    if until is None:
        return True
    query = "SELECT max(at) FROM result WHERE fixture = ?"
    (last,) = league.store.one(query, (match,)) or (None,)
    return last is None or last < until


class PlannedMoment(Struct, frozen=True):
    """A moment to come that changes something."""

    kind: str
    due: str
    reason: str


def planned(league: League) -> list[PlannedMoment]:
    """The moments to come, the next first. Of those of a pair at the same time the last holds, and
    one that changes nothing is left out."""
    rows = league.store.all(
        "SELECT kind, due, reason FROM moment WHERE due > CURRENT_TIMESTAMP "
        "AND kind NOT IN ('show', 'hide') ORDER BY due, number"
    )
    last = {(_begins(kind), due): PlannedMoment(kind, due, reason) for kind, due, reason in rows}
    holds = {kind: since(league, kind) is not None for kind in PAIRS}
    found = []
    for (begins, _), one in last.items():
        if holds[begins] != (one.kind == begins):
            holds[begins] = one.kind == begins
            found.append(one)
    return found


def _begins(kind: str) -> str:
    return next(one for one in PAIRS if kind in (one, PAIRS[one]))


# -- deeds -----------------------------------------------------------------------------------------


def moment_of(given: str) -> str:
    """A moment as people write it (UTC), as the file has it. Raises UsageError."""
    found = _GIVEN.fullmatch(given.strip())
    text = f"{found[1]} {found[2]}{found[3] or ':00'}" if found else ""
    try:
        return datetime.strptime(text, FORM).strftime(FORM)
    except ValueError:
        raise UsageError(
            f"{given.strip()[:40]!r} is no moment: write it as 2027-03-31 18:00, in UTC"
        ) from None


def set_moment(league: League, by: int | None, kind: str, due: str | None, reason: str) -> None:
    """`begin` or `end`, by the name of a moment (`PAIRS`). Raises UsageError."""
    if kind in PAIRS:
        begin(league, by, kind, due, reason)
    elif kind in PAIRS.values():
        end(league, by, _begins(kind), reason)
    else:
        names = joined([one for pair in PAIRS.items() for one in pair], "or")
        raise UsageError(f"there is no moment {kind[:40]!r}: choose {names}")


def begin(league: League, by: int | None, kind: str, due: str | None, reason: str) -> None:
    """Let what a kind of `PAIRS` begins hold from a moment on (`moment_of`), or from now on.
    Earlier plans for it are called off. Raises UsageError when it holds already."""
    reason = reason_of(reason)
    with doing(league, by, NAMES[kind][0]) as deed:
        due, now = _due(league, due)
        held = since(league, kind)
        if held is not None and (kind != CLOSE or due <= now):
            raise UsageError(f"{HOLDS[kind]} since {held} UTC already")
        if held is not None:  # a deadline that has passed is set anew: until then uploads are open
            deed.add("moment", kind=PAIRS[kind], due=now, account=by, reason=reason)
        for one in planned(league):
            if one.kind == kind and one.due != due:
                deed.add("moment", kind=PAIRS[kind], due=one.due, account=by, reason="called off")
        deed.add("moment", kind=kind, due=due, account=by, reason=reason)
        deed.detail = f"from {due} UTC. {reason}"


def end(league: League, by: int | None, kind: str, reason: str) -> None:
    """End what a kind of `PAIRS` began, now, and call off what was planned of it. Raises UsageError
    when there is nothing of both."""
    reason = reason_of(reason)
    with doing(league, by, NAMES[kind][1]) as deed:
        _, now = _due(league, None)
        coming = [one for one in planned(league) if one.kind == kind]
        if since(league, kind) is None and not coming:
            raise UsageError(f"{ENDED[kind]} already, and nothing else is planned")
        for due in (now, *(one.due for one in coming)):
            deed.add("moment", kind=PAIRS[kind], due=due, account=by, reason=reason)
        deed.detail = f"from {now} UTC. {reason}"


def _due(league: League, given: str | None) -> tuple[str, str]:
    """The moment that was given, or now; and now. Raises UsageError for one that has passed: what
    everybody saw since then is not hidden any more."""
    (now,) = league.store.one("SELECT CURRENT_TIMESTAMP") or ("",)
    if given is None:
        return now, now
    due = moment_of(given)
    if due < now:
        raise UsageError(f"{due} UTC has passed: it is {now} UTC")
    if due > (datetime.now(UTC) + timedelta(days=365 * YEARS)).strftime(FORM):
        raise UsageError(f"{due} UTC is more than {YEARS} years ahead")
    return due, now


# -- finals ----------------------------------------------------------------------------------------


class Declared(Struct, frozen=True):
    """A final that was declared now, with its seed, which is shown once."""

    number: int
    seed: str
    hash: str


def declare_final(
    league: League, by: int | None, due: str | None, rounds: int, reason: str, source: str = ""
) -> Declared:
    """Declare a final between the last versions that are uploaded before a moment: publish the hash
    of a new seed. Who declares it keeps the seed, which the file does not have, and starts the
    final with it, and with the public value that `source` names, if any. Raises UsageError, also
    while another final is open."""
    reason = reason_of(reason)
    if not 1 <= rounds <= ROUNDS:
        raise UsageError(f"a final has 1 to {ROUNDS} rounds")
    seed = accounts.new_secret()
    with doing(league, by, "declared a final") as deed:
        for one in finals(league):
            if one.is_open:
                raise UsageError(f"{one.event} is open: start it, or call it off")
        due, _ = _due(league, due)
        hash = seed_hash(seed)
        values = {"secret": accounts.new_secret(), "beacon": source.strip() or None}
        number = deed.add("final", hash=hash, due=due, rounds=rounds, account=by, **values)
        deed.detail = f"final {number}: {counted(rounds, 'round')}, versions of {due} UTC, {reason}"
    return Declared(number, seed, hash)


def call_off_final(league: League, by: int | None, number: int, reason: str) -> None:
    """Call a final off that has not started. Everybody sees that it was declared, by whom, and the
    reason. Raises UsageError."""
    reason = reason_of(reason)
    with doing(league, by, "called a final off") as deed:
        if not final(league, number).is_open:
            raise UsageError(f"final {number} has started, or was called off already")
        deed.add("final_end", final=number, reason=reason, account=by)
        deed.detail = f"final {number}: {reason}"


def start_final(league: League, by: int | None, number: int, seed: str, beacon: str = "") -> Final:
    """Start a final by telling its seed, and the public value if it was declared with one. Its
    matches are played before all others.

    Raises UsageError for another seed, before its moment, while uploads from before it wait, and
    with too few bots."""
    with doing(league, by, "started a final") as deed:
        found = final(league, number)
        if not found.is_open:
            raise UsageError(f"final {number} has started already, or was called off")
        if seed_hash(seed.strip()) != found.hash:
            raise UsageError(f"this is not the seed of final {number}: its SHA-256 is another")
        if bool(beacon.strip()) != bool(found.source):
            wanted = f"give the public value: {found.source}" if found.source else "give no value"
            raise UsageError(f"final {number} was declared so: {wanted}")
        plain = plain_value(beacon)
        if found.source and not (plain and plain.isascii()):
            raise UsageError("give the public value in the digits 0 to 9 and the letters A to Z")
        _require_come(league, found)
        players = entrants(league, found.due)
        bots, teams = [one.bot for one in players], len(set(league.teams(players)))
        if teams < league.terms.seats:
            raise UsageError(
                f"a match needs bots of {league.terms.seats} teams, and those of {teams} would "
                "take part: call the final off, and declare one for later"
            )
        deed.add(
            "final_start",
            final=number,
            seed=seed.strip(),
            bots=msgspec.json.encode(bots).decode(),
            account=by,
            beacon=beacon.strip() or None,
        )
        deed.detail = f"final {number} of {counted(len(bots), 'bot')}, seed {seed.strip()}"
    return final(league, number)


def _require_come(league: League, found: Final) -> None:
    """Raise UsageError unless the versions of a final are known."""
    waiting, is_due = league.store.one(
        "SELECT (SELECT count(*) FROM waiting WHERE at < ?1), ?1 <= CURRENT_TIMESTAMP",
        (found.due,),
    ) or (0, 0)
    if not is_due:
        raise UsageError(f"versions change until {found.due} UTC: start the final then")
    if waiting:
        raise UsageError(f"{counted(waiting, 'upload')} from before wait: start it after those")
