"""Languages that run in a virtual machine: Java's, .NET's, Erlang's, Racket's or WebAssembly's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from arena.bots import modules
from arena.bots.content import SCANNED, Scan, beginning
from arena.bots.executables import find_command
from arena.bots.language import Language, operand
from arena.bots.manifests import Manifest, manifests_around, with_projects
from arena.bots.modules import NAMESPACE, without_comments
from arena.bots.program import Runtime
from arena.bots.wasm.command import runner_facts

# Clojure: a source of a multi-file project, run without its build tool.
#
# The root folders of namespaces are added to Clojure's class path, and the main namespace is loaded
# by an expression: so no tool uses the network, and any ``clojure`` will do.

MAIN = rb"\(defn-?\s++(?:\^\S++\s++)?+-main\b"
"""How a main function begins."""
_CALLED = re.compile(rb"^\((?:apply )?-main\b", re.MULTILINE)

_START = (
    "(let [loader (clojure.lang.DynamicClassLoader. (clojure.lang.RT/baseLoader))]"
    " (doseq [place [{places}]] (.addURL loader (.toURL (.toURI (java.io.File. place)))))"
    " (.setContextClassLoader (Thread/currentThread) loader)"
    " (with-bindings {{clojure.lang.Compiler/LOADER loader}} {load}))"
)


def in_project(folder: Path, main: str) -> Language | None:
    """The variant for a source with a main function or a namespace that others could share."""
    text = beginning(folder / main)
    if re.search(NAMESPACE, text) is None:
        return None
    return Language(
        "Clojure",
        (".clj",),
        run=("clojure -e {start}",),
        install="clojure (Debian, Ubuntu) or https://clojure.org",
        facts=_facts,
    )


def _facts(folder: Path, main: str) -> Mapping[str, str]:
    """The expression that starts the bot. In `folder` it runs in place."""
    text = beginning(folder / main)
    found = re.search(NAMESPACE, text)
    assert found is not None
    namespace = found[1].decode()
    places = [json.dumps(str(folder / place)) for place in _places(folder, main, namespace)]
    if re.search(MAIN, text) and not _CALLED.search(text):
        load = f"(require '{namespace}) ((resolve '{namespace}/-main))"
    else:
        load = f"(load-file {json.dumps(str(folder / main))})"
    return {"start": _START.format(places=" ".join(places), load=load)}


def _places(folder: Path, main: str, namespace: str) -> list[str]:
    """Root folders of namespaces: above the main one, and those that the project names."""
    depth = namespace.count(".")
    parents = PurePath(main).parents
    above = [str(parents[depth])] if depth < len(parents) else []
    said = [path for one in manifests_around(folder, main) for path in one.paths(one.sources)]
    libraries = sorted(str(path.relative_to(folder)) for path in folder.glob("lib*/*.jar"))
    usual = ["src", "resources", "."]
    return [*dict.fromkeys([*above, *said, *usual]), *libraries]


# C#: which sources make one program, according to the project file if there is one.

STATIC_MAIN = rb"\bstatic\s++(?:public\s++|async\s++)*+(?:void|int|Task|Task<int>)\s++Main\s*+\("
"""How a main function begins."""

_without_project = modules.whole_project(STATIC_MAIN)


def csharp_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The sources of the project that contains `main`, and of the projects in the tree that it
    references; without a project file, those of the largest folder without another program."""
    projects = _projects(folder, main)
    if not projects:
        return list(_without_project(folder, main, names))
    found = [name for one in projects for name in _sources(folder, one, names)]
    own = [name for name in dict.fromkeys(found) if not modules.is_build_file(name)]
    others = modules.with_main_function(folder, own, STATIC_MAIN)
    return [name for name in own if name not in others and name != main]


def csharp_references(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Options for the libraries in the tree that the projects reference."""
    return [f"-r:{name}" for name in _libraries(folder, main)]


def csharp_libraries_copied(folder: Path, main: str) -> list[tuple[str, ...]]:
    """The command that copies these libraries next to the program, which looks for them there."""
    found, copy = _libraries(folder, main), find_command("cp")
    return [(copy, "--", *found, "../out")] if found and copy else []


def _libraries(folder: Path, main: str) -> list[str]:
    named = [name for one in _projects(folder, main) for name in one.paths(one.libraries)]
    return [name for name in dict.fromkeys(named) if (folder / name).is_file()]


def _projects(folder: Path, main: str) -> list[Manifest]:
    """The project of a source, and those in the tree that it references, even indirectly."""
    first = manifests_around(folder, main, ".csproj")[:1]
    return [project for one in first for project in with_projects(folder, one)]


def _sources(folder: Path, project: Manifest, names: Sequence[str]) -> list[str]:
    """The sources that the project lists; if none, all below it except other projects' sources."""
    listed = set(project.paths([one for one in project.sources if "*" not in one]))
    if found := [name for name in names if name in listed]:
        return found
    inside = modules.below(project.place, names)
    return [name for name in inside if _lies_in(folder, project, PurePath(name).parent)]


def _lies_in(folder: Path, project: Manifest, place: PurePath) -> bool:
    """Whether `place` belongs to the project, with no other project in between."""
    while place != project.place:
        if any((folder / place).glob("*.csproj")):
            return False
        place = place.parent
    return True


# Java: what must be known about a source before it can be compiled and run.
#
# The beginning of the source is scanned once, word by word: no pattern here is ambiguous, and an
# unclosed comment or string runs to the end.

_TOKEN = r"[\w.$]++|[{}();]"
_PACKAGE = r"(?<![\w.$])package\s++([\w.]++)\s*+;"
_TESTED = r"\bimport\s++(?:static\s++)?+(?:org\.junit|junit\.framework|org\.testng|org\.mockito)\b"
_TYPES = ("class", "record", "enum", "interface")
LIBRARIES = ("lib", "libs", "jars", ".")
"""Folders whose jars are on the class path."""
_DECLARATION = 16 << 10
"""Leading bytes of a source in which its package declaration is looked for."""


def main_class(folder: Path, main: str) -> dict[str, str]:
    """Facts about the source `main` in `folder`: the class to run and the root of its packages.

    The class is the top-level one that contains ``static void main``; if there is none (the method
    may be inherited), the one with the file's name.
    """
    text = _code(folder / main)
    package = _package(text)
    name = _holder_of_main(text) or PurePath(main).stem
    return {"main": ".".join([*package, name]), "root": operand(_root(main, package))}


def java_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Select the sources `names` to compile with `main`: those below its package root whose place
    matches their package, and those beside it in its own package. So classes that are only loaded
    by name are included. Test sources are compiled only when a class mentions them."""
    root, package = main_class(folder, main)["root"], _package(_code(folder / main, _DECLARATION))
    found, place = [], PurePath(main).parent
    for name in names:
        if PurePath(name).parent == place or PurePath(name).is_relative_to(root):
            code = _code(folder / name, _DECLARATION)
            declared = _package(code)
            is_beside = PurePath(name).parent == place and declared == package
            is_test = _is_test(name) or re.search(_TESTED, code) is not None
            if not is_test and (is_beside or _lies_right(name, root, declared)):
                found.append(name)
    return found


def java_options(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Options for the encoding of non-UTF-8 sources, and for the class path of libraries."""
    sources = [main, *(name for name in names if name.endswith(".java"))]
    encoding = [] if _are_utf8(folder, sources) else ["-encoding", "ISO-8859-1"]
    has_jars = any(name.endswith(".jar") for name in names)
    libraries = ["-cp", ":".join(f"{place}/*" for place in LIBRARIES)] if has_jars else []
    return [*encoding, *libraries]


def _are_utf8(folder: Path, sources: Sequence[str]) -> bool:
    scan = Scan()
    for name in sources:
        text = scan.read(folder / name)
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start < len(text) - 4:  # not just a character cut off at the end
                return False
    return True


def _is_test(name: str) -> bool:
    return PurePath(name).stem.endswith(("Test", "Tests"))


def _lies_right(name: str, root: str, package: Sequence[str]) -> bool:
    place = PurePath(name).parent
    return place.is_relative_to(root) and list(place.relative_to(root).parts) == list(package)


def _code(path: Path, size: int = SCANNED) -> str:
    """The beginning of a source, without comments and string literals."""
    return without_comments(beginning(path, size)).decode("utf-8", "replace")


def _package(text: str) -> list[str]:
    declared = re.search(_PACKAGE, text)
    return declared[1].split(".") if declared else []


def _holder_of_main(text: str) -> str | None:
    """The top-level class that contains ``static … void main(``."""
    depth, holder, static, before = 0, None, False, ("", "")
    for token in re.findall(_TOKEN, text):
        if token == "(" and static and before == ("void", "main"):
            return holder
        if before[1] in _TYPES and depth == 0 and token not in "{}();":
            holder = token
        depth += (token == "{") - (token == "}")
        static = token not in "{}();" and (static or token == "static")
        before = (before[1], token)
    return None


def _root(main: str, package: list[str]) -> str:
    """The folder in which a compiler looks for packages: ``src`` for ``src/bot/Bot.java``."""
    parts = list(PurePath(main).parent.parts)
    if package and parts[-len(package) :] == package:
        parts = parts[: -len(package)]
    return str(PurePath(".", *parts))


_RUNNER = "{python} -I {runner} --library={library}"

# The serial collector starts the fewest threads, and a small initial heap keeps an allocating bot
# from claiming a gigabyte just because the machine has plenty (measured: 45 against 1240 MiB).
_JAVA = "java -XX:+UseSerialGC -Xms32m"
_COMPILERS_JAVA = "-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1"
_JAVAC = f"javac {_COMPILERS_JAVA}"
_JAVA_PATH = ":".join(
    ["{out}", "{files}/{root}", "{files}/{root}/../resources"]
    + [f"{{files}}/{place}/*" for place in LIBRARIES]
)
_STATIC_VOID_MAIN = rb"\bstatic\s++(?:final\s++|public\s++)*+void\s++main\s*+\("
_FUN_MAIN = rb"^[ \t]*+(?:@JvmStatic\s++)?+(?:public )?+(?:suspend )?+fun main[ \t]*+\("
_SCALA_MAIN = rb"\bdef\s++main\s*+\(|\bextends\s++App\b"
_SCALA_OBJECT = rb"(?m)^[ \t]*+(?:case )?object[ \t]++(\w++)"
_SCALA_PACKAGE = rb"(?m)^package[ \t]++([\w.]++)[ \t]*+$"


def _erlang_call(folder: Path, main: str) -> dict[str, str]:
    """The call of a module's main function, with the list of arguments if it takes one. The module
    has the file's name."""
    takes_none = re.search(rb"^main\(\s*+\)", beginning(folder / main), re.MULTILINE)
    arguments = "" if takes_none else "[]"
    return {"call": f"'{PurePath(main).stem}':main({arguments})."}


def _erlang_headers(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    places = {str(PurePath(name).parent) for name in names if name.endswith(".hrl")}
    return [
        word for place in sorted(places)[: modules.MOST_FOLDERS] for word in ("-I", operand(place))
    ]


def _script(folder: Path, main: str) -> dict[str, str]:
    """Name of the script that a TypeScript file compiles to."""
    return {"script": str(PurePath(main).with_suffix(".js"))}


def _object(folder: Path, main: str) -> Mapping[str, str]:
    """The Scala object with the main method: the last object that begins before the method."""
    text = beginning(folder / main)
    found = re.search(_SCALA_MAIN, text)
    objects = re.findall(_SCALA_OBJECT, text[: found.start()] if found else text)
    name = objects[-1].decode() if objects else PurePath(main).stem
    package = [part.decode() for part in re.findall(_SCALA_PACKAGE, text)]
    return {"main": ".".join([*package, name])}


MACHINES = (
    Language(
        "Java",
        (".java",),
        compile=(f"{_JAVAC} -encoding UTF-8 -d ../out -sourcepath {{root}} {{source}}",),
        run=(f"{_JAVA} -cp {_JAVA_PATH} {{main}}",),
        install="default-jdk-headless (Debian, Ubuntu) or https://adoptium.net",
        beside=(".java",),
        together=java_program,
        facts=main_class,
        options=java_options,
        entry=_STATIC_VOID_MAIN,
    ),
    Language(
        "Java archive",
        (".jar",),
        run=(f"{_JAVA} -jar {{source}}",),
        install="default-jre-headless (Debian, Ubuntu) or https://adoptium.net",
    ),
    Language(
        "Kotlin",
        (".kt",),
        compile=(
            f"kotlinc {_COMPILERS_JAVA} -nowarn -include-runtime -d ../out/bot.jar {{source}}",
        ),
        run=(f"{_JAVA} -jar {{out}}/bot.jar",),
        install="kotlin (Debian, Ubuntu) or https://kotlinlang.org",
        together=modules.whole_project(_FUN_MAIN),
        entry=_FUN_MAIN,
    ),
    Language(
        "Scala",
        (".scala",),
        compile=(f"scalac {_COMPILERS_JAVA} -nowarn -d ../out {{source}}",),
        run=("scala -J-XX:+UseSerialGC -nocompdaemon -cp {out} {main}",),
        install="scala (Debian, Ubuntu) or https://www.scala-lang.org",
        together=modules.whole_project(_SCALA_MAIN),
        facts=_object,
        entry=_SCALA_MAIN,
    ),
    Language(
        "Clojure",
        (".clj",),
        run=("clojure {source}",),
        install="clojure (Debian, Ubuntu) or https://org",
        guard=MAIN,
        in_project=in_project,
    ),
    Language(
        "Groovy",
        (".groovy",),
        run=("groovy {source}",),
        install="groovy (Debian, Ubuntu) or https://groovy-lang.org",
    ),
    Language(
        "C#",
        (".cs",),
        compile=("mcs -optimize+ -out:../out/bot.exe {source}",),
        run=("mono {out}/bot.exe",),
        install="mono-mcs mono-runtime (Debian, Ubuntu) or https://www.mono-project.com",
        together=csharp_program,
        before=csharp_libraries_copied,
        options=csharp_references,
        entry=STATIC_MAIN,
    ),
    Language(
        "TypeScript",
        (".ts",),
        compile=(
            "tsc --outDir ../out --rootDir . --target es2020 --module commonjs --strict false"
            " {source}",
        ),
        run=("node {out}/{script}", "nodejs {out}/{script}"),
        install="node-typescript nodejs (Debian, Ubuntu) or https://www.typescriptlang.org",
        facts=_script,
        marked=True,
    ),
    Language(
        "Erlang",
        (".erl",),
        compile=("erlc -o ../out {source}",),
        run=("erl -noshell +S1 -pa {out} -eval {call} -s init stop",),
        install="erlang-base (Debian, Ubuntu) or https://www.erlang.org",
        together=modules.whole_project(b""),
        options=_erlang_headers,
        facts=_erlang_call,
        entry=rb"^main\(",
    ),
    Language(
        "Racket",
        (".rkt",),
        run=("racket {source}",),
        install="racket (Debian, Ubuntu) or https://racket-lang.org",
    ),
    Language(
        "WebAssembly",
        (".wasm",),
        compile=(f"{_RUNNER} --compile {{source}} ../out",),
        run=(f"{_RUNNER} {{out}}",),
        install="python3 (Debian, Ubuntu) or https://www.python.org",
        facts=runner_facts,
        runtime=Runtime.WASM,
    ),
)
