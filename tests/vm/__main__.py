"""What the arena does on a machine as users have it, beside what is expected of it::

    python -m tests.vm DIR [ROW…]

DIR, outside of the repository and with 10 GiB of room, gets the image of a guest (`image.sh`) if it
has none. It needs root, and the packages that `image.sh` names. All rows take some hours; a ROW is
a part of a name. The exit status is 1 if one is not as expected.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.vm.machine import Machine
from tests.vm.situations import SITUATIONS, try_it

USUAL, SMALL = 3072, 640
"""MiB of memory."""
ROOT = Path(__file__).parents[2]
PREPARE = """
set -e
mkdir -p ~/arena; cd ~/arena; tar -xf /host/NAME/source.tar
"""
LEAGUE = """
cd ~/arena; arena=.venv/bin/arena; rm -rf NAME.league*
$arena league new NAME.league --game warlight --seed 1 --set max_rounds=8 OPTIONS > /dev/null
$arena league add NAME.league sample_bots/warlight/{strong.py,border.sh} > /dev/null
$arena league add NAME.league --name again sample_bots/warlight/strong.py > /dev/null
"""
COPY = """
cd ~/arena; rm -rf cut.league*; cp whole.league cut.league; cp -r whole.league.d cut.league.d
"""
RUN = "cd ~/arena; .venv/bin/arena league run NAME.league --rounds 3 > NAME.log 2>&1; "
DIGESTS = """
cd ~/arena; .venv/bin/arena verify NAME.league 2>&1 | tail -n 1
.venv/bin/arena league export NAME.league --json > NAME.json
python3 -c '
import hashlib, json
rows = sorted((m["match"], m["result"]["digest"]) for m in json.load(open("NAME.json"))["matches"])
print(len(rows), "results", hashlib.sha256(str(rows).encode()).hexdigest()[:12])'
"""


def block(guide: str, language: str) -> str:
    """The first block of a language in a guide, word for word."""
    text = (ROOT / "arena/guide" / guide).read_text()
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)[:1]
    return str(found)


# -- the rows --------------------------------------------------------------------------------------


def first_command(machine: Machine) -> str:
    """README's first command, from an unpacked checkout."""
    (command,) = re.findall(r"^```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.M | re.S)[:1]
    return machine.sh(f"cd ~/arena; {command}")


def tests(folders: str, machine: Machine) -> str:
    """The last line of pytest. (Tests that measure real time are left out.)"""
    needs = "pytest pytest-xdist hypothesis pexpect jsonschema httpx numpy cryptography"
    script = f"cd ~/arena; .venv/bin/pip install -q '.[web,archives]' {needs}; "
    script += f".venv/bin/pytest -q -n 2 -m 'not alone and not dear' {folders} 2>&1 | tail -n 15"
    return machine.sh(script, within=4 * 3600)


def hostile(machine: Machine) -> str:
    """A soak of hostile programs."""
    soak = ".venv/bin/python -m tests.experiments.soak --quick --matches 60 --sandbox strict"
    return machine.sh(f"cd ~/arena; {soak} 2>&1 | tail -n 12", within=3 * 3600)


def power_cut(machine: Machine) -> str:
    """A league that is cut off in mid-match, beside one that is not."""
    machine.sh(LEAGUE.replace("NAME", "whole").replace("OPTIONS", ""))
    machine.sh(COPY)  # with the same seed
    whole = machine.sh((RUN + DIGESTS).replace("NAME", "whole"))
    machine.sh(f"setsid -f bash -c {RUN.replace('NAME', 'cut')!r} < /dev/null > /dev/null 2>&1")
    count = 'python3 -c \'import sqlite3; print(*sqlite3.connect("arena/cut.league").execute('
    count += '"select count(*) from result").fetchone())\''
    deadline = time.monotonic() + 900
    while (played := machine.sh(count)) in ("0", "1", "2") and time.monotonic() < deadline:
        time.sleep(1)
    machine.cut_power()
    machine.boot(USUAL)
    cut = machine.sh((RUN + DIGESTS).replace("NAME", "cut"))
    same = cut.splitlines()[-1] == whole.splitlines()[-1]
    return f"cut after {played}; {'the same' if same else 'not the same'}: {cut}"


TOKEN = """
from pathlib import Path
from arena.league.league import League
from arena.site import accounts, deeds
with League(Path("cup.league")) as league:
    secret = deeds.invite(league, None, accounts.AUTHOR).secret
    author, _ = accounts.accept(league, secret, "nina")
    print(accounts.add_token(league, author.number, accounts.UPLOAD, "guest").secret)
"""
"""Prints what an author needs to upload."""


def site(proxy: str, machine: Machine) -> str:
    """The guide's unit and a proxy's block, word for word; the certificate is our own."""
    live = "/etc/letsencrypt/live/cup.example.org"
    put = {
        "/etc/systemd/system/arena.service": block("site.md", "ini"),
        "/etc/nginx/conf.d/arena.conf": block("site.md", "nginx"),
        "/srv/arena/author.py": TOKEN,
        "/etc/caddy/Caddyfile": block("site.md", "caddy").replace("{\n", "{\n    local_certs\n", 1),
    }
    files = "".join(f"cat > {path} <<'EOF'\n{text}EOF\n" for path, text in put.items())
    certificate = (
        f"mkdir -p {live}; openssl req -x509 -newkey rsa:2048 -nodes -days 9 "
        f"-subj /CN=cup.example.org -keyout {live}/privkey.pem -out {live}/fullchain.pem "
        "2> /dev/null\n"
    )
    league = LEAGUE.replace("NAME", "cup").replace("~/arena", "/srv/arena").replace("OPTIONS", "")
    league = league.replace(".venv", "venv").replace("sample_bots", "/home/ada/arena/sample_bots")
    start = f"""
chmod a+rx /home/ada
[ -e /srv/arena/venv ] || runuser -u arena -- bash -c 'cd /srv/arena && python3 -m venv venv \
    && cp -r /home/ada/arena src && venv/bin/pip install -q "./src[web]"'
systemctl stop nginx caddy arena 2> /dev/null
runuser -u arena -- bash -c '{league}'
systemctl daemon-reload; systemctl restart arena {proxy}
for second in $(seq 240); do
    answer=$(curl -sk https://cup.example.org/healthz); [ "$answer" = ok ] && break; sleep 1
done
echo "healthz: $answer"
token=$(runuser -u arena -- bash -c "cd /srv/arena && venv/bin/python author.py")
api=https://cup.example.org/cup/api; bot=/home/ada/arena/sample_bots/warlight/simple.py
curl -sk -H "Authorization: Bearer $token" -F file=@$bot $api/bots/nina/versions; echo
sleep 60; curl -sk -H "Authorization: Bearer $token" $api/uploads/1 | head -c 300; echo
curl -sk -o /dev/null -w 'front page: %{{http_code}}\\n' -L https://cup.example.org/
ls /sys/fs/cgroup/system.slice/arena.service | grep -c ^arena-
journalctl -u arena --no-pager | tail -n 3; systemctl stop arena {proxy}
"""
    return machine.sh(files + certificate + start, "root")


def hogs(machine: Machine) -> str:
    """Who is blamed when two bots that keep their limits fill the machine."""
    both = '"python3 tests/vm/hogs.py big" "python3 tests/vm/hogs.py fills"'
    times = "--timebank 900000 --time-per-move 100000"  # to fork is slow there
    play = f".venv/bin/arena play warlight {both} {times} --sandbox strict --seed 1"
    return machine.sh(f"cd ~/arena; {play} 2>&1; echo exit status $?")


ROWS: dict[str, tuple[int, str, Callable[[Machine], str]]] = {
    "README's first command": (USUAL, "won|rank", first_command),
    **{f"start: {name}": (USUAL, how.expected, partial(try_it, name=name))
       for name, how in SITUATIONS.items()},
    "tests/doctor": (USUAL, r"\d+ passed(?!.*failed)", partial(tests, "tests/doctor")),
    "tests/sandbox": (USUAL, r"\d+ passed(?!.*failed)", partial(tests, "tests/sandbox")),
    "hostile programs at strict": (USUAL, r"60 .*matches", hostile),
    "a league and a power cut": (USUAL, "; the same: .*results", power_cut),
    "a site behind nginx": (USUAL, "healthz: ok.*front page: 200", partial(site, "nginx")),
    "a site behind Caddy": (USUAL, "healthz: ok.*front page: 200", partial(site, "caddy")),
    "640 MiB: a match": (SMALL, "won|rank", first_command),
    "640 MiB: two hogs": (SMALL, "ran out of memory.*void.*status [1-9]", hogs),
    "640 MiB: a league": (SMALL, "results", lambda machine: machine.sh(
        (LEAGUE + RUN + DIGESTS).replace("NAME", "small").replace("OPTIONS", "--memory 150M"))),
    "640 MiB: a site": (SMALL, "healthz: ok.*front page: 200", partial(site, "nginx")),
}  # fmt: skip
"""Memory of the guest, what is expected, and what does it."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.vm", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [row for word in options.rows or [""] for row in ROWS if word in row]
    machine, booted, wrong = Machine(options.folder), 0, 0
    source = machine.prepare()
    try:
        for row in chosen:
            memory, expected, run = ROWS[row]
            if memory != booted:
                if booted:
                    machine.sh("sync", user="root")
                machine.cut_power()
                machine.boot(memory, fresh=not booted)
                if not booted:
                    print(machine.sh(PREPARE.replace("NAME", source)), flush=True)
                    first_command(machine)
                booted = memory
            seen = " ".join(run(machine).split())
            is_right = re.search(expected, seen) is not None
            wrong += not is_right
            mark = "as expected" if is_right else f"NOT AS EXPECTED ({expected})"
            print(f"| {row} | {mark} | {seen[-400:]} |", flush=True)
    finally:
        machine.cut_power()
    sys.exit(wrong > 0)


main()
