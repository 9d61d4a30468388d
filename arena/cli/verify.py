"""``arena verify REPLAY…``"""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli import BAD, DONE, print_json
from arena.cli.text import styled
from arena.errors import ReplayError
from arena.verify import Verdict, verify


@click.command(name="verify")
@click.argument(
    "replays", nargs=-1, required=True, metavar="REPLAY…", type=click.Path(path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(replays: tuple[Path, ...], as_json: bool) -> int:
    """Run the rules again on the recorded answers, and prove every step, digest, time bank and
    the outcome. Exit status 1 when one replay is not right."""
    verdicts = [(path, _verify(path)) for path in replays]
    if as_json:
        print_json([{"replay": str(path), **_document(verdict)} for path, verdict in verdicts])
    else:
        for path, verdict in verdicts:
            click.echo(_text(path, verdict))
    return DONE if all(verdict.ok for _, verdict in verdicts) else BAD


def _verify(path: Path) -> Verdict:
    try:
        return verify(path)
    except ReplayError as error:
        return Verdict(False, "", "", 0, "", str(error))


def _document(verdict: Verdict) -> dict[str, object]:
    return {name: getattr(verdict, name) for name in Verdict.__struct_fields__}


def _text(path: Path, verdict: Verdict) -> str:
    if not verdict.ok:
        return f"{path}: {styled('WRONG', fg='red')}: {verdict.problem}"
    return (
        f"{path}: {styled('ok', fg='green')}, {verdict.game} with seed {verdict.seed}, "
        f"{verdict.rounds} rounds, digest {verdict.digest[:16]}"
    )
