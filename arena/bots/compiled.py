"""Languages whose sources become a program of the machine."""

from __future__ import annotations

from arena.bots import native
from arena.bots.language import Language

_C = "-O2 -pthread -I. -o ../out/bot {source} -lm"
_NATIVE = ("{out}/bot",)

COMPILED = (
    Language(
        "C",
        (".c",),
        compile=tuple(f"{compiler} -std=gnu17 {_C}" for compiler in ("gcc", "clang", "cc")),
        run=_NATIVE,
        install="gcc (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".inc", ".c"),
        together=native.of_one_program,
        headers=native.HEADERS,
        entry=native.MAIN,
    ),
    Language(
        "C++",
        (".cpp", ".cc", ".cxx", ".C"),
        compile=tuple(f"{compiler} -std=gnu++20 {_C}" for compiler in ("g++", "clang++", "c++")),
        run=_NATIVE,
        install="g++ (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".hh", ".hpp", ".hxx", ".inc", ".cpp", ".cc", ".cxx"),
        together=native.of_one_program,
        headers=native.HEADERS,
        entry=native.MAIN,
    ),
    Language(
        "Rust",
        (".rs",),
        compile=("rustc --edition 2021 -O --crate-name bot -o ../out/bot {source}",),
        run=_NATIVE,
        install="rustc (Debian, Ubuntu) or https://rustup.rs",
        beside=(".rs",),
        entry=rb"^(?:pub )?fn main\(",
    ),
    Language(
        "Go",
        (".go",),
        compile=("go build -o ../out/bot {source}",),
        run=_NATIVE,
        install="golang-go (Debian, Ubuntu) or https://go.dev",
        together=native.of_one_package,
        entry=rb"^func main\(",
    ),
    Language(
        "Haskell",
        (".hs",),
        compile=("ghc -v0 -O -rtsopts -outputdir ../out/objects -o ../out/bot {source}",),
        run=_NATIVE,
        install="ghc (Debian, Ubuntu) or https://www.haskell.org/ghcup",
        beside=(".hs",),
        entry=rb"^main[ \t]*+(?:::|=)",
    ),
    Language(
        "OCaml",
        (".ml",),
        compile=(
            "ocamlfind ocamlopt -package str,unix -linkpkg -o ../out/bot {source}",
            "ocamlopt -I +str -I +unix str.cmxa unix.cmxa -o ../out/bot {source}",
        ),
        run=_NATIVE,
        install="ocaml-nox (Debian, Ubuntu) or https://ocaml.org",
    ),
    Language(
        "Pascal",
        (".pas", ".pp", ".lpr"),
        compile=("fpc -l- -v0 -ve -O2 -FU../out -o../out/bot {source}",),
        run=_NATIVE,
        install="fp-compiler fp-units-base (Debian, Ubuntu) or https://www.freepascal.org",
        beside=(".pas", ".pp", ".inc"),
        entry=rb"^[ \t]*+[pP](?:rogram|ROGRAM)\b",
        marked=True,
    ),
    Language(
        "Ada",
        (".adb",),
        compile=("gnatmake -q -O2 -o ../out/bot {source}",),
        run=_NATIVE,
        install="gnat (Debian, Ubuntu) or https://www.adacore.com/community",
        beside=(".adb", ".ads"),
    ),
    Language(
        "Fortran",
        (".f90", ".f95", ".f03", ".f08", ".f"),
        compile=("gfortran -O2 -J../out -o ../out/bot {source}",),
        run=_NATIVE,
        install="gfortran (Debian, Ubuntu) or https://gcc.gnu.org/fortran",
        entry=rb"^[ \t]*+[pP](?:rogram|ROGRAM)\b",
    ),
    Language(
        "D",
        (".d",),
        compile=(
            "ldc2 -i -O2 -od=../out -of=../out/bot {source}",
            "dmd -i -O -od=../out -of=../out/bot {source}",
            "gdc -O2 -o ../out/bot {source}",
        ),
        run=_NATIVE,
        install="ldc (Debian, Ubuntu) or https://dlang.org",
        beside=(".d",),
        entry=rb"^(?:void|int) main\(",
    ),
    Language(
        "Nim",
        (".nim",),
        compile=("nim c -d:release --hints:off --nimcache:../out/cache -o:../out/bot {source}",),
        run=_NATIVE,
        install="nim (Debian, Ubuntu) or https://nim-lang.org",
        beside=(".nim",),
    ),
    Language(
        "Crystal",
        (".cr",),
        compile=("crystal build --no-color -o ../out/bot {source}",),
        run=_NATIVE,
        install="crystal (Debian, Ubuntu) or https://crystal-lang.org",
        beside=(".cr",),
    ),
    Language(
        "Vala",
        (".vala",),
        compile=("valac -q -X -O2 -o ../out/bot {source}",),
        run=_NATIVE,
        install="valac (Debian, Ubuntu) or https://vala.dev",
    ),
    Language(
        "COBOL",
        (".cob", ".cbl"),
        compile=("cobc -x -O -o ../out/bot {source}",),
        run=_NATIVE,
        install="gnucobol4 (Debian, Ubuntu) or https://gnucobol.sourceforge.io",
    ),
)
