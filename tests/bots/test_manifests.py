"""What the project files of build tools say, and that no file of a stranger takes long to read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from arena.bots import manifests
from arena.bots.folder import chosen
from arena.bots.manifests import READERS, Manifest, manifests_around, manifests_of, toml
from arena.errors import BotError
from tests.support.tools import dear

SAID = {
    "pom.xml": (
        "<project><properties><main>a.B</main></properties><dependencies>"
        "<dependency><groupId>g</groupId><artifactId>x</artifactId></dependency>"
        "<dependency><groupId>g</groupId><artifactId>t</artifactId><scope>test</scope></dependency>"
        "</dependencies><build><sourceDirectory>java</sourceDirectory><plugins><mainClass>${main}"
        "</mainClass></plugins></build></project>",
        Manifest("pom.xml", classes=("a.B",), sources=("java",), needs=("g:x",)),
    ),
    "build.gradle": (
        "mainClassName = 'a.B' // 'no'\njar { manifest { attributes 'Main-Class': 'a.C' } }\n"
        "dependencies { compile 'g:x:1'\n testCompile 'g:t:1' /* compile 'g:n:1' */ }",
        Manifest("build.gradle", classes=("a.B", "a.C"), needs=("g:x",)),
    ),
    "build.sbt": (
        'Compile / run / mainClass := Some("a.B")\nlibraryDependencies ++= Seq(\n'
        '  "g" %% "x" % "1",\n  "g" % "t" % "1" % Test)\n',
        Manifest("build.sbt", classes=("a.B",), needs=("g:x",)),
    ),
    "project.clj": (
        '(defproject b "1" ; :main no\n :source-paths ["code"] :main a.b-c\n'
        ' :dependencies [[org.clojure/clojure "1.8"] [clj-time "0.1"]]'
        ' :profiles {:dev {:dependencies [[midje "1"]]}})',
        Manifest("project.clj", classes=("a.b-c",), sources=("code",), needs=("clj-time",)),
    ),
    "deps.edn": (
        '{:deps {org.clojure/clojure {:mvn/version "1.8"} g/x {:mvn/version "1"}}}',
        Manifest("deps.edn", sources=("src",), needs=("g/x",)),
    ),
    "mix.exs": (
        "def project do [escript: [main_module: A.B]] end\n  defp deps do\n"
        '    [{:x, "~> 1"}, {:t, "~> 1", only: :test},\n     {:own, path: "own"}]\n  end\n',
        Manifest(
            "mix.exs", classes=("A.B",), sources=("lib",), projects=("own/mix.exs",), needs=("x",)
        ),
    ),
    "b.cabal": (
        "name: b\nexecutable b\n  main-is: M.hs\n  hs-source-dirs: app, src\n  build-depends:\n"
        "    base >= 4 && < 5,\n    split\n  default-extensions: TupleSections\n"
        "test-suite t\n  build-depends: hspec\n",
        Manifest(
            "b.cabal",
            files=("app/M.hs", "src/M.hs", "./M.hs"),
            sources=("app", "src"),
            needs=("split",),
            flags=("-XTupleSections",),
        ),
    ),
    "b.csproj": (
        '<Project><ItemGroup><Compile Include="A\\B.cs"/><Reference><HintPath>l\\x.dll</HintPath>'
        '</Reference><PackageReference Include="X"/></ItemGroup></Project>',
        Manifest("b.csproj", sources=("A\\B.cs",), libraries=("l\\x.dll",), needs=("X",)),
    ),
    "package.json": (
        '{"main": "a", "scripts": {"start": "node b.js"}, "dependencies": {"x": "^1"}}',
        Manifest(
            "package.json",
            files=("b.js", "b.js.js", "a", "a.js"),
            needs=("x",),
        ),
    ),
    "Cargo.toml": (
        '[package]\nname = "a-b"\nedition = "2018"\n[[bin]]\nname = "c"\n[dependencies]\n'
        'x = "1"\ny = { path = "../y" }\n[dev-dependencies]\nt = "1"\n',
        Manifest(
            "Cargo.toml",
            files=("src/bin/c.rs", "src/main.rs"),
            sources=("src/lib.rs",),
            projects=("../y/Cargo.toml",),
            needs=("x",),
            title="a_b",
            edition="2018",
        ),
    ),
    "go.mod": (
        "module m // here\nrequire (\n\tg.com/x v1.0.0\n)\nrequire g.com/y/z v2.0.0\n",
        Manifest("go.mod", needs=("g.com/x", "g.com/y/z"), title="m"),
    ),
    "dune": (
        "(executable (name a)) ; (executable (name no))\n(library (name l))",
        Manifest("dune", files=("a.ml",)),
    ),
}


def read(folder: Path, name: str, text: str | bytes) -> list[Manifest]:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return manifests_of(folder, [name])


@pytest.mark.parametrize("name", SAID)
def test_what_it_says(name: str, tmp_path: Path) -> None:
    text, said = SAID[name]
    assert read(tmp_path, name, text) == [said]


def test_every_format_is_read_here() -> None:
    patterns = {name.replace("b.", "*.") if name[0] == "b" and "build" not in name else name
                for name in SAID}  # fmt: skip
    assert {pattern for pattern, _ in READERS} - patterns == {"build.gradle.kts"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pom.xml", "<a>"),
        ("pom.xml", ""),
        ("pom.xml", "<!DOCTYPE a><project><mainClass>a.B</mainClass></project>"),
        ("b.csproj", b"\xff\xfe<\0a\0>\0"),
        ("package.json", "[]"),
        ("package.json", '{"main": 3}'),
        ("package.json", "[" * 100_000),
        ("package.json", '{"bin": ' + "9" * 100_000 + "}"),
        ("Cargo.toml", "x = " + "[" * 100_000),
        ("Cargo.toml", "package = 3"),
        ("Cargo.toml", "a." * 100_000 + "a = 1"),
    ],
)
def test_what_is_not_in_its_format_says_nothing(
    name: str, text: str | bytes, tmp_path: Path
) -> None:
    assert read(tmp_path, name, text) == []


def test_the_nearest_project_comes_first(tmp_path: Path) -> None:
    for name in ("pom.xml", "bot/pom.xml", "bot/src/A.java", "other/pom.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<project/>")
    found = [one.file for one in manifests_around(tmp_path, "bot/src/A.java")]
    assert found == ["bot/pom.xml", "pom.xml"]


def test_a_path_that_leads_out_is_left_out() -> None:
    one = Manifest("a/Cargo.toml")
    assert one.paths(["../b", "..\\..\\c", "./d/../e", "/f"]) == ["b", "a/e", "a/f"]


BAD = [
    "<a>",
    "<a b='",
    "&a;",
    "[",
    "{",
    "(",
    '"',
    "'",
    ";",
    "//",
    "/*",
    "#",
    ":",
    " ",
    "\n",
    ",",
    "mainClass ",
    "mainClass = ",
    "implementation '",
    '"a" % "b" ',
    ":main ",
    ":main ^",
    ":paths [",
    ":dependencies [[a ",
    ":deps {a ",
    "{:a, ",
    "deps do",
    "name:\n",
    "build-depends: a,",
    "require ",
    "module ",
    "(executable (name ",
    "a.",
    "a.a = 1\n",
    "[a.b]\n",
    "a = {a=",
    "\\\\",
    "${",
    "Some(",
    "mainClass                                                                       ",
    "compile(",
    "main_module: ",
    "/*/",
    "-- ",
    "if a\n",
]


@pytest.mark.parametrize("part", dear(BAD, but=lambda part: part in ("(", ":main ^", "a.")))
def test_reading_takes_time_with_the_length_alone(part: str, tmp_path: Path) -> None:
    """The longest file that is read, in all formats together. (Where each place was tried from each
    other one, one format alone took minutes.)"""
    text = part * (manifests.MAX_MANIFEST_SIZE // len(part))
    start = time.process_time()
    for pattern, _ in READERS:
        read(tmp_path, pattern.replace("*", "b"), text)
    assert time.process_time() - start < 10


def test_a_longer_file_is_not_read(tmp_path: Path) -> None:
    for pattern, _ in READERS:
        assert read(tmp_path, pattern.replace("*", "b"), b"{" * (1 << 20)) == []


def test_a_bot_toml_of_dotted_keys_is_refused_at_once(tmp_path: Path) -> None:
    """It took 16 s of CPU time: a key was compared with each of its beginnings."""
    (tmp_path / "bot.toml").write_text("a." * 32_000 + "a = 1")
    start = time.process_time()
    with pytest.raises(BotError, match=r"bot\.toml is not TOML: a key has more than 20 dots"):
        chosen(tmp_path)
    assert time.process_time() - start < 1


def test_dots_in_texts_and_comments_do_not_count() -> None:
    assert toml("run = ['" + "a." * 50 + "'] # " + "." * 50) == {"run": ["a." * 50]}
