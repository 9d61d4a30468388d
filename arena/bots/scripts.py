"""Languages whose sources run as they are."""

from __future__ import annotations

from arena.bots.language import Language

SCRIPTS = (
    Language(
        "Python",
        (".py",),
        run=("{activated} {source}", "python3 {source}"),
        install="python3 (Debian, Ubuntu) or https://www.python.org",
    ),
    Language(
        "JavaScript",
        (".js", ".mjs", ".cjs"),
        run=("node {source}", "nodejs {source}"),
        install="nodejs (Debian, Ubuntu) or https://nodejs.org",
        marked=True,
    ),
    Language(
        "Ruby",
        (".rb",),
        run=("ruby {source}",),
        install="ruby (Debian, Ubuntu) or https://www.ruby-lang.org",
    ),
    Language(
        "PHP",
        (".php",),
        # Without this option its warnings go to stdout, among the answers.
        run=("php -d display_errors=stderr {source}",),
        install="php-cli (Debian, Ubuntu) or https://www.php.net",
        marked=True,
    ),
    Language(
        "Lua",
        (".lua",),
        run=("lua {source}", "lua5.4 {source}", "lua5.3 {source}", "luajit {source}"),
        install="lua5.4 (Debian, Ubuntu) or https://www.lua.org",
    ),
    Language(
        "Perl",
        (".pl",),
        run=("perl {source}",),
        install="perl (Debian, Ubuntu) or https://www.perl.org",
        marked=True,
    ),
    Language(
        "shell",
        # Plain sh would stop at the arrays and [[ ]] that most .sh files use without saying so.
        (".sh",),
        run=("bash {source}", "sh {source}"),
        install="bash (Debian, Ubuntu) or https://www.gnu.org/software/bash",
    ),
    Language(
        "AWK",
        # mawk reads a pipe in blocks of 4 KiB, and so never hears its first line, unless told
        # otherwise. The others read by line (and answer by fflush(), as does busybox awk).
        (".awk",),
        run=("gawk -f {source}", "mawk -W interactive -f {source}", "awk -f {source}"),
        install="gawk (Debian, Ubuntu) or https://www.gnu.org/software/gawk",
    ),
    Language(
        "Tcl",
        (".tcl",),
        run=("tclsh {source}", "tclsh8.6 {source}"),
        install="tcl (Debian, Ubuntu) or https://www.tcl-lang.org",
    ),
    Language(
        "R",
        (".R", ".r"),
        run=("Rscript --vanilla {source}",),
        install="r-base-core (Debian, Ubuntu) or https://www.r-project.org",
    ),
    Language(
        "Scheme",
        (".scm",),
        # It would write what it compiles into the home, which is new for each match.
        run=("guile --no-auto-compile -s {source}", "guile3.0 --no-auto-compile -s {source}"),
        install="guile-3.0 (Debian, Ubuntu) or https://www.gnu.org/software/guile",
    ),
    Language(
        "Lisp",
        (".lisp", ".lsp"),
        run=("sbcl --script {source}",),
        install="sbcl (Debian, Ubuntu) or https://www.sbcl.org",
    ),
    Language(
        "Prolog",
        (".pro", ".prolog"),
        run=("swipl -q -g main -t halt {source}",),
        install="swi-prolog-nox (Debian, Ubuntu) or https://www.swi-prolog.org",
    ),
    Language(
        "Forth",
        (".fth", ".4th"),
        run=("gforth {source}",),
        install="gforth (Debian, Ubuntu) or https://gforth.org",
    ),
    Language(
        "Raku",
        (".raku", ".p6"),
        run=("raku {source}",),
        install="rakudo (Debian, Ubuntu) or https://raku.org",
    ),
    Language(
        "Elixir",
        # With one scheduler: by default it starts a thread for each core of the machine, which are
        # counted, and spin while they wait.
        (".exs", ".ex"),
        run=("elixir --erl +S1 {source}",),
        install="elixir (Debian, Ubuntu) or https://elixir-lang.org",
    ),
)
