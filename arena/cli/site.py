"""The command ``arena site COMMAND FILE …``: what organisers do on pages, from the shell.

Who can write the file may do all that an owner may. Each deed is in the audit log, as one of the
command line.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from arena.cli import parameters
from arena.cli.main import NamedGroup
from arena.cli.parameters import WholeNumber
from arena.cli.status import DONE, print_json
from arena.cli.text.layout import say, table
from arena.errors import UsageError
from arena.text import safe, shell_word, size_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arena.league.league import League

COMMANDS = {
    "state": "Show moments, queues, the disk.",
    "people": "List accounts, roles and open invitations.",
    "invite": "Make an invitation.",
    "uninvite": "End an invitation.",
    "register": "Open or close registration for everybody.",
    "role": "Give an account a role.",
    "key": "Make a key for who has lost it.",
    "ban": "Ban an account.",
    "names": "Hide or show the names of teams.",
    "lines": "Hide or show what bots write to stderr.",
    "close": "Set a deadline for uploads.",
    "open": "Open uploads.",
    "freeze": "Freeze the public table.",
    "thaw": "Thaw the public table.",
    "pause": "Pause matches.",
    "resume": "Go on with matches.",
    "set": "Give a setting another value.",
    "announce": "Tell everybody something.",
    "unannounce": "Take an announcement back.",
    "final": "Declare a final.",
    "start": "Start a final with its seed.",
    "call-off": "Call a final off that has not started.",
    "final-table": "Print the table of a final.",
    "rematch": "Annul a result, and play the match again.",
    "withdraw": "Withdraw a bot with all its versions.",
    "evidence": "Show whose fault the time was in a match.",
    "grades": "Print grades as CSV.",
    "log": "Print what organisers did.",
}
HOURLY = 20
"""As `arena.site.deeds.HOURLY`, which is imported on use."""


@click.group(name="site", cls=NamedGroup, members=COMMANDS)
def command() -> None:
    """Organise a contest whose site runs (or will): everything here is on its pages for organisers
    too. A site that runs sees each change at once.

    \b
    arena site invite cup.league author --uses 30 --url https://cup.example.org
    arena site close cup.league --at "2027-03-31 18:00" --reason "as announced"
    arena site log cup.league
    """


@contextmanager
def _opened(file: Path, *, change: bool = True) -> Iterator[League]:
    """The league. With `change` it gets the tables of a site if it has none yet."""
    from arena.league.league import League

    with League(file) as league:
        if change:
            league.store.add_site()
        elif not league.store.has_site:
            raise UsageError(
                f"{file} has no site yet: begin one with: arena serve {shell_word(file)}"
            )
        yield league


def _deed(name: str) -> Callable[[Callable[..., str]], click.Command]:
    """Make a command of a function that does a deed in the league of a file, and returns what to
    say of it."""

    def made(work: Callable[..., str]) -> click.Command:
        @wraps(work)
        def run(file: Path, **options: Any) -> int:
            with _opened(file) as league:
                text = work(league, **options)
            say(text)
            return DONE

        return command.command(name=name)(parameters.league_argument(run))

    return made


reason = parameters.reason_option("Why. The audit log keeps it.")
role_argument = click.argument(
    "role", type=click.Choice(["author", "tester", "organiser", "owner"])
)
at = click.option("--at", "due", metavar="TIME", help='When (UTC), as "2027-03-31 18:00".')
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


# -- what there is ---------------------------------------------------------------------------------


@command.command(name="state")
@parameters.league_argument
@as_json_option
def state(file: Path, as_json: bool) -> int:
    """Show what organisers watch over: the moments that hold and those to come, the queues of
    uploads and matches, the disk."""
    from arena.site import moments, overview, settings

    with _opened(file, change=False) as league:
        found = overview.overview(league)
        if as_json:
            print_json(found)
            return DONE
        for kind, holds in moments.HOLDS.items():
            held = moments.since(league, kind)
            say(f"{holds} since {held} UTC" if held else moments.ENDED[kind])
        for one in moments.planned(league):
            say(f"planned: {one.kind} at {one.due} UTC ({safe(one.reason)})")
        for setting in settings.settings(league):
            value = settings.UNTIL_OVER if setting.value is None else setting.value
            say(f"{setting.name}: {value} ({setting.about})")
    say(f"uploads that wait: {found.uploads_waiting}")
    say(f"matches: {found.played} count, {found.pending} planned, {found.voids} void")
    say(f"results in the last five minutes: {found.lately}")
    say(f"disk: {size_text(found.disk_free)} free of {size_text(found.disk_total)}")
    return DONE


@command.command(name="people")
@parameters.league_argument
def people(file: Path) -> int:
    """List the accounts with their roles, teams and bots, and the open invitations."""
    from arena.site import deeds

    with _opened(file, change=False) as league:
        found, invitations = deeds.people(league), deeds.invitations(league)
    rows = [[one.name, one.role, one.team, ", ".join(one.bots)] for one in found]
    say(table(("account", "role", "team", "bots"), rows, left=4))
    for one in invitations:
        what = "registration" if one.is_registration else f"invitation {one.number}"
        say(f"{what}: {one.role}, {one.used} of {one.uses} used, until {one.until} UTC")
    return DONE


@command.command(name="log")
@parameters.league_argument
@click.option("--last", type=WholeNumber(1), default=50, help="Deeds to print.  [default: 50]")
def log(file: Path, last: int) -> int:
    """Print what organisers did, the newest first."""
    from arena.site import deeds

    with _opened(file, change=False) as league:
        for one in deeds.audit_log(league, most=last):
            say(
                f"{one.at}  {safe(one.account or '(command line)')}  {one.deed}: {safe(one.detail)}"
            )
    return DONE


@command.command(name="grades")
@parameters.league_argument
def grades(file: Path) -> int:
    """Print a line for each bot of each team, as CSV: its place in the table, and its uploads."""
    from arena.site import overview

    with _opened(file, change=False) as league:
        for line in overview.grades_csv(league):
            say(line.rstrip("\n"))
    return DONE


# -- people ----------------------------------------------------------------------------------------


@command.command(name="invite")
@parameters.league_argument
@role_argument
@click.option("--uses", type=WholeNumber(1), default=1, help="For how many people.  [default: 1]")
@click.option("--days", type=WholeNumber(1), default=14, help="Until it ends.  [default: 14]")
@click.option("--team", help="The team that they join.  [default: each has a team of their own]")
@click.option(
    "--url", default="http://127.0.0.1:8080", help="The site.  [default: http://127.0.0.1:8080]"
)
def invite(file: Path, role: str, uses: int, days: int, team: str | None, url: str) -> int:
    """Print the link of an invitation as ROLE. A tester's bots play and are never ranked."""
    from arena.site import contest, deeds

    with _opened(file) as league:
        number = None
        if team is not None:
            known = {name: number for number, name in deeds.teams(league)}
            if team not in known:
                raise UsageError(
                    f"there is no team {team!r}: arena site people {shell_word(file)} lists them"
                )
            number = known[team]
        made = deeds.invite(league, None, role, uses=uses, team=number, days=days)
    say(f"{url.rstrip('/')}/{contest.slug_of(file)}/join#{made.secret}")
    return DONE


@_deed("uninvite")
@click.argument("number", type=WholeNumber(1))
def uninvite(league: League, number: int) -> str:
    """End the invitation NUMBER, as arena site people lists them. Its accounts stay."""
    from arena.site import deeds

    deeds.end_invitation(league, None, number)
    return f"invitation {number}: ended"


@_deed("register")
@click.argument("state", type=click.Choice(["on", "off"]))
@click.option("--most", type=WholeNumber(1), default=100, help="Accounts.  [default: 100]")
@click.option(
    "--hourly", type=WholeNumber(1), default=HOURLY, help=f"In an hour.  [default: {HOURLY}]"
)
@click.option("--days", type=WholeNumber(1), default=14, help="Until it ends.  [default: 14]")
def register(league: League, state: str, most: int, hourly: int, days: int) -> str:
    """Let everybody make an account as author (on), or only who was invited (off)."""
    from arena.site import deeds

    if state == "on":
        deeds.open_registration(league, None, most=most, hourly=hourly, days=days)
    else:
        deeds.close_registration(league, None)
    return f"registration is {'open' if state == 'on' else 'closed'}"


@_deed("role")
@click.argument("name")
@role_argument
@reason
def role(league: League, name: str, role: str, reason: str) -> str:
    """Give the account NAME a ROLE in place of the one that it has. This also ends a ban."""
    from arena.site import deeds

    deeds.give_role(league, None, deeds.person(league, name), role, reason)
    return f"{safe(name)}: {role}"


@_deed("key")
@click.argument("name")
@reason
def new_key(league: League, name: str, reason: str) -> str:
    """Print a key by which the account NAME signs in, in place of one that was lost. Earlier keys
    and all sessions of the account end."""
    from arena.site import deeds

    return deeds.new_key(league, None, deeds.person(league, name), reason).secret


@_deed("ban")
@click.argument("name")
@click.option("--withdraw", is_flag=True, help="Withdraw the bots of its team, too.")
@reason
def ban(league: League, name: str, withdraw: bool, reason: str) -> str:
    """Ban the account NAME: its sessions and tokens do nothing any more. Its bots play on, unless
    they are withdrawn."""
    from arena.site import deeds

    deeds.ban(league, None, deeds.person(league, name), reason, withdraw=withdraw)
    return f"{safe(name)}: banned"


@_deed("names")
@click.argument("state", type=click.Choice(["hide", "show"]))
def names(league: League, state: str) -> str:
    """Show teams to others under pseudonyms (hide), or under their names (show)."""
    from arena.site import deeds

    deeds.hide_names(league, None, hide=state == "hide")
    return "others see pseudonyms" if state == "hide" else "others see names"


@_deed("lines")
@click.argument("state", type=click.Choice(["hide", "show"]))
def lines(league: League, state: str) -> str:
    """Show everybody what all bots write to stderr and draw (show), or their own teams alone
    (hide)."""
    from arena.site import deeds

    deeds.show_lines(league, None, show=state == "show")
    return "everybody reads what bots write" if state == "show" else "teams read their own bots"


# -- moments ---------------------------------------------------------------------------------------


def _begins(name: str, kind: str, about: str) -> None:
    """A command that begins what a kind of moments is about."""

    def begin(league: League, due: str | None, reason: str) -> str:
        from arena.site import moments

        moments.begin(league, None, kind, due, reason)
        planned = due is not None and moments.since(league, kind) is None
        return f"{moments.HOLDS[kind]} from {due} UTC on" if planned else moments.HOLDS[kind]

    begin.__doc__ = about
    _deed(name)(at(reason(begin)))


def _ends(name: str, kind: str, about: str) -> None:
    """A command that ends it."""

    def end(league: League, reason: str) -> str:
        from arena.site import moments

        moments.end(league, None, kind, reason)
        return moments.ENDED[kind]

    end.__doc__ = about
    _deed(name)(reason(end))


_begins(
    "close",
    "close",
    "Close uploads, now or at a TIME; another deadline takes the place of the earlier one. What "
    "was uploaded before is examined, and plays.",
)
_ends("open", "close", "Open uploads, and call planned deadlines off.")
_begins(
    "freeze",
    "freeze",
    "Freeze the public table, now or at a TIME: everybody but organisers sees the contest as it "
    "was just before. Uploads and matches go on.",
)
_ends("thaw", "freeze", "Show everybody the table as it is, and call planned freezes off.")
_begins(
    "pause", "pause", "Pause the judge of the site, now or at a TIME, after the match under way."
)
_ends("resume", "pause", "Let the judge of the site go on, and call planned pauses off.")


@_deed("set")
@click.argument("name")
@click.argument("value")
def change_setting(league: League, name: str, value: str) -> str:
    """Give the setting NAME another VALUE. arena site state lists the settings.

    \b
    arena site set cup.league live-delay 60
    """
    from arena.site import settings

    settings.change(league, None, name, value)
    return f"{name}: {value}"


@_deed("announce")
@click.argument("text")
def announce(league: League, text: str) -> str:
    """Show TEXT to everybody on the first page."""
    from arena.site import deeds

    return f"announcement {deeds.announce(league, None, text)}"


@_deed("unannounce")
@click.argument("number", type=WholeNumber(1))
def unannounce(league: League, number: int) -> str:
    """Take the announcement NUMBER back."""
    from arena.site import deeds

    deeds.end_announcement(league, None, number)
    return f"announcement {number}: taken back"


# -- finals ----------------------------------------------------------------------------------------


@_deed("final")
@click.option("--rounds", type=WholeNumber(1), default=10, help="Rounds.  [default: 10]")
@click.option(
    "--beacon",
    "source",
    metavar="WHICH",
    default="",
    help="A public value of later that nobody can choose; the start adds it.",
)
@at
@reason
def declare(league: League, rounds: int, source: str, due: str | None, reason: str) -> str:
    """Declare a final between the versions that are uploaded before a TIME (now, without --at), and
    publish the SHA-256 of its seed. The seed is printed once: keep it, it starts the final.

    \b
    arena site final cup.league --at "2027-03-31 18:00" --rounds 20 --reason "as announced"
    arena site start cup.league 1 SEED
    """
    from arena.site import moments

    made = moments.declare_final(league, None, due, rounds, reason, source)
    return f"final {made.number}, published hash {made.hash}\nits seed, to keep: {made.seed}"


@_deed("start")
@click.argument("number", type=WholeNumber(1))
@click.argument("seed")
@click.option("--beacon", default="", help="The public value, if it was declared with one.")
def start(league: League, number: int, seed: str, beacon: str) -> str:
    """Start the final NUMBER by telling its SEED. The judge plays its matches before all others."""
    from arena.site import moments

    found = moments.start_final(league, None, number, seed, beacon)
    return f"final {number}: {len(found.bots)} bots, {found.rounds} rounds"


@_deed("call-off")
@click.argument("number", type=WholeNumber(1))
@reason
def call_off(league: League, number: int, reason: str) -> str:
    """Call the final NUMBER off, which has not started: then another can be declared. Everybody
    sees who declared it, and the reason."""
    from arena.site import moments

    moments.call_off_final(league, None, number, reason)
    return f"final {number}: called off"


@command.command(name="final-table")
@parameters.league_argument
@click.argument("number", type=WholeNumber(1))
@click.option("--csv", "as_csv", is_flag=True, help="Print a line for each bot, as CSV.")
def final_table(file: Path, number: int, as_csv: bool) -> int:
    """Print the table of the final NUMBER: its own matches alone."""
    from arena.cli.text.league import league_text
    from arena.league import final
    from arena.league.export import table_csv

    with _opened(file, change=False) as league:
        found = final.final(league, number)
        if found.started is None:
            raise UsageError(
                f"final {number} has not started: arena site start {shell_word(file)} {number} SEED"
            )
        made = final.final_table(league, found)
    say(table_csv(made.table).rstrip("\n") if as_csv else league_text(made))
    return DONE


# -- matches ---------------------------------------------------------------------------------------


@_deed("rematch")
@click.argument("match", type=WholeNumber(1))
@reason
def rematch(league: League, match: int, reason: str) -> str:
    """Annul the result of a MATCH; the judge plays it again on the same seed. Both records are
    kept."""
    from arena.site import deeds

    deeds.rematch(league, None, match, reason)
    return f"match {match}: no longer counts, and is played again"


@_deed("withdraw")
@click.argument("name")
@reason
def withdraw(league: League, name: str, reason: str) -> str:
    """Withdraw the bot NAME with all its versions: it plays no more, until a new one comes."""
    from arena.site import deeds

    deeds.withdraw_bot(league, None, name, reason)
    return f"{safe(name)}: no longer plays"


@command.command(name="evidence")
@parameters.league_argument
@click.argument("match", type=WholeNumber(1))
@as_json_option
def evidence(file: Path, match: int, as_json: bool) -> int:
    """Show whose fault the time was in a MATCH: what each request was charged and took, and what
    the clock decided. The page shows all requests; this prints those that were late, or nearly."""
    from arena.site.evidence import evidence as evidence_of

    with _opened(file, change=False) as league:
        found = evidence_of(league, match)
    if as_json:
        print_json(found)
        return DONE
    say(f"match {match}, clock {found.clock}: {safe(found.sentence)}")
    for seat in found.seats:
        say(f"player{seat.seat + 1}, {safe(seat.name)}: {seat.asked} requests")
        for one in seat.requests:
            if one.verdict != "in time":
                say(f"  request {one.number}, round {one.round}: {one.verdict}")
        for fault in seat.faults:
            say(f"  round {fault.round}: {fault.code}: {safe(fault.detail)}")
    return DONE
