"""Languages whose programs run in a machine of their own: Java's, .NET's, Erlang's, Racket's, and
WebAssembly's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from arena.bots import clojure, csharp, java, native
from arena.bots.content import beginning
from arena.bots.language import Language, operand
from arena.bots.program import Runtime
from arena.bots.wasm.command import runner_facts

_RUNNER = "{python} -I {runner} --library={library}"

# The serial collector starts fewest threads, and a small first heap keeps a bot that allocates
# a lot from claiming a gigabyte because the machine has plenty (measured: 45 against 1240 MiB).
_JAVA = "java -XX:+UseSerialGC -Xms32m"
_COMPILERS_JAVA = "-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1"
_JAVAC = f"javac {_COMPILERS_JAVA}"
_JAVA_PATH = ":".join(
    ["{out}", "{files}/{root}", "{files}/{root}/../resources"]
    + [f"{{files}}/{place}/*" for place in java.LIBRARIES]
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
        word for place in sorted(places)[: native.MOST_FOLDERS] for word in ("-I", operand(place))
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
        together=java.of_one_program,
        facts=java.main_class,
        options=java.options,
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
        together=native.whole_project(_FUN_MAIN),
        entry=_FUN_MAIN,
    ),
    Language(
        "Scala",
        (".scala",),
        compile=(f"scalac {_COMPILERS_JAVA} -nowarn -d ../out {{source}}",),
        run=("scala -J-XX:+UseSerialGC -nocompdaemon -cp {out} {main}",),
        install="scala (Debian, Ubuntu) or https://www.scala-lang.org",
        together=native.whole_project(_SCALA_MAIN),
        facts=_object,
        entry=_SCALA_MAIN,
    ),
    Language(
        "Clojure",
        (".clj",),
        run=("clojure {source}",),
        install="clojure (Debian, Ubuntu) or https://clojure.org",
        guard=clojure.MAIN,
        in_project=clojure.in_project,
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
        together=csharp.of_one_program,
        before=csharp.libraries_copied,
        options=csharp.references,
        entry=csharp.STATIC_MAIN,
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
        together=native.whole_project(b""),
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
