"""A crowd at a site: authors upload, readers watch, the judge plays, and processes are killed::

    python -m tests.experiments.crowd [--authors 50] [--versions 200] [--minutes 10] [--readers 20]
    python -m tests.experiments.crowd --kills 20 [--seed 1]

A real ``arena serve`` with the sample bots of a game. Authors upload archives in several languages,
by page and by the API, some of which do not build or do not play; they follow the reports and ask
for scrimmages. Readers load pages and hold streams of reports. With ``--kills`` the server, its
judge or its examiner gets kill -9 at moments of the seed; the server is then started again.

The exit status is 1 if a promise is broken: every upload that was accepted is there once and ends
as its content deserves, every scrimmage is played once, no match has two results, ``arena verify``
finds nothing, sessions and tokens hold, nothing is left behind, no request fails that no kill has
cut off, the memory of the server is flat, and 99 % of the requests are answered in time.

The table says what of the time is the server's own: its CPU time for each request, the time that
its threads stood ready without a core, and how late a task of the crowd that only sleeps is woken.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import random
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import trio

from arena.league.league import League
from arena.league.types import settle
from arena.site import accounts, deeds, workers
from arena.site.run import add_samples

CLIENT_PATIENCE = 90.0
"""Seconds after which a request of the crowd has failed."""
UP_AGAIN = 120.0
"""Seconds in which a server that was started listens."""
FLAT = 1.15
"""How much larger the server may be in the last quarter than in the second."""
SAMPLE_EVERY = 2.0
PULSE_EVERY = 0.05
SPILL = 1.0
"""Seconds after the start of a server in which a request may still meet the end of the former."""
MIB_BYTES = 1 << 20
MODULES = {
    "arena.site.judging": "judge",
    "arena.site.examining": "examiner",
    "arena.sandbox.keeper": "keeper",
}

SOURCES = {
    "bot.py": """# {n}
import sys
ANSWERS = {{"action": "wait", "trade": "no", "war": "0 0 0"}}
for line in sys.stdin:
    if line.startswith("go "):
        print(ANSWERS[line.split()[1]], flush=True)
""",
    "bot.sh": """# {n}
while read -r line; do
    case "$line" in "go action"*) echo wait;; "go trade"*) echo no;; "go war"*) echo 0 0 0;; esac
done
""",
    "bot.pl": r"""# {n}
$| = 1;
my %answers = (action => "wait", trade => "no", war => "0 0 0");
while (<STDIN>) {{ print "$answers{{$1}}\n" if /^go (\w+)/ }}
""",
    "bot.c": """// {n}
#include <stdio.h>
#include <string.h>
int main(void) {{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {{
        if (strncmp(line, "go ", 3)) continue;
        puts(line[3] == 'a' ? "wait" : line[3] == 't' ? "no" : "0 0 0");
        fflush(stdout);
    }}
}}
""",
}
"""Bots of tncc that do nothing."""
BAD_SOURCES = {
    "broken.c": "// {n}\nint main( {{ return 0; }}\n",
    "broken.py": "# {n}\nimport nothing_of_that_name\n",
    "broken.zip": "PK\x03\x04 {n}",
}
BAD_SHARE = 0.2


@dataclass(slots=True)
class CrowdUpload:
    """One version, and what became of its upload."""

    number: int
    """In this run; it makes the content unique."""
    file: str
    content: bytes
    is_good: bool
    fate: str = "not sent"
    """``not sent``, ``accepted``, ``lost`` (no answer came: a kill) or ``failed``."""
    upload: int = 0

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def make_upload(number: int, chance: random.Random) -> CrowdUpload:
    """A small archive or source file; unlike all others."""
    is_good = chance.random() >= BAD_SHARE
    name, text = chance.choice([*(SOURCES if is_good else BAD_SOURCES).items()])
    content = text.format(n=number).encode()
    if is_good and chance.random() < 0.5:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)
            archive.writestr("notes.txt", f"version {number}\n")
        name, content = f"bot-{number}.zip", file.getvalue()
    return CrowdUpload(number, name, content, is_good)


@dataclass(slots=True)
class Figures:
    """What was measured."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Of each request, by kind."""
    errors: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    """With a sentence that says why: too many uploads wait, say."""
    cut: Counter[str] = field(default_factory=Counter)
    """By a kill."""
    events: int = 0
    """Of streams."""
    late: list[float] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    memory: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """MiB, by kind of process."""
    kills: Counter[str] = field(default_factory=Counter)
    cpu: float = 0.0
    """Seconds of the server."""
    no_core: float = 0.0
    """Seconds that threads of the server stood ready without a core."""

    @property
    def requests(self) -> int:
        return sum(map(len, self.seconds.values()))

    def text(self) -> str:
        """For people."""
        lines = [f"{'':24}{'number':>8}{'p50':>9}{'p99':>9}{'max':>9}  errors refused cut off"]
        kinds = sorted({*self.seconds, *self.errors, *self.refused, *self.cut})
        for kind in [*kinds, "ALL"]:
            of = [self.seconds[kind]] if kind != "ALL" else [*self.seconds.values()]
            times = sorted(one for some in of for one in some)
            counts = (
                sum(counter.values()) if kind == "ALL" else counter[kind]
                for counter in (self.errors, self.refused, self.cut)
            )
            p50, p99, most = (1000 * part_of(times, share) for share in (0.5, 0.99, 1.0))
            rest = "".join(f"{count:8}" for count in counts)
            lines.append(f"{kind:24}{len(times):8}{p50:9.0f}{p99:9.0f}{most:9.0f}{rest}")
        lines.append(f"(milliseconds; {self.events} events of streams came besides)")
        each = max(1, self.requests)
        late = sorted(self.late)
        lines.append(
            f"the server: {1000 * self.cpu / each:.1f} ms of CPU for each request, and "
            f"{1000 * self.no_core / each:.1f} ms ready without a core"
        )
        lines.append(
            f"a task of the crowd that sleeps: {1000 * part_of(late, 0.5):.0f} ms late, p99 "
            f"{1000 * part_of(late, 0.99):.0f}, max {1000 * part_of(late, 1.0):.0f}"
        )
        loads = self.loads or [0.0]
        lines.append(f"load average: {min(loads):.1f} to {max(loads):.1f}")
        for who, sizes in sorted(self.memory.items()):
            lines.append(
                f"memory of {who} by quarter: "
                + ", ".join(f"{one:.1f}" for one in quarters_of(sizes))
                + f" MiB, at most {max(sizes):.1f}"
            )
        if self.kills:
            lines.append("killed: " + ", ".join(f"{n} x {who}" for who, n in self.kills.items()))
        return "\n".join(lines)


def part_of(values: list[float], share: float) -> float:
    """The value below which that share of sorted values lies; 0 of none."""
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def quarters_of(samples: list[float]) -> list[float]:
    """The median of each quarter."""
    size = max(1, len(samples) // 4)
    parts = [samples[i * size : (i + 1) * size] or samples[-1:] for i in range(4)]
    return [statistics.median(part) for part in parts]


# -- the server ------------------------------------------------------------------------------------


class ServedSite:
    """``arena serve`` as a process that is killed and started again at the same port."""

    def __init__(self, league: Path, figures: Figures, nice: int = 0) -> None:
        """`nice` is the priority of the server and of the crowd, not of judge and examiner."""
        self.league, self.figures, self.nice = league, figures, nice
        os.setpriority(os.PRIO_PROCESS, 0, nice)  # what it starts inherits it
        self.log = league.parent / "log"
        self.temporary = league.parent / "tmp"
        self.temporary.mkdir()
        self.port = 0
        self.up = trio.Event()
        self.down: list[tuple[float, float]] = []
        """When no server listened: from, until."""
        self.seen: dict[int, psutil.Process] = {}
        """All processes that it ever had."""
        self._cpu = self._no_core = 0.0
        self._struck = Counter[str]()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        began = self.log.stat().st_size if self.log.exists() else 0
        words = ["serve", str(self.league), "--port", str(self.port), "--traceback"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220  # a millisecond
                [sys.executable, "-m", "arena", *words],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": str(self.temporary)},
                start_new_session=True,
            )
        self._cpu = self._no_core = 0.0
        with trio.fail_after(UP_AGAIN):
            while True:
                text = self.log.read_bytes()[began:].decode()
                if found := re.search(r"league: http://127\.0\.0\.1:(\d+)/", text):
                    break
                if self._process.poll() is not None:
                    raise RuntimeError(f"arena serve ended: {text}")
                await trio.sleep(0.05)
        self.port = int(found[1])
        self.up.set()

    def look(self) -> None:
        """Measure the processes, and let those that the server has started have no priority."""
        if self._process is None or self._process.poll() is not None:
            return
        with suppress(psutil.NoSuchProcess):
            server = psutil.Process(self._process.pid)
            self._measure(server)
            self.figures.memory["server"].append(server.memory_info().rss / MIB_BYTES)
            for child in server.children(recursive=True):
                self.seen[child.pid] = child
                with suppress(psutil.NoSuchProcess):
                    if child.nice() < 0:
                        child.nice(0)
                    if who := kind_of(child):
                        self.figures.memory[who].append(child.memory_info().rss / MIB_BYTES)

    def _measure(self, server: psutil.Process) -> None:
        times = server.cpu_times()
        cpu, no_core = times.user + times.system, 0.0
        for task in Path(f"/proc/{server.pid}/task").iterdir():
            with suppress(OSError):
                no_core += int((task / "schedstat").read_text().split()[1]) / 1e9
        self.figures.cpu += cpu - self._cpu
        self.figures.no_core += max(0.0, no_core - self._no_core)  # threads end, too
        self._cpu, self._no_core = cpu, no_core

    async def kill(self, who: str) -> bool:
        """End the server or a process of it with -9; False when there is none of that kind."""
        assert self._process is not None
        self.look()
        server = psutil.Process(self._process.pid)
        if who != "server":
            with suppress(psutil.NoSuchProcess):
                for child in server.children(recursive=True):
                    if kind_of(child) == who and self._may_die(child):
                        child.kill()
                        self.figures.kills[who] += 1
                        return True
            return False
        began = trio.current_time()
        self.up = trio.Event()
        self._process.kill()
        await trio.to_thread.run_sync(self._process.wait)
        self.figures.kills[who] += 1
        await self.start()
        self.down.append((began, trio.current_time() + SPILL))
        return True

    def _may_die(self, process: psutil.Process) -> bool:
        """The examiner of an upload is killed fewer times than make the site give that up."""
        name = process.cmdline()[-1]
        self._struck[name] += kind_of(process) == "examiner"
        return self._struck[name] < workers.TRIES

    def was_down(self, since: float) -> bool:
        """Whether no server listened at some time since then."""
        now = trio.current_time()
        return not self.up.is_set() or any(
            since <= until and began <= now for began, until in self.down
        )

    async def stop(self) -> int:
        """End it as an organiser does. Returns its status."""
        assert self._process is not None
        self.look()
        self._process.send_signal(signal.SIGTERM)
        return await trio.to_thread.run_sync(self._process.wait)

    def end(self) -> None:
        """End all of it, whatever has become of it."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def kind_of(process: psutil.Process) -> str:
    """What a process of the site is, by its command line; empty for others."""
    words = process.cmdline()
    return next((who for module, who in MODULES.items() if module in words), "")


# -- those who come --------------------------------------------------------------------------------


@dataclass(slots=True)
class Crowd:
    """All that visit one site."""

    site: ServedSite
    figures: Figures
    chance: random.Random
    until: float = 0.0
    uploads: list[CrowdUpload] = field(default_factory=list)
    scrimmages: set[int] = field(default_factory=set)
    """That were accepted."""
    authors: list[CrowdAuthor] = field(default_factory=list)
    bots: set[str] = field(default_factory=set)
    """Addresses that pages have shown."""
    matches: set[str] = field(default_factory=set)
    """Addresses of those that have results."""

    def client(self, **more: Any) -> httpx.AsyncClient:
        """A browser, or a program."""
        return httpx.AsyncClient(
            base_url=f"{self.site.url}/cup/",
            headers={"Origin": self.site.url},
            timeout=CLIENT_PATIENCE,
            **more,
        )

    async def ask(
        self, kind: str, client: httpx.AsyncClient, method: str, path: str, **more: Any
    ) -> httpx.Response | None:
        """One request, measured; None when a kill cut it off, or it failed."""
        await self.site.up.wait()
        began = trio.current_time()
        try:
            answer = await client.request(method, path, **more)
        except httpx.HTTPError as error:
            cut = self.site.was_down(began)
            (self.figures.cut if cut else self.figures.errors)[kind] += 1
            if not cut:
                print(f"{kind}: {type(error).__name__}: {error}", flush=True)
            return None
        self.figures.seconds[kind].append(trio.current_time() - began)
        if answer.status_code in (400, 409, 429):
            self.figures.refused[kind] += 1
        elif answer.status_code >= 400:
            self.figures.errors[kind] += 1
            print(f"{kind}: {answer.status_code} at {path}", flush=True)
        return answer

    @property
    def is_on(self) -> bool:
        """Whether there is time left to send something."""
        return trio.current_time() < self.until

    def note(self, text: str) -> None:
        """Remember what a page links to."""
        self.bots.update(re.findall(r'href="/cup/(bots/\d+)"', text))


class CrowdAuthor:
    """An account with a browser and a program."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self.crowd, self.name = crowd, f"author {number}"
        self.bot = f"bot {number}"
        self.browser = crowd.client()
        self.program = crowd.client()
        self.chance = random.Random(f"{crowd.chance.random()}")

    async def join(self, invitation: str) -> None:
        """Make the account, and a token."""
        fields = {"invitation": invitation, "name": self.name}
        await self.crowd.ask("join", self.browser, "POST", "join", data=fields)
        token = {"scope": "upload", "label": "crowd", "form_token": await self._form_token()}
        made = await self.crowd.ask("token", self.browser, "POST", "account/tokens", data=token)
        assert made is not None
        found = re.search(r'class="secret"[^>]*>([\w-]+)<', made.text)
        assert found is not None, made.text
        self.program.headers["Authorization"] = f"Bearer {found[1]}"

    async def _form_token(self) -> str:
        while True:
            page = await self.crowd.ask("account", self.browser, "GET", "account")
            if page is not None:
                found = re.search(r'name="form_token" value="(\w+)"', page.text)
                assert found is not None, page.text
                return found[1]

    async def live(self, uploads: list[CrowdUpload], moments: list[float]) -> None:
        """Upload at these moments, and follow each report."""
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = self.crowd.until
            for one, moment in zip(uploads, moments, strict=True):
                await trio.sleep_until(moment)
                while self.crowd.is_on and not await self._send(one):  # noqa: ASYNC110  # the site
                    await trio.sleep(self.chance.uniform(3.0, 6.0))
                if one.fate == "accepted":
                    follow = self.chance.choice([self._watch, self._reload])
                    nursery.start_soon(follow, one.upload)
                if self.chance.random() < 0.3:
                    await self._scrimmage()

    async def _send(self, one: CrowdUpload) -> bool:
        """Upload; False when the site asks to wait."""
        one.fate = "lost"  # unless an answer comes
        if self.chance.random() < 0.5:
            answer = await self._by_page(one)
        else:
            path = f"api/bots/{self.bot}/versions"
            answer = await self.crowd.ask(
                *("upload (API)", self.program, "POST", path),
                params={"file": one.file},
                content=one.content,
            )
        if answer is None:
            return True
        if answer.status_code in (303, 202):
            one.fate = "accepted"
            one.upload = int(answer.headers["location"].rpartition("/")[2])
        elif answer.status_code in (400, 409):
            one.fate = "not sent"
            return False
        else:
            one.fate = "failed"
        return True

    async def _by_page(self, one: CrowdUpload) -> httpx.Response | None:
        fields = {"form_token": await self._form_token(), "bot": self.bot}
        files = {"file": (one.file, one.content)}
        return await self.crowd.ask(
            "upload (page)", self.browser, "POST", "upload", data=fields, files=files
        )

    async def _reload(self, upload: int) -> None:
        """Look at the report again and again, as a browser does."""
        while self.crowd.is_on:
            page = await self.crowd.ask("report", self.browser, "GET", f"uploads/{upload}")
            if page is not None and "refresh" not in page.headers:
                return
            await trio.sleep(3.0)

    async def _watch(self, upload: int) -> None:
        await hold_stream(self.crowd, self.program, upload)

    async def _scrimmage(self) -> None:
        wish = {"bot": self.bot, "rivals": ["simple"]}
        asked = await self.crowd.ask("scrimmage", self.program, "POST", "api/scrimmages", json=wish)
        if asked is not None and asked.status_code == 201:
            self.crowd.scrimmages.add(asked.json()["number"])


async def hold_stream(crowd: Crowd, client: httpx.AsyncClient, upload: int) -> None:
    """Follow the events of a report to its end, again after a kill. The time of a stream is that to
    its first event."""
    while crowd.is_on:
        await crowd.site.up.wait()
        began, first = trio.current_time(), True
        try:
            async with client.stream("GET", f"api/uploads/{upload}/events") as stream:
                if stream.status_code == 429:
                    crowd.figures.refused["stream"] += 1
                    return
                if stream.status_code != 200:
                    crowd.figures.errors["stream"] += 1
                    return
                async for line in stream.aiter_lines():
                    if line.startswith("event:"):
                        crowd.figures.events += 1
                        if first:
                            crowd.figures.seconds["stream"].append(trio.current_time() - began)
                        first = False
                    if line == "event: report":
                        return
        except httpx.HTTPError as error:
            cut = crowd.site.was_down(began)
            (crowd.figures.cut if cut else crowd.figures.errors)["stream"] += 1
            if not cut:
                print(f"stream: {type(error).__name__}: {error}", flush=True)
                return


async def read(crowd: Crowd, seed: str) -> None:
    """A reader, who loads one page after the other and has a stream open."""
    chance, etags = random.Random(seed), dict[str, str]()
    cursor = 0
    async with crowd.client() as client, trio.open_nursery() as nursery:
        nursery.start_soon(_read_reports, crowd, chance)
        while crowd.is_on:
            kinds = ["standings", "standings", "now", "now", "home", "api/standings", "api/matches"]
            kinds += ["bot", "bot"] if crowd.bots else []
            kinds += ["match", "match", "replay", "record"] if crowd.matches else []
            kind = chance.choice(kinds)
            path = {"home": "", "api/matches": f"api/matches?after={cursor}"}.get(kind, kind)
            if kind == "bot":
                path = chance.choice(sorted(crowd.bots))
            elif kind in ("match", "replay", "record"):
                path = chance.choice(sorted(crowd.matches))
                path += "" if kind == "match" else f"/{kind}"
            tag = {"If-None-Match": etags[path]} if path in etags else {}
            found = await crowd.ask(kind, client, "GET", path, headers=tag)
            if found is not None and found.status_code == 200:
                if "etag" in found.headers:
                    etags[path] = found.headers["etag"]
                if kind in ("standings", "now", "bot"):
                    crowd.note(found.text)
                if kind == "api/matches":
                    cursor = found.json()["next"]
                    numbers = [one["number"] for one in found.json()["matches"]]
                    crowd.matches.update(f"matches/{number}" for number in numbers)
            await trio.sleep(chance.expovariate(1 / 2.0))
        nursery.cancel_scope.cancel()


async def _read_reports(crowd: Crowd, chance: random.Random) -> None:
    """Hold the stream of the latest report, with a token of its author."""
    while True:
        waiting = [one for one in crowd.uploads[-40:] if one.fate == "accepted"]
        sent = [one for one in crowd.uploads if one.fate == "accepted"]
        if waiting or sent:
            one = chance.choice((waiting or sent)[-5:])
            author = crowd.authors[one.number % len(crowd.authors)]
            await hold_stream(crowd, author.program, one.upload)
        await trio.sleep(1.0)


async def organise(crowd: Crowd, invitation: str) -> None:
    """An owner, who looks at the state of the contest."""
    async with crowd.client() as client:
        fields = {"invitation": invitation, "name": "owner"}
        while True:
            made = await crowd.ask("join", client, "POST", "join", data=fields)
            if made is not None:
                break
        while crowd.is_on:
            for path in ("organise", "organise/people"):
                await crowd.ask(path, client, "GET", path)
            await trio.sleep(10.0)


# -- what is done to them --------------------------------------------------------------------------


async def kill_all(crowd: Crowd, kills: int, seconds: float, tell: Any) -> None:
    """Kill so many times within so many seconds."""
    began, chance = trio.current_time(), random.Random(f"kills {crowd.chance.random()}")
    for share in sorted(chance.uniform(0.05, 0.95) for _ in range(kills)):
        await trio.sleep_until(began + share * seconds)
        who = chance.choice(["server", "server", "server", "judge", "examiner"])
        if not await _killed_soon(crowd.site, who, min(10.0, seconds / kills)):
            who = "server"
            await crowd.site.kill(who)
        tell(f"kill {sum(crowd.figures.kills.values())}: {who}")


async def _killed_soon(site: ServedSite, who: str, patience: float) -> bool:
    """Kill the judge or the examiner once there is one; False without one, and for the server."""
    until = trio.current_time() + patience
    while who != "server" and trio.current_time() < until:
        if await site.kill(who):
            return True
        await trio.sleep(0.05)
    return False


async def sample(crowd: Crowd) -> None:
    """Measure until cancelled."""
    while True:
        crowd.site.look()
        crowd.figures.loads.append(os.getloadavg()[0])
        await trio.sleep(SAMPLE_EVERY)


async def pulse(crowd: Crowd) -> None:
    """How late a task is woken that only sleeps."""
    while True:
        due = trio.current_time() + PULSE_EVERY
        await trio.sleep_until(due)
        crowd.figures.late.append(trio.current_time() - due)


# -- what must hold --------------------------------------------------------------------------------


def broken_uploads(file: sqlite3.Connection, crowd: Crowd) -> Iterator[str]:
    """Uploads that are not there once, or ended otherwise than their content deserves."""
    query = (
        "SELECT upload.number, upload.sha256, outcome.problem, submission.passed FROM upload "
        "LEFT JOIN outcome ON outcome.upload = upload.number "
        "LEFT JOIN submission ON submission.number = outcome.submission"
    )
    rows: defaultdict[str, list[tuple[int, str | None, int | None]]] = defaultdict(list)
    for number, sha256, problem, passed in file.execute(query):
        rows[sha256].append((number, problem, passed))
    for one in crowd.uploads:
        found = rows.pop(one.sha256, [])
        least, most = {"accepted": (1, 1), "lost": (0, 1)}.get(one.fate, (0, 0))
        if not least <= len(found) <= most:
            yield f"upload {one.number} ({one.fate}) is there {len(found)} times"
        for number, problem, passed in found:
            if one.fate == "accepted" and number != one.upload:
                yield f"upload {one.number} is not {one.upload}, as the answer said"
            if problem is None:
                yield f"upload {number} has no outcome"
            elif one.is_good and not passed:
                yield f"upload {number} ({one.file}) is good and was refused: {problem or 'report'}"
            elif not one.is_good and passed:
                yield f"upload {number} ({one.file}) is bad and plays"
            elif not one.is_good and problem and one.file != "broken.zip":
                yield f"upload {number} ({one.file}) has no report: {problem}"
    if rows:
        yield f"{len(rows)} uploads that nobody has sent"
    query = "SELECT upload FROM outcome GROUP BY upload HAVING count(*) > 1"
    yield from (f"upload {number} has two outcomes" for (number,) in file.execute(query))


def broken_matches(file: sqlite3.Connection, crowd: Crowd) -> Iterator[str]:
    """Matches and scrimmages that were played twice or not at all."""
    query = "SELECT fixture FROM valid GROUP BY fixture HAVING count(*) > 1"
    for (number,) in file.execute(query):
        yield f"match {number} has two results"
    answers = dict(file.execute("SELECT request, count(*) FROM answer GROUP BY request"))
    problems = dict(file.execute("SELECT request, json_extract(content, '$.problem') FROM answer"))
    for number in sorted(crowd.scrimmages):
        if answers.get(number, 0) != 1:
            yield f"scrimmage {number} was answered {answers.get(number, 0)} times"
        elif problems[number]:
            yield f"scrimmage {number}: {problems[number]}"


def left_over(site: ServedSite) -> Iterator[str]:
    """Processes, files and folders that a site has left when it ended."""
    alive = [one for one in site.seen.values() if one.is_running()]
    _, alive = psutil.wait_procs(alive, timeout=10)
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            yield f"left: process {process.pid}, {' '.join(process.cmdline())[:80]}"
    for path in sorted(site.temporary.iterdir()):
        yield f"left: {path}"
    files = site.league.with_name(f"{site.league.name}.d")
    with closing(sqlite3.connect(site.league)) as file:
        known = {str(number) for (number,) in file.execute("SELECT number FROM upload")}
        planned = {number for (number,) in file.execute("SELECT number FROM fixture")}
    for path in [*files.glob("drafts/*"), *files.glob("uploads/*")]:
        if path.parent.name == "drafts" or path.name not in known:
            yield f"left: {path}"
    # A judge that ends between a record and its row leaves the record to the next one.
    for path in files.glob("records/**/*.jsonl.gz"):
        if int(path.name.partition(".")[0]) not in planned:
            yield f"left: {path}"
    for folder, names, _ in os.walk("/sys/fs/cgroup"):  # others make and remove groups meanwhile
        for name in names:
            if (found := re.match(r"arena-(\d+)-", name)) and int(found[1]) in site.seen:
                yield f"left: {folder}/{name}"


async def broken_sessions(crowd: Crowd) -> list[str]:
    """The accounts whose session or token does not hold any more."""
    found = []
    for author in crowd.authors:
        page = await author.browser.get("account")
        if page.status_code != 200 or author.name not in page.text:
            found.append(f"the session of {author.name}: {page.status_code}")
        me = await author.program.get("api/me")
        if me.status_code != 200 or me.json()["name"] != author.name:
            found.append(f"the token of {author.name}: {me.status_code}")
    return found


# -- all of it -------------------------------------------------------------------------------------


@contextmanager
def new_site(
    place: Path, game: str, sandbox: str, figures: Figures, nice: int = 0
) -> Iterator[ServedSite]:
    """A league with the sample bots of a game, to be served."""
    path = place / "cup.league"
    with League.begin(path, settle(game, None, {"sandbox": sandbox})):
        pass
    (place / "samples").mkdir()
    add_samples(path, place / "samples", lambda text: None)
    site = ServedSite(path, figures, nice)
    try:
        yield site
    finally:
        site.end()


async def come(
    site: ServedSite,
    figures: Figures,
    *,
    authors: int,
    versions: int,
    seconds: float,
    readers: int,
    kills: int,
    seed: int,
    drain: float = 600.0,
    p99: float = 1.0,
    tell: Any = print,
) -> list[str]:
    """Let them all come. Returns the promises that were broken."""
    chance = random.Random(seed)
    crowd = Crowd(site, figures, chance)
    await site.start()
    with League(site.league) as league:
        owner = deeds.invite(league, None, accounts.OWNER).secret
        invitation = deeds.invite(league, None, accounts.AUTHOR, uses=authors).secret
    crowd.authors = [CrowdAuthor(crowd, number) for number in range(authors)]
    for author in crowd.authors:
        await author.join(invitation)
    tell(f"{authors} authors have joined")
    began = trio.current_time()
    crowd.until = began + seconds + drain
    crowd.uploads = [make_upload(number, chance) for number in range(versions)]
    async with trio.open_nursery() as measuring:
        measuring.start_soon(sample, crowd)
        measuring.start_soon(pulse, crowd)
        async with trio.open_nursery() as reading:
            reading.start_soon(organise, crowd, owner)
            for number in range(readers):
                reading.start_soon(read, crowd, f"{seed} {number}")
            async with trio.open_nursery() as nursery:
                for number, author in enumerate(crowd.authors):
                    own = crowd.uploads[number::authors]
                    moments = sorted(began + chance.uniform(0, seconds) for _ in own)
                    nursery.start_soon(author.live, own, moments)
                if kills:
                    nursery.start_soon(kill_all, crowd, kills, seconds, tell)
                nursery.start_soon(trio.sleep, seconds)
            took = trio.current_time() - began
            fates = Counter(one.fate for one in crowd.uploads)
            tell(f"after {took:.0f} s of {versions} uploads: {dict(fates)}")
            reading.cancel_scope.cancel()
        waited = await _drained(site.league, drain)
        tell(f"nothing waits any more after another {waited:.0f} s")
        measuring.cancel_scope.cancel()
    wrong = await broken_sessions(crowd)
    if (status := await site.stop()) != 0:
        wrong.append(f"arena serve ended with status {status}")
    wrong += judged(crowd, p99, with_kills=kills > 0)
    if sum(figures.kills.values()) < kills:
        wrong.append(f"only {sum(figures.kills.values())} kills")
    return wrong


async def _drained(path: Path, patience: float) -> float:
    """Wait until nothing waits. Returns the seconds that it took."""
    query = "SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM request WHERE "
    query += "kind = 'scrimmage' AND number NOT IN (SELECT request FROM answer))"
    began = trio.current_time()
    with trio.move_on_after(patience), closing(sqlite3.connect(path, timeout=30)) as file:
        while file.execute(query).fetchone() != (0,):  # noqa: ASYNC110  # other processes
            await trio.sleep(0.5)
    return trio.current_time() - began


def judged(crowd: Crowd, p99: float, *, with_kills: bool) -> list[str]:
    """The promises that were not kept, in words, of a site that has ended."""
    figures, site = crowd.figures, crowd.site
    wrong = [f"{count} errors of {kind}" for kind, count in figures.errors.items()]
    every = sorted(one for some in figures.seconds.values() for one in some)
    if part_of(every, 0.99) > p99:
        wrong.append(f"1 % of the requests took more than {part_of(every, 0.99):.2f} s")
    if not with_kills:
        _, second, _, last = quarters_of(figures.memory["server"])
        if last > second * FLAT:
            wrong.append(f"the server grew from {second:.1f} to {last:.1f} MiB")
    with closing(sqlite3.connect(site.league)) as file:
        wrong += [*broken_uploads(file, crowd), *broken_matches(file, crowd)]
    wrong += left_over(site)
    words = [sys.executable, "-m", "arena", "verify", str(site.league)]
    proof = subprocess.run(words, capture_output=True, text=True, check=False)
    if proof.returncode:
        wrong.append(f"arena verify: {(proof.stdout + proof.stderr).strip()[-500:]}")
    for line in site.log.read_text().splitlines():
        if line.startswith(("a page failed", "Traceback", "arena: a page failed")):
            wrong.append(f"the server said: {line}")
    return wrong


def summary(path: Path) -> str:
    """What stands in the league."""
    with closing(sqlite3.connect(path)) as file:
        (uploads, passed, results, voids, played) = file.execute(
            "SELECT (SELECT count(*) FROM upload), (SELECT count(*) FROM outcome JOIN submission "
            "ON submission.number = submission WHERE passed), (SELECT count(*) FROM result), "
            "(SELECT count(*) FROM void), (SELECT count(*) FROM answer)"
        ).fetchone()
    return (
        f"{uploads} uploads of which {passed} play, {results} results, {voids} void matches, "
        f"{played} scrimmages"
    )


def main() -> int:
    """Let a crowd come as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.crowd")
    parser.add_argument("--authors", type=int, default=50)
    parser.add_argument("--versions", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--readers", type=int, default=20)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", default="tncc")
    parser.add_argument("--sandbox", default="strict", choices=("off", "auto", "strict"))
    parser.add_argument("--p99", type=float, default=1.0, help="seconds")
    parser.add_argument("--drain", type=float, default=600.0, help="seconds after the minutes")
    parser.add_argument("--nice", type=int, default=0, help="of server and crowd; -5 as root")
    parser.add_argument("--keep", action="store_true", help="keep the league and the log")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    place, figures = Path(tempfile.mkdtemp(prefix="crowd-")), Figures()
    place.chmod(0o755)  # bots behind walls are strangers

    async def run(site: ServedSite) -> list[str]:
        return await come(
            site, figures, authors=asked.authors, versions=asked.versions,
            seconds=asked.minutes * 60, readers=asked.readers, kills=asked.kills, seed=asked.seed,
            drain=asked.drain, p99=asked.p99, tell=lambda text: print(text, flush=True),
        )  # fmt: skip

    with new_site(place, asked.game, asked.sandbox, figures, asked.nice) as site:
        wrong = trio.run(run, site)
    print(figures.text())
    print(summary(site.league))
    for promise in wrong:
        print(f"BROKEN: {promise}")
    if wrong or asked.keep:
        print(f"the league and the log are kept in {place}")
    else:
        shutil.rmtree(place)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
