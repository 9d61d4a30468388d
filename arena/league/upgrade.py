"""``arena league upgrade``: bring the file of an older format to today's.

All of it is one transaction, while no other process has the file open: whatever ends it in between
leaves the old league whole. The tables are made anew by today's schema, and their rows are copied.
Rows that are linked to the chain stay as they are, and so do their links (`schema.ADDED`): a hash
that was published before still proves them.

A change of the format needs, in `schema`: new columns last in their table, with NULL or a default
for older rows, and the number of those that are linked in `ADDED`. New tables need nothing. If that
is not all, a step here does the rest.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from arena.errors import ArenaFault, UsageError
from arena.league.league import Folder, real_file, sync
from arena.league.lock import judging
from arena.league.schema import FORMAT, SCHEMA, SITE
from arena.league.store import Change, Store, damaged, other_format, statements
from arena.league.types import draw_seed


def _from_4(change: Change) -> None:
    """Draw a seed: that of a league of format 4 stands in its terms, which everybody may know."""
    change.add("seed", seed=draw_seed())


UPGRADES: dict[int, Callable[[Change], None]] = {4: _from_4}
"""What brings the rows of a format to the next one, once they stand in today's tables. Rows that
are linked must stay as they are; a step may add some. It may change others: there are no triggers
yet."""


class Upgraded(Struct, frozen=True):
    """A league that was brought to today's format."""

    before: int
    """Its format until now."""
    format: int
    copy: Path
    """The file as it was. The folder with bots and records goes with both."""


def upgrade(path: Path) -> Upgraded | None:
    """Bring a league to today's format. Returns None if it has it already.

    Raises what `Store` raises, UsageError also for a format that is not read, and while another
    process has the league open.
    """
    path = real_file(path)
    with Store(path, any_format=True) as store:
        before = store.format
        if before == FORMAT:
            return None
        if before not in UPGRADES:
            raise UsageError(other_format(path, before))
        folder = Folder(path)
        folder.complete()
        with judging(path, folder.path):
            _lock(store)
            store.check_indexes()
            copy = _copy(store, path.with_name(f"{path.name}.format{before}"))
            with store.changing() as change:
                _rebuild(store, change, before)
    return Upgraded(before, FORMAT, copy)


def _lock(store: Store) -> None:
    """Lock everybody else out until the store is closed: a process that goes on with the tables
    that it knows would spoil the new ones. Only who is alone may end the write-ahead log."""
    try:
        for setting in _SETTINGS:
            store.one(f"PRAGMA {setting}")
    except ArenaFault as error:
        if getattr(error.__cause__, "sqlite_errorcode", 0) != sqlite3.SQLITE_BUSY:
            raise
        raise UsageError(
            f"another process has {store.path} open: end it (arena serve, arena league run), and "
            "upgrade the league then"
        ) from None


_SETTINGS = (
    *("trusted_schema=OFF", "locking_mode=EXCLUSIVE", "busy_timeout=1000", "journal_mode=DELETE"),
    *("foreign_keys=OFF", "legacy_alter_table=ON"),  # tables are renamed, names in them are not
)


def _copy(store: Store, target: Path) -> Path:
    """Copy the file, completely or not at all. An older copy of the same league is replaced."""
    if target.exists():
        with Store(target, any_format=True) as older:
            head = older.one("SELECT hash FROM chain ORDER BY number DESC LIMIT 1")
        if head is None or store.one("SELECT 1 FROM chain WHERE hash = ?", head) is None:
            raise UsageError(f"{target} is of another league: move it away")
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    store.one("VACUUM INTO ?", (str(draft),))
    sync(draft)
    draft.rename(target)
    sync(target.parent)
    return target


def _rebuild(store: Store, change: Change, before: int) -> None:
    """Make today's tables with the rows of the old ones. Raises LeagueError for a row that does not
    fit them, the chain, or the rows that it names."""
    made = store.all("SELECT type, name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'")
    tables = {name for kind, name in made if kind == "table"}
    wanted = list(statements(SCHEMA + (SITE if "account" in tables else "")))
    new = {found[1]: one for one in wanted if (found := _TABLE.match(one))}
    if not tables <= new.keys():
        raise damaged(store.path, "its tables were changed")
    for kind, name in made:
        if kind in ("view", "trigger"):
            store.one('DROP {} "{}"'.format(kind, name.replace('"', '""')))
    for name in tables:
        store.one(f"ALTER TABLE {name} RENAME TO old_{name}")
    for statement in new.values():
        store.one(statement)
    for name in tables:
        columns = ", ".join(column for _, column, *_ in store.all(f"PRAGMA table_info(old_{name})"))
        store.one(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM old_{name}")
        store.one(f"DROP TABLE old_{name}")
    for row in store.broken():
        raise damaged(store.path, f"{row.kind} {row.number}: {row.problem}")
    for format in range(before, FORMAT):
        UPGRADES[format](change)
    for statement in wanted:
        if statement not in new.values():
            store.one(statement)
    store.check_references()
    store.one(f"PRAGMA user_version={FORMAT}")


_TABLE = re.compile(r"\s*CREATE TABLE (\w+)")
