"""The versions of a team's bot: comparing two, withdrawing one, playing an earlier one again.

A version is a submission. Nothing of the past changes: a withdrawal is a row, and an earlier
version plays again as a new submission of the same content, with the report of then. It is another
bot for the table, so its earlier results do not count again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from operator import itemgetter

import msgspec
from msgspec import Struct

from arena.errors import UsageError
from arena.league.league import League
from arena.league.rows import ranks_of, seats_of
from arena.site import uploads
from arena.site.accounts import Participant
from arena.text import printable
from arena.trial.report import SubmissionReport


class Version(Struct, frozen=True):
    """One version of a bot."""

    number: int
    """From 1, among those of its bot."""
    submission: int
    at: str
    state: str
    """``plays``, ``replaced``, ``withdrawn`` or ``refused``."""
    upload: int | None
    """The upload that it came with; null for one that plays again, or that an organiser added."""
    withdrawn: str | None
    """Why it was withdrawn; null if it was not."""


class OwnBot(Struct, frozen=True):
    """A bot of a team, with its versions, the newest first."""

    number: int
    """That of the row which says whose it is."""
    name: str
    team: int
    versions: list[Version]


class Finishes(Struct, frozen=True):
    """How one bot has finished against another: ahead of it, level with it, behind it."""

    ahead: int
    level: int
    behind: int


class CommonRival(Struct, frozen=True):
    """A bot that both of two versions have met, with the same version of its own."""

    name: str
    one: Finishes
    other: Finishes


class VersionComparison(Struct, frozen=True):
    """Two versions of a bot, side by side."""

    one: Version
    other: Version
    reports: tuple[SubmissionReport, SubmissionReport]
    rivals: list[CommonRival]
    one_total: Finishes
    other_total: Finishes


def own_bot(league: League, number: int) -> OwnBot | None:
    """The bot of the row `number` of owners."""
    found = league.store.one("SELECT bot, team FROM owner WHERE number = ?", (number,))
    if found is None:
        return None
    return OwnBot(number, found[0], found[1], versions(league, found[0]))


def number_of(league: League, name: str) -> int | None:
    """The number by which `own_bot` finds the bot of that name."""
    found = league.store.one("SELECT number FROM owner WHERE bot = ?", (name,))
    return None if found is None else int(found[0])


def versions(league: League, name: str) -> list[Version]:
    """The versions of a bot, the newest first; none for a name that nobody has."""
    found = league.store.all(
        "SELECT row_number() OVER (ORDER BY submission.number), submission.number, submission.at, "
        "CASE WHEN submission.number IN (SELECT number FROM player) THEN 'plays' "
        "WHEN withdrawal.reason IS NOT NULL THEN 'withdrawn' "
        "WHEN passed OR submission.number IN (SELECT submission FROM admission) THEN 'replaced' "
        "ELSE 'refused' END, outcome.upload, withdrawal.reason FROM submission "
        "LEFT JOIN outcome ON outcome.submission = submission.number "
        "LEFT JOIN withdrawal ON withdrawal.submission = submission.number "
        "WHERE name = ? ORDER BY submission.number DESC",
        (name,),
    )
    return [Version(*row) for row in found]


def version_of(bot: OwnBot, number: int) -> Version:
    """A version by its number. Raises UsageError."""
    found = next((one for one in bot.versions if one.number == number), None)
    if found is None:
        raise UsageError(f"{bot.name} has {len(bot.versions)} versions, and no version {number}")
    return found


# -- changing which one plays ----------------------------------------------------------------------


def withdraw(league: League, who: Participant, bot: OwnBot, number: int, reason: str) -> None:
    """Withdraw a version. If it plays, the newest one before it plays from then on, if any.

    Raises UsageError for one that cannot play, and after the deadline."""
    with league.store.changing() as change:
        _require_may_change(league, who, bot)
        version = version_of(_again(league, bot), number)
        if version.state not in ("plays", "replaced"):
            raise UsageError(f"version {number} of {bot.name} is {version.state} already")
        why = printable(reason).strip()[:200] or f"by its team ({who.name})"
        league.add_withdrawal(change, version.submission, why)


def activate(league: League, who: Participant, bot: OwnBot, number: int) -> int:
    """Let an earlier version play again, as a new version of the same content. Returns its number.

    Raises UsageError for one that plays or that never could, and after the deadline."""
    with league.store.changing() as change:
        _require_may_change(league, who, bot)
        again = _again(league, bot)
        version = version_of(again, number)
        if version.state in ("plays", "refused"):
            raise UsageError(
                f"version {number} of {bot.name} plays already"
                if version.state == "plays"
                else f"version {number} of {bot.name} was refused: upload one that passes"
            )
        _require_rate(league, bot.name)
        uploads.require_place(league, bot.team, bot.name)
        playing = league.player(bot.name)
        query = "SELECT content FROM submission WHERE number = ?"
        content = league.store.one(query, (version.submission,))
        if playing is not None and content == (playing.content,):
            raise UsageError(f"what {bot.name} plays has the content of version {number}")
        league.play_again(change, version.submission)
        return len(again.versions) + 1


def _again(league: League, bot: OwnBot) -> OwnBot:
    return OwnBot(bot.number, bot.name, bot.team, versions(league, bot.name))


def _require_rate(league: League, name: str) -> None:
    query = "SELECT count(*) FROM submission WHERE name = ? AND at > datetime('now', '-1 hour')"
    if (league.store.one(query, (name,)) or (0,))[0] >= uploads.HOURLY:
        raise UsageError(f"{name} has got {uploads.HOURLY} versions in an hour: go on later")


def _require_may_change(league: League, who: Participant, bot: OwnBot) -> None:
    if bot.team != who.team or not who.may("take part"):
        raise UsageError("this bot is another team's")
    if (closed := uploads.closed_since(league)) is not None:
        raise UsageError(f"versions are fixed since {closed} UTC: ask an organiser")


# -- comparing -------------------------------------------------------------------------------------


def compare(league: League, bot: OwnBot, one: int, other: int) -> VersionComparison:
    """Two versions with their reports, and their results against the rivals that both have met.
    Raises UsageError for a version that does not exist."""
    pair = version_of(bot, one), version_of(bot, other)
    met = [_results(league, version.submission) for version in pair]
    both = [
        (_name(league, rival), met[0][rival], met[1][rival]) for rival in met[0].keys() & met[1]
    ]
    common = sorted(both, key=itemgetter(0))
    rivals = [CommonRival(name, _meetings(left), _meetings(right)) for name, left, right in common]
    return VersionComparison(
        *pair,
        (_report(league, pair[0].submission), _report(league, pair[1].submission)),
        rivals,
        _meetings(sum((left for _, left, _ in common), Counter())),
        _meetings(sum((right for _, _, right in common), Counter())),
    )


def _results(league: League, submission: int) -> dict[str, Counter[str]]:
    """How the bot of a submission has finished against each bot that it has met."""
    found = defaultdict[str, Counter[str]](Counter)
    for bot, seat, seats, ranks in league.store.rows(
        "SELECT seat.bot, seat.seat, seats, ranks FROM seat "
        "JOIN valid ON valid.number = seat.result JOIN fixture ON fixture.number = valid.fixture "
        "WHERE seat.bot = (SELECT bot FROM submission WHERE number = ?)",
        (submission,),
    ):
        every = seats_of(seats)
        own = ranks_of(ranks, len(every))
        for rival, rank in zip(every, own, strict=True):
            if rival != bot:
                ended = "ahead" if own[seat] < rank else "behind" if own[seat] > rank else "level"
                found[rival][ended] += 1
    return found


def _meetings(counts: Counter[str]) -> Finishes:
    return Finishes(counts["ahead"], counts["level"], counts["behind"])


def _name(league: League, bot: str) -> str:
    return league.copy_of(bot)[0]


def _report(league: League, submission: int) -> SubmissionReport:
    query = "SELECT report FROM submission WHERE number = ?"
    (text,) = league.store.one(query, (submission,)) or ("",)
    return msgspec.json.decode(text, type=SubmissionReport)
