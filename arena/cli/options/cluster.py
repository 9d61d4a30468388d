"""How a cluster is reached: its address, and the file with a key."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from arena.cli.options.files import FilePath
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.cluster.pool import ClusterPool
    from arena.runtime.pool import Pool

F = TypeVar("F", bound=Callable[..., Any])


def key_option(command: F) -> F:
    """Add ``--key``."""
    return click.option("--key", type=FilePath(), help="The key of this end (arena cluster keys).")(
        command
    )


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of ``HOST:PORT``. Raises UsageError."""
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port is None or parts.netloc != address or "@" in address:
        raise UsageError(f"{address!r} is no address: give HOST:PORT, as in 127.0.0.1:8786")
    return host, port


def open_pool(address: str, key: Path | None, tell: Callable[[str], None]) -> ClusterPool:
    """The pool of a judge that listens at that address, not yet open. Raises UsageError."""
    host, port = host_and_port(address)
    if key is None:
        raise UsageError(
            "--cluster needs --key judge.pem: make the keys with arena cluster keys DIR"
        )
    from arena.cluster.pool import ClusterPool

    return ClusterPool(host, port, key, tell=tell)


def opener(pool: ClusterPool) -> Callable[[int], AbstractContextManager[Pool]]:
    """What gives a judge that pool, which stays open."""
    return lambda jobs: nullcontext(pool)
