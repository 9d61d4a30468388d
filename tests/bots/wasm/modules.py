"""Small bots in WebAssembly, put together from text."""

from __future__ import annotations

import re
from pathlib import Path

from wasmtime import wat2wasm

IMPORTS = {
    "fd_read": "i32 i32 i32 i32",
    "fd_write": "i32 i32 i32 i32",
    "random_get": "i32 i32",
    "clock_time_get": "i32 i64 i32",
    "path_open": "i32 i32 i32 i32 i32 i64 i64 i32 i32",
}
ANSWER = "{No moves\n}"
TEMPLATE = """
(module
 IMPORTS
 (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
 (memory (export "memory") PAGES)
 (global $n (mut i32) (i32.const 0)) ;; the number of the request
 DATA
 (func $say (param $at i32) (param $size i32)
  (i32.store (i32.const 8) (local.get $at))
  (i32.store (i32.const 12) (local.get $size))
  (drop (call $fd_write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16))))
 (func $spin (param $i i32)
  (loop $again (br_if $again (local.tee $i (i32.sub (local.get $i) (i32.const 1))))))
 (func $read (result i32) ;; the next line to 4096
  (i32.store (i32.const 0) (i32.const 4096))
  (i32.store (i32.const 4) (i32.const 60000))
  (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16)))
  (i32.load (i32.const 16)))
 (func (export "_start") (local $i i32)
  START
  (loop $next
   (if (i32.eqz (call $read)) (then (return)))
   (if (i32.eq (i32.and (i32.load (i32.const 4096)) (i32.const 0xffffff)) (i32.const 0x206f67))
    (then
     (global.set $n (i32.add (global.get $n) (i32.const 1)))
     ON_GO))
   (br $next))))
"""


def bot(on_go: str = ANSWER, *, start: str = "", pages: int = 2) -> bytes:
    """A module that runs `start`, then reads to the end and runs `on_go` for each request. Both
    are code; ``{text}`` in them writes the text."""
    texts: list[str] = []

    def say(found: re.Match[str]) -> str:
        texts.append(found[1])
        at = 1024 + sum(len(text.encode()) for text in texts[:-1])
        return f"(call $say (i32.const {at}) (i32.const {len(found[1].encode())}))"

    start, on_go = (re.sub(r"\{(.*?)\}", say, code, flags=re.DOTALL) for code in (start, on_go))
    data = "".join(f"\\{byte:02x}" for text in texts for byte in text.encode())
    imports = "".join(
        f'(import "wasi_snapshot_preview1" "{name}" (func ${name} (param {words}) (result i32)))'
        for name, words in IMPORTS.items()
    )
    code = TEMPLATE.replace("IMPORTS", imports).replace("PAGES", str(pages))
    code = code.replace("DATA", f'(data (i32.const 1024) "{data}")')
    return bytes(wat2wasm(code.replace("START", start).replace("ON_GO", on_go)))


def at_request(number: int, code: str) -> str:
    """Code for one request only."""
    return f"(if (i32.eq (global.get $n) (i32.const {number})) (then {code}))"


def spin(times: int) -> str:
    """Work, some five instructions each time."""
    return f"(call $spin (i32.const {times}))"


FOR_EVER = "(loop $ever (br $ever))"


def save(module: bytes, path: Path) -> str:
    """Write it to a file, and return its name."""
    path.write_bytes(module)
    return str(path)
