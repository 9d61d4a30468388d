"""Uploads: from the archive of an author to a version of a bot, and the report of each.

An upload is a row once its file is whole and on disk (``FILE.d/uploads/NUMBER``); half an upload
leaves nothing. Its state is a view: *queued* until a step was told, then *examined now* until its
outcome, which names the submission (with its report) or says why there is none. The examiner
(`arena.site.examining`) takes uploads in their order, so a site that was killed goes on with the
first that has no outcome.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from arena.errors import DISK_FULL_ERRNOS, ArenaFault, DiskFull, UsageError
from arena.league.bots import BOT_NAME
from arena.league.league import League, sync
from arena.site import moments, settings
from arena.site.accounts import Participant, required
from arena.site.lookalikes import require_distinct
from arena.text import counted, printable, size_text
from arena.trial.report import SubmissionReport

LARGEST = 64 << 20
"""Maximum bytes of an archive; more is refused by the walker of archives too."""
ENVELOPE = 64 << 10
"""Bytes of a form beside its archive."""
WAITING = 2
"""Uploads of one team that may wait or be examined at a time."""
HOURLY = 20
"""Uploads of one team in an hour."""
QUEUE = 500
"""Uploads of all teams that may wait at a time."""
FILE_NAME = 100
CHUNK = 1 << 16


class Upload(Struct, frozen=True):
    """An upload, and how far it is."""

    number: int
    bot: str
    team: int
    file: str
    size: int
    at: str
    steps: list[str]
    """What the examiner has told so far."""
    submission: int | None
    problem: str
    """Why nothing was handed in; empty if it was, or is not over."""
    is_over: bool
    version: int | None
    report: SubmissionReport | None
    ahead: int
    """Uploads that came before it and wait. Teams take turns."""

    @property
    def state(self) -> str:
        """``queued``, ``examined now``, ``plays``, ``refused`` or ``nothing new``."""
        if not self.is_over:
            return "examined now" if self.steps else "queued"
        if self.report is None:
            return "refused" if self.problem else "nothing new"
        return "plays" if self.report.ok else "refused"


class NewUpload(Struct, frozen=True):
    """An upload that was taken, and where its report is."""

    number: int
    report: str
    events: str
    """The report as it goes on, as server-sent events."""


class ReportStep(Struct, frozen=True):
    """An event of a report that goes on: a step was told."""

    number: int
    """From 1."""
    step: str


class ReportState(Struct, frozen=True):
    """An event of a report that goes on: its state or its place in the queue has changed."""

    state: str
    ahead: int


def folder_of(league: League) -> Path:
    """Where the files of uploads are kept."""
    return league.folder.path / "uploads"


class Receiving:
    """The uploads whose bodies are read now: no rows yet, but files in a temporary folder."""

    def __init__(self) -> None:
        self._teams = Counter[int]()
        self._announced = 0

    @asynccontextmanager
    async def upload(
        self, ask: Callable[..., Awaitable[None]], who: Participant, size: int
    ) -> AsyncIterator[None]:
        """Take part in the limits while a body of `size` bytes is read. `ask` is that of the
        contest. Raises UsageError, before anything is read, for what may not be uploaded now."""
        self._teams[who.team] += 1
        self._announced += size
        try:
            await ask(_require_open, who, self._teams[who.team], size, self._announced)
            yield
        finally:
            self._teams[who.team] -= 1
            self._announced -= size


def _require_open(
    league: League, who: Participant, coming: int = 1, size: int = 0, announced: int = 0
) -> None:
    """Raise UsageError unless this account may upload `size` bytes now: `coming` uploads of its
    team are read, with this one, and `announced` bytes of all teams."""
    if not who.may("take part"):
        raise UsageError("this account may not upload bots")
    if (closed := closed_since(league)) is not None:
        raise UsageError(f"uploads are closed since {closed} UTC")
    _require_room(league, who.team, coming)
    most = settings.number(league, settings.TEAM_SIZE) << 20
    if (used := disk_use(league, who.team)) + size > most:
        raise UsageError(
            f"the uploads of your team take {size_text(used)} of {size_text(most)} on the disk, so "
            "there is no room for another: ask an organiser"
        )
    spare = settings.number(league, settings.FREE_SIZE) << 20
    left = shutil.disk_usage(league.folder.path).free - spare
    if min(left, shutil.disk_usage(tempfile.gettempdir()).free) < announced:
        raise UsageError("the disk of the site is nearly full: tell its organiser, and try later")


def disk_use(league: League, team: int) -> int:
    """Bytes that the uploads of a team take on the disk: files, and the copies made of them."""
    rows = league.store.all(
        "SELECT upload.number, content FROM upload "
        "LEFT JOIN outcome ON outcome.upload = upload.number "
        "LEFT JOIN submission ON submission.number = outcome.submission WHERE team = ?",
        (team,),
    )
    copies = {league.folder.path / "bots" / content for _, content in rows if content}
    files = sum(_size_below(folder_of(league) / str(number)) for number, _ in rows)
    return files + sum(map(_size_of_copy, copies))


def _size_below(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


_size_of_copy = lru_cache(10_000)(_size_below)
"""Copies do not change."""


def remove_refused(league: League) -> None:
    """Remove the files of uploads that were refused longer ago than organisers keep them. Their
    hashes stay."""
    days = settings.number(league, settings.REFUSED_DAYS)
    rows = league.store.all(
        "SELECT upload FROM outcome WHERE at <= datetime('now', ?) AND (submission IS NULL "
        "OR submission NOT IN (SELECT number FROM submission WHERE passed "
        "UNION SELECT submission FROM admission))",
        (f"-{days} days",),
    )
    for (number,) in rows:
        shutil.rmtree(folder_of(league) / str(number), ignore_errors=True)


def receive(league: League, who: Participant, bot: str, file_name: str, content: BinaryIO) -> int:
    """Keep an uploaded file, and queue it. Returns the number of the upload.

    Raises UsageError when the file is empty or too large, when the name is taken, uploads are
    closed, or a limit is reached; DiskFull or ArenaFault when it cannot be kept.
    """
    bot = bot_name(bot)
    allow(league, who, bot)
    folder = folder_of(league)
    draft = folder / f"draft-{os.getpid()}-{os.urandom(8).hex()}"
    try:
        folder.mkdir(exist_ok=True)
        sha256, size = _copy(content, draft)
        sync(draft)
        return _enter(league, who, bot, file_name, draft, sha256, size)
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            raise DiskFull("no room on the disk of the site: tell its organiser") from error
        raise ArenaFault(f"cannot keep the upload: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


def _copy(content: BinaryIO, draft: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with draft.open("xb") as file:
        while data := content.read(CHUNK):
            size += len(data)
            if size > LARGEST:
                raise UsageError(f"the file is larger than {size_text(LARGEST)}: leave things out")
            digest.update(data)
            file.write(data)
    if not size:
        raise UsageError("choose a file that is not empty: an archive, or one source file")
    return digest.hexdigest(), size


def _enter(
    league: League,
    who: Participant,
    bot: str,
    file_name: str,
    draft: Path,
    sha256: str,
    size: int,
) -> int:
    """Add the row. The limits are looked at again here, where no other upload comes between; the
    file is at its place before the row is on the disk."""
    with league.store.changing() as change:
        who = required(league, who.number)  # its team or role may have changed during the upload
        allow(league, who, bot, size)
        if league.store.one("SELECT 1 FROM owner WHERE bot = ?", (bot,)) is None:
            change.add("owner", bot=bot, team=who.team)
        number = change.add(
            "upload",
            bot=bot,
            team=who.team,
            account=who.number,
            file=base_name(file_name),
            size=size,
            sha256=sha256,
        )
        draft.rename(path_of(league, number, base_name(file_name), make=True))
    return number


def path_of(league: League, number: int, name: str, *, make: bool = False) -> Path:
    """Where the file of an upload is kept: in a folder of its own, since a bot that is one file is
    called like it."""
    folder = folder_of(league) / str(number)
    if make:
        folder.mkdir(exist_ok=True)
    return folder / name


def base_name(given: str) -> str:
    """The name under which a file is kept. Never a path: of the author's name only letters, digits
    and ``._-`` remain, and no leading point."""
    last = printable(given).replace("\\", "/").rpartition("/")[2]
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", last)
    return plain.lstrip(".")[-FILE_NAME:].lstrip(".") or "bot"


def bot_name(given: str) -> str:
    """The name of a bot. Raises UsageError."""
    name = " ".join(printable(given).split())
    if not name or len(name) > BOT_NAME:
        raise UsageError(f"name your bot with 1 to {BOT_NAME} characters")
    return name


def allow(league: League, who: Participant, bot: str, size: int = 0) -> None:
    """Raise UsageError unless this account may upload a version of this bot now."""
    _require_open(league, who, size=size)
    owner = league.store.one("SELECT team FROM owner WHERE bot = ?", (bot,))
    if owner is not None and owner[0] != who.team:
        raise UsageError(f"another team's bot is called {bot!r}: choose another name")
    if owner is None:
        query = (
            "SELECT name FROM submission UNION SELECT bot FROM owner "
            "EXCEPT SELECT bot FROM owner WHERE team = ?"
        )
        names = [name for (name,) in league.store.all(query, (who.team,))]
        require_distinct(bot, names, "another bot is called")
    require_place(league, who.team, bot)


def require_place(league: League, team: int, bot: str) -> None:
    """Raise UsageError for a further bot of a team that has as many in the league as it may: with
    more it could choose the luckiest, or let some lose to another one."""
    rows = league.store.all(
        "SELECT bot FROM owner WHERE team = ? AND (bot IN (SELECT name FROM player) "
        "OR bot IN (SELECT bot FROM waiting)) ORDER BY number",
        (team,),
    )
    names = [name for (name,) in rows]
    if bot not in names and len(names) >= settings.number(league, settings.TEAM_BOTS):
        raise UsageError(
            f"your team has {counted(len(names), 'bot')} in this league already, and may have no "
            f"more: upload this as a new version of {names[0]}, or withdraw all versions of "
            f"{names[0]} first"
        )


def _require_room(league: League, team: int, coming: int) -> None:
    waiting, ours, hourly = league.store.one(
        "SELECT (SELECT count(*) FROM waiting), (SELECT count(*) FROM waiting WHERE team = ?1), "
        "(SELECT count(*) FROM upload WHERE team = ?1 AND at > datetime('now', '-1 hour'))",
        (team,),
    ) or (0, 0, 0)
    if ours + coming > WAITING:
        raise UsageError(
            f"{counted(ours + coming - 1, 'upload')} of your team are already waiting or on their "
            "way: look at their reports"
        )
    if hourly + coming > HOURLY:
        raise UsageError(f"your team has uploaded {hourly} times in an hour: try again later")
    if waiting >= QUEUE:
        raise UsageError(f"{waiting} uploads are waiting: try again in a few minutes")


def closed_since(league: League) -> str | None:
    """Since when uploads are closed; None while they are open."""
    return moments.since(league, moments.CLOSE)


# -- the examiner's side ---------------------------------------------------------------------------


def next_waiting(league: League, busy: Sequence[int] = ()) -> int | None:
    """The upload to examine next, while those in `busy` are: none of a bot of theirs, and of the
    team that had the examiner least within an hour. A team that had it for too long waits, until
    uploads are closed."""
    if not league.count("waiting"):
        return None
    rows = league.store.all(
        "SELECT number, team FROM waiting WHERE bot NOT IN "
        "(SELECT bot FROM upload WHERE number IN (SELECT value FROM json_each(?)))",
        (msgspec.json.encode(busy).decode(),),
    )
    spent, budget = _spent(league), _budget(league)
    turns = [(spent.get(team, 0.0), number) for number, team in rows]
    return min((turn for turn in turns if turn[0] < budget), default=(0.0, None))[1]


def is_spent(league: League, team: int) -> bool:
    """Whether a team waits because it had the examiner for too long within an hour."""
    return _spent(league).get(team, 0.0) >= _budget(league)


def _budget(league: League) -> float:
    """Seconds that a team may have the examiner within an hour; what came before the deadline is
    examined in any case."""
    is_closed = closed_since(league) is not None
    return math.inf if is_closed else 60.0 * settings.number(league, settings.EXAMINER_MINUTES)


def _spent(league: League) -> dict[int, float]:
    """Seconds of the examiner within an hour, by team."""
    rows = league.store.all(
        "SELECT team, sum(86400 * (julianday(coalesce(outcome.at, 'now')) "
        "- max(julianday(began), julianday('now', '-1 hour')))) FROM upload "
        "JOIN (SELECT upload, min(at) AS began FROM progress GROUP BY upload) AS steps "
        "ON steps.upload = upload.number LEFT JOIN outcome ON outcome.upload = upload.number "
        "WHERE coalesce(outcome.at, '9999') > datetime('now', '-1 hour') GROUP BY team"
    )
    return dict(rows)


def is_waiting(league: League, number: int) -> bool:
    """Whether an upload has not ended."""
    return league.store.one("SELECT 1 FROM waiting WHERE number = ?", (number,)) is not None


def tell_step(league: League, number: int, step: str) -> None:
    """Add a step to the report of an upload."""
    with league.store.changing() as change:
        change.add("progress", upload=number, step=printable(step)[:200])


def end(league: League, number: int, problem: str) -> None:
    """End an upload of which nothing was handed in. Does nothing if it has ended."""
    with league.store.changing() as change:
        if league.store.one("SELECT 1 FROM outcome WHERE upload = ?", (number,)) is None:
            change.add("outcome", upload=number, submission=None, problem=problem)


# -- reports ---------------------------------------------------------------------------------------

_UPLOAD = (
    "SELECT upload.number, upload.bot, upload.team, upload.file, upload.size, upload.at, "
    "outcome.submission, outcome.problem, outcome.upload IS NOT NULL, submission.report, "
    "(SELECT count(*) FROM submission s WHERE s.name = upload.bot "
    "AND s.number <= submission.number), "
    "(SELECT count(*) FROM waiting WHERE waiting.number < upload.number) FROM upload "
    "LEFT JOIN outcome ON outcome.upload = upload.number "
    "LEFT JOIN submission ON submission.number = outcome.submission"
)


def upload(league: League, number: int) -> Upload | None:
    """One upload with its report."""
    found = league.store.one(f"{_UPLOAD} WHERE upload.number = ?", (number,))
    return None if found is None else _upload(league, found)


def uploads_of(league: League, team: int, most: int = 50) -> list[Upload]:
    """The uploads of a team, the newest first."""
    query = f"{_UPLOAD} WHERE upload.team = ? ORDER BY upload.number DESC LIMIT ?"
    return [_upload(league, row) for row in league.store.all(query, (team, most))]


def _upload(league: League, row: tuple[object, ...]) -> Upload:
    number, bot, team, file, size, at, submission, problem, is_over, report, version, ahead = row
    query = "SELECT step FROM progress WHERE upload = ? ORDER BY number"
    return msgspec.convert(
        {
            "number": number,
            "bot": bot,
            "team": team,
            "file": file,
            "size": size,
            "at": at,
            "steps": [step for (step,) in league.store.all(query, (number,))],
            "submission": submission,
            "problem": problem or "",
            "is_over": bool(is_over),
            "version": version if submission is not None else None,
            "report": None if report is None else msgspec.json.decode(str(report)),
            "ahead": ahead,
        },
        type=Upload,
    )
