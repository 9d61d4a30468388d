"""Run a site: its server, and for each contest the examiner of uploads and the judge."""

from __future__ import annotations

import asyncio
import signal
import socket
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path

import anyio

from arena.errors import UsageError
from arena.league.bots import hand_in_each
from arena.league.league import League
from arena.site import accounts, deeds, public, uploads
from arena.site.app import make_app
from arena.site.contest import Contest, require_different
from arena.site.pages import SiteAddress
from arena.site.workers import clear_drafts, examine_all, host_all, judge_all, tidy
from arena.web.http import Bounds, serve

BOUNDS = Bounds(
    connections=512,
    by_address=192,  # thirty browsers of a class behind one address, with six connections each
    idle=10,
    body=uploads.LARGEST + uploads.ENVELOPE,
)
"""What all clients of a site may take. A proxy in front of it has bounds of its own."""
BACKLOG = 512
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_site(
    paths: Sequence[Path],
    listening: socket.socket,
    address: SiteAddress,
    *,
    jobs: int = 1,
    examiners: int = 1,
    judge: bool = True,
    tell: Callable[[str], None],
    traceback_of: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve leagues on a socket of `listen` until Ctrl-C or SIGTERM; `address` is how browsers
    reach it. `examiners` uploads are examined at a time for each league; with `judge` matches are
    played beside it, `jobs` at a time for each league.

    Raises UsageError for what cannot be served.
    """
    require_different(list(paths))
    with ExitStack() as stack:
        contests = [stack.enter_context(Contest(path)) for path in paths]
        app = make_app({one.slug: one for one in contests}, address)

        def failed(error: Exception) -> None:
            tell(f"a page failed: {type(error).__name__}")
            traceback_of("".join(traceback.format_exception(error)))

        async def main() -> None:
            stop = asyncio.Event()
            with anyio.open_signal_receiver(*STOPPING) as signals:
                async with anyio.create_task_group() as nursery:
                    for contest in contests:
                        clear_drafts(contest.path)
                        nursery.start_soon(examine_all, contest, examiners, tell)
                        nursery.start_soon(host_all, contest, tell)
                        nursery.start_soon(tidy, contest)
                        if judge:
                            nursery.start_soon(judge_all, contest, jobs, tell)
                    nursery.start_soon(_stop_at, signals, stop)
                    for contest in contests:
                        tell(f"{contest.path}: {address.url}/{contest.slug}/")
                    await serve(
                        app,
                        listening,
                        stop,
                        BOUNDS,
                        proxied=is_proxied(listening, address),
                        failed=failed,
                    )
                    nursery.cancel_scope.cancel()

        asyncio.run(main())


def is_proxied(listening: socket.socket, address: SiteAddress) -> bool:
    """Whether clients come by a proxy on this machine: the site listens here alone, and browsers
    reach it by another name."""
    here = ip_address(listening.getsockname()[0]).is_loopback
    return here and not any(
        host.startswith(("127.", "localhost", "[::1]")) for host in address.hosts
    )


async def _stop_at(signals: AsyncIterator[int], stop: asyncio.Event) -> None:
    async for _ in signals:
        stop.set()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises UsageError."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on {host}:{port}: {why}: choose another --port") from None


def address_of(host: str, port: int, url: str | None) -> SiteAddress:
    """How browsers reach the site. Raises UsageError when that must be said, or is no address."""
    if url is None:
        if host not in ("127.0.0.1", "::1", "localhost"):
            raise UsageError(
                f"with --host {host} the site must know its address, which it compares with what "
                f"browsers send: add --url https://cup.example.org (or http://NAME:{port})"
            )
        return SiteAddress("http", (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"))
    scheme, _, name = url.rstrip("/").partition("://")
    if scheme not in ("http", "https") or not name or set(name) & set("/?#@ "):
        raise UsageError(f"{url!r} is not the address of a site: write https://cup.example.org")
    return SiteAddress(scheme, (name.lower(),))


def invite_by_command(path: Path, role: str, uses: int) -> str:
    """The secret of an invitation by the command line, in place of its earlier ones for that role;
    the league gets the tables of a site."""
    with League(path) as league:
        league.store.add_site()
        with league.store.changing() as change:
            accounts.end_open(league, change, "invitation", "role = ? AND giver IS NULL", role)
        return deeds.invite(league, None, role, uses=uses).secret


def invite_owner(path: Path) -> str | None:
    """The secret of an invitation as owner; None when somebody owns the contest already."""
    with League(path) as league:
        league.store.add_site()
        if league.store.one("SELECT 1 FROM role_now WHERE role = 'owner'") is not None:
            return None
    return invite_by_command(path, accounts.OWNER, 1)


def add_samples(path: Path, folder: Path, tell: Callable[[str], None]) -> list[str]:
    """Hand the sample bots of a league's game in, as opponents. Returns the names of those that
    play; a sample whose language this machine does not have is left out."""
    with League(path) as league:
        files = []
        for name, source in public.samples(league.terms.game).items():
            (folder / name).write_bytes(source.read_bytes())
            files.append(folder / name)
        return [one.name for one in hand_in_each(league, files, tell=tell) if one.ok]
