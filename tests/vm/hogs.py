"""Bots of Warlight that use memory, for the guest: ``python3 hogs.py KIND``.

* ``big`` is innocent: one process of 200 MiB, far below its limit.
* ``forks`` exceeds a limit of 64 MiB with children of which none is large.
* ``fills`` fills a small machine with small processes, none of which is the largest.
"""

import os
import signal
import sys
import time

KEPT: list[bytes] = []
"""What the parent holds."""


def child(megabytes: int) -> None:
    if os.fork() == 0:
        KEPT.append(b"x" * (megabytes << 20))
        signal.pause()


def act(kind: str, request: int) -> None:
    if kind == "big" and request == 1:
        KEPT.append(b"x" * (200 << 20))
    if kind == "forks" and request == 5:
        for _ in range(40):
            child(16)
        time.sleep(0.3)
    if kind == "fills" and request in (5, 6):
        for _ in range(60):
            child(8)
        time.sleep(0.5)


def main() -> None:
    request = 0
    for line in sys.stdin:
        if line.startswith(("pick_", "go ")):
            request += 1
            act(sys.argv[1], request)
            print(line.split()[2] if line.startswith("pick_") else "No moves", flush=True)


main()
