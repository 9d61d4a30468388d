"""The page: one HTML file with everything in it, which a browser opens without a network.

Its Content-Security-Policy allows its scripts and its style by their hashes, and nothing else: no
address, no inline handler, no `eval`. All but a short loader is packed, the match and the scripts
that show it: as they are, scripts and style would be more than half of the page of a short match.
"""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.resources
import zlib
from collections.abc import Iterable, Sequence

SCRIPTS = (
    *("dom", "draw", "areas", "marks", "icons", "foreign", "story", "playback", "pane", "chart"),
    *("controls", "seats", "log", "notes", "inspector", "keys", "address", "viewer"),
    *("live", "page"),
)
"""The scripts in `static/`, in the order in which they stand in a page; boards come before the
last."""
PACKING = 6
"""Of 10 MiB of frames, 9 saves 2 % and takes three times as long."""


def make_page(
    title: str,
    blocks: Iterable[tuple[str, bytes]],
    boards: Sequence[str],
    feed: str = "",
    more: Sequence[str] = (),
) -> str:
    """The page with these blocks of data (by name) and the scripts of these boards. It may talk to
    the address `feed`, and to no other. `more` names further scripts; with them come the styles of
    a person's page."""
    sheets = ["page.css", "boards.css", *(["person.css"] if more else [])]
    script, style = _script(boards, more), "".join(map(_static, sheets))
    loader = _static("loader.js")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(loader)}' '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            *([f"connect-src {feed}"] if feed else []),
        ]
    )
    code = [("style", style.encode()), ("script", script.encode())]
    data = "\n".join([_block(name, content) for name, content in (*code, *blocks)])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
</head>
<body>
<noscript>This page shows a match: its browser must run scripts.</noscript>
<main id="page"></main>
{data}
<script>{loader}</script>
</body>
</html>
"""


def _script(boards: Sequence[str], more: Sequence[str]) -> str:
    *first, last = [_static(f"{name}.js") for name in (*SCRIPTS[:-1], *more, SCRIPTS[-1])]
    scoped = [f"{{\n{text}}}\n" for text in (*first, *boards, last)]
    return "".join(['"use strict";\n', *scoped])


def _static(name: str) -> str:
    return (importlib.resources.files("arena.view") / "static" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _block(name: str, content: bytes) -> str:
    packer = zlib.compressobj(PACKING, wbits=31)
    packed = base64.b64encode(packer.compress(content) + packer.flush()).decode()
    return f'<script type="application/octet-stream" id="{html.escape(name)}">{packed}</script>'
