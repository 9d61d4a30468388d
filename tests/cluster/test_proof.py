"""What a worker says of a match, true and forged."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.cluster import proof
from arena.cluster.proof import Forged, prove, record_limit
from arena.cluster.work import Task
from arena.core.steps import Fate
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.terms import Terms
from tests.cluster.played import answer, match_of, stored


class Claim:
    """What a worker sends."""

    def __init__(self, spec: MatchSpec, report: MatchReport, record: Path) -> None:
        self.spec = spec
        self.task: Task = match_of(spec).task
        self.report = report
        self.record = record
        self.packed = b""
        """The bytes of the report, where they are not right."""

    def prove(self) -> MatchReport:
        packed = self.packed or msgspec.msgpack.encode(self.report)
        return prove(self.task, self.spec, packed, self.record)

    @property
    def lines(self) -> list[bytes]:
        return gzip.decompress(self.record.read_bytes()).splitlines(keepends=True)

    def write(self, lines: list[bytes]) -> None:
        self.record.write_bytes(gzip.compress(b"".join(lines)))

    def seal(self, lines: list[bytes]) -> None:
        """Write these lines with a seal that is right for them, which the report knows too."""
        sha256 = hashlib.sha256(b"".join(lines)).hexdigest()
        self.write([*lines, msgspec.json.encode({"type": "seal", "sha256": sha256}) + b"\n"])
        self.report = replace(self.report, seal=sha256)

    def of_another(self, **changes: Any) -> None:
        """What is right for a match that nobody has asked for."""
        self.report = answer(replace(self.spec, **changes), self.record)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Claim:
    folder = tmp_path_factory.mktemp("honest")
    spec = stored(folder)
    return Claim(spec, answer(spec, folder / "record.jsonl.gz"), folder / "record.jsonl.gz")


@pytest.fixture
def claim(honest: Claim, tmp_path: Path) -> Claim:
    record = Path(shutil.copy(honest.record, tmp_path))
    return Claim(honest.spec, honest.report, record)


def test_the_truth_is_believed(claim: Claim) -> None:
    assert claim.prove() == claim.report


def test_the_words_of_a_worker_are_bounded(claim: Claim) -> None:
    of_seat(stopped_detail="\x1b[2J" + "x" * 10**6)(claim)
    assert claim.prove().players[0].stopped_detail == "?[2J" + "x" * 996


def other_bots(claim: Claim) -> None:
    claim.of_another(entrants=claim.spec.entrants[::-1])


def other_settings(claim: Claim) -> None:
    settings = replace(claim.spec.settings, max_rounds=2)
    claim.of_another(settings=settings)


def altered(kind: bytes, before: bytes, after: bytes) -> Callable[[Claim], None]:
    """Change something in all lines of a type, and seal it anew."""

    def change(claim: Claim) -> None:
        lines = claim.lines[:-1]
        changed = [
            one.replace(before, after) if b'"type":"%b"' % kind in one else one for one in lines
        ]
        assert changed != lines
        claim.seal(changed)

    return change


def reported(**changes: Any) -> Callable[[Claim], None]:
    def change(claim: Claim) -> None:
        claim.report = replace(claim.report, **changes)

    return change


def of_seat(**changes: Any) -> Callable[[Claim], None]:
    def change(claim: Claim) -> None:
        first, *others = claim.report.players
        claim.report = replace(claim.report, players=[replace(first, **changes), *others])

    return change


def without_a_seat(claim: Claim) -> None:
    claim.report = replace(claim.report, players=claim.report.players[:1])


def cut(claim: Claim) -> None:
    claim.write(claim.lines[:-4])


def unsealed(claim: Claim) -> None:
    claim.write(claim.lines[:-1])


def with_more(claim: Claim) -> None:
    claim.write([*claim.lines, b'{"type":"note"}\n'])


def not_packed(claim: Claim) -> None:
    claim.record.write_bytes(b"".join(claim.lines))


def empty(claim: Claim) -> None:
    claim.record.write_bytes(b"")


def other_header(claim: Claim) -> None:
    """The record of another match with the first line of this one."""
    first = claim.lines[0]
    claim.of_another(seed="8")
    claim.seal([first, *claim.lines[1:-1]])


def deep(claim: Claim) -> None:
    claim.seal([claim.lines[0], b'{"type":"show","frame":' + b"[" * 100_000 + b"\n"])


def packed(data: bytes) -> Callable[[Claim], None]:
    def change(claim: Claim) -> None:
        claim.packed = data

    return change


FORGERIES: dict[str, Callable[[Claim], None]] = {
    "another seed": lambda claim: claim.of_another(seed="8"),
    "other bots": other_bots,
    "other settings": other_settings,
    "another clock": lambda claim: claim.of_another(terms=Terms()),
    "forfeits": lambda claim: claim.of_another(terms=replace(claim.spec.terms, forfeit=True)),
    "another header": other_header,
    "an answer": altered(b"answer", b"No moves", b"no moves"),
    "the outcome": altered(b"outcome", b'"points":[', b'"points":[1'),
    "totals": altered(b"player", b'"requests":', b'"requests":1'),
    "a reported seal": reported(seal="0" * 64),
    "a reported digest": reported(digest="0" * 64),
    "a reported reason": reported(reason="elimination"),
    "reported words": reported(sentence="ann won."),
    "reported rounds": reported(rounds=9),
    "a reported game": reported(game="toroid"),
    "a reported rank": of_seat(rank=2),
    "reported points": of_seat(points=5.0),
    "a reported fate": of_seat(fate=Fate.ELIMINATED),
    "a reported end": of_seat(stopped="crash"),
    "reported faults": of_seat(faults={"timeout": 3}),
    "a seat less": without_a_seat,
    "a record that is cut": cut,
    "a record without its seal": unsealed,
    "a record with more behind it": with_more,
    "a record that is not packed": not_packed,
    "no record": empty,
    "a record that is nested deep": deep,
    "a report that is none": packed(b"\xc1"),
    "a report that is nested deep": packed(b"\x91" * 200_000),
    "a report of something else": packed(b"\x81\xa4game\xa8warlight"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_found(claim: Claim, forgery: str) -> None:
    FORGERIES[forgery](claim)
    with pytest.raises(Forged):
        claim.prove()


def test_a_record_that_unpacks_very_large_is_not_unpacked_whole(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 8 MiB of lines that are all right in themselves, packed in 8 KiB."""
    monkeypatch.setattr(proof, "record_limit", lambda spec: 1 << 20)
    claim.write([claim.lines[0], *[claim.lines[1]] * ((8 << 20) // len(claim.lines[1]))])
    assert claim.record.stat().st_size < 1 << 16
    with pytest.raises(Forged, match="larger than the possible 1048576 bytes"):
        claim.prove()


def test_what_bots_may_write_is_no_reason_to_refuse_a_record(tmp_path: Path) -> None:
    spec: MatchSpec = stored(tmp_path)
    assert record_limit(spec) > 6 * 2 * spec.terms.limits.match_output
