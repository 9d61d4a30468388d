"""What the rules give is expected in parts."""

from __future__ import annotations

from arena.core.steps import Ask, Show, Tell
from arena.record.format import FORMAT, Chain, Digest, Header, encode_lines
from arena.record.verify import Expected

HEADER = Header(FORMAT, "nim", 1, "7", {}, ["a"])
TOLD, SHOWN, ASKED = Tell(0, "x"), Show({"round": 3}), Ask(0, "go")


def chain(*steps: Tell | Show) -> Chain:
    made = Chain(HEADER)
    made.add(encode_lines(steps).replace(b"\n", b""))
    return made


def test_a_part_ends_with_its_digest() -> None:
    digest = Digest(3, chain(TOLD, SHOWN).hexdigest())
    expected = Expected(Chain(HEADER))
    expected.add([TOLD, SHOWN], 3)
    expected.add([TOLD, ASKED])
    assert expected.lines == encode_lines((TOLD, SHOWN, digest))
    assert expected.take() == digest
    assert expected.lines == encode_lines((TOLD, ASKED))
    assert expected.take() is None
    assert expected.lines == b""


def test_a_part_may_be_taken_line_by_line() -> None:
    digest = Digest(3, chain(TOLD, SHOWN).hexdigest())
    expected = Expected(Chain(HEADER))
    expected.add([TOLD, SHOWN], 3)
    expected.add([ASKED])
    for record, gives in ((TOLD, None), (SHOWN, None), (digest, digest), (ASKED, None)):
        assert expected.first() == expected.lines == encode_lines((record,))
        assert expected.take() == gives
    assert expected.lines == b""
