"""A real project's shape in every language of the table: several files, a package, a resource
beside it, a thread, a subprocess, and a try at a socket. Each answers one line with what it found.
"""

from __future__ import annotations

from typing import NamedTuple


class Project(NamedTuple):
    name: str
    tools: dict[str, str]
    """Programs and their packages."""
    files: dict[str, str]
    tries: str = "package resource thread child socket"
    """What the language has of it."""


PYTHON = {
    "bot.toml": 'main = "bot.py"\n',
    "bot.py": """
import pathlib, socket, subprocess, threading
from brain.words import package

def resource():
    return (pathlib.Path(__file__).parent / "data" / "words.txt").read_text().strip()

def main():
    input()
    found = [package(), resource()]
    assert open("data/words.txt").read().strip() == resource()  # also where it runs
    worker = threading.Thread(target=lambda: found.append("thread"))
    worker.start()
    worker.join()
    found.append(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
    try:
        socket.socket().close()
        found.append("socket")
    except OSError as error:
        found.append("refused" if error.errno == 13 else str(error))
    print(*found, flush=True)

main()
""",
    "brain/__init__.py": "",
    "brain/words.py": "def package():\n    return 'package'\n",
}

JAVASCRIPT = {
    "bot.toml": 'main = "src/bot.js"\n',
    "src/bot.js": """
const fs = require("fs"), net = require("net"), path = require("path");
const { Worker } = require("worker_threads");
const words = require("./brain/words"), dependency = require("tool");
const resource = fs.readFileSync(path.join(__dirname, "..", "data", "words.txt"), "utf8").trim();
require("readline").createInterface({ input: process.stdin }).once("line", () => {
  const found = [words.package() + dependency, resource];
  const worker = new Worker('require("worker_threads").parentPort.postMessage("thread")',
                            { eval: true });
  worker.once("message", (said) => {
    found.push(said);
    found.push(require("child_process").execFileSync("echo", ["child"]).toString().trim());
    const server = net.createServer();
    server.on("error", (error) => finish(error.code === "EACCES" ? "refused" : String(error)));
    server.listen(0, "127.0.0.1", () => server.close(() => finish("socket")));
  });
  function finish(word) { console.log([...found, word].join(" ")); process.exit(0); }
});
""",
    "src/brain/words.js": "exports.package = () => 'pack';\n",
    "node_modules/tool/index.js": "module.exports = 'age';\n",
}

RUBY = {
    "bot.toml": 'main = "bot.rb"\n',
    "bot.rb": """
require "socket"
require_relative "brain/words"
$stdout.sync = true
gets
found = [Brain.package, File.read(File.join(__dir__, "data", "words.txt")).strip]
found << Thread.new { "thread" }.value
found << `echo child`.strip
begin
  Socket.new(:INET, :STREAM).close
  found << "socket"
rescue Errno::EACCES
  found << "refused"
end
puts found.join(" ")
""",
    "brain/words.rb": "module Brain\n  def self.package = 'package'\nend\n",
}

PHP = {
    "bot.toml": 'main = "bot.php"\n',
    "bot.php": """<?php
require __DIR__ . '/brain/Words.php';
fgets(STDIN);
$resource = trim(file_get_contents(__DIR__ . '/data/words.txt'));
$socket = @stream_socket_server('udp://127.0.0.1:0', $code, $why, STREAM_SERVER_BIND);
$found = [Brain\\Words::package(), $resource, trim(shell_exec('echo child')),
          $socket ? 'socket' : 'refused'];
echo implode(' ', $found), "\\n";
flush();
""",
    "brain/Words.php": """<?php
namespace Brain;
class Words { static function package() { return 'package'; } }
""",
}

LUA = {
    "bot.toml": 'main = "bot.lua"\n',
    "bot.lua": """
package.path = arg[0]:match("^(.*)/") .. "/?.lua;" .. package.path
local words = require("brain.words")
io.read()
local file = assert(io.open("data/words.txt"))
local child = io.popen("echo child")
print(words.package() .. " " .. file:read() .. " " .. child:read())
io.flush()
""",
    "brain/words.lua": "return { package = function() return 'package' end }\n",
}

PERL = {
    "bot.toml": 'main = "bot.pl"\n',
    "bot.pl": """
use strict; use warnings;
use FindBin; use lib "$FindBin::Bin/lib";
use Brain::Words; use Socket;
$| = 1; <STDIN>;
open(my $file, '<', "$FindBin::Bin/data/words.txt") or die $!;
my @found = (Brain::Words::package_(), <$file>);
chomp(my $child = `echo child`);
chomp @found;
my $socket = socket(my $s, PF_INET, SOCK_STREAM, 0) ? 'socket'
           : $!{EACCES} ? 'refused' : "$!";
print join(' ', @found, $child, $socket), "\\n";
""",
    "lib/Brain/Words.pm": "package Brain::Words;\nsub package_ { 'package' }\n1;\n",
}

SHELL = {
    "bot.toml": 'main = "bot.sh"\n',
    "bot.sh": """
here=$(dirname "$0")
. "$here/brain/words.sh"
read -r line
resource=$(cat data/words.txt)
child=$(sh -c 'echo child')
echo "$(package) $resource $child"
""",
    "brain/words.sh": "package() { echo package; }\n",
}

AWK = {
    "bot.toml": 'run = ["gawk", "-f", "brain/words.awk", "-f", "bot.awk"]\n',
    "bot.awk": '{ getline word < "data/words.txt"; "echo child" | getline child\n'
    "  print package() , word, child; fflush() }\n",
    "brain/words.awk": 'function package() { return "package" }\n',
}

JAVA_BOT = """package bot;
import java.io.*;
import java.net.*;
import java.nio.file.*;

public class Bot {
    public static void main(String[] args) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in));
        in.readLine();
        var words = (Words) Class.forName("bot.brain." + "Secret").getConstructor().newInstance();
        var resource = new String(Bot.class.getResourceAsStream("/data/words.txt").readAllBytes());
        var found = new StringBuilder(words.say() + " " + resource.strip());
        var thread = new Thread(() -> found.append(" thread"));
        thread.start();
        thread.join();
        var child = new ProcessBuilder("echo", "child").start();
        found.append(" " + new String(child.getInputStream().readAllBytes()).strip());
        try {
            new ServerSocket(0).close();
            found.append(" socket");
        } catch (SocketException error) {
            found.append(error.getMessage().contains("denied") ? " refused" : error.getMessage());
        }
        System.out.println(found);
    }
}
"""

JAVA_SOURCES = {
    "src/bot/Bot.java": JAVA_BOT,
    "src/bot/Words.java": "package bot;\npublic interface Words { String say(); }\n",
    "src/bot/brain/Secret.java": "package bot.brain;\n"
    'public class Secret implements bot.Words { public String say() { return "package"; } }\n',
}

JAVA = {
    "bot.toml": 'main = "src/bot/Bot.java"\n',
    **JAVA_SOURCES,
    "src/data/words.txt": "resource\n",
    "test/bot/BotTest.java": "package bot;\nimport org.junit.Test;\nclass BotTest {}\n",
}

JAR = {
    "bot.toml": 'run = "java -jar bot.jar"\nbuild = ["sh", "-c", "'
    "javac -d out $(find src -name *.java) && "
    'jar cfe bot.jar bot.Bot -C out . -C . data"]\n',
    **JAVA_SOURCES,
}

C_BOT = """
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "words.h"
#include <project/shape.h>

static void *work(void *said) { return strcpy((char *)said, "thread"); }

static void first_line(FILE *file, char *line) {
    if (!file || !fgets(line, 50, file)) strcpy(line, "none");
    line[strcspn(line, "\\n")] = 0;
}

int main() {
    char request[100], resource[50], said[50], child[50];
    if (!fgets(request, sizeof request, stdin)) return 1;
    first_line(fopen("data/words.txt", "r"), resource);
    pthread_t thread;
    pthread_create(&thread, 0, work, said);
    pthread_join(thread, 0);
    first_line(popen("echo child", "r"), child);
    int made = socket(AF_INET, SOCK_STREAM, 0);
    const char *word = made >= 0 ? "socket" : errno == EACCES ? "refused" : strerror(errno);
    printf(SHAPE "\\n", package(), resource, said, child, word);
    fflush(stdout);
}
"""


def native(ending: str, guard: str) -> dict[str, str]:
    """A project of C or C++: sources in folders, headers beside them and in ``include``."""
    return {
        "bot.toml": f'main = "src/bot.{ending}"\n',
        f"src/bot.{ending}": C_BOT,
        f"src/brain/words.{ending}": '#include "words.h"\n'
        f'{guard} *package(void) {{ return "package"; }}\n',
        "src/brain/words.h": f"{guard} *package(void);\n",
        "include/project/shape.h": '#define SHAPE "%s %s %s %s %s"\n',
        f"src/tests/try.{ending}": "#error a test is no part of the program\n",
        f"src/tool.{ending}": "int main(void) { return 1; }\n",
    }


RUST = {
    "bot.toml": 'main = "src/main.rs"\n',
    "src/main.rs": """
mod brain;
use std::{io, net, process, thread};
fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let resource = include_str!("../data/words.txt").trim();
    assert_eq!(std::fs::read_to_string("data/words.txt").unwrap().trim(), resource);
    let said = thread::spawn(|| "thread").join().unwrap();
    let child = process::Command::new("echo").arg("child").output().unwrap().stdout;
    let word = match net::UdpSocket::bind("127.0.0.1:0") {
        Ok(_) => "socket".to_string(),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => "refused".to_string(),
        Err(e) => e.to_string(),
    };
    let child = String::from_utf8(child).unwrap();
    println!("{} {} {} {} {}", brain::words::package(), resource, said, child.trim(), word);
}
""",
    "src/brain/mod.rs": "pub mod words;\n",
    "src/brain/words.rs": 'pub fn package() -> &\'static str { "package" }\n',
}

GO = {
    "bot.toml": 'main = "main.go"\n',
    "go.mod": "module bot\n\ngo 1.18\n",
    "main.go": """package main

import (
	"bot/brain"
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

//go:embed data/words.txt
var resource string

func main() {
	bufio.NewReader(os.Stdin).ReadString('\\n')
	said := make(chan string)
	go func() { said <- "thread" }()
	child, _ := exec.Command("echo", "child").Output()
	word := "socket"
	if _, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0); err != nil {
		word = err.Error()
		if errors.Is(err, syscall.EACCES) {
			word = "refused"
		}
	}
	fmt.Println(brain.Package(), strings.TrimSpace(resource), <-said,
		strings.TrimSpace(string(child)), word, beside())
}
""",
    "beside.go": 'package main\n\nfunc beside() string { return "beside" }\n',
    "main_test.go": "package nonsense\n",
    "brain/words.go": 'package brain\n\nfunc Package() string { return "package" }\n',
}

CSHARP = {
    "bot.toml": 'main = "src/Bot.cs"\n',
    "src/Bot.cs": """
using System;
using System.IO;
using System.Threading;

static class Bot {
    static void Main() {
        Console.ReadLine();
        var found = Brain.Words.Package() + " " + File.ReadAllText("data/words.txt").Trim();
        var thread = new Thread(() => found += " thread");
        thread.Start();
        thread.Join();
        Console.WriteLine(found);
    }
}
""",
    "src/brain/Words.cs": """
namespace Brain { static class Words { public static string Package() { return "package"; } } }
""",
    "test/Test.cs": "no C# at all",
}

MONO = {"mcs": "mono-mcs", "mono": "mono-runtime"}
JDK = {"javac": "default-jdk-headless"}

PROJECTS = (
    Project("python", {}, PYTHON),
    Project("javascript", {"node": "nodejs"}, JAVASCRIPT),
    Project("ruby", {"ruby": "ruby"}, RUBY),
    Project("php", {"php": "php-cli"}, PHP, "package resource child socket"),
    Project("lua", {"lua5.4": "lua5.4"}, LUA, "package resource child"),
    Project("perl", {"perl": "perl"}, PERL, "package resource child socket"),
    Project("shell", {"bash": "bash"}, SHELL, "package resource child"),
    Project("awk", {"gawk": "gawk"}, AWK, "package resource child"),
    Project("java", JDK, JAVA),
    Project("jar", {**JDK, "jar": "default-jdk-headless"}, JAR),
    Project("c", {"gcc": "gcc"}, native("c", "const char")),
    Project("cpp", {"g++": "g++"}, native("cpp", "const char")),
    Project(
        "csharp", {"mcs": "mono-mcs", "mono": "mono-runtime"}, CSHARP, "package resource thread"
    ),
    Project("rust", {"rustc": "rustc"}, RUST),
    Project("go", {"go": "golang-go"}, GO, "package resource thread child socket beside"),
)
