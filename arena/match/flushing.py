"""How answers leave a program at once, by language."""

from __future__ import annotations

import os

FLUSH = {
    (".py",): "print(answer, flush=True)",
    (".c", ".cpp", ".cc", ".cxx", ".C"): "fflush(stdout), or std::cout << std::flush",
    (".java", ".jar", ".kt"): "out.flush() behind each println of a PrintWriter",
    (".js", ".mjs", ".cjs", ".ts"): "console.log(answer)",
    (".rb",): "$stdout.flush, or $stdout.sync = true at its beginning",
    (".php",): "flush()",
    (".lua",): "io.flush()",
    (".awk",): "fflush()",
    (".pl",): "$| = 1; at its beginning",
    (".rs",): "std::io::stdout().flush()",
    (".go",): "writer.Flush()",
    (".cs",): "Console.Out.Flush()",
    (".hs",): "hSetBuffering stdout LineBuffering at its beginning",
}
"""How to flush, by the ending of a source."""


def how_to_flush(command: str) -> str:
    """The way of the language of a source, or of the first one that a command names."""
    endings = [os.path.splitext(word)[1] for word in command.split()]
    ways = [way for known, way in FLUSH.items() for end in endings if end in known]
    return ways[0] if ways else "arena guide author says how, by language"
