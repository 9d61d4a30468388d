"""Writes the leagues of today's format: ``python -m tests.league.formats``."""

from __future__ import annotations

import io
import sqlite3
import tarfile
import tempfile
import time
from contextlib import closing
from pathlib import Path

from arena.league.bots import hand_in
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import Meetings, Nothing, Swiss
from arena.league.schema import FORMAT
from arena.league.types import seed_hash
from arena.site import accounts, boards, deeds, moments, scrimmages, teams, uploads
from tests.league.conftest import tiny_known
from tests.league.making import ANSWERS, CRASHES, begin, fails, lay_out, passes, play
from tests.league.test_book import begin as begin_book

SECOND_FINAL = "the seed of a final that was not started"


def make(folder: Path) -> None:
    """Make both leagues in a folder."""
    with begin(folder / "cup.league", "1", "2", "3", CRASHES, "4", seed="2026") as league:
        _play(league, folder)
        league.store.add_site()
        _serve(league)
    with begin_book(folder / "book.league") as league:
        play(league, Meetings(2))
    for path in folder.glob("*.league"):
        _without_log(path)


def _play(league: League, folder: Path) -> None:
    """Rows of all tables of a league without a site."""
    hand_in(league, lay_out(folder / "refused", "bot6", f"{CRASHES}#\n"), test=fails)
    _withdraw(league, "bot1")
    newer = lay_out(folder / "again", "bot1", ANSWERS.format(answer="5"))
    hand_in(league, newer, "bot1", test=passes)
    play(league, Swiss(1))
    league.admit("bot6", "it crashes in one position")
    play(league, Meetings(1))
    league.annul([2], "the wrong map")
    league.annul([3], "the machine slept")
    league.void(3, "the machine slept")
    play(league)
    _withdraw(league, "bot4")


def _withdraw(league: League, name: str) -> None:
    player = league.player(name)
    assert player is not None
    league.withdraw(player, "its author asked for it")


def _serve(league: League) -> None:
    """Rows of the tables of a site."""
    ann, key = accounts.accept(league, deeds.invite(league, None, "owner").secret, "Ann")
    nina = accounts.accept(league, deeds.invite(league, None, "author").secret, "Nina")[0]
    omar = accounts.accept(league, deeds.invite(league, None, "author", uses=3).secret, "Omar")[0]
    tess = accounts.accept(league, deeds.invite(league, None, "tester").secret, "Tess")[0]
    deeds.open_registration(league, ann.number, most=7)
    with league.store.changing() as change:
        for bot, author in (("bot1", nina), ("bot2", nina), ("bot3", omar), ("bot5", tess)):
            change.add("owner", bot=bot, team=author.team)
    teams.rename(league, nina, "The Ants")
    teams.invite(league, nina)
    token = accounts.add_token(league, nina.number, "upload", "laptop", 30)
    accounts.end_token(league, nina.number, token.number)
    uploads.receive(league, nina, "bot1", "bot.py", io.BytesIO(b"print(1)\n"))
    uploads.tell_step(league, 1, "is unpacked")
    uploads.end(league, 1, "it cannot be unpacked")
    moments.begin(league, ann.number, "close", "2030-01-01 18:00", "as announced")
    deeds.announce(league, ann.number, "Welcome to the cup.")
    deeds.end_announcement(league, ann.number, deeds.announce(league, ann.number, "Wlcome."))
    deeds.hide_names(league, ann.number, hide=True)
    scrimmages.ask(league, omar, scrimmages.own_versions(league, omar.team)[0].submission, ["bot2"])
    for _ in Judge(league, Nothing(), unranked=scrimmages.Scrimmages(league, print)).run():
        pass
    boards.let_play(league, ann, "play-all")
    boards.begin(league, boards.Sitter(nina.name, nina.number), 0, ["bot2"], 60)
    deeds.give_role(league, ann.number, omar.number, "organiser", "he helps")
    deeds.ban(league, ann.number, tess.number, "left the school")
    for _ in range(2):
        session = accounts.sign_in(league, key)
    assert session is not None
    accounts.end_session(league, session)
    _finals(league, ann.number)
    uploads.receive(league, nina, "bot1", "bot.py", io.BytesIO(b"print(2)\n"))  # and it waits


def _finals(league: League, account: int) -> None:
    """A final that was played, and another that can be started."""
    made = moments.declare_final(league, account, None, 1, "the end of term")
    with league.store.changing() as change:
        due = league.store.one("SELECT due FROM final")
        assert due is not None
        values = {"due": due[0], "rounds": 1, "account": account}
        change.add("final", hash=seed_hash(SECOND_FINAL), **values)
    time.sleep(1.1)  # versions of the second of the moment do not take part
    moments.start_final(league, account, 1, made.seed)
    play(league)
    league.annul([7], "the disk was full")  # and it is not played again


def _without_log(path: Path) -> None:
    """Bring all into the league's file itself."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode=DELETE")


def main() -> None:
    """Write the file of today's format."""
    target = Path(__file__).with_name(f"{FORMAT}.tar.gz")
    with tempfile.TemporaryDirectory() as folder, tiny_known():
        make(Path(folder))
        with tarfile.open(target, "w:gz") as archive:
            for path in sorted(Path(folder).glob("*.league*")):
                if not path.name.endswith("-sources"):
                    archive.add(path, path.name)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
