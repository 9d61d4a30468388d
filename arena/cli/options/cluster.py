"""The options that say how a cluster is reached: its keys."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit

import click

from arena.errors import UsageError
from arena.runtime.pool import Pool

F = TypeVar("F", bound=Callable[..., Any])
MISSING = "a cluster needs the library distributed: pip install '.[cluster]' in a clone"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def tls_options(command: F) -> F:
    """Add ``--tls-ca``, ``--tls-cert`` and ``--tls-key``."""
    for name, what in (
        ("key", "The key of that certificate."),
        ("cert", "The certificate of this machine, signed by it."),
        ("ca", "For tls://: the authority of the cluster, as a PEM file."),
    ):
        command = click.option(f"--tls-{name}", type=click.Path(exists=True), help=what)(command)
    return command


def security(address: str, tls_ca: str | None, tls_cert: str | None, tls_key: str | None) -> Any:
    """How to talk to the scheduler at that address; None for a plain connection on this machine.

    Raises UsageError for another machine without keys: what can reach a scheduler can run any
    program on its workers.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or _port(parts) is None:
        raise UsageError(
            f"{address!r} is no address of a scheduler: give tcp://HOST:PORT or tls://HOST:PORT"
        )
    given = [one for one in (tls_ca, tls_cert, tls_key) if one]
    if parts.scheme == "tcp":
        if parts.hostname not in LOOPBACK:
            raise UsageError(
                f"{address} is open to all that can reach it, who could run any program on the "
                "workers: use tls:// with --tls-ca, --tls-cert and --tls-key"
            )
        return None
    if len(given) < 3:
        raise UsageError("tls:// needs --tls-ca, --tls-cert and --tls-key")
    from distributed import Security

    keys = {
        f"tls_{role}_{kind}": path
        for role in ("client", "worker", "scheduler")
        for kind, path in (("cert", tls_cert), ("key", tls_key))
    }
    return Security(tls_ca_file=tls_ca, require_encryption=True, **keys)


def pool(
    address: str, tell: Callable[[str], None], **tls: str | None
) -> Callable[[int], AbstractContextManager[Pool]]:
    """What opens the pool of the cluster at that address. Raises UsageError as `security` does, and
    where the library for clusters is missing."""
    keys = security(address, **tls)
    try:
        from arena.cluster.pool import ClusterPool
    except ImportError:
        raise UsageError(MISSING) from None

    return lambda jobs: ClusterPool(address, security=keys, tell=tell)


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        return None
