"""The command ``arena league COMMAND FILE …``.

Commands import the modules that play leagues only on use: shells complete these command lines, and
the import takes 0.2 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli import completion, parameters, submit
from arena.cli.main import NamedGroup
from arena.cli.parameters import FilePath, WholeNumber
from arena.cli.status import BAD, BOT, DONE, fail, print_json, tell, warn_of_logout
from arena.cli.text.layout import say
from arena.errors import ArenaError, LeagueError, UsageError, did_you_mean
from arena.record.output import write_whole
from arena.text import joined, quote, safe, shell_word

if TYPE_CHECKING:
    from pathlib import Path

    from arena.league.judge import Judge
    from arena.league.league import League
    from arena.league.plan import Plan

F = TypeVar("F", bound=Callable[..., Any])


class MatchNumbers(click.ParamType):  # type: ignore[type-arg]  # its stubs alone are generic
    """The number of a match, or a range of them: ``17``, ``30-35``."""

    name = "match"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> range:
        """See `click.ParamType`."""
        number = WholeNumber(1)
        first, _, last = str(value).partition("-")
        start = number.convert(first, param, ctx)
        found = range(start, number.convert(last or first, param, ctx) + 1)
        if not found:
            self.fail(f"{value!r} is empty: write {last}-{first}.", param, ctx)
        return found


LONG = 10.0
"""Seconds for a table, after which numpy is recommended."""
NUMPY = "pip install '.[large]' in a clone"
COMMANDS = {
    "new": "Begin a league.",
    "add": "Add bots: each is tested, and plays if it passes.",
    "run": "Play matches; continue where the last run ended.",
    "missing": "Play only what was planned and has no result.",
    "table": "Print the table.",
    "meta": "Print the field as a whole: cycles, Nash averaging, seats and maps.",
    "copies": "Print which bots of different teams have nearly the same sources.",
    "show": "List the bots and their state, or explain one match.",
    "record": "Copy the record of a match for others.",
    "export": "Print the league as CSV, JSON or a page.",
    "admit": "Let a bot play although it failed its test.",
    "annul": "Stop counting the results of matches, to play them again.",
    "end": "End the league, and tell its seed.",
    "stop": "End the run in another terminal after the matches under way.",
    "withdraw": "Stop a bot from playing.",
    "upgrade": "Bring the league of an older release to this one.",
}


@click.group(name="league", cls=NamedGroup, members=COMMANDS)
def command() -> None:
    """Run a contest: it keeps and tests bots, plays and records matches, and computes the table
    from them. Everything is in FILE and in the folder FILE.d beside it.

    \b
    arena league new cup.league --game warlight
    arena league add cup.league one.py other.js third/
    arena league run cup.league --rounds 10 --jobs 2
    arena league table cup.league
    """


@command.command(name="new")
@parameters.league_argument
@click.option("--game", help="The game to play.  [required]", shell_complete=completion.games)
@click.option(
    "--seats",
    type=WholeNumber(2),
    metavar="K",
    help="Bots in each match.  [default: the fewest that the game allows]",
)
@parameters.terms
@parameters.book_option
def new(file: Path, game: str | None, seats: int | None, book: Path | None, **options: Any) -> int:
    """Begin a league in a new FILE. The conditions hold for all of its matches.

    \b
    arena league new cup.league --game warlight
    arena league new cup.league --game toroid --seats 4 --set normal_game_turn_per_player=10
    """
    from arena.core.registry import game_names
    from arena.league.league import League
    from arena.league.types import settle

    if game is None:
        raise UsageError(
            f"name a game: --game {game_names()[0]} (games: {', '.join(game_names())})"
        )
    from arena.api.positions import find_book, prove_book

    positions = () if book is None else find_book(book, game)
    conditions = parameters.conditions(options)
    terms = settle(game, seats, conditions, positions)
    prove_book(positions, conditions.get("settings"))
    with League.begin(file, terms, positions) as begun:
        seed = begun.seed()
    say(
        f"{file}: a league of {terms.game} for {terms.seats} bots a match, seed {seed}, "
        f"sandbox {terms.sandbox}, clock {terms.clock}\n"
        f"add bots: arena league add {shell_word(file)} BOT…"
    )
    return DONE


command.add_command(
    click.Command(
        "add",
        callback=submit.command.callback,
        params=submit.command.params,
        help="Add bots to a league: source files, executables, folders, or archives. The league "
        "keeps a copy of each. A bot is tested first, under the conditions of the league, and "
        "plays only if it passes. Exit status 1 if one does not.",
    )
)


def _judging(function: F) -> F:
    """The options of commands that play."""
    for option in reversed(_JUDGING):
        function = option(function)
    return parameters.league_argument(function)


_JUDGING = (
    click.option("--jobs", type=WholeNumber(1), help="Matches at a time.  [default: 1]"),
    click.option(
        "--cluster", metavar="HOST:PORT", help="Listen here, and let workers play (arena worker)."
    ),
    parameters.key_option,
    click.option(
        "--pin/--no-pin",
        default=None,
        help="Keep each match and its bots on one core.  [default: if --jobs is the number of "
        "cores]",
    ),
    click.option(
        "--log-every",
        type=WholeNumber(1),
        default=30,
        metavar="SECONDS",
        help="How often to report progress if there is no terminal.  [default: 30]",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
)


@command.command(name="run")
@click.option(
    "--rounds",
    type=WholeNumber(1),
    help="Play until the league has this many rounds.  [default: as in the last run, or 1]",
)
@click.option(
    "--forever",
    is_flag=True,
    help="Play until stopped, always the match that makes the table most certain.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["round-robin", "gauntlet", "swiss"]),
    help="Who meets whom.  [default: as in the last run, or round-robin]",
)
@click.option(
    "--challenger", metavar="NAME", help="The player that meets all others in a gauntlet."
)
@_judging
def run(
    file: Path,
    rounds: int | None,
    forever: bool,
    kind: str | None,
    challenger: str | None,
    **options: Any,
) -> int:
    """Play a league. In each round all pairs of bots meet on a map of their own, from both sides.
    With --rounds 10 the run ends when they have met ten times, in this run and earlier ones. The
    league remembers its format: a run that names none goes on as the last one.

    Ctrl-C, SIGTERM and a closed terminal abandon the matches under way. The next run plays a match
    without a result again, with the same seed. To let the matches under way end, run arena league
    stop FILE in another terminal.
    """
    from arena.league.plan import choose, remembered

    if forever:  # whatever the league remembers
        choose(None, kind, rounds, forever=True, challenger=challenger)

    def plan(league: League) -> Plan:
        return choose(remembered(league), kind, rounds, forever=forever, challenger=challenger)

    return _judge(file, plan, **options)


@command.command(name="missing")
@_judging
def missing(file: Path, **options: Any) -> int:
    """Play the matches of the league in FILE that were planned and have no result: those whose
    results were annulled, and those that an interrupted run has left. Nothing else is planned."""
    from arena.league.plan import Missing

    return _judge(file, lambda _: Missing(), **options)


def _judge(
    file: Path,
    plan_of: Callable[[League], Plan],
    *,
    jobs: int | None,
    cluster: str | None,
    key: Path | None,
    pin: bool | None,
    log_every: int,
    as_json: bool,
) -> int:
    from arena.league.judge import Judge
    from arena.league.league import League

    if cluster is not None and pin:
        raise UsageError("--pin is for matches on this machine: leave out --cluster or --pin")
    if cluster is not None and jobs is not None:
        raise UsageError(
            "on a cluster the workers decide how many matches they play at a time: give --jobs to "
            "arena worker instead"
        )
    if cluster is None and key is not None:
        raise UsageError("a key is for a cluster: add --cluster HOST:PORT, or leave it out")
    pool = None if cluster is None else parameters.open_pool(cluster, key, tell)
    warn_of_logout()
    with ExitStack() as stack:
        open_league = stack.enter_context(League(file))
        plan = plan_of(open_league)
        workers = None
        if pool is not None:
            workers = parameters.opener(stack.enter_context(pool))
        unranked = None
        if open_league.store.has_site:  # who judges plays what authors have asked for, too
            from arena.site.scrimmages import Scrimmages

            unranked = Scrimmages(open_league, tell)
        judge = Judge(
            open_league, plan, jobs=jobs or 1, pin=pin, cluster=workers, unranked=unranked,
            tell=tell,
        )  # fmt: skip
        return _run(open_league, judge, log_every=log_every, as_json=as_json)


def _run(open_league: League, judge: Judge, *, log_every: int, as_json: bool) -> int:
    from arena.cli.text.league import shown, summary
    from arena.cli.text.table import MOST_CROSSED
    from arena.league.table import league_table

    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        with shown(judge.progress, quiet=as_json, log_every=log_every) as advance:
            for _ in judge.run():
                advance()
    except (UsageError, LeagueError):
        raise
    except (KeyboardInterrupt, ArenaError) as error:
        stopped = error
    if as_json:
        print_json(league_table(open_league, most_crossed=MOST_CROSSED))
    else:
        say(summary(judge, interrupted=isinstance(stopped, KeyboardInterrupt)))
    if stopped is not None:
        return fail(stopped)
    return BOT if judge.unplayed else DONE


@command.command(name="table")
@parameters.league_argument
@click.option("--csv", "as_csv", is_flag=True, help="Print a line for each bot, as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def table(file: Path, as_csv: bool, as_json: bool) -> int:
    """Print the table of the league in FILE: all matches between the bots that play now. A run may
    be under way. Up to 100 bots are printed each against each, and --json has no more; arena league
    export with --html or --json has this for any number."""
    from arena.cli.text.league import league_text
    from arena.cli.text.table import MOST_CROSSED
    from arena.league.export import table_csv
    from arena.league.league import League
    from arena.league.table import league_table
    from arena.tournament.algebra import has_numpy

    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other: choose one")
    with League(file, checked=False) as open_league:
        start = time.monotonic()
        found = league_table(open_league, most_crossed=MOST_CROSSED)
        if time.monotonic() - start > LONG and not has_numpy():
            tell(f"tables of many bots take less time with numpy: {NUMPY}")
        if as_json:
            print_json(found)
        else:
            say(table_csv(found.table).rstrip("\n") if as_csv else league_text(found))
    return DONE


@command.command(name="meta")
@parameters.league_argument
@click.option(
    "--likeness",
    type=FilePath(),
    metavar="POSITIONS",
    help="Also ask each bot at the positions of this file, and compare their answers.",
)
@click.option("--jobs", type=WholeNumber(1), help="Positions at a time.  [default: 1]")
@click.option("-o", "--output", type=FilePath(), help="Write a page (.html) as well.")
@parameters.overwrite("--output")
@click.option("--csv", "as_csv", is_flag=True, help="Print a line for each number, as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def meta(
    file: Path,
    likeness: Path | None,
    jobs: int | None,
    output: Path | None,
    overwrite: bool,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Print what the table of the league in FILE does not show: how much no rating explains, and
    which three bots beat each other in a circle; the mixture that no bot beats (Nash
    averaging); what seats and maps do. All have intervals, from whole blocks of matches.

    \b
    arena league meta cup.league
    arena league meta cup.league -o field.html
    arena league meta cup.league --likeness openings.jsonl --jobs 2
    """
    from msgspec.structs import replace

    from arena.cli.text.league import field_text
    from arena.league.league import League
    from arena.league.likeness import league_likeness
    from arena.league.meta import field_csv, field_page, league_field

    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other: choose one")
    parameters.check_output("page", output, "--output", overwrite, ".html")
    if jobs is not None and likeness is None:
        raise UsageError("--jobs is for --likeness: add it, or leave --jobs out")
    with League(file) as open_league:
        found = league_field(open_league)
        if likeness is not None:
            like = league_likeness(open_league, str(likeness), jobs=jobs or 1, tell=tell)
            found = replace(found, likeness=like)
    if output is not None:
        write_whole(output, field_page(found))
    if as_json:
        print_json(found)
    else:
        say(field_csv(found).rstrip("\n") if as_csv else field_text(found))
    return DONE


@command.command(name="copies")
@parameters.league_argument
@click.option("-o", "--output", type=FilePath(), help="Write a page (.html) with both sources.")
@parameters.overwrite("--output")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def copies(file: Path, output: Path | None, overwrite: bool, as_json: bool) -> int:
    """Print which bots of different teams in the league in FILE are identical, or nearly: renamed,
    reformatted or put in another order. What starter kits have, and bots of no team, is left
    out. It proves nothing: look at both sources (-o) before you ask their authors."""
    from arena.league.copies import copies_page, league_copies, pair_text
    from arena.league.league import League

    parameters.check_output("page", output, "--output", overwrite, ".html")
    with League(file) as open_league:
        copies = league_copies(open_league)
        if output is not None:
            write_whole(output, copies_page(open_league, copies))
    if as_json:
        print_json(copies)
    else:
        lines = [*map(pair_text, copies.pairs)] or ["no two teams have nearly the same sources"]
        say("\n".join([*lines, *(f"not compared: {safe(name)}" for name in copies.unread)]))
    return DONE


@command.command(name="show")
@parameters.league_argument
@click.argument("match", required=False, type=WholeNumber(1))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show(file: Path, match: int | None, as_json: bool) -> int:
    """List the bots of the league in FILE with all their versions. With the number of a MATCH, show
    its result, where its record is, and the command that plays it again."""
    from arena.cli.text.league import account_text, match_text, repeat_command
    from arena.league.league import League

    with League(file) as open_league:
        if match is None:
            found = open_league.account()
            print_json(found) if as_json else say(account_text(found))
        else:
            replay = f" --replay {match}-again.jsonl.gz"
            one = open_league.match_account(
                match, lambda fixture: repeat_command(open_league, fixture) + replay
            )
            print_json(one) if as_json else say(match_text(one))
    return DONE


@command.command(name="record")
@parameters.league_argument
@click.argument("match", type=WholeNumber(1))
@click.option(
    "-o",
    "--output",
    type=FilePath(),
    required=True,
    help="The record to write (.jsonl[.gz]).",
)
@parameters.overwrite("--output")
@click.option(
    "--for", "owner", metavar="NAME", help="Keep the stderr and drawings of the bots of NAME."
)
def record(file: Path, match: int, output: Path, overwrite: bool, owner: str | None) -> int:
    """Copy the record of a MATCH for others, without the stderr and drawings of bots.

    The copy has the same digests, and a seal of its own.

    \b
    arena league record cup.league 17 -o 17.jsonl.gz
    arena league record cup.league 17 --for nina -o nina-17.jsonl.gz
    arena view nina-17.jsonl.gz
    """
    from arena.league.league import League
    from arena.record.reader import MAX_RECORD_SIZE, Match, save, shared

    parameters.check_output("record", output, "--output", overwrite, ".jsonl", ".jsonl.gz")
    with League(file) as open_league:
        fixture = open_league.fixture(match)
        if open_league.result(match) is None:
            raise UsageError(f"match {match} has no record yet: it was not played")
        names = [open_league.copy_of(bot)[0] for bot in fixture.seats]
        if owner is not None and owner not in names:
            played = " and ".join(map(quote, names))
            raise UsageError(f"{quote(owner)} did not play match {match}: {played} did")
        record = open_league.record(match)
    own = [seat for seat, name in enumerate(names) if name == owner]
    save(shared(Match.read(record, largest=MAX_RECORD_SIZE), own), output)
    say(f"{output}")
    return DONE


@command.command(name="export")
@parameters.league_argument
@click.option("--csv", is_flag=True, help="Print the matches, a line for each player.")
@click.option("--json", is_flag=True, help="Print everything except the records as one document.")
@click.option("--html", is_flag=True, help="Print the table as a page that loads nothing.")
def export(file: Path, **kinds: bool) -> int:
    """Print the league in FILE for other programs.

    \b
    arena league export cup.league --html > cup.html
    """
    from arena.league import export as exports
    from arena.league.league import League

    asked = [kind for kind, is_asked in sorted(kinds.items()) if is_asked]
    if not asked:
        raise UsageError(
            f"name a format: arena league export {shell_word(file)} --csv (or --json, --html)"
        )
    if len(asked) > 1:
        both = joined([f"--{kind}" for kind in asked])
        raise UsageError(f"{both} exclude each other: choose one")
    (kind,) = asked
    with League(file) as open_league:
        if kind == "json":
            found, crosstable = exports.export(open_league)
            print_json(found, crosstable=crosstable, matches=exports.matches(open_league))
        else:
            text = exports.html_text if kind == "html" else exports.csv_text
            for lines in text(open_league):
                say(lines.rstrip("\n"))
    return DONE


@command.command(name="admit")
@parameters.league_argument
@click.argument("name")
@parameters.reason_option("Why. The league keeps the reason, and arena league show prints it.")
def admit(file: Path, name: str, reason: str) -> int:
    """Let the newest version of the bot NAME play, from the next round on, although it failed its
    test match; for example, because it crashes in one position and plays well in all others. A bot
    that could not be built cannot be admitted.

    \b
    arena league admit cup.league nina --reason "crashes on one map of a hundred"
    """
    from arena.league.league import League

    with League(file) as open_league:
        open_league.admit(name, reason)
    say(f"{safe(name)}: admitted, plays from now on")
    return DONE


@command.command(name="annul")
@parameters.league_argument
@click.argument("matches", nargs=-1, required=True, metavar="MATCH…", type=MatchNumbers())
@parameters.reason_option("Why. The league keeps the reason, and arena league show prints it.")
def annul(file: Path, matches: tuple[range, ...], reason: str) -> int:
    """Stop counting the result of each MATCH, for example after a fault of the machine; all of
    them, or none if one has no result. The matches can be played again, with the same seeds. The
    league keeps the old results and their records beside the new ones.

    \b
    arena league annul cup.league 17 30-35 --reason "the disk was full"
    arena league missing cup.league
    """
    from arena.league.league import League

    numbers = (number for number, _ in groupby(merge(*matches)))
    with League(file) as open_league:
        count = open_league.annul(numbers, reason)
    named = f"match {matches[0][0]}: no longer counts"
    many = f"{count} results: no longer count"
    missing = f"arena league missing {shell_word(file)}"
    say(f"{named if count == 1 else many}; to play what is missing: {missing}")
    return DONE


@command.command(name="end")
@parameters.league_argument
def end(file: Path) -> int:
    """End the league in FILE: tell the seed from which its matches followed, of which only the
    SHA-256 was public. No match may be planned without a result. Who plays on later does so on a
    new seed."""
    from arena.league.league import League
    from arena.league.lock import judging

    with League(file) as open_league, judging(file, open_league.folder.path):
        seed = open_league.end()
    say(f"{file}: ended; its matches followed from the seed {safe(seed)}")
    return DONE


@command.command(name="withdraw")
@parameters.league_argument
@click.argument("name")
@click.option("--reason", default="", help="Why. The league keeps the reason.")
def withdraw(file: Path, name: str, reason: str) -> int:
    """Stop the current version of the bot NAME from playing, from the next round on. The version
    before it, if any, plays again; withdraw that one, too, to stop all. The matches of the
    withdrawn version stay in the league, but leave the table."""
    from arena.league.league import League

    with League(file) as open_league:
        player = open_league.player(name)
        if player is None:
            names = [one.name for one in open_league.players()]
            raise UsageError(f"no bot plays as {name!r}: {did_you_mean(name, names)}")
        open_league.withdraw(player, reason)
        is_back = open_league.player(name) is not None
    say(f"{safe(name)}: {'the version before plays again' if is_back else 'no longer plays'}")
    return DONE


@command.command(name="stop")
@parameters.league_argument
def stop(file: Path) -> int:
    """Stop the run of the league in FILE after the matches under way. Exit status 1 if no process
    plays it."""
    from arena.league.league import League
    from arena.league.lock import ask_to_stop

    with League(file) as open_league:
        judge = ask_to_stop(open_league.folder.path)
    if judge is None:
        tell(f"no process plays {file}")
        return BAD
    say(f"process {judge} ends after the matches under way")
    return DONE


@command.command(name="upgrade")
@parameters.league_argument
def upgrade(file: Path) -> int:
    """Bring the league in FILE, which an older release made, to the format of this one. Its bots,
    matches, results, seeds, records, accounts and published hashes stay what they are. The file as
    it was is kept beside it. An interruption leaves the league as it was: run it again then."""
    from arena.league.upgrade import upgrade as upgrade_league

    found = upgrade_league(file)
    if found is None:
        say(f"{file} has the format of this release already")
    else:
        say(
            f"{file}: brought from format {found.before} to {found.format}; as it was, it is kept "
            f"as {found.copy}\nto prove it: arena verify {file}"
        )
    return DONE
