"""Proving a record: the rules, run again on the recorded answers, give the same match, and its seal
stands for every byte."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from arena.errors import ArenaFault, ReplayError
from arena.record.account import Mismatch
from arena.record.decode import decode_header
from arena.record.proof import Proof
from arena.record.source import Source, read_blocks


class Verdict(Struct, frozen=True):
    """What `verify` found. `ok` is true when everything that is there is right and complete."""

    ok: bool
    game: str
    seed: str
    rounds: int
    """Rounds that were proved."""
    digest: str
    """The digest of the last proved round."""
    problem: str
    """What is wrong and in which round; empty when all is well."""
    unfinished: bool = False
    """The record ends early, as a killed arena leaves it. What is there is right."""
    seal: str = ""
    """The SHA-256 over the finished record, as its last line has it; empty unless `ok`. Compare it
    with the seal that was told when the match was played."""


def verify(path: str | Path) -> Verdict:
    """Run the match of a record again and compare every step, digest, time bank, the outcome, and
    the seal.

    Raises ReplayError for a file that cannot be read as a record at all.
    """
    source = Source(read_blocks(Path(path), whole=True))
    first = source.line()
    proof, problem = Proof(decode_header(first, str(path))), ""
    try:
        _follow(proof, source)
    except (Mismatch, ReplayError, ArenaFault) as error:
        problem = str(error)
    return _verdict(proof, problem, cut_off=source.was_cut_off)


def _follow(proof: Proof, source: Source) -> None:
    """Check what stands behind the first line. Raises Mismatch, ReplayError or ArenaFault."""
    while True:
        while (lines := proof.expected) and source.has(lines):
            proof.confirm()
        line = source.line()
        if not line.endswith(b"\n") and not (line and proof.seal):
            return  # the end, or half a line, which a killed arena may leave
        proof.take(line)
        if proof.seal and proof.seal.sha256 != source.sha256_before(line):
            raise Mismatch("the seal does not match the record: something in it was changed")


def _verdict(proof: Proof, problem: str, *, cut_off: bool) -> Verdict:
    missing = proof.missing or ("the compressed file lacks its last bytes" if cut_off else "")
    unfinished = not problem and missing != ""
    if unfinished:
        problem = f"{missing}; what is there is right"
    return Verdict(
        not problem,
        proof.header.game,
        proof.header.seed,
        proof.proved,
        proof.digest,
        problem and f"round {proof.round}: {problem}",
        unfinished,
        proof.seal.sha256 if proof.seal and not problem else "",
    )
