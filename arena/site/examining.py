"""The process that examines one upload: ``python -m arena.site.examining FILE NUMBER``.

A process of its own, because it forks builds and matches, which a process with threads must not,
and because whatever goes wrong in it ends only it. The submission and the outcome of its upload are
one change, so an examiner that is killed leaves either none or both.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arena.errors import ArenaError
from arena.league.bots import hand_in_each
from arena.league.league import League
from arena.league.types import LeaguePlayer
from arena.runtime.worker import die_with
from arena.sandbox.interrupts import interrupt_on_termination
from arena.site import uploads
from arena.trial.report import SubmissionReport


class _UploadLeague(League):
    """A league in which a submission ends the upload that it comes from."""

    upload = 0

    def submit(self, player: LeaguePlayer, report: SubmissionReport) -> None:
        """Add the submission and the outcome of its upload."""
        with self.store.changing() as change:
            if self.store.one("SELECT 1 FROM outcome WHERE upload = ?", (self.upload,)) is None:
                number = self.add_submission(change, player, report)
                change.add("outcome", upload=self.upload, submission=number, problem="")


def examine_upload(file: Path, number: int) -> None:
    """Build and test an upload, and hand its bot in."""
    with _UploadLeague(file) as league:
        league.upload = number
        found = uploads.upload(league, number)
        if found is None or found.is_over:
            return
        archive = uploads.path_of(league, number, found.file)
        uploads.tell_step(league, number, "taken from the queue")

        def tell(step: str) -> None:
            uploads.tell_step(league, number, _without_paths(step, archive, league))

        try:
            for one in hand_in_each(league, [archive], found.bot, tell=tell):
                if not one.is_new:
                    uploads.end(league, number, "")
        except ArenaError as error:
            uploads.end(league, number, _without_paths(str(error), archive, league))


def _without_paths(text: str, archive: Path, league: League) -> str:
    """What failed, for the author: without the places where the organiser keeps things."""
    for path, name in ((archive, archive.name), (league.folder.path, ""), (league.path, "league")):
        for form in (path, path.absolute()):
            text = text.replace(f"{form}", name)
    return text


def main(words: list[str]) -> None:
    """Run with the words of a command line: the process that started this, FILE and NUMBER."""
    die_with(int(words[0]))
    interrupt_on_termination()
    examine_upload(Path(words[1]), int(words[2]))


if __name__ == "__main__":
    main(sys.argv[1:])
