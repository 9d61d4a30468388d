"""The environment of programs: nothing in it that decides a match depends on who plays it.

Behind a German locale a bot in Java writes ``5,0``, behind a Turkish one it spells ``place`` with
another letter. So bots and builds get a fixed locale and time zone at every level, and bots the
match's seed for the hashes of their language. Of the caller's environment they get, without walls,
where things lie, and at every level what the caller names. (Others may be keys or tokens.)
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from arena.sandbox.installations import MANAGED

FIXED: Mapping[str, str] = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
"""The same for all programs, at every level."""
PASSED_ON = (
    *("PATH", "HOME", "USER", "TMPDIR", "VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "DOTNET_ROOT"),
    *("GOROOT", "GOPATH", "CARGO_HOME", "OPAM_SWITCH_PREFIX", "LD_LIBRARY_PATH", "LIBRARY_PATH"),
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "PKG_CONFIG_PATH", "SDKROOT"),
    *("DEVELOPER_DIR", "PYENV_VERSION", "RBENV_VERSION", "RUSTUP_TOOLCHAIN"),
    *filter(None, [variable for variable, *_ in MANAGED]),
)
"""Where programs and their libraries lie, and which of several versions is meant: passed on to
programs without walls."""
HASH_ROUNDS = 256
"""Rounds from the match's seed to that of hashes. A bot that tries seeds of the match on it pays
more for each (30 µs) than on the map that it is told; the arena pays 60 µs a match."""

Variables: TypeAlias = tuple[tuple[str, str], ...]
"""Names and values, as a value that can be compared."""


def outside() -> dict[str, str]:
    """The environment of a program without walls."""
    return {**FIXED, **{name: os.environ[name] for name in PASSED_ON if name in os.environ}}


def passed(names: Iterable[str]) -> Variables:
    """The variables of the caller's environment by those names (`--pass-env`)."""
    return tuple([(name, os.environ[name]) for name in names if name in os.environ])


@lru_cache(maxsize=16)
def hash_seeds(seed: str) -> Variables:
    """The seeds of hashes, for languages that take one from the environment: the order of a set or
    a dictionary depends on it, and a match on the same seed must be the same match."""
    text = seed.encode(errors="surrogatepass")
    key = hashlib.pbkdf2_hmac("sha256", text, b"hashes of the arena", HASH_ROUNDS, 4)
    return of_hashes(key)


def of_hashes(key: bytes = bytes(4)) -> Variables:
    """The variables that set the seed of hashes to four bytes; for a build, which has no match, to
    0."""
    return ("PYTHONHASHSEED", str(int.from_bytes(key))), ("PERL_HASH_SEED", key.hex())
