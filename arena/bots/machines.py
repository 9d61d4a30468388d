"""Languages whose programs run in a machine of their own: Java's, .NET's, Erlang's, Racket's, and
WebAssembly's."""

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

# Clojure: a source that is part of a project of several, run without its build tool.
#
# The folders in which namespaces begin are added to where Clojure looks for them, and then its own
# program loads the main one: so no tool asks a network, and any ``clojure`` will do.

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
    """How it is run where it has a namespace in which others could lie, or a main function."""
    text = beginning(folder / main)
    if NAMESPACE.search(text) is None:
        return None
    return Language(
        "Clojure",
        (".clj",),
        run=("clojure -e {start}",),
        install="clojure (Debian, Ubuntu) or https://clojure.org",
        facts=_facts,
    )


def _facts(folder: Path, main: str) -> Mapping[str, str]:
    """The expression that starts it. In `folder` it runs where it lies."""
    text = beginning(folder / main)
    found = NAMESPACE.search(text)
    assert found is not None
    namespace = found[1].decode()
    places = [json.dumps(str(folder / place)) for place in _places(folder, main, namespace)]
    if re.search(MAIN, text) and not _CALLED.search(text):
        load = f"(require '{namespace}) ((resolve '{namespace}/-main))"
    else:
        load = f"(load-file {json.dumps(str(folder / main))})"
    return {"start": _START.format(places=" ".join(places), load=load)}


def _places(folder: Path, main: str, namespace: str) -> list[str]:
    """Where namespaces begin: above the main one, and where its project says."""
    depth = namespace.count(".")
    parents = PurePath(main).parents
    above = [str(parents[depth])] if depth < len(parents) else []
    said = [path for one in manifests_around(folder, main) for path in one.paths(one.sources)]
    libraries = sorted(str(path.relative_to(folder)) for path in folder.glob("lib*/*.jar"))
    usual = ["src", "resources", "."]
    return [*dict.fromkeys([*above, *said, *usual]), *libraries]


# C#: which sources make one program, by its project file if there is one.

STATIC_MAIN = rb"\bstatic\s++(?:public\s++|async\s++)*+(?:void|int|Task|Task<int>)\s++Main\s*+\("
"""How a main function begins."""

_without_project = modules.whole_project(STATIC_MAIN)


def csharp_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The sources of the project in which `main` lies, and of those in the tree to which it
    refers; without a project file, those of the largest folder without another program."""
    projects = _projects(folder, main)
    if not projects:
        return list(_without_project(folder, main, names))
    found = [name for one in projects for name in _sources(folder, one, names)]
    own = [name for name in dict.fromkeys(found) if not modules.is_build_file(name)]
    others = modules.with_main_function(folder, own, STATIC_MAIN)
    return [name for name in own if name not in others and name != main]


def csharp_references(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """The libraries in the tree that its projects name."""
    return [f"-r:{name}" for name in _libraries(folder, main)]


def csharp_libraries_copied(folder: Path, main: str) -> list[tuple[str, ...]]:
    """The command that puts these libraries beside the program, which looks for them there."""
    found, copy = _libraries(folder, main), find_command("cp")
    return [(copy, "--", *found, "../out")] if found and copy else []


def _libraries(folder: Path, main: str) -> list[str]:
    named = [name for one in _projects(folder, main) for name in one.paths(one.libraries)]
    return [name for name in dict.fromkeys(named) if (folder / name).is_file()]


def _projects(folder: Path, main: str) -> list[Manifest]:
    """The project of a source, and those in the tree to which it refers, also through others."""
    first = manifests_around(folder, main, ".csproj")[:1]
    return [project for one in first for project in with_projects(folder, one)]


def _sources(folder: Path, project: Manifest, names: Sequence[str]) -> list[str]:
    """Those that the project lists; where it lists none, all below it, but for other projects."""
    listed = set(project.paths([one for one in project.sources if "*" not in one]))
    if found := [name for name in names if name in listed]:
        return found
    inside = modules.below(project.place, names)
    return [name for name in inside if _lies_in(folder, project, PurePath(name).parent)]


def _lies_in(folder: Path, project: Manifest, place: PurePath) -> bool:
    """Whether no other project lies between a folder and that of the project."""
    while place != project.place:
        if any((folder / place).glob("*.csproj")):
            return False
        place = place.parent
    return True


# What has to be known about a Java source before it can be compiled and run.
#
# It is found out by scanning its beginning once, word by word: no pattern here can be matched in
# two ways, and what is opened and not closed (a comment, a text) goes on to the end.

_TOKEN = r"[\w.$]++|[{}();]"
_PACKAGE = r"(?<![\w.$])package\s++([\w.]++)\s*+;"
_TESTED = r"\bimport\s++(?:static\s++)?+(?:org\.junit|junit\.framework|org\.testng|org\.mockito)\b"
_TYPES = ("class", "record", "enum", "interface")
LIBRARIES = ("lib", "libs", "jars", ".")
"""Folders whose jars are in the class path."""
_DECLARATION = 16 << 10
"""Bytes in which a source declares its package."""


def main_class(folder: Path, main: str) -> dict[str, str]:
    """Facts about the source `main` in `folder`: the class to run and the root of its packages.

    The class is the one at top level that holds ``static void main``; when there is none (it may
    be inherited), the one named like the file.
    """
    text = _code(folder / main)
    package = _package(text)
    name = _holder_of_main(text) or PurePath(main).stem
    return {"main": ".".join([*package, name]), "root": operand(_root(main, package))}


def java_program(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    """Which of the sources `names` are compiled with `main`: those that lie where their package
    says, below the root of its packages, and those beside it in its own package. So also a class is
    there that is only reached by its name. What is there for tests alone is compiled when a class
    mentions it."""
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
    """The encoding of sources that are not UTF-8, and the class path, if there are libraries."""
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
            if error.start < len(text) - 4:  # and not a letter that is cut at the end
                return False
    return True


def _is_test(name: str) -> bool:
    return PurePath(name).stem.endswith(("Test", "Tests"))


def _lies_right(name: str, root: str, package: Sequence[str]) -> bool:
    place = PurePath(name).parent
    return place.is_relative_to(root) and list(place.relative_to(root).parts) == list(package)


def _code(path: Path, size: int = SCANNED) -> str:
    """The beginning of a source, without comments and texts."""
    return without_comments(beginning(path, size)).decode("utf-8", "replace")


def _package(text: str) -> list[str]:
    declared = re.search(_PACKAGE, text)
    return declared[1].split(".") if declared else []


def _holder_of_main(text: str) -> str | None:
    """The class at top level in which ``static … void main(`` stands."""
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

# The serial collector starts fewest threads, and a small first heap keeps a bot that allocates
# a lot from claiming a gigabyte because the machine has plenty (measured: 45 against 1240 MiB).
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
    """Calls the function main of a module, which is named like its file, with the list of
    arguments if it takes one."""
    takes_none = re.search(rb"^main\(\s*+\)", beginning(folder / main), re.MULTILINE)
    arguments = "" if takes_none else "[]"
    return {"call": f"'{PurePath(main).stem}':main({arguments})."}


def _erlang_headers(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    places = {str(PurePath(name).parent) for name in names if name.endswith(".hrl")}
    return [
        word for place in sorted(places)[: modules.MOST_FOLDERS] for word in ("-I", operand(place))
    ]


def _script(folder: Path, main: str) -> dict[str, str]:
    """What a TypeScript file becomes."""
    return {"script": str(PurePath(main).with_suffix(".js"))}


def _object(folder: Path, main: str) -> Mapping[str, str]:
    """The object of a Scala source that has the main method: the last that begins before it."""
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
        has_selftest=False,  # it would be a file that people cannot read; Java's shows the same
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
        has_selftest=False,  # `arena doctor` runs a module
    ),
)
