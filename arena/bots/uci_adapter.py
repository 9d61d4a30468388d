"""The program between the arena and a chess engine that speaks UCI. It starts the engine as its
child, so that both are one bot, with one set of walls and limits, and one clock.

Its arguments: how many words the command of the engine has, these words, the milliseconds that it
keeps back of each time bank, and the options of the engine as ``NAME=VALUE``, or ``--name=value``
with ``_`` or ``-`` for blanks.

It is run by its text (``python -I -S -c``) and imports nothing that takes time: Python starts in
some 10 ms, while the engine does.
"""

import os
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

UCI_PATIENCE = 60
"""Seconds in which an engine must say that it is ready."""
UCI_DOUBT = 5
"""Seconds of silence after which its author is told. Nothing but its end is a sure sign that a
program speaks no UCI, since an engine may take long to load."""
SEEN_BEFORE = 2000
"""Bytes before the move in which the engine's last words on it are looked for."""
SIGPIPE = 13  # to import signal takes 3 ms


class Engine:
    """A program that speaks UCI."""

    def __init__(self, command: list[str]) -> None:
        self.name = os.path.basename(command[0])
        ours, self.input = os.pipe()
        self.output, theirs = os.pipe()
        pipes = [(os.POSIX_SPAWN_DUP2, ours, 0), (os.POSIX_SPAWN_DUP2, theirs, 1)]
        try:
            self.pid = os.posix_spawnp(
                command[0], command, os.environ, file_actions=pipes, setsigdef=[SIGPIPE]
            )
        except OSError as error:
            give_up(f"cannot start {command[0]}: {error.strerror}")
        os.close(ours)
        os.close(theirs)

    def send(self, commands: str) -> None:
        """Send commands with one write."""
        try:
            os.write(self.input, commands.encode())
        except BrokenPipeError:
            self.end()

    def read_until(self, word: str, patience: "int | None" = None) -> "tuple[str, str]":
        """What the engine writes up to the line that begins with the word (all of it where it has
        limited patience, otherwise the end of it), and that line. Lines between are not parsed:
        an engine writes hundreds while it thinks."""
        mark, found = b"\n" + word.encode(), b"\n"
        while True:
            at = found.find(mark)
            if at >= 0 and (end := found.find(b"\n", at + 1)) >= 0:
                said = found[:at].decode(errors="replace")
                return said, found[at:end].decode(errors="replace").strip()
            if patience is not None and not self.has_said(word, patience):
                give_up(f"{self.name} does not say {word}: it is no engine that speaks UCI")
            more = os.read(self.output, 1 << 16)
            if not more:
                self.end()
            if patience is None and at < 0:
                found = found[-SEEN_BEFORE:]
            found += more

    def has_said(self, word: str, patience: float) -> bool:
        """Wait for output, with a message on stderr if there is none for a while."""
        doubt = min(UCI_DOUBT, patience)
        if select.select([self.output], [], [], doubt)[0]:
            return True
        told = f"uci: {self.name} has not said {word} within {doubt} s: does it speak UCI?"
        print(told, file=sys.stderr, flush=True)
        return bool(select.select([self.output], [], [], patience - doubt)[0])

    def end(self) -> "NoReturn":
        """End as the engine has ended."""
        status = os.waitpid(self.pid, 0)[1]
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        give_up(f"{self.name} has ended", os.WEXITSTATUS(status) or 1)


def give_up(problem: str, status: int = 1) -> "NoReturn":
    """End with a message on stderr."""
    print(f"uci: {problem}", file=sys.stderr, flush=True)
    os._exit(status)


def plain(name: str) -> str:
    """The name of an option without what does not count: case, and kinds of blanks."""
    return name.lower().replace("-", " ").replace("_", " ").strip()


def options_of(said: str) -> "dict[str, str]":
    """The options that an engine has, by their plain names."""
    found = {}
    for line in said.splitlines():
        words = line.split()
        if words[:2] == ["option", "name"] and "type" in words:
            name = " ".join(words[2 : words.index("type")])
            found[plain(name)] = name
    return found


def commands_for(given: "list[str]", known: "dict[str, str]") -> str:
    """The commands that set options."""
    commands = ""
    for text in given:
        name, _, value = text.removeprefix("--").partition("=")
        if plain(name) not in known:
            from difflib import get_close_matches

            near = get_close_matches(plain(name), known, 1)
            has = ", ".join(known.values()) or "none"
            advice = f"did you mean {known[near[0]]!r}?" if near else f"it has {has}"
            give_up(f"the engine has no option {name!r}: {advice}")
        commands += f"setoption name {known[plain(name)]}"
        commands += f" value {value}\n" if value else "\n"
    return commands


def play(engine: Engine, overhead: int) -> None:
    """A match, to the end of the input."""
    increment, position, unread, is_scored = 0, "", b"", False
    while more := os.read(0, 1 << 16):
        *lines, unread = (unread + more).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words[:2] == ["settings", "time_per_move"]:
                increment = int(words[2])
            elif words == ["settings", "chess960", "true"]:
                engine.send("setoption name UCI_Chess960 value true\n")
            elif words[:2] in (["settings", "resign_moves"], ["settings", "draw_moves"]):
                is_scored = is_scored or words[2] != "0"
            elif words[:1] == ["position"]:
                position = line.decode()
            elif words[:2] == ["go", "move"]:
                if not position:
                    give_up("the arena told no position: engines play openspiel:chess alone")
                left = max(1, int(words[2]) - overhead)
                clocks = f"wtime {left} btime {left} winc {increment} binc {increment}"
                think(engine, position, clocks, is_scored)


def think(engine: Engine, position: str, clocks: str, is_scored: bool) -> None:
    """Let the engine think, and answer, with its score where matches are adjudicated by scores.
    Its last words on the move go to stderr."""
    engine.send(f"{position}\ngo {clocks}\n")
    said, best = engine.read_until("bestmove")
    infos = [line for line in said.splitlines() if line.startswith("info") and " score " in line]
    best_lines = [line for line in infos if " multipv " not in line or " multipv 1 " in line]
    last = best_lines[-1].removeprefix("info ") if best_lines else ""
    score = last.partition(" score ")[2].split()[:2]
    answer = [[*best.split(), "0000"][1]]
    if is_scored and score[:1] in (["cp"], ["mate"]):
        answer += score
    os.write(1, f"{' '.join(answer)}\n".encode())
    if last:
        os.write(2, f"{last[:200]}\n".encode())


def main() -> None:
    """Start the engine, and play."""
    count = int(sys.argv[1])
    command, (overhead, *given) = sys.argv[2 : 2 + count], sys.argv[2 + count :]
    engine = Engine(command)
    engine.send("uci\n")
    said, _ = engine.read_until("uciok", UCI_PATIENCE)
    engine.send(f"{commands_for(given, options_of(said))}ucinewgame\nisready\n")
    engine.read_until("readyok", UCI_PATIENCE)
    play(engine, int(overhead))
    engine.send("quit\n")
    os.waitpid(engine.pid, 0)


if __name__ == "__main__":
    main()
