"""Languages whose sources become a program of the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

from arena.bots import crates, native
from arena.bots.content import Scan
from arena.bots.language import Language, operand
from arena.bots.manifests import manifests_around
from arena.bots.modules import in_order

_C = "-O2 -pthread -I. -o ../out/bot {source} -lm"
_NATIVE = ("{out}/bot",)


def _folders_of(ending: str, option: str) -> Callable[[Path, str, Sequence[str]], list[str]]:
    """An option for each folder in which such sources lie, the main one's first."""

    def options(folder: Path, main: str, names: Sequence[str]) -> list[str]:
        own = [name for name in names if name.endswith(ending) and not native.is_test(name)]
        places = [str(PurePath(name).parent) for name in (main, *own)]
        found = [f"{option}{operand(place)}" for place in dict.fromkeys(places)][
            : native.MOST_FOLDERS
        ]
        return [word for one in found for word in one.split(" ", 1)]

    return options


def _haskell(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Where its modules are, and the extensions that its project asks for."""
    projects = manifests_around(folder, main, ".cabal")
    said = [path for one in projects for path in one.paths(one.sources)]
    usual = [name for name in ("src", "app", "lib") if (folder / name).is_dir()]
    places = [str(PurePath(main).parent), *said, *usual]
    flags = [flag for one in projects[:1] for flag in one.flags]
    return [*(f"-i{place}" for place in dict.fromkeys(places)), *flags]


def _in_order(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """OCaml compiles its sources in the order given: each after those that it uses."""
    found = native.below(PurePath(), names)
    scan = Scan()
    return in_order("OCaml", {name: scan.read(folder / name) for name in (main, *found)}, main)


COMPILED = (
    Language(
        "C",
        (".c",),
        compile=tuple(f"{compiler} -std=gnu17 {_C}" for compiler in ("gcc", "clang", "cc")),
        run=_NATIVE,
        install="gcc (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".inc", ".c"),
        together=native.of_one_program,
        options=native.include_options,
        entry=native.MAIN,
        by_gcc=True,
    ),
    Language(
        "C++",
        (".cpp", ".cc", ".cxx", ".C"),
        compile=tuple(f"{compiler} -std=gnu++20 {_C}" for compiler in ("g++", "clang++", "c++")),
        run=_NATIVE,
        install="g++ (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".hh", ".hpp", ".hxx", ".inc", ".cpp", ".cc", ".cxx"),
        together=native.of_one_program,
        options=native.include_options,
        entry=native.MAIN,
        by_gcc=True,
    ),
    Language(
        "Rust",
        (".rs",),
        compile=("rustc --edition {edition} -O --crate-name bot -o ../out/bot {source}",),
        run=_NATIVE,
        install="rustc (Debian, Ubuntu) or https://rustup.rs",
        beside=(".rs",),
        facts=crates.edition,
        options=crates.libraries,
        before=crates.compiled_before,
        entry=rb"^(?:pub )?fn main\(",
    ),
    Language(
        "Go",
        (".go",),
        compile=("go build -o ../out/bot {source}",),
        run=_NATIVE,
        install="golang-go (Debian, Ubuntu) or https://go.dev",
        together=native.of_one_package,
        before=native.go_module,
        entry=rb"^func main\(",
    ),
    Language(
        "Haskell",
        (".hs",),
        compile=("ghc -v0 -O -rtsopts -outputdir ../out/objects -o ../out/bot {source}",),
        run=_NATIVE,
        install="ghc (Debian, Ubuntu) or https://www.haskell.org/ghcup",
        beside=(".hs",),
        options=_haskell,
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
        together=_in_order,
        main_last=True,
        options=_folders_of(".ml", "-I "),
        guard=rb"^let (?:rec )?(?:\(\)|_|main)",
    ),
    Language(
        "Pascal",
        (".pas", ".pp", ".lpr"),
        compile=("fpc -l- -v0 -ve -O2 -FU../out -o../out/bot {source}",),
        run=_NATIVE,
        install="fp-compiler fp-units-base (Debian, Ubuntu) or https://www.freepascal.org",
        beside=(".pas", ".pp", ".inc"),
        options=_folders_of(".pas", "-Fu"),
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
        by_gcc=True,
    ),
    Language(
        "Fortran",
        (".f90", ".f95", ".f03", ".f08", ".f"),
        compile=("gfortran -O2 -J../out -o ../out/bot {source}",),
        run=_NATIVE,
        install="gfortran (Debian, Ubuntu) or https://gcc.gnu.org/fortran",
        entry=rb"^[ \t]*+[pP](?:rogram|ROGRAM)\b",
        by_gcc=True,
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
