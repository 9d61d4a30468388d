"""A program that breaks one promise, named on its command line, and else plays along::

    python bot.py SIN [ROUND [ARGUMENT]]

It answers every request with 1 (in all games something legal or harmless) and commits its sin at
request ROUND (the third unless said; 0: before it reads anything). A SIN with a dot, such as
``hog.fill_disk``, is a function of a module beside this file. Run by the tests as a real process.

What few sins need is imported by them: it would be half of the CPU time of every other match.
"""

import fcntl
import os
import resource
import signal
import sys
import time
from collections.abc import Callable

F_SETSIG = 10
"""Of ``fcntl`` on Linux: the signal that tells of a descriptor."""
request_line = ""
"""The request that is answered by the sin."""


def out(text: str) -> None:
    """Write to stdout at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def raw(data: bytes) -> None:
    """Bytes to stdout, whatever they mean."""
    os.write(1, data)


def sleep_for_ever() -> None:
    """Live on until killed."""
    while True:
        time.sleep(60)


def bank() -> float:
    """Seconds left, as the request says."""
    return int(request_line.split()[-1]) / 1000


def play_on() -> None:
    """Answer everything from here to the end of input."""
    for line in sys.stdin:
        if line.startswith(("go", "pick_starting_region")):
            out("1\n")


def report(name: str, act: Callable[[], object]) -> None:
    """Try it, and say on stderr how it went."""
    try:
        act()
        print(f"ATTEMPT {name} ok", file=sys.stderr, flush=True)
    except (OSError, ValueError) as error:
        print(f"ATTEMPT {name} refused {error}", file=sys.stderr, flush=True)


# -- output --------------------------------------------------------------------------------------


def deaf() -> None:
    """Never read again, never answer."""
    sleep_for_ever()


def mute() -> None:
    """Read on, and never answer again."""
    for _ in sys.stdin:
        pass


def late() -> None:
    """Answer once, half a second too late, then play on."""
    time.sleep(1.5)
    out("1\n")


def flood() -> None:
    """Write for ever, without a newline."""
    while True:
        os.write(1, b"x" * 65536)


def flood_lines() -> None:
    """Write lines for ever."""
    while True:
        os.write(1, b"1\n" * 30000)


def flood_stderr() -> None:
    """30 MiB of noise, then the answer."""
    for _ in range(30):
        os.write(2, b"e" * (1 << 20))
    out("1\n")


def flood_blank() -> None:
    """Write blank lines and comments for ever."""
    while True:
        os.write(1, b"\n# nothing\n" * 3000)


def huge_line() -> None:
    """One line of a gigabyte."""
    for _ in range(1 << 10):
        os.write(1, b"1" * (1 << 20))
    out("\n")


def half_a_line() -> None:
    """Half an answer, the rest of it after the deadline, and then back to order."""
    out("7")
    time.sleep(bank() + 0.1)
    out("7\n")


def drip() -> None:
    """One byte every 100 ms."""
    while True:
        out("1")
        time.sleep(0.1)


def early() -> None:
    """An answer, and soon after it one to a request that has not come."""
    out("1\n")
    time.sleep(0.1)
    out("7\n")


def twice() -> None:
    """Two answers in one write."""
    out("1\n7\n")


def late_by_bank() -> None:
    """An answer of 7 after the deadline."""
    time.sleep(bank() + 0.1)
    out("7\n")


def answer_and_leave() -> None:
    """The answer, and at once the exit."""
    raw(b"1\n")
    os._exit(0)


def half_a_line_and_leave() -> None:
    """An answer without its newline, and the exit."""
    raw(b"1")
    os._exit(0)


def say() -> None:
    """What the third argument is, with its escapes."""
    raw(sys.argv[3].encode().decode("unicode_escape").encode("latin-1") + b"\n")


def digits() -> None:
    """A number as long as a line may be."""
    out("9" * 60_000 + "\n")


def million_digits() -> None:
    """A number of a million digits."""
    out("9" * 10**6 + "\n")


def nested() -> None:
    """JSON that is all brackets."""
    out("[" * 60_000 + "\n")


def shout_at_the_terminal() -> None:
    """Escape sequences and markup in an answer and on stderr."""
    text = "\x1b[31m\x1b]0;owned\x07<script>alert(1)</script>=cmd|' /C calc'!A0"
    print(text, file=sys.stderr, flush=True)
    out(text + "\n")


# -- time ----------------------------------------------------------------------------------------


def nearly_the_bank() -> None:
    """From now on, use nearly the whole bank for each answer."""
    global request_line
    time.sleep(bank() - 0.3)
    out("1\n")
    for line in sys.stdin:
        if line.startswith("go"):
            request_line = line
            time.sleep(max(0.0, bank() - 0.3))
            out("1\n")


def ponder() -> None:
    """Answer, and go on computing while others think."""
    import threading

    threading.Thread(target=compute, daemon=True).start()
    out("1\n")


def ponder_in_a_daemon() -> None:
    """Answer, and let a child in a session of its own do the computing."""
    if os.fork() == 0:
        os.setsid()
        compute()
    out("1\n")


def compute() -> None:
    """Compute for ever."""
    while True:
        sum(range(1000))


def claim_the_machine() -> None:
    """Ask for the best priority and scheduler there is. First: what it was given."""
    print(f"COUNT class {os.sched_getscheduler(0)}", file=sys.stderr)
    bounded = resource.getrlimit(resource.RLIMIT_RTTIME)[0] != resource.RLIM_INFINITY
    print(f"COUNT bounded {int(bounded)}", file=sys.stderr)
    cores = set(range(os.cpu_count() or 1))
    report("nice", lambda: os.nice(-5))
    report("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
    report("affinity", lambda: os.sched_setaffinity(0, cores))
    out("1\n")


# -- endings -------------------------------------------------------------------------------------


def leave() -> None:
    """Exit in the middle, with a last word."""
    print("I am off", file=sys.stderr)
    sys.exit(0)


def crash() -> None:
    """An uncaught exception."""
    raise RuntimeError("the plan failed")


def segfault() -> None:
    """As a bug in C would."""
    os.kill(os.getpid(), signal.SIGSEGV)


def eat() -> None:
    """Take memory as fast as it comes."""
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1 << 12) * (1 << 11)))


def eat_in_child() -> None:
    """Let a child take it."""
    if os.fork() == 0:
        eat()
    out("1\n")


def daemon() -> None:
    """Leave a child in a session of its own, parent gone, and play on."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            sleep_for_ever()
        os._exit(0)
    os.wait()
    out("1\n")


def daemon_holds_stdout() -> None:
    """Leave at once; a daemon keeps stdout open."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            sleep_for_ever()
        os._exit(0)
    os.wait()
    os._exit(0)


def deep_tree() -> None:
    """Children of children, all with pipes to nowhere, then play on."""
    import subprocess

    script = "import subprocess, sys, time; n = int(sys.argv[1])\n"
    script += (
        "n and subprocess.Popen([sys.executable, '-c', sys.argv[2], str(n - 1), sys.argv[2]])\n"
    )
    script += "time.sleep(1000)"
    subprocess.Popen([sys.executable, "-c", script, "3", script])
    time.sleep(0.3)
    out("1\n")


def stubborn() -> None:
    """Ignore every signal that can be ignored, and the end of input."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    out("1\n")
    for line in sys.stdin:
        if line.startswith("go"):
            out("1\n")
    sleep_for_ever()


def stop_itself() -> None:
    """As if suspended."""
    os.kill(os.getpid(), signal.SIGSTOP)


def close_stdout() -> None:
    """Close it and run on."""
    os.close(1)
    sleep_for_ever()


def close_stdin() -> None:
    """Close it and go on answering."""
    os.close(0)
    while True:
        out("1\n")
        time.sleep(0.05)


def daemon_then_flood() -> None:
    """Leave a daemon that holds all pipes, and be shut down for a flood."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            sleep_for_ever()
        os._exit(0)
    os.wait()
    flood()


def exit_with() -> None:
    """Leave with the exit status in the third argument; a negative one is a signal."""
    print("last words", file=sys.stderr, flush=True)
    code = int(sys.argv[3])
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


def idle() -> None:
    """Do nothing for as many seconds as the third argument says, then answer."""
    time.sleep(float(sys.argv[3]))
    out("1\n")


def signal_by_descriptor() -> None:
    """Have the kernel kill the parent as soon as one of the pipes can be read or written."""
    for pipe in (0, 1, 2):
        for command, value in ((fcntl.F_SETOWN, os.getppid()), (F_SETSIG, signal.SIGKILL)):
            fcntl.fcntl(pipe, command, value)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    out("1\n")


def kill_the_parent() -> None:
    """Kill the process that started this, the process group, and the first process."""
    from functools import partial

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for pid in (os.getppid(), 1):
        if pid > 0:
            report("kill_" + ("init" if pid == 1 else "parent"), partial(os.kill, pid, 9))
    out("1\n")


def kill_everything() -> None:
    """kill(-1, SIGKILL), but only where the process of the test (third argument) is out of reach:
    without walls this would end the whole machine's work."""
    try:
        os.kill(int(sys.argv[3]), 0)
    except ProcessLookupError:
        print("ATTEMPT see_the_host refused", file=sys.stderr, flush=True)
        os.kill(-1, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    except PermissionError:
        pass
    out("1\n")


def shrink_pipe() -> None:
    """Make the pipe of stdin as small as can be, and read it no more."""
    fcntl.fcntl(0, 1031, 4096)  # F_SETPIPE_SZ
    sleep_for_ever()


def eat_slowly() -> None:
    """1 MiB every 10 ms."""
    hoard = []
    while True:
        hoard.append(os.urandom(1 << 12) * (1 << 8))
        time.sleep(0.01)


def family() -> None:
    """Share 60 MiB with four children, and play on: together they use no more than those 60 MiB."""
    hoard = bytearray(b"x") * (60 << 20)
    for _ in range(4):
        if os.fork() == 0:
            sleep_for_ever()
    time.sleep(0.5)
    out(f"{hoard[0] - ord('w')}\n")


def fork_bomb() -> None:
    """600 sleeping children, then play on."""
    for _ in range(600):
        if os.fork() == 0:
            sleep_for_ever()
    out("1\n")


def thread_bomb() -> None:
    """300 sleeping threads, then play on."""
    import threading

    for _ in range(300):
        threading.Thread(target=sleep_for_ever, daemon=True).start()
    out("1\n")


def burn() -> None:
    """Answer, and go on thinking for ever."""
    out("1\n")
    while True:
        pass


def find(name: str) -> Callable[[], None]:
    """The sin of that name, here or in a module beside this file."""
    module, _, function = name.rpartition(".")
    place = vars(__import__(module)) if module else globals()
    sin: Callable[[], None] = place[function]
    return sin


def main() -> None:
    """Play along until the request that was named."""
    global request_line
    sin = find(sys.argv[1])
    when = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    request = 0
    if when == 0:
        sin()
    for line in sys.stdin:
        if line.startswith(("go", "pick_starting_region")):
            request += 1
            request_line = line
            if request == when:
                sin()
            else:
                out("1\n")


if __name__ == "__main__":
    main()
