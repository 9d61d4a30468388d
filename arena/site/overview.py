"""What organisers watch over (the disk, queues, what was played lately), and grades as CSV."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from msgspec import Struct

from arena.league.export import csv_line
from arena.league.league import League
from arena.league.table import league_table

LATELY = 300
"""Seconds over which the pace is measured."""


class Overview(Struct, frozen=True):
    """The state of a contest and of its machine."""

    file_size: int
    """Bytes of the league's file."""
    disk_free: int
    disk_total: int
    """Of the disk of its folder, in bytes."""
    uploads_waiting: int
    oldest_upload: str | None
    """Since when the first of them waits (UTC)."""
    scrimmages_waiting: int
    pending: int
    """Matches that were planned and have no result, those that are played now included."""
    rematches: int
    """Annulled matches that wait to be played again."""
    played: int
    voids: int
    """Attempts that the machine made void."""
    lately: int
    """Results of the last `LATELY` seconds."""
    last: str | None
    """When the last result came in (UTC)."""
    accounts: int
    sessions: int


def overview(league: League) -> Overview:
    """What organisers watch over."""
    disk = shutil.disk_usage(league.folder.path)
    found = league.store.one(
        "SELECT (SELECT count(*) FROM waiting), (SELECT min(at) FROM waiting), "
        "(SELECT count(*) FROM request WHERE number NOT IN (SELECT request FROM answer)), "
        "(SELECT count(*) FROM pending), (SELECT count(*) FROM void), "
        f"(SELECT count(*) FROM result WHERE at > datetime('now', '-{LATELY} seconds')), "
        "(SELECT at FROM result ORDER BY number DESC LIMIT 1), (SELECT count(*) FROM account), "
        "(SELECT count(*) FROM open_session), (SELECT count(*) FROM valid)"
    )
    assert found is not None
    waiting, oldest, requests, pending, voids, lately, last, accounts, sessions, played = found
    return Overview(
        file_size=league.path.stat().st_size,
        disk_free=disk.free,
        disk_total=disk.total,
        uploads_waiting=waiting,
        oldest_upload=oldest,
        scrimmages_waiting=requests,
        pending=pending,
        rematches=len(league.annulled()),
        played=played,
        voids=voids,
        lately=lately,
        last=last,
        accounts=accounts,
        sessions=sessions,
    )


GRADES_HEAD = (
    *("team", "members", "bot", "rank", "best_rank", "worst_rank", "elo", "error", "score"),
    *("matches", "uploads", "last_upload", "plays"),
)


def grades_csv(league: League) -> Iterator[str]:
    """A line for each bot of each team, and one for each team without a bot: its place in the
    table, which is empty for bots that are not ranked, and what was uploaded."""
    rows = {row.name: row for row in league_table(league, most_crossed=0).table.standings}
    plays = {one.name for one in league.players()}
    yield csv_line(GRADES_HEAD)
    for team, name, members in league.store.all(
        "SELECT number, name, (SELECT group_concat(account.name, '; ') FROM member_now "
        "JOIN account ON account.number = member_now.account "
        "WHERE member_now.team = team_now.number) FROM team_now ORDER BY number"
    ):
        bots = [bot for (bot,) in league.store.all("SELECT bot FROM owner WHERE team = ?", (team,))]
        for bot in bots or [""]:
            row = rows.get(bot)
            uploads, last = league.store.one(
                "SELECT count(*), max(at) FROM upload WHERE bot = ?", (bot,)
            ) or (0, None)
            place = ("",) * 7 if row is None else (
                *(row.rank, row.best, row.worst, round(row.elo, 2), round(row.error, 2)),
                *(round(row.score, 6), row.games),
            )  # fmt: skip
            is_playing = "yes" if bot in plays else "no"
            yield csv_line((name, members or "", bot, *place, uploads, last or "", is_playing))
