"""Trees of bots as authors have them: the usual layouts of the build tools of each language.

Each answers ``answer LINE`` to every line, by code that is spread over its files.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.bots.samples import JAVA, JAVASCRIPT, PYTHON


class Tree(NamedTuple):
    name: str
    language: str
    main: str
    files: dict[str, str]
    how: str = ""
    """How the main source is found, if it says so."""
    starts_in: str = ""
    """The folder that is the bot's own, where all lies in it."""


JAVA_HELPED = JAVA.replace('"answer "', "Words.say()")
WORDS = 'public class Words { public static String say() { return "answer "; } }\n'
BY_FUNCTION = "the only one with a main function"
BY_NAME = "found by its name"


def java_starter(top: str) -> dict[str, str]:
    """As theaigames gave it out: ``Bot`` is an interface."""
    return {
        f"{top}bot/Bot.java": "package bot;\n"
        "public interface Bot { String answer(String line); }\n",
        f"{top}bot/BotStarter.java": "package bot;\nimport map.Words;\n"
        "public class BotStarter implements Bot {\n"
        "    public String answer(String line) { return Words.say() + line; }\n"
        "    public static void main(String[] args) {"
        " new BotParser(new BotStarter()).run(); }\n}\n",
        f"{top}bot/BotParser.java": "package bot;\nimport java.util.Scanner;\n"
        "// starts as: public static void main(String[] args)\n"
        "public class BotParser {\n    final Bot bot;\n"
        "    public BotParser(Bot bot) { this.bot = bot; }\n"
        "    public void run() {\n        Scanner scan = new Scanner(System.in);\n"
        "        while (scan.hasNextLine()) System.out.println(bot.answer(scan.nextLine()));\n"
        "    }\n}\n",
        f"{top}map/Words.java": f"package map;\n{WORDS}",
    }


JAVA_TREES = (
    Tree("starter", "Java", "src/bot/BotStarter.java", java_starter("src/"), BY_NAME),
    Tree("starter-top", "Java", "bot/BotStarter.java", java_starter(""), BY_NAME),
    Tree(
        "flat",
        "Java",
        "BotStarter.java",
        {
            "bot.toml": 'main = "BotStarter.java"\n',
            **{name.replace("bot/", ""): text for name, text in java_starter("").items()},
        },
    ),
    Tree(
        "maven",
        "Java",
        "src/main/java/com/me/Player.java",
        {
            "pom.xml": '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<project xmlns="http://maven.apache.org/POM/4.0.0">\n'
            "<properties><main.class>com.me.Player</main.class></properties>\n"
            "<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>"
            "<version>4.12</version><scope>test</scope></dependency></dependencies>\n"
            "<build><plugins><plugin><configuration><archive><manifest>"
            "<mainClass>${main.class}</mainClass>"
            "</manifest></archive></configuration></plugin></plugins></build></project>\n",
            "src/main/java/com/me/Player.java": "package com.me;\nimport com.me.deep.Words;\n"
            f"public class Player {{{JAVA_HELPED}}}\n",
            "src/main/java/com/me/deep/Words.java": f"package com.me.deep;\n{WORDS}",
            "src/main/java/com/me/Bot.java": "package com.me;\npublic class Bot {\n"
            "    public static void main(String[] args) { }\n}\n",
            "src/test/java/com/me/PlayerTest.java": "package com.me;\n"
            "import org.junit.Test;\npublic class PlayerTest {}\n",
        },
        "named by pom.xml",
    ),
    Tree(
        "gradle",
        "Java",
        "src/main/java/me/Start.java",
        {
            "build.gradle": "plugins { id 'application' }\n// mainClass = 'no.No'\n"
            "dependencies {\n    testImplementation 'junit:junit:4.13'\n}\n"
            "application {\n    mainClass = 'me.Start'\n}\n",
            "settings.gradle": "rootProject.name = 'bot'\n",
            "src/main/java/me/Start.java": f"package me;\npublic class Start {{{JAVA_HELPED}}}\n",
            "src/main/java/me/Words.java": f"package me;\n{WORDS}",
            "src/main/java/me/Tool.java": "package me;\nclass Tool {\n"
            "    public static void main(String[] args) { }\n}\n",
        },
        "named by build.gradle",
    ),
    Tree(
        "packed-folder",
        "Java",
        "src/bot/BotStarter.java",
        {f"mybot-master/{name}": text for name, text in java_starter("src/").items()},
        BY_NAME,
        "mybot-master",
    ),
    Tree(
        "latin-1",
        "Java",
        "MyBot.java",
        {"MyBot.java": f"/* \udce9 */ class MyBot {{{JAVA_HELPED}}}\n", "Words.java": WORDS},
        BY_NAME,
    ),
    Tree(
        "two-mains",
        "Java",
        "Player.java",
        {
            "Player.java": f"class Player {{{JAVA_HELPED}}}\n",
            "Words.java": WORDS.replace(
                "{ public", "{ public static void main(String[] a) { say(); } public", 1
            ),
        },
        "the only one that could be and that no other source uses",
    ),
)

KOTLIN = (
    "fun main() {\n    while (true) {\n        val line = readLine() ?: break\n"
    "        println(say() + line)\n    }\n}\n"
)
SCALA = (
    "object Player {\n  def main(args: Array[String]): Unit =\n"
    "    Iterator.continually(scala.io.StdIn.readLine()).takeWhile(_ != null)\n"
    "      .foreach(line => println(game.Words.say + line))\n}\n"
)
JVM_TREES = (
    Tree(
        "kotlin-gradle",
        "Kotlin",
        "src/main/kotlin/Player.kt",
        {
            "build.gradle.kts": 'application { mainClass.set("PlayerKt") }\n',
            "src/main/kotlin/Player.kt": KOTLIN,
            "src/main/kotlin/game/Words.kt": 'fun say() = "answer "\n',
            "src/test/kotlin/PlayerTest.kt": "import org.junit.Test\n",
        },
        "named by build.gradle.kts",
    ),
    Tree(
        "scala-sbt",
        "Scala",
        "src/main/scala/bot/Player.scala",
        {
            "build.sbt": 'name := "bot"\nmainClass in Compile := Some("bot.Player")\n'
            'libraryDependencies += "org.scalatest" %% "scalatest" % "3.0" % "test"\n',
            "project/build.properties": "sbt.version=1.0\n",
            "src/main/scala/bot/Player.scala": f"package bot\n{SCALA}",
            "src/main/scala/game/Words.scala": "package game\n"
            'object Words { val say = "answer " }\n',
        },
        "named by build.sbt",
    ),
    Tree(
        "clojure-lein",
        "Clojure",
        "src/my_bot/core.clj",
        {
            "project.clj": '(defproject my-bot "0.1"\n'
            '  :dependencies [[org.clojure/clojure "1.8.0"]]\n  :main ^:skip-aot my-bot.core)\n',
            "src/my_bot/core.clj": "(ns my-bot.core\n  (:require [my-bot.words :as words])\n"
            "  (:gen-class))\n(defn -main [& args]\n"
            "  (doseq [line (line-seq (java.io.BufferedReader. *in*))]\n"
            "    (println (words/say line))\n    (flush)))\n",
            "src/my_bot/words.clj": '(ns my-bot.words)\n(defn say [line] (str "answer " line))\n',
            "test/my_bot/core_test.clj": "(ns my-bot.core-test (:require [midje.sweet :as m]))\n",
        },
        "named by project.clj",
    ),
    Tree(
        "clojure-deps",
        "Clojure",
        "src/main/bot/core.clj",
        {
            "deps.edn": '{:paths ["src/main"] :deps {org.clojure/clojure {:mvn/version "1.10.1"}}\n'
            ' :aliases {:run {:main-opts ["-m" "bot.core"]}}}\n',
            "src/main/bot/core.clj": "(ns bot.core (:require [bot.words]))\n"
            "(defn -main []\n  (loop []\n    (when-let [line (read-line)]\n"
            "      (println (bot.words/say line))\n      (recur))))\n",
            "src/main/bot/words.clj": '(ns bot.words)\n(defn say [line] (str "answer " line))\n',
        },
        "named by deps.edn",
    ),
    Tree(
        "clojure-plain",
        "Clojure",
        "src/bot/core.clj",
        {
            "src/bot/core.clj": "(ns bot.core (:use bot.words))\n"
            "(defn -main []\n  (doseq [line (line-seq (java.io.BufferedReader. *in*))]\n"
            "    (println (say line))))\n(-main)\n",
            "src/bot/words.clj": '(ns bot.words)\n(defn say [line] (str "answer " line))\n',
        },
    ),
)

CSHARP = (
    "using System;\nusing Words;\nnamespace Start {\n    public class BotStarter {\n"
    "        static void Main(string[] args) {\n            string line;\n"
    "            while ((line = Console.ReadLine()) != null)\n"
    "                Console.WriteLine(Speech.Say() + line);\n        }\n    }\n}\n"
)
SPEECH = (
    'namespace Words { public class Speech { public static string Say() { return "answer "; } } }\n'
)
CSHARP_TREES = (
    Tree(
        "starter",
        "C#",
        "Bot/BotStarter.cs",
        {
            "Bot/Bot.cs": "namespace Start { public interface Bot { } }\n",
            "Bot/BotStarter.cs": CSHARP,
            "Map/Speech.cs": SPEECH,
            "Move/Move.cs": "namespace Moves { public class Move { } }\n",
        },
        BY_NAME,
    ),
    Tree(
        "solution",
        "C#",
        "Bot/Program.cs",
        {
            "Bots.sln": "Microsoft Visual Studio Solution File\n",
            "Bot/Bot.csproj": '\ufeff<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>'
            '<ProjectReference Include="..\\Common\\Common.csproj" /></ItemGroup></Project>\n',
            "Bot/Program.cs": CSHARP,
            "Common/Common.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Common/Speech.cs": SPEECH,
            "Common/Properties/AssemblyInfo.cs": "nothing\n",
            "Bot.Tests/Bot.Tests.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n',
            "Bot.Tests/Try.cs": "using NUnit.Framework; class Try { }\n",
        },
        BY_NAME,
    ),
)

RUST = (
    "use std::io::{self, BufRead, Write};\nfn main() {\n"
    "    for line in io::stdin().lock().lines() {\n"
    '        println!("{}{}", SAY, line.unwrap());\n'
    "        io::stdout().flush().unwrap();\n    }\n}\n"
)
GO = (
    'import (\n\t"bufio"\n\t"fmt"\n\t"os"\n\t"WORDS"\n)\nfunc main() {\n'
    "\tlines := bufio.NewScanner(os.Stdin)\n\tfor lines.Scan() {\n"
    "\t\tfmt.Println(words.Say, lines.Text())\n\t}\n}\n"
)
C_BOT = (
    '#include <stdio.h>\n#include "words.h"\nint main(void) {\n    char line[100];\n'
    '    while (fgets(line, sizeof line, stdin)) { printf("%s %s", say(), line);'
    " fflush(stdout); }\n}\n"
)
HASKELL = (
    "module Main where\nimport System.IO\nimport Game.Words (say)\nmain :: IO ()\nmain = do\n"
    "  hSetBuffering stdout LineBuffering\n  interact (unlines . map say . lines)\n"
)
HASKELL_WORDS = 'module Game.Words where\nsay :: String -> String\nsay line = "answer " ++ line\n'
PASCAL = (
    "program Bot;\nuses words;\nvar line: string;\nbegin\n  while not eof do begin\n"
    "    readln(line); writeln(say + line); flush(output);\n  end;\nend.\n"
)
NATIVE_TREES = (
    Tree(
        "cmake",
        "C",
        "src/player.c",
        {
            "CMakeLists.txt": "project(bot)\n",
            "src/player.c": C_BOT,
            "src/game/words.c": '#include "words.h"\nconst char *say(void) { return "answer"; }\n',
            "include/words.h": "const char *say(void);\n",
            "tests/try.c": "int main(void) { return 1; }\n",
        },
        BY_FUNCTION,
    ),
    Tree(
        "make-beside",
        "C++",
        "bot/main.cpp",
        {
            "Makefile": "all:\n\tfalse\n",
            "bot/main.cpp": C_BOT.replace("words.h", "../common/words.h"),
            "common/words.h": "#pragma once\nconst char *say(void);\n",
            "common/words.cpp": '#include "words.h"\nconst char *say(void) { return "answer"; }\n',
            "common/unused.cpp": "#error nothing includes its header\n",
        },
        BY_NAME,
    ),
    Tree(
        "cargo",
        "Rust",
        "src/main.rs",
        {
            "Cargo.toml": '[package]\nname = "my-bot"\nversion = "0.1.0"\nedition = "2018"\n'
            '[dependencies]\nwords = { path = "words" }\n',
            "src/main.rs": "use my_bot::SAY;\n" + RUST,
            "src/lib.rs": "pub mod deep;\npub use deep::SAY;\n",
            "src/deep.rs": "pub const SAY: &str = words::SAY;\n",
            "words/Cargo.toml": '[package]\nname = "words"\nversion = "0.1.0"\n',
            "words/src/lib.rs": 'pub const SAY: &\'static str = "answer ";\n',
        },
        "named by Cargo.toml",
    ),
    Tree(
        "cargo-bin",
        "Rust",
        "src/player.rs",
        {
            "Cargo.toml": '[package]\nname = "my-bot"\nedition = "2021"\n'
            '[[bin]]\nname = "bot"\npath = "src/player.rs"\n',
            "src/player.rs": "mod words;\nuse words::SAY;\n" + RUST,
            "src/words.rs": 'pub const SAY: &str = "answer ";\n',
        },
        "named by Cargo.toml",
    ),
    Tree(
        "module",
        "Go",
        "cmd/bot/main.go",
        {
            "go.mod": "module example.com/me/bot\n\ngo 1.18\n",
            "cmd/bot/main.go": "package main\n" + GO.replace("WORDS", "example.com/me/bot/words"),
            "words/words.go": 'package words\n\nconst Say = "answer"\n',
            "words/words_test.go": "package words_test\n\nfunc nonsense\n",
        },
        BY_NAME,
    ),
    Tree(
        "no-module",
        "Go",
        "main.go",
        {
            "main.go": "package main\n" + GO.replace("WORDS", "github.com/me/bot/words"),
            "words/words.go": 'package words\n\nconst Say = "answer"\n',
        },
        BY_NAME,
    ),
    Tree(
        "cabal",
        "Haskell",
        "app/Start.hs",
        {
            "bot.cabal": "name: bot\nversion: 0.1\ncabal-version: >=1.10\n\nlibrary\n"
            "  exposed-modules: Game.Words\n  hs-source-dirs: library\n  build-depends: base\n\n"
            "executable bot\n  main-is:  Start.hs\n  hs-source-dirs:  app\n"
            "  build-depends:  base >= 4, bot\n  default-language: Haskell2010\n\n"
            "test-suite try\n  main-is: Try.hs\n  hs-source-dirs: test\n"
            "  build-depends: hspec\n",
            "Setup.hs": "import Distribution.Simple\nmain = defaultMain\n",
            "app/Start.hs": HASKELL,
            "library/Game/Words.hs": HASKELL_WORDS,
            "test/Try.hs": "main = undefined\n",
        },
        "named by bot.cabal",
    ),
    Tree(
        "src",
        "Haskell",
        "src/MyBot.hs",
        {"src/MyBot.hs": HASKELL, "src/Game/Words.hs": HASKELL_WORDS},
        BY_NAME,
    ),
    Tree(
        "dune",
        "OCaml",
        "bin/player.ml",
        {
            "dune-project": "(lang dune 2.0)\n",
            "bin/dune": "(executable\n (name player)\n (libraries words))\n",
            "bin/player.ml": "let () =\n  try\n    while true do\n"
            "      print_endline (Words.say (read_line ()))\n    done\n"
            "  with End_of_file -> ()\n",
            "src/words.ml": "let say line = Base_words.first ^ line\n",
            "src/base_words.ml": 'let first = "answer "\n',
            "src/unused.ml": "nothing compiles this\n",
        },
        "named by bin/dune",
    ),
    Tree(
        "units",
        "Pascal",
        "src/player.pas",
        {
            "src/player.pas": PASCAL,
            "units/words.pas": "unit words;\ninterface\nfunction say: string;\nimplementation\n"
            "function say: string;\nbegin say := 'answer '; end;\nend.\n",
        },
        BY_FUNCTION,
    ),
)

ELIXIR_WORDS = 'defmodule Bot.Words do\n  def say(line), do: "answer " <> line\nend\n'
ELIXIR_MAIN = (
    "  def main(_args) do\n    IO.stream(:stdio, :line)\n"
    "    |> Enum.each(fn line -> IO.write(Bot.Words.say(line)) end)\n  end\nend\n"
)
BEAM_TREES = (
    Tree(
        "mix-escript",
        "Elixir",
        "lib/bot/cli.ex",
        {
            "mix.exs": "defmodule Bot.Mixfile do\n  use Mix.Project\n  def project do\n"
            '    [app: :bot, version: "0.1.0", escript: [main_module: Bot.CLI], deps: deps()]\n'
            '  end\n  defp deps do\n    [{:ex_doc, "~> 0.1", only: :dev}]\n  end\nend\n',
            "config/config.exs": "use Mix.Config\n",
            "lib/bot/cli.ex": "defmodule Bot.CLI do\n" + ELIXIR_MAIN,
            "lib/bot/words.ex": ELIXIR_WORDS,
            "test/bot_test.exs": "defmodule BotTest do\nend\n",
            "test/test_helper.exs": "ExUnit.start()\n",
        },
        "named by mix.exs",
    ),
    Tree(
        "mix",
        "Elixir",
        "lib/bot.ex",
        {
            "mix.exs": "defmodule Bot.Mixfile do\n  use Mix.Project\nend\n",
            "lib/bot.ex": "defmodule Bot do\n" + ELIXIR_MAIN,
            "lib/bot/words.ex": ELIXIR_WORDS,
        },
        BY_NAME,
    ),
    Tree(
        "rebar",
        "Erlang",
        "src/player.erl",
        {
            "rebar.config": "{deps, []}.\n",
            "src/player.erl": '-module(player).\n-export([main/1]).\n-include("words.hrl").\n'
            'main(_) -> loop().\nloop() ->\n    case io:get_line("") of\n        eof -> ok;\n'
            "        Line -> io:put_chars([?SAY, words:blank(), Line]), loop()\n    end.\n",
            "src/words.erl": '-module(words).\n-export([blank/0]).\nblank() -> " ".\n',
            "include/words.hrl": '-define(SAY, "answer").\n',
        },
        BY_FUNCTION,
    ),
)

PYTHON_HELPED = PYTHON.replace("'answer'", "say()")
SAY = "def say():\n    return 'answer'\n"
GUARDED = (
    "def play():\n    for line in open(0):\n        print(say(), line, end='', flush=True)\n\n\n"
    "if __name__ == '__main__':\n    play()\n"
)
SCRIPT_TREES = (
    Tree(
        "guard",
        "Python",
        "play.py",
        {
            "bot.py": "class Bot:\n    word = 'answer'\n",
            "play.py": "from bot import Bot\n\n\ndef say():\n    return Bot.word\n\n\n" + GUARDED,
            "tool.py": "def nothing():\n    pass\n",
            "setup.py": "from setuptools import setup\nsetup()\n",
        },
        BY_FUNCTION,
    ),
    Tree(
        "package",
        "Python",
        "mybot/__main__.py",
        {
            "mybot/__init__.py": "",
            "mybot/__main__.py": "from .words import say\n" + PYTHON_HELPED,
            "mybot/words.py": SAY,
            "tests/test_words.py": "import pytest\n",
        },
        BY_NAME,
    ),
    Tree(
        "named-package",
        "Python",
        "src/main.py",
        {
            "src/main.py": "from src.game.words import say\nimport beside\n" + PYTHON_HELPED,
            "src/beside.py": "",
            "src/game/words.py": SAY,
        },
        BY_NAME,
    ),
    Tree(
        "npm",
        "JavaScript",
        "src/start.js",
        {
            "package.json": '{"name": "bot", "main": "nothing.js",'
            ' "scripts": {"start": "node src/start.js", "test": "mocha"}}\n',
            "src/start.js": 'const readline = require("readline");\n'
            'const { say } = require("./bot");\n' + JAVASCRIPT.replace('"answer"', "say()") + "\n",
            "src/bot.js": "exports.say = () => 'answer';\n",
            "test/bot.test.js": "require('chai');\n",
        },
        "named by package.json",
    ),
    Tree(
        "modules",
        "JavaScript",
        "index.js",
        {
            "index.js": 'const readline = require("readline");\nconst bot = require("./bot.js");\n'
            + JAVASCRIPT.replace('"answer"', "bot.say()")
            + "\n",
            "bot.js": "exports.say = () => 'answer';\n",
        },
        "the only one that could be",
    ),
    Tree(
        "gem",
        "Ruby",
        "bin/bot.rb",
        {
            "Gemfile": "source 'https://rubygems.org'\n",
            "bin/bot.rb": "require 'game/words'\n$stdout.sync = true\n"
            "while (line = gets)\n  puts say(line)\nend\n",
            "lib/game/words.rb": 'def say(line)\n  "answer #{line}"\nend\n',
        },
        BY_NAME,
    ),
    Tree(
        "includes",
        "PHP",
        "play.php",
        {
            "play.php": "<?php\nrequire_once 'classes/bot.php';\n(new Bot())->run();\n",
            "classes/bot.php": "<?php\nclass Bot {\n    function run() {\n"
            '        while (($line = fgets(STDIN)) !== false) { echo "answer $line"; flush(); }\n'
            "    }\n}\n",
        },
        "the only one that could be",
    ),
    Tree(
        "src",
        "Lua",
        "src/main.lua",
        {
            "src/main.lua": 'local words = require("game.words")\n'
            'for line in io.lines() do io.write(words.say, line, "\\n") io.flush() end\n',
            "src/game/words.lua": 'return { say = "answer " }\n',
        },
        BY_NAME,
    ),
    Tree(
        "lib",
        "Perl",
        "bin/player.pl",
        {
            "bin/player.pl": "use Game::Words;\n$| = 1;\n"
            'print Game::Words::say(), " $_" while <STDIN>;\n',
            "lib/Game/Words.pm": "package Game::Words;\nsub say { 'answer' }\n1;\n",
            "Makefile.PL": "use ExtUtils::MakeMaker;\n",
        },
    ),
)

TREES = (*JAVA_TREES, *JVM_TREES, *CSHARP_TREES, *NATIVE_TREES, *BEAM_TREES, *SCRIPT_TREES)
"""Those that play."""


class Refused(NamedTuple):
    name: str
    language: str
    files: dict[str, str]
    said: tuple[str, ...]
    """What the sentence names."""


USES = "import com.google.gson.Gson;\nclass Player { public static void main(String[] a) { } }\n"
REFUSED = (
    Refused(
        "maven",
        "Java",
        {
            "pom.xml": "<project><dependencies><dependency><groupId>com.google.code.gson</groupId>"
            "<artifactId>gson</artifactId></dependency></dependencies></project>\n",
            "src/main/java/Player.java": USES,
        },
        (
            "cannot compile src/main/java/Player.java: src/main/java/Player.java:1: error: ",
            "pom.xml asks for com.google.code.gson:gson, which is not in the folder, and a build "
            "has no network: put its .jar into a folder lib, or do without it",
        ),
    ),
    Refused(
        "gradle",
        "Java",
        {
            "build.gradle": "dependencies {\n  implementation 'com.google.code.gson:gson:2.8'\n"
            "  testImplementation 'junit:junit:4.13'\n}\n",
            "src/main/java/Player.java": USES,
        },
        ("build.gradle asks for com.google.code.gson:gson, which",),
    ),
    Refused(
        "no-main",
        "Java",
        {"Bot.java": "interface Bot { }\n", "Map.java": "class Map { }\n"},
        ("none of the 2 Java sources of strong has a main function: write one, public static",),
    ),
    Refused(
        "cargo",
        "Rust",
        {
            "Cargo.toml": '[package]\nname = "bot"\nedition = "2021"\n'
            '[dependencies]\nrand = "0.8"\n',
            "src/main.rs": "use rand::Rng;\nfn main() {}\n",
        },
        ("src/main.rs:1:5: error[E0432]", "Cargo.toml asks for rand, which", "by its path"),
    ),
    Refused(
        "module",
        "Go",
        {
            "go.mod": "module bot\n\ngo 1.18\n\nrequire github.com/pkg/errors v0.9.1\n",
            "main.go": 'package main\n\nimport _ "github.com/pkg/errors"\n\nfunc main() {}\n',
        },
        ("go.mod asks for github.com/pkg/errors, which", "run go mod vendor"),
    ),
    Refused(
        "csproj",
        "C#",
        {
            "Bot.csproj": '<Project><ItemGroup><PackageReference Include="Newtonsoft.Json"/>'
            "</ItemGroup></Project>\n",
            "Bot.cs": "using Newtonsoft.Json;\nclass Bot { static void Main() { } }\n",
        },
        ("Bot.cs(1,7): error CS0246", "Bot.csproj asks for Newtonsoft.Json, which"),
    ),
    Refused(
        "cabal",
        "Haskell",
        {
            "bot.cabal": "name: bot\nexecutable bot\n  main-is: Bot.hs\n"
            "  build-depends: base, split ==0.2.*\n",
            "Bot.hs": "import Data.List.Split\nmain = return ()\n",
        },
        ("Could not find module", "bot.cabal asks for split, which"),
    ),
    Refused(
        "mix",
        "Elixir",
        {
            "mix.exs": 'defmodule M do\n  defp deps do\n    [{:poison, "~> 1.0"}]\n  end\nend\n',
            "lib/bot.ex": "defmodule Bot do\n  import Poison\n  def main(_), do: nil\nend\n",
        },
        ("** (CompileError) lib/bot.ex:2", "mix.exs asks for poison, which"),
    ),
    Refused(
        "doctype",
        "Java",
        {
            "pom.xml": '<!DOCTYPE x [<!ENTITY a "src/Player.java">]><project>&a;</project>',
            "src/Player.java": "class Player { void f() { } }\n",
        },
        ("none of the 1 Java sources",),
    ),
)
"""Those that are refused, with what to do."""

SEVERAL = {
    "python": {"one/main.py": PYTHON, "two/main.py": PYTHON},
    "two languages": {"bot.py": PYTHON, "bot.pl": '$| = 1; print "answer $_" while <STDIN>;\n'},
    "same name": {
        "a/bot.js": f'const readline = require("readline");\n{JAVASCRIPT}\n',
        "b/bot.js": f'const readline = require("readline");\n{JAVASCRIPT}\n',
    },
    "odd names": {"a 'b'.py": PYTHON, 'c "d".py': PYTHON, "é.py": PYTHON},
    "java": {
        "one/src/One.java": f"class One {{{JAVA_HELPED}}}\n",
        "one/src/Words.java": WORDS,
        "two/src/Two.java": f"class Two {{{JAVA_HELPED}}}\n",
        "two/src/Words.java": WORDS,
    },
    "csharp": {
        "One/Start.cs": CSHARP,
        "One/Speech.cs": SPEECH,
        "Two/Start.cs": CSHARP,
        "Two/Speech.cs": SPEECH,
    },
    "npm": {
        "one/package.json": '{"main": "go.js"}',
        "one/go.js": f'const readline = require("readline");\n{JAVASCRIPT}\n',
        "two/package.json": '{"main": "go.js"}',
        "two/go.js": f'const readline = require("readline");\n{JAVASCRIPT}\n',
    },
}
"""Trees in which several sources could be the bot."""
