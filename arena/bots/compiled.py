"""Languages that compile to native programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath

from arena.bots import modules
from arena.bots.content import Scan
from arena.bots.executables import find_command
from arena.bots.language import Language, operand
from arena.bots.manifests import Manifest, manifests_around, with_projects
from arena.bots.modules import in_order

# Rust: the crates in a project's folder, compiled without Cargo.
#
# A package may have a library beside its program (``src/lib.rs``) and depend on others by path.
# Libraries are compiled first, in dependency order, and then the program with them. Crates from a
# registry are not in the folder, so the compiler reports them as missing.


def edition(folder: Path, main: str) -> dict[str, str]:
    """The Rust edition that the project names."""
    return {"edition": next((one.edition for one in _packages(folder, main)), "2021")}


def libraries(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Compiler options to find the libraries of the project."""
    package = next(iter(_packages(folder, main)), None)
    if package is None:
        return []
    known = _all_needed(folder, package)
    own = [package] if _root(folder, package) else []
    return ["-L", "../out", *_linked([*_needed(package, known), *own])]


def compiled_before(folder: Path, main: str) -> list[tuple[str, ...]]:
    """The commands that compile these libraries."""
    compiler = find_command("rustc")
    package = next(iter(_packages(folder, main)), None)
    if compiler is None or package is None:
        return []
    known = _all_needed(folder, package)
    return [
        (compiler, *_options(one), *_linked(_needed(one, known)), operand(root))
        for one in _dependencies_first(package, known)
        if (root := _root(folder, one))
    ]


def _packages(folder: Path, main: str) -> list[Manifest]:
    return [one for one in manifests_around(folder, main, "Cargo.toml") if one.title]


def _all_needed(folder: Path, package: Manifest) -> dict[str, Manifest]:
    """The packages in the folder that `package` needs, directly or indirectly, by file."""
    return {one.file: one for one in with_projects(folder, package) if one.title}


def _needed(package: Manifest, known: Mapping[str, Manifest]) -> list[Manifest]:
    return [known[name] for name in package.paths(package.projects) if name in known]


def _dependencies_first(package: Manifest, known: Mapping[str, Manifest]) -> list[Manifest]:
    """The packages in dependency order. (Two that need each other fail in the compiler.)"""
    found: dict[str, Manifest] = {}
    seen: set[str] = set()

    def add(one: Manifest) -> None:
        if one.file not in seen:
            seen.add(one.file)
            for other in _needed(one, known):
                add(other)
            found[one.file] = one

    add(package)
    return list(found.values())


def _root(folder: Path, package: Manifest) -> str | None:
    """The root source of the package's library, if it has one."""
    found = (name for name in package.paths(package.sources) if (folder / name).is_file())
    return next(found, None)


def _options(package: Manifest) -> list[str]:
    said = ["--crate-type", "rlib", "--crate-name", package.title, "--edition", package.edition]
    return [*said, "-O", "-L", "../out", "-o", f"../out/lib{package.title}.rlib"]


def _linked(packages: Sequence[Manifest]) -> list[str]:
    return [
        word for one in packages for word in ("--extern", f"{one.title}=../out/lib{one.title}.rlib")
    ]


_C = "-O2 -pthread -I. -o ../out/bot {source} -lm"
_NATIVE = ("{out}/bot",)


def _folders_of(ending: str, option: str) -> Callable[[Path, str, Sequence[str]], list[str]]:
    """An option for each folder with sources of this ending, the main source's folder first."""

    def options(folder: Path, main: str, names: Sequence[str]) -> list[str]:
        own = [name for name in names if name.endswith(ending) and not modules.is_test(name)]
        places = [str(PurePath(name).parent) for name in (main, *own)]
        found = [f"{option}{operand(place)}" for place in dict.fromkeys(places)][
            : modules.MOST_FOLDERS
        ]
        return [word for one in found for word in one.split(" ", 1)]

    return options


def _haskell(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Options for the module folders and for the extensions that the project asks for."""
    projects = manifests_around(folder, main, ".cabal")
    said = [path for one in projects for path in one.paths(one.sources)]
    usual = [name for name in ("src", "app", "lib") if (folder / name).is_dir()]
    places = [str(PurePath(main).parent), *said, *usual]
    flags = [flag for one in projects[:1] for flag in one.flags]
    return [*(f"-i{place}" for place in dict.fromkeys(places)), *flags]


def _ocaml_order(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The sources in dependency order: OCaml compiles them in the order given."""
    found = modules.below(PurePath(), names)
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
        together=modules.of_one_program,
        options=modules.include_options,
        entry=modules.MAIN,
        by_gcc=True,
    ),
    Language(
        "C++",
        (".cpp", ".cc", ".cxx", ".C"),
        compile=tuple(f"{compiler} -std=gnu++20 {_C}" for compiler in ("g++", "clang++", "c++")),
        run=_NATIVE,
        install="g++ (Debian, Ubuntu) or https://gcc.gnu.org",
        beside=(".h", ".hh", ".hpp", ".hxx", ".inc", ".cpp", ".cc", ".cxx"),
        together=modules.of_one_program,
        options=modules.include_options,
        entry=modules.MAIN,
        by_gcc=True,
    ),
    Language(
        "Rust",
        (".rs",),
        compile=("rustc --edition {edition} -O --crate-name bot -o ../out/bot {source}",),
        run=_NATIVE,
        install="rustc (Debian, Ubuntu) or https://rustup.rs",
        beside=(".rs",),
        facts=edition,
        options=libraries,
        before=compiled_before,
        entry=rb"^(?:pub )?fn main\(",
    ),
    Language(
        "Go",
        (".go",),
        compile=("go build -o ../out/bot {source}",),
        run=_NATIVE,
        install="golang-go (Debian, Ubuntu) or https://go.dev",
        together=modules.of_one_package,
        before=modules.go_module,
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
        together=_ocaml_order,
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
