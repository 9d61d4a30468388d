"""The command ``arena verify REPLAY…``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from arena.cli import completion
from arena.cli.parameters import JOBS, FilePath, require_replays
from arena.cli.status import BAD, DONE, print_json
from arena.cli.text.layout import say, styled
from arena.errors import ReplayError, UsageError
from arena.text import counted, quote, safe

if TYPE_CHECKING:
    from pathlib import Path

    from arena.league.audit import AuditReport
    from arena.record.verify import Verdict


@click.command(name="verify")
@click.argument(
    "replays",
    nargs=-1,
    required=True,
    metavar="REPLAY…",
    type=FilePath(),
    shell_complete=completion.replays,
)
@click.option(
    "--jobs", type=JOBS, help="Records of a league at a time.  [default: the number of cores]"
)
@click.option(
    "--chain",
    metavar="HASH",
    help="For a league: prove that all rows up to this chain, printed earlier, are unchanged.",
)
@click.option(
    "--since",
    metavar="HASH",
    help="For a league: trust what was proved up to this chain, and prove the records after it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    replays: tuple[Path, ...],
    jobs: int | None,
    chain: str | None,
    since: str | None,
    as_json: bool,
) -> int:
    """Run the rules again on the recorded answers, and prove every step, digest and time bank, the
    outcome and the seal. Exit status 1 if a replay is wrong or unfinished.

    The seal covers every byte of a replay. Compare it with the one that arena play printed: another
    seal belongs to another replay. The digest covers the conversation: a match that is played again
    has the same digest, but other times, so another seal.

    For a league file, verify proves all records and compares them with the seals and results that
    the league has kept. It also proves every row by the chain, and every copy of a bot by its
    address. With --since it takes two things on trust: that the records and the copies of bots from
    before that chain are as an earlier verify has proved them. It proves all rows even so, and all
    that came since.

    \b
    arena verify cup.league
    arena verify cup.league --since "$(cat yesterday)"
    """
    from arena.league.store import is_league

    require_replays(replays)
    if is_league(replays[0]):
        return _verify_league(replays, jobs, chain, since, as_json)
    for option, value in (("--chain", chain), ("--since", since)):
        if value is not None:
            raise UsageError(f"{option} is for a league, and {replays[0]} is not one: leave it out")
    verdicts = [(path, _verify(path)) for path in replays]
    if as_json:
        found = [{"replay": str(path), **_document(verdict)} for path, verdict in verdicts]
        print_json({"verdicts": found})
    else:
        for path, verdict in verdicts:
            say(_text(path, verdict))
    return DONE if all(verdict.ok for _, verdict in verdicts) else BAD


def _verify_league(
    paths: tuple[Path, ...], jobs: int | None, chain: str | None, since: str | None, as_json: bool
) -> int:
    """Prove a whole league; print the problems, the progress and the speed."""
    from arena.cli.text.league import shown_proofs
    from arena.league.audit import audit
    from arena.league.league import League
    from arena.players.timing import CORES

    if len(paths) > 1:
        raise UsageError("a league is verified alone: name one league and no other file")
    if chain is not None and since is not None:
        raise UsageError("--since proves what --chain proves, too: leave --chain out")
    tell = (lambda text: None) if as_json else (lambda text: say(_line(text)))
    told, trusted = _chain_of("--chain", chain), _chain_of("--since", since)
    with League(paths[0]) as league, shown_proofs(quiet=as_json) as advance:
        found = audit(
            league, jobs=jobs or CORES, chain=told, since=trusted, tell=tell, advance=advance
        )
    print_json(found) if as_json else say(_league_text(paths[0], found))
    return DONE if found.ok else BAD


def _chain_of(option: str, given: str | None) -> str | None:
    """A chain of the command line. Raises UsageError."""
    told = given.strip().lower() if given is not None else None
    if told is not None and not re.fullmatch("[0-9a-f]{64}", told):
        raise UsageError(
            f"{option} {quote(told)} is not a chain: give the 64 hex digits that arena verify "
            "printed"
        )
    return told


def _league_text(path: Path, found: AuditReport) -> str:
    """One line with what was proved, and the chain."""
    word = styled("ok", fg="green") if found.ok else styled("WRONG", fg="red")
    wrong = f", {len(found.wrong)} of them wrong" if found.wrong else ""
    rows = "" if found.since is None else f", {counted(found.since, 'row')} since the given chain"
    trusted = f" ({found.trusted} earlier ones taken on trust)" if found.trusted else ""
    return (
        f"{_line(str(path))}: {word}, {counted(found.matches, 'record')}{wrong}{trusted}, "
        f"{found.per_second:.1f} a second, chain {found.chain}{rows}"
    )


def _verify(path: Path) -> Verdict:
    from arena.record.verify import Verdict, verify

    try:
        return verify(path)
    except ReplayError as error:
        return Verdict(ok=False, game="", seed="", rounds=0, digest="", problem=str(error))


def _document(verdict: Verdict) -> dict[str, object]:
    return {name: getattr(verdict, name) for name in verdict.__struct_fields__}


def _text(path: Path, verdict: Verdict) -> str:
    """The finding in one line, with text from the file made safe to show."""
    name = _line(str(path))
    if not verdict.ok:
        word = "UNFINISHED" if verdict.unfinished else "WRONG"
        return f"{name}: {styled(word, fg='red')}: {_line(verdict.problem)}"
    return (
        f"{name}: {styled('ok', fg='green')}, {verdict.game} with seed {_line(verdict.seed)}, "
        f"{counted(verdict.rounds, 'round')}, digest {verdict.digest}, seal {verdict.seal}"
    )


def _line(text: str) -> str:
    return safe(text.replace("\n", "\\n"))
