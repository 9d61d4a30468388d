from __future__ import annotations

import pytest

from arena.web.desk import MAX_LINE, Complete, Give, Help, Leave, Pick, read_wish


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ('{"do":"pick","turn":3,"held":"a","picks":["1","2"]}', Pick(3, "a", ["1", "2"])),
        ('{"do":"complete","turn":3,"typed":"mo"}', Complete(3, "mo")),
        ('{"do":"help","turn":3}', Help(3)),
        ('{"do":"give","turn":3,"line":"No moves"}', Give(3, "No moves")),
        ('{"do":"leave","turn":3}', Leave(3)),
    ],
)
def test_what_a_page_may_ask(text: str, wish: object) -> None:
    assert read_wish(text) == wish


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "pause",
            "[]",
            "null",
            '{"do":"give","turn":3}',
            '{"do":"give","turn":"3","line":""}',
        ),
        *('{"do":"rob","turn":3}', '{"do":"help","turn":3,"seat":1}', '{"turn":3}', "\ud800"),
        '{"do":"pick","turn":3,"held":"","picks":["1","1","1","1","1","1","1","1","1","1","1"]}',
        f'{{"do":"give","turn":3,"line":"{"x" * (MAX_LINE + 1)}"}}',
        "[" * 100_000,
        '{"x":' + "[" * 100_000,
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert read_wish(text) is None
