"""How an arena comes to be started on a machine with systemd, and what is expected there.

In each situation the doctor runs, and a match whose first bot exceeds its memory limit. A row is
right if the level and the verdict are as expected, and if what started the arena lives on.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.vm.machine import Machine

GROUPS = r"^(.*auto takes the level sandbox\+cgroup; .*)?sandbox\+cgroup memory None alive"
SANDBOX = r"^(.*auto takes the level sandbox; .*)?sandbox memory None alive"
REFUSED = r"not granted.* alive"
PROBE = r"""
name=$1; cd /home/ada/arena; mkdir -p ../seen; out=../seen/$name; arena=.venv/bin/arena
{
    [ -n "$2" ] || $arena doctor --sandbox strict 2>&1 | head -n 1
    hogs="python3 tests/vm/hogs.py"
    $arena play warlight "$hogs forks" "$hogs idle" --sandbox strict --memory 64M --seed 1 \
        --timebank 900000 --time-per-move 100000 --json > $out.json 2> $out.err
    python3 -c '
import json, sys
match = json.load(open(sys.argv[1]))
players = [player["stopped"] for player in match.get("players", [])]
print(match.get("sandbox"), *players, match.get("error") or "")' $out.json
    echo alive
} > $out.part 2>&1
chmod a+rw $out.*; mv $out.part $out
"""
"""Writes what it sees to a file, since it may have no terminal."""
IMAGE = r"""
podman image exists vm || sudo tar -C / --exclude=modules --exclude='*.a' --exclude=locale -c \
    bin sbin lib lib64 etc usr/bin usr/sbin usr/lib usr/libexec home/ada/arena |
    podman import -q - vm
"""
PODMAN = "podman run --rm -v /home/ada/seen:/home/ada/seen {} vm bash -c '{}'"


class Situation(NamedTuple):
    """How the probe is started (``PROBE`` stands for it), by whom, and what is expected."""

    starts: str
    expected: str = GROUPS
    user: str = "ada"
    doctor: bool = True
    """Whether the doctor, which takes minutes, is tried, too."""


def _podman(options: str) -> str:
    inside = "cd /home/ada; " + PROBE.replace("'", "'\\''").replace("name=$1", "name=NAME")
    return IMAGE + PODMAN.format(options, inside)


SITUATIONS = {
    "ssh": Situation("PROBE"),
    "tmux": Situation("tmux new -d -s w; sleep 9; tmux send-keys -t w 'PROBE' Enter"),
    "screen": Situation(
        "screen -dmS w bash; sleep 5; screen -S w -X stuff $'PROBE\\n'", doctor=False
    ),
    "nohup": Situation("nohup PROBE > /dev/null 2>&1 &", doctor=False),
    "scope": Situation("systemd-run --user --scope -q PROBE"),
    "delegated scope": Situation(
        "systemd-run --user --scope -q -p Delegate=yes PROBE", doctor=False
    ),
    "user unit": Situation("systemd-run --user --wait --collect -q PROBE", doctor=False),
    "cron": Situation("echo '* * * * * [ -e seen/NAME.part ] || PROBE' | crontab -"),
    "sudo": Situation("sudo PROBE", doctor=False),
    "root by ssh": Situation("PROBE", user="root"),
    "system unit": Situation("systemd-run --wait --collect -q PROBE", user="root"),
    "system unit of a user with a manager": Situation(
        "sudo systemd-run --wait --collect -q -p User=ada PROBE"
    ),
    "system unit of a user without one": Situation(
        "loginctl terminate-user ada; sleep 15; "
        "systemd-run --wait --collect -q -p User=ada PROBE", SANDBOX, "root",
    ),
    "delegated system unit of a user without one": Situation(
        "systemd-run --wait --collect -q -p User=ada -p Delegate=yes PROBE", user="root"
    ),
    "namespaces off": Situation(
        "sudo sysctl -q user.max_user_namespaces=0; PROBE; "
        "sudo sysctl -q user.max_user_namespaces=9999", REFUSED,
    ),
    "podman": Situation(_podman(""), REFUSED),
    "podman, two capabilities": Situation(
        _podman("--cap-add SYS_ADMIN --cap-add NET_ADMIN"), SANDBOX
    ),
    "podman, privileged": Situation(_podman("--privileged"), r"sandbox.*memory None alive"),
}  # fmt: skip


def try_it(machine: Machine, name: str) -> str:
    """What the probe saw in a situation."""
    situation, word = SITUATIONS[name], name.replace(" ", "-").replace(",", "")
    probe = f"bash /home/ada/probe {word} {'' if situation.doctor else 'no-doctor'}"
    started = situation.starts.replace("PROBE", probe)
    script = (
        f"rm -f /home/ada/probe /home/ada/seen/{word}*\n"
        f"cat > /home/ada/probe <<'EOF'\n{PROBE}\nEOF\n"
        + started.replace("NAME", word)
        + f"\nfor second in $(seq 600); do [ -e /home/ada/seen/{word} ] && break; sleep 1; done"
        + f"\ncrontab -r 2> /dev/null; cat /home/ada/seen/{word}"
    )
    return " ".join(machine.sh(script, situation.user).split())
