"""What a process holds by its descriptors, in no memory of its own.

* What waits in *pipes*. The kernel keeps it to 64 MiB for each user, and 8 KiB for each one more.
* The *watches* of its epolls. The kernel lets a user have as many as fit into a 25th of the memory:
  a bot that takes them all makes every other program of that user fail. So each counts as its part
  of the machine's memory: a bot may have the part of the watches that its memory limit is of all.

A process with few descriptors is not looked at (2 µs); one with many costs 1.5 µs for each. 256
processes of `FREE` descriptors hold 96 MiB in pipes and 65,536 watches.
"""

from __future__ import annotations

import os
from functools import cache

FREE = 32
"""Descriptors of one process that do not count; runtimes have fewer."""
PIPE = 1 << 16
"""Bytes that wait in one pipe at most, unless it is made larger (then fewer are as large)."""
QUOTA = "/proc/sys/fs/epoll/max_user_watches"
EPOLL = "anon_inode:[eventpoll]"


def held_by(pid: int, pipes: set[str]) -> int:
    """Bytes, without those in `pipes`, which are those of other processes; its own are added."""
    links = _links(pid)
    fresh = {link for link in links if link.startswith("pipe:")} - pipes
    pipes |= fresh
    return len(fresh) * PIPE + links.count(EPOLL) * len(links) * price_of_watch()


def _links(pid: int) -> list[str]:
    """What its descriptors are, if they are many (before Linux 6.2 their number is not told)."""
    folder = f"/proc/{pid}/fd"
    try:
        if 0 < os.stat(folder).st_size <= FREE:
            return []
        links = [_link(f"{folder}/{name}") for name in os.listdir(folder)]
    except OSError:  # it is gone
        return []
    return links if len(links) > FREE else []


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


@cache
def price_of_watch() -> int:
    """Bytes of the machine's memory for each watch that a user may have."""
    try:
        with open(QUOTA) as file:
            quota = int(file.read())
    except (OSError, ValueError):  # this kernel has no epoll
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // max(quota, 1)
