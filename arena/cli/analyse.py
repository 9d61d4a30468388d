"""The command ``arena analyse REPLAY…``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion
from arena.cli.parameters import (
    JOBS,
    PLAYER,
    FilePath,
    WholeNumber,
    check_output,
    overwrite,
    refuse_where_bots_play,
    require_replays,
    sandbox_option,
)
from arena.cli.status import DONE, fail, print_json, tell
from arena.cli.text.layout import say
from arena.errors import ArenaError, ReplayError, UsageError
from arena.record.output import write_whole

if TYPE_CHECKING:
    from arena.view.chances import ChanceModel


@click.command(name="analyse")
@click.argument("replays", nargs=-1, type=FilePath(), shell_complete=completion.replays)
@click.option("--model", type=FilePath(), help="A model of --fit.  [default: that of the game]")
@click.option(
    "--what-if",
    nargs=2,
    metavar="ROUND BOT",
    help="Play on from a round with another bot at the seat.",
)
@click.option(
    "--player",
    type=PLAYER,
    help="Whose turning points, and with --what-if whose seat.  [default: all; who came in last]",
)
@click.option(
    "--against",
    multiple=True,
    metavar="BOT",
    help="With --what-if: who plays the other seats; one for all, or one each.  [default: BOT]",
    shell_complete=completion.bots,
)
@click.option("--games", type=WholeNumber(1, 10_000), help="With --what-if: matches.  [default: 1]")
@click.option("--jobs", type=JOBS, help="With --what-if: matches at a time.  [default: 1]")
@sandbox_option("off")
@click.option("--fit", is_flag=True, help="Fit a model of chances to the records instead.")
@click.option("-o", "--output", type=FilePath(), help="With --fit: the model to write (.json).")
@overwrite("-o")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    replays: tuple[Path, ...],
    model: Path | None,
    what_if: tuple[str, str] | None,
    fit: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Find where matches were lost: the chance of each player to win, by round, and the moments
    that cost a player most of it, each with the commands that look into it.

    \b
    arena analyse lost.jsonl.gz
    arena analyse lost.jsonl.gz --what-if 34 my_bot.py --games 10 --against other.js
    arena analyse --fit games/*.jsonl.gz -o chances.json
    """
    _refuse(replays, what_if, options, fit=fit, has_model=model is not None)
    require_replays(replays)
    if fit:
        return _fit(replays, options["output"], overwrite=options["overwrite"], as_json=as_json)
    from arena.view.chances import read_model

    own = None if model is None else read_model(model)
    if what_if is not None:
        return _what_if(replays[0], *what_if, own, options, as_json=as_json)
    return _analyse(replays, own, options["player"], as_json=as_json)


def _refuse(
    replays: tuple[Path, ...],
    what_if: tuple[str, str] | None,
    options: dict[str, Any],
    *,
    fit: bool,
    has_model: bool,
) -> None:
    """Raise UsageError for options that do not go together."""
    if not replays:
        raise UsageError("name a replay: arena analyse lost.jsonl.gz")
    if fit and (what_if is not None or options["player"] is not None or has_model):
        raise UsageError("--fit makes a model of records: leave out --what-if, --player, --model")
    if options["output"] is not None and not fit:
        raise UsageError("-o is the model that --fit writes: add --fit, or leave out -o")
    if what_if is None:
        for name in ("against", "games", "jobs"):
            if options[name]:
                raise UsageError(f"--{name} is for --what-if ROUND BOT: add it")
        if options["sandbox"] != "off":
            raise UsageError("--sandbox is for --what-if ROUND BOT: add it")
        return
    if len(replays) > 1:
        raise UsageError("--what-if plays on from one match: name one replay")
    if not what_if[0].isdecimal():
        raise UsageError(f"--what-if {what_if[0]}: name a round and a bot, as --what-if 34 bot.py")
    refuse_where_bots_play([what_if[1], *options["against"]])


def _analyse(
    replays: tuple[Path, ...], model: ChanceModel | None, player: int | None, *, as_json: bool
) -> int:
    from arena.cli.text.analysis import analysis_text
    from arena.record.reader import MAX_RECORD_SIZE, Match
    from arena.workbench.analysis import AnalysisReport, analyse

    found = []
    for number, path in enumerate(replays):
        match = Match.read(path, largest=MAX_RECORD_SIZE)
        if player is not None and player > len(match.players):
            last = len(match.players)
            raise UsageError(f"{path} has no player{player}: give 1 to {last}")
        one = analyse(match, str(path), model)
        if as_json:
            found.append(one)
        else:  # at once: a later record may be long, or broken
            say(("\n" if number else "") + analysis_text(one, player))
    if as_json:
        print_json(AnalysisReport(found))
    return DONE


def _what_if(
    path: Path,
    round: str,
    bot: str,
    model: ChanceModel | None,
    options: dict[str, Any],
    *,
    as_json: bool,
) -> int:
    """Play on; an interrupted run tells what the matches before came to."""
    from arena.cli.text.analysis import what_if_text
    from arena.cli.text.workbench import game_line
    from arena.record.reader import MAX_RECORD_SIZE, Match
    from arena.workbench.analysis import WhatIf, what_if

    player, games = options["player"], options["games"] or 1
    found: WhatIf | None = None
    stopped: KeyboardInterrupt | ArenaError | None = None

    def standing() -> tuple[int, int, str]:
        return (0, games, "") if found is None else (found.games, games, f"{found.won:g} won")

    try:
        with game_line(standing, as_json) as advance:

            def keep(so_far: WhatIf) -> None:
                nonlocal found
                found = so_far
                advance()

            what_if(
                Match.read(path, largest=MAX_RECORD_SIZE),
                int(round),
                bot,
                seat=None if player is None else player - 1,
                against=options["against"],
                games=games,
                jobs=options["jobs"] or 1,
                model=model,
                each=keep,
                sandbox=options["sandbox"],
            )
    except (KeyboardInterrupt, ArenaError) as error:
        if found is None:
            raise
        stopped = error
    assert found is not None
    print_json(found) if as_json else say(what_if_text(found))
    return DONE if stopped is None else fail(stopped)


def _fit(replays: tuple[Path, ...], output: Path | None, *, overwrite: bool, as_json: bool) -> int:
    """Fit a model to all matches, and tell its calibration on matches that are not fitted to."""
    import msgspec

    from arena.cli.text.analysis import fit_text
    from arena.record.reader import MAX_RECORD_SIZE, Match
    from arena.workbench.analysis import game_with_view
    from arena.workbench.fitting import FitReport, fit, held_out, lesson

    check_output("model", output, "-o", overwrite, ".json")
    game, view = game_with_view(Match.ending(replays[0]).game)
    whole, seeds = [], dict[str, int]()
    for path in replays:
        try:
            match = Match.read(path, largest=MAX_RECORD_SIZE)
        except ReplayError as error:
            tell(f"left out: {error}")
            continue
        if match.game != game.name:
            raise UsageError(f"{path} is one of {match.game}, the first of {game.name}")
        learnt = lesson(match, game, view)
        if learnt is not None:
            whole.append((seeds.setdefault(match.seed, len(seeds)), learnt))
    if len(whole) < len(replays):
        left_out = f"{len(replays) - len(whole)} of {len(replays)} records left out"
        tell(f"{left_out}: each needs the end of its match, and the installed rules of {game.name}")
    model, kept = fit(game, [one for _, one in whole]), held_out(game, whole)
    if output is not None:
        write_whole(output, msgspec.json.format(msgspec.json.encode(model)) + b"\n")
    print_json(FitReport(model, kept)) if as_json else say(fit_text(model, kept))
    return DONE
