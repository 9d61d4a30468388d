"""What may go wrong, by id: each case with the levels of isolation under which it is tested.

`off` is no walls at all, `strict` the strongest level of the machine. A case without levels is
about the arena itself, where the level makes no difference; a missing level has its reason.
`test_table` proves that every case has its tests and every test its case.
"""

from __future__ import annotations

from typing import NamedTuple

BOTH = ("off", "strict")
STRICT = ("strict",)
OFF = ("off",)
ARENA = ()

NO_WALLS = "without walls a program has all rights of its user"
PURE = "decided by the arena's own code on a mock clock; no program is needed"
HOST = "about the arena and its machine, not about a bot's walls"
KERNEL = "only a control group counts it"


class Case(NamedTuple):
    """One case: what happens in it, and where it is tested."""

    meaning: str
    levels: tuple[str, ...] = BOTH
    why: str = ""
    """Why a level is left out."""


CASES = {
    # What comes out of a program
    "P01": Case("endless output without a newline"),
    "P02": Case("a single line of a gigabyte"),
    "P03": Case("half a line, and the rest after the deadline"),
    "P04": Case("an answer that drips byte by byte"),
    "P05": Case("endless blank lines and comments"),
    "P06": Case("stdout closed by a program that runs on"),
    "P07": Case("stdin closed by a program that goes on answering"),
    "P08": Case("a program that does not read, with more to tell it than a pipe holds"),
    "P09": Case("an answer before its request"),
    "P10": Case("two answers to one request"),
    "P11": Case("an answer after its time"),
    "P12": Case("an answer in the very moment of the deadline", ARENA, PURE),
    "P13": Case("an answer followed at once by the exit"),
    "P14": Case("lines that end with CR LF"),
    "P15": Case("characters that only look like line ends"),
    "P16": Case("bytes that are not UTF-8"),
    "P17": Case("a NUL in an answer"),
    "P18": Case("terminal commands and markup in answers and on stderr"),
    "P19": Case("a number of very many digits"),
    "P20": Case("numbers that only look like numbers"),
    "P21": Case("brackets nested without end"),
    "P22": Case("an answer of nothing or of blanks"),
    "P23": Case("endless noise on stderr"),
    "P24": Case("an exit in the middle of a line"),
    # Time
    "T01": Case("a program that never answers at all"),
    "T02": Case("sixteen threads that compute for ever"),
    "T03": Case("computing while others think"),
    "T04": Case("computing in a daemon while others think", STRICT, KERNEL),
    "T05": Case("a program that waits in epoll is not interrupted, since nothing is frozen"),
    "T06": Case("nearly the whole time bank, at every move"),
    "T07": Case("a time bank that ran out because the arena stood still", ARENA, HOST),
    "T08": Case("a claim to a better priority or scheduler"),
    # Memory, processes, files
    "R01": Case("memory taken as fast as it comes"),
    "R02": Case("memory taken slowly across the limit"),
    "R03": Case("memory taken by a child while the parent waits"),
    "R04": Case("every writable place filled", STRICT, NO_WALLS),
    "R05": Case("memory hidden where no process owns it", STRICT, NO_WALLS),
    "R06": Case("a fork bomb"),
    "R07": Case("a chain of forks and exits, and children that no process waits for"),
    "R08": Case("a bomb of threads", STRICT, "threads are counted by the kernel only"),
    "R09": Case("very many open files and sockets", STRICT, NO_WALLS),
    "R10": Case("files too large, full of holes, or too many"),
    "R11": Case("a core dump"),
    "R12": Case("memory locked in place", STRICT, NO_WALLS),
    "R13": Case("the system's files read through the page cache"),
    "R14": Case("Java knows how much memory it may have"),
    "R15": Case("runtimes that reserve much address space start and play"),
    "R16": Case("processor time burnt in children of a few milliseconds"),
    "R17": Case("memory that belongs to no process", STRICT, NO_WALLS),
    "R18": Case("signals that wait until their user may have no more", STRICT, NO_WALLS),
    # Endings
    "K01": Case("a program that ignores every polite signal and the end of its input"),
    "K02": Case("a daemon in a session of its own"),
    "K03": Case("the program leaves, its daemon holds stdout open"),
    "K04": Case("a daemon that holds all pipes when its program is shut down"),
    "K05": Case("a program that stops itself"),
    "K06": Case("a program that kills its parent and the first process", STRICT, NO_WALLS),
    "K07": Case("a program that kills everything it can", STRICT, NO_WALLS),
    "K08": Case("matches that are given up within milliseconds of their start"),
    "K09": Case("a program that sits still for longer than a thread of Trio lives"),
    "K10": Case("exits of every kind in the middle of a match"),
    "K11": Case("a program that starts itself anew from each crash"),
    "K12": Case("a program that no signal can end", ARENA, HOST),
    "K13": Case("a process number that belongs to another program by now", ARENA, HOST),
    "K14": Case("blocked in vfork, under a tracer, or without its first thread"),
    "K15": Case("memory that the kernel takes seconds to take down", STRICT, KERNEL),
    # Looking at others
    "S01": Case("tracing, reading or robbing another process"),
    "S02": Case("another process through /proc"),
    "S03": Case("the rival's files, the record, and secrets on the disk"),
    "S04": Case("the network"),
    "S05": Case("sockets of the host"),
    "S06": Case("two bots of one author, and channels that have names"),
    "S07": Case("descriptors and environment that were inherited"),
    "S08": Case("more rights through namespaces, mounts and set-user-id programs"),
    "S09": Case("rare system calls and other kinds of them"),
    "S10": Case("key presses put into the operator's terminal"),
    "S11": Case("a symbolic link where the arena might write or read"),
    "S12": Case("a program that takes the arena's name"),
    "S13": Case("a program that changes its own files for the next match"),
    "S14": Case("a program that wants to be the last to die for memory"),
    "S15": Case("names and words made to be taken for commands"),
    "S16": Case("counters of the whole machine", STRICT, NO_WALLS),
    # The operator, the machine and bad luck
    "O01": Case("the arena killed in the middle of a series", ARENA, HOST),
    "O03": Case("a full disk", ARENA, HOST),
    "O05": Case("a wall clock that jumps", ARENA, HOST),
    "O07": Case("Ctrl-C once and twice, SIGTERM, SIGHUP, a closed terminal", ARENA, HOST),
    "O11": Case("a machine with too much to do", ARENA, HOST),
    "O12": Case("more matches at a time than descriptors or processes allow", ARENA, HOST),
    "O13": Case("no bubblewrap, or no user namespaces", ARENA, HOST),
    "O14": Case("a control group changed by another program", STRICT, KERNEL),
    "O15": Case("what a dead arena left behind"),
    "O17": Case("typing errors in options and settings", ARENA, HOST),
    "O19": Case("an arena that runs as root", STRICT, NO_WALLS),
    "O20": Case("a poor environment: no home, another locale, odd masks, a folder without exec"),
}
