"""Project files of build tools: which source has the main function, and what the sources need.

The build tools are never started: most would use the network first. The arena reads only what can
be known without running anything, with patterns that read each byte once, and ignores whatever a
file expresses in another way. A file that is too long or malformed counts as empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from arena.bots.executables import head
from arena.bots.modules import is_test

if TYPE_CHECKING:
    from xml.etree import ElementTree

MAX_MANIFEST_SIZE = 256 << 10
"""Maximum bytes of a project file; a longer one is ignored."""
MAX_MANIFESTS = 20
"""Maximum number of project files read per folder, topmost first."""
MAX_PROJECTS = 30
"""Maximum number of projects in one program."""
MAX_MAINS = 5
"""Maximum number of main files, and of main classes, to look for."""
MAX_KEY_DOTS = 20
"""Maximum dots in a TOML key: reading a key takes time quadratic in its parts."""


class Manifest(Struct, frozen=True):
    """What one project file says."""

    file: str
    """Name of the file, relative to the bot's folder."""
    files: tuple[str, ...] = ()
    """Main sources, as paths relative to `place`."""
    classes: tuple[str, ...] = ()
    """Main classes, modules or namespaces, with their packages."""
    sources: tuple[str, ...] = ()
    """Folders with sources, relative to `place`."""
    projects: tuple[str, ...] = ()
    """Other projects that it needs, as paths relative to `place`."""
    libraries: tuple[str, ...] = ()
    """Libraries in the tree, as paths relative to `place`."""
    needs: tuple[str, ...] = ()
    """External dependencies, except those that only tests use."""
    flags: tuple[str, ...] = ()
    """Extra compiler flags."""
    title: str = ""
    """Name of the project."""
    edition: str = ""

    @property
    def place(self) -> PurePath:
        """The folder that contains the file."""
        return PurePath(self.file).parent

    def paths(self, names: Sequence[str]) -> list[str]:
        """Convert paths relative to `place` to names in the folder; drop those that lead out."""
        found = [_joined(self.place, name) for name in names]
        return [name for name in found if name is not None]

    def mains(self, sources: Mapping[str, Sequence[str]]) -> list[str]:
        """The sources (given `by_stem`) that the file names as having the main function."""
        named = self.paths(self.files[:MAX_MAINS])
        files = [name for name in named if name in sources.get(_stem(name), ())]
        return files + [
            name for one in self.classes[:MAX_MAINS] for name in self._of_class(one, sources)
        ]

    def _of_class(self, title: str, sources: Mapping[str, Sequence[str]]) -> list[str]:
        path = title.replace(".", "/").replace("-", "_")
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path).lower()  # as Elixir names its files
        wanted = {path, path.removesuffix("Kt"), path.removesuffix("$"), snake}
        return [
            name
            for one in sorted(wanted)
            for name in sources.get(_stem(one), ())
            if f"/{os.path.splitext(name)[0]}".endswith(f"/{one}")
            and PurePath(name).is_relative_to(self.place)
        ]


def by_stem(names: Sequence[str]) -> dict[str, list[str]]:
    """Group the names of sources by file name without extension."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_stem(name), []).append(name)
    return found


def _stem(name: str) -> str:
    return os.path.splitext(os.path.basename(name))[0]


def manifests_of(folder: Path, names: Sequence[str]) -> list[Manifest]:
    """Read the project files among the files `names` of a folder, topmost first, except those of
    tests and libraries."""
    found = [name for name in names if reader_of(name) and not is_test(name) and _is_own(name)]
    found.sort(key=lambda name: (name.count("/"), name))
    read = [read_manifest(folder, name) for name in found[:MAX_MANIFESTS]]
    return [one for one in read if one is not None]


def manifests_around(folder: Path, main: str, ending: str = "") -> list[Manifest]:
    """Read the project files with this ending in the folders that contain the source `main`,
    nearest first."""
    named = [
        os.path.normpath(place / name)
        for place in PurePath(main).parents
        for name in sorted(os.listdir(folder / place))
        if name.endswith(ending) and reader_of(name)
    ]
    read = [read_manifest(folder, name) for name in named[:MAX_MANIFESTS]]
    return [one for one in read if one is not None]


def with_projects(folder: Path, first: Manifest) -> list[Manifest]:
    """A project and those in the tree that it needs, directly or indirectly (at most
    `MAX_PROJECTS`)."""
    found, seen, ahead = [first], {first.file}, [first]
    while ahead:
        one = ahead.pop()
        for name in one.paths(one.projects):
            if name not in seen and len(seen) < MAX_PROJECTS:
                seen.add(name)
                if (other := read_manifest(folder, name)) is not None:
                    found.append(other)
                    ahead.append(other)
    return found


def _is_own(name: str) -> bool:
    parts = PurePath(name).parts
    return not {"node_modules", "vendor", "deps", "target", ".venv", "venv"} & set(parts)


def _joined(place: PurePath, name: str) -> str | None:
    parts = list(place.parts)
    for part in name.replace("\\", "/").split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or "."


def read_manifest(folder: Path, name: str) -> Manifest | None:
    """Read one project file; None if it is missing or unreadable."""
    if not (folder / name).is_file():
        return None
    text = head(folder / name, MAX_MANIFEST_SIZE + 1)
    reader = reader_of(name)
    if reader is None or len(text) > MAX_MANIFEST_SIZE:
        return None
    try:
        return reader(name, text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    except (ValueError, SyntaxError, RecursionError, msgspec.MsgspecError):
        return None  # malformed


# -- XML: Maven, C# --------------------------------------------------------------------------------


def _xml(text: str) -> ElementTree.Element:
    """Parse an XML text and strip all namespaces. Returns the root. Raises ValueError or
    SyntaxError."""
    from xml.etree import ElementTree  # late, as `tomllib`: most bots have no project file

    class NoDoctype(ElementTree.TreeBuilder):
        """Refuses document type declarations: their entities let a short text expand endlessly."""

        def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
            raise ValueError("a document type is declared")

    parser = ElementTree.XMLParser(target=NoDoctype())
    parser.feed(re.sub(r"^\s*+<\?xml[^>]*+>", "", text))
    root: ElementTree.Element = parser.close()
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _maven(name: str, text: str) -> Manifest:
    root = _xml(text)
    said = {item.tag: item.text or "" for item in root.iterfind("properties/*")}

    def value(item: ElementTree.Element | None) -> str:
        written = (item.text or "").strip() if item is not None else ""
        return said.get(written[2:-1], written) if written.startswith("${") else written

    needs = [
        f"{value(one.find('groupId'))}:{value(one.find('artifactId'))}"
        for one in root.iterfind("dependencies/dependency")
        if value(one.find("scope")) not in ("test", "import", "system")
    ]
    classes = [value(item) for tag in ("mainClass", "start-class") for item in root.iter(tag)]
    sources = [value(item) for item in root.iter("sourceDirectory")]
    return Manifest(
        name, classes=_distinct(classes), sources=_distinct(sources), needs=_distinct(needs)
    )


def _csproj(name: str, text: str) -> Manifest:
    root = _xml(text)

    def attributes(tag: str) -> list[str]:
        return [item.get("Include", "") for item in root.iter(tag)]

    return Manifest(
        name,
        files=(),
        classes=_distinct(item.text or "" for item in root.iter("StartupObject")),
        sources=_distinct(attributes("Compile")),
        projects=_distinct(attributes("ProjectReference")),
        libraries=_distinct(item.text or "" for item in root.iter("HintPath")),
        needs=_distinct(attributes("PackageReference")),
    )


# -- JSON and TOML: npm, Cargo ---------------------------------------------------------------------


class _Npm(Struct, frozen=True):
    main: str = ""
    bin: str | dict[str, str] = ""
    scripts: dict[str, str] = {}
    dependencies: dict[str, object] = {}


def _npm(name: str, text: str) -> Manifest:
    said = msgspec.json.decode(text, type=_Npm)
    started = said.scripts.get("start", "").split()
    bins = [said.bin] if isinstance(said.bin, str) else list(said.bin.values())
    named = [name for name in (*started, *bins, said.main) if name and name != "node"]
    files = [file for name in named for file in (name, f"{name}.js")]
    return Manifest(name, files=_distinct(files), needs=_distinct(said.dependencies))


class _Target(Struct, frozen=True):
    name: str = ""
    path: str = ""


class _Package(Struct, frozen=True):
    name: str = ""
    edition: str | dict[str, object] = "2015"
    """A table if the workspace sets it."""


class _Cargo(Struct, frozen=True):
    package: _Package = _Package()
    lib: _Target = _Target()
    bin: list[_Target] = []
    dependencies: dict[str, str | dict[str, object]] = {}


def _cargo(name: str, text: str) -> Manifest:
    said = msgspec.convert(toml(text), _Cargo)
    bins = [one.path or f"src/bin/{one.name}.rs" for one in said.bin]
    inside = {
        key: str(one["path"])
        for key, one in said.dependencies.items()
        if isinstance(one, dict) and "path" in one
    }
    edition = said.package.edition
    return Manifest(
        name,
        files=(*bins, "src/main.rs"),
        sources=(said.lib.path or "src/lib.rs",),
        projects=tuple(f"{path}/Cargo.toml" for path in inside.values()),
        needs=tuple(key for key in said.dependencies if key not in inside),
        title=(said.lib.name or said.package.name).replace("-", "_"),
        edition=edition if isinstance(edition, str) else "2021",
    )


def toml(text: str) -> dict[str, object]:
    """Parse a TOML text. Raises RecursionError, and ValueError (also for a key with absurdly many
    parts)."""
    plain = re.sub(r""""[^"\n]*+"|'[^'\n]*+'|#[^\n]*+""", "", text)
    if any(line.count(".") > MAX_KEY_DOTS for line in plain.split("\n")):
        raise ValueError(f"a key has more than {MAX_KEY_DOTS} dots")
    import tomllib

    return tomllib.loads(text)


# -- custom formats --------------------------------------------------------------------------------

_TEXT = r"""["']([^"'\n]++)["']"""


def _gradle(name: str, text: str) -> Manifest:
    text = _without_comments(text)
    main = (
        r"""\b(?:mainClass(?:Name)?|['"]?Main-Class['"]?)\s*+(?:[=:]|to\b|,|\.set\(|\()\s*+"""
        + _TEXT
    )
    wanted = (
        r"\b(?:implementation|api|compile|compileOnly|runtime|runtimeOnly)\b[ \t]*+\(?+[ \t]*+"
        + _TEXT
    )
    needs = [":".join(one.split(":")[:2]) for one in re.findall(wanted, text)]
    return Manifest(name, classes=_distinct(re.findall(main, text)), needs=_distinct(needs))


def _sbt(name: str, text: str) -> Manifest:
    text = _without_comments(text)
    main = r"\bmainClass\b[^=\n]{0,80}?:?=\s*+Some\(\s*+" + _TEXT
    wanted = r"""^([^"\n]*+)"([^"\n]++)"[ \t]*+%%?%?[ \t]*+"([^"\n]++)"([^\n]*+)"""
    needs = [
        f"{group}:{artifact}"
        for _, group, artifact, rest in re.findall(wanted, text, re.MULTILINE)
        if "test" not in rest.lower().split("%")[-1]
    ]
    return Manifest(name, classes=_distinct(re.findall(main, text)), needs=_distinct(needs))


def _lein(name: str, text: str) -> Manifest:
    text = re.sub(r";[^\n]*+", "", text)
    main = re.findall(r":main\s++(?:\^\S++\s++)?+([\w.*+!?<>=-]++)", text)
    sources = re.findall(_TEXT, _bracketed(text, ":source-paths"))
    needs = re.findall(r"\[\s*+([\w./-]++)", _bracketed(text, ":dependencies")[1:])
    others = [one for one in needs if not one.startswith("org.clojure/clojure")]
    return Manifest(
        name,
        classes=_distinct(main),
        sources=_distinct(sources or ["src"]),
        needs=_distinct(others),
    )


def _deps_edn(name: str, text: str) -> Manifest:
    text = re.sub(r";[^\n]*+", "", text)
    sources = re.findall(_TEXT, _bracketed(text, ":paths"))
    main = re.findall(r""""-m"\s++"([^"\n]++)"|:main-ns\s++([\w.-]++)""", text)
    needs = re.findall(r"([\w./-]++)\s*+\{", _bracketed(text, ":deps")[1:])
    others = [one for one in needs if not one.startswith("org.clojure/clojure")]
    return Manifest(
        name,
        classes=_distinct(one or other for one, other in main),
        sources=_distinct(sources or ["src"]),
        needs=_distinct(others),
    )


def _bracketed(text: str, key: str) -> str:
    """The bracketed text after the first `key`, including the opening bracket."""
    found = re.search(re.escape(key) + r"(?![\w-])\s*+(?=[\[{(])", text)
    if found is None:
        return ""
    depth = 0
    for token in re.compile(r'[\[{()}\]]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL).finditer(
        text, found.end()
    ):
        depth += (token[0] in "[{(") - (token[0] in ")}]")
        if depth <= 0:
            return text[found.end() : token.end()]
    return text[found.end() :]


def _mix(name: str, text: str) -> Manifest:
    text = re.sub(r"#[^\n]*+", "", text)
    main = re.findall(r"\bmain_module:\s*+([\w.]++)", text)
    started = re.findall(r"\bmod:\s*+\{\s*+([\w.]++)", text)
    deps = text.partition("deps do")[2] or text.partition("deps, do:")[2]
    wanted = re.findall(r"\{\s*+:(\w++)\s*+,([^}\n]*+)", deps.partition("\n  end")[0])
    needs = [dep for dep, rest in wanted if ":test" not in rest and ":dev" not in rest]
    inside = [path for _, rest in wanted for path in re.findall(r"\bpath:\s*+" + _TEXT, rest)]
    own = {dep for dep, rest in wanted if "path:" in rest}
    return Manifest(
        name,
        classes=_distinct(main or started),
        sources=("lib",),
        projects=_distinct(f"{path}/mix.exs" for path in inside),
        needs=_distinct(dep for dep in needs if dep not in own),
        flags=("started",) if started and not main else (),
    )


_GHC = ("base", "containers", "array", "bytestring", "mtl", "text", "time",
        "transformers", "directory", "process", "filepath", "deepseq", "stm", "parsec", "unix",
        "ghc-prim", "binary", "exceptions", "pretty", "template-haskell")  # fmt: skip
"""Packages that come with the Haskell compiler."""


def _cabal(name: str, text: str) -> Manifest:
    section, fields = "", dict[str, list[str]]()
    key = ""
    for line in text.splitlines():
        stripped = line.split("--")[0].strip()
        if line[:1].strip() and ":" not in stripped.split(" ")[0]:
            section = stripped.split(" ")[0].lower()
        label, colon, rest = stripped.partition(":")
        if colon and label.replace("-", "").isalnum():
            key, stripped = label.lower(), rest
        if section not in ("test-suite", "benchmark") and key and stripped:
            fields.setdefault(key, []).extend(stripped.replace(",", " , ").split())
    sources = [one for one in fields.get("hs-source-dirs", []) if one != ","]
    packages = _packages(" ".join(fields.get("build-depends", [])))
    own = {*fields.get("name", []), *_GHC}
    extensions = fields.get("default-extensions", []) + fields.get("extensions", [])
    language = fields.get("default-language", [])[:1]
    mains = [one for one in fields.get("main-is", []) if one != ","]
    return Manifest(
        name,
        files=_distinct(f"{place}/{main}" for main in mains for place in (*sources, ".")),
        sources=_distinct(sources),
        needs=_distinct(one for one in packages if one not in own),
        flags=tuple(f"-X{one}" for one in [*language, *extensions] if one.isalnum()),
    )


def _packages(depends: str) -> Iterator[str]:
    """The names in a list such as ``base >= 4 , containers == 0.6.*``."""
    for one in depends.split(","):
        words = re.split(r"[\s<>=^&|]", one.strip(), maxsplit=1)
        if words[0] and re.fullmatch(r"[A-Za-z][\w-]*+", words[0]):
            yield words[0]


def _go(name: str, text: str) -> Manifest:
    text = re.sub(r"//[^\n]*+", "", text)
    wanted = r"^[ \t]*+(?:require[ \t]++)?+([\w.-]++/[\w./-]++)[ \t]++v\d"
    module = re.search(r"^module[ \t]++(\S++)", text, re.MULTILINE)
    return Manifest(
        name,
        needs=_distinct(re.findall(wanted, text, re.MULTILINE)),
        title=module[1] if module else "",
    )


def _dune(name: str, text: str) -> Manifest:
    text = re.sub(r";[^\n]*+", "", text)
    runs = text.split("(executable")[1:]
    names = [re.search(r"\((?:name|names)\s++(\w++)", part) for part in runs]
    return Manifest(name, files=_distinct(f"{one[1]}.ml" for one in names if one))


def _without_comments(text: str) -> str:
    return re.sub(r"(?<!:)//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?", " ", text)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in names if (name := one.strip())))


_Reader = Callable[[str, str], Manifest]
READERS: tuple[tuple[str, _Reader], ...] = (
    ("pom.xml", _maven),
    ("build.gradle", _gradle),
    ("build.gradle.kts", _gradle),
    ("build.sbt", _sbt),
    ("project.clj", _lein),
    ("deps.edn", _deps_edn),
    ("mix.exs", _mix),
    ("*.cabal", _cabal),
    ("*.csproj", _csproj),
    ("package.json", _npm),
    ("Cargo.toml", _cargo),
    ("go.mod", _go),
    ("dune", _dune),
)
"""Reader for each file name pattern: (name in the folder, text) → manifest."""


def reader_of(name: str) -> _Reader | None:
    """The reader for a project file of that name; None for other files."""
    last = os.path.basename(name)
    return next((read for pattern, read in READERS if fnmatchcase(last, pattern)), None)


_BRING = {
    "Cargo.toml": "copy its crate in, and name it by its path",
    "go.mod": "run go mod vendor, and hand the folder vendor in too",
    "package.json": "hand node_modules in too",
    ".csproj": "put its .dll in, and name that by a HintPath",
    ".cabal": "copy its modules into a source folder",
    "mix.exs": "copy its sources into lib",
}


def bring_along(file: str) -> str:
    """Advice on how an author can include what a project file asks for."""
    found = (advice for ending, advice in _BRING.items() if file.endswith(ending))
    return next(found, "put its .jar into a folder lib")
