"""A program that breaks one promise, named on its command line, and else plays along::

    python hostile.py SIN [ROUND]

It answers every request with 1 (in all games something legal or harmless) and commits its sin at
request ROUND (the third unless said). Run by the tests as a real process.
"""

import os
import signal
import subprocess
import sys
import threading
import time


def out(text: str) -> None:
    """Write to stdout at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def sleep_for_ever() -> None:
    """Live on until killed."""
    while True:
        time.sleep(60)


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
    """30 MB of noise, then the answer."""
    for _ in range(30):
        os.write(2, b"e" * (1 << 20))
    out("1\n")


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


def eat_slowly() -> None:
    """1 MB every 10 ms."""
    hoard = []
    while True:
        hoard.append(os.urandom(1 << 12) * (1 << 8))
        time.sleep(0.01)


def family() -> None:
    """Share 60 MB with four children, and play on: nobody uses more than those 60 MB."""
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
    for _ in range(300):
        threading.Thread(target=sleep_for_ever, daemon=True).start()
    out("1\n")


def burn() -> None:
    """Answer, and go on thinking for ever."""
    out("1\n")
    while True:
        pass


def main() -> None:
    """Play along until the request that was named."""
    sin = globals()[sys.argv[1]]
    when = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    request = 0
    for line in sys.stdin:
        if line.startswith(("go", "pick_starting_region")):
            request += 1
            if request == when:
                sin()
            else:
                out("1\n")


if __name__ == "__main__":
    main()
