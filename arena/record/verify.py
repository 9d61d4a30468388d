"""Proving a record: the rules, run again on the recorded answers, give the same match, and its seal
stands for every byte."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.errors import ArenaFault, ReplayError
from arena.record.account import Mismatch
from arena.record.decode import decode_header, read_lines
from arena.record.proof import Proof


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
    lines = read_lines(Path(path))
    first = next(lines, b"")
    proof, problem = Proof(decode_header(first, str(path))), ""
    try:
        _follow(proof, first, lines)
    except (Mismatch, ReplayError, ArenaFault) as error:
        problem = str(error)
    return _verdict(proof, problem)


def _follow(proof: Proof, first: bytes, lines: Iterator[bytes]) -> None:
    """Check the lines behind the first. Raises Mismatch, ReplayError or ArenaFault."""
    written = hashlib.sha256(first)
    for line in lines:
        if not line.endswith(b"\n") and not proof.seal:
            return  # a killed arena may leave half a line
        proof.take(line[:-1])
        if proof.seal and proof.seal.sha256 != written.hexdigest():
            raise Mismatch("the seal does not match the record: something in it was changed")
        written.update(line)


def _verdict(proof: Proof, problem: str) -> Verdict:
    unfinished = not problem and proof.missing != ""
    if unfinished:
        problem = f"{proof.missing}; what is there is right"
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
