"""The program that the doctor starts behind the walls."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena.doctor import context as context_module
from arena.doctor.inside import (
    Bomb,
    ChildEnd,
    Escape,
    Forked,
    Reached,
    Sockets,
    Stay,
    Task,
    TaskReady,
    Wall,
    decode,
    encode,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


def test_a_leaked_descriptor_is_seen() -> None:
    with open("/dev/null") as leak:
        number = leak.fileno()
        code = "import sys; sys.path.insert(0, sys.argv[1]); import inside; inside.descriptors()"
        ran = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, str(context_module.INSIDE.parent)],
            pass_fds=[number], capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert decode(ran.stdout, Wall) == Wall("descriptors", False, f"inherited {number}")


@pytest.mark.parametrize(
    "value",
    [
        *(Escape(80, 7, "12", "/secret", 1 << 20), Sockets(["/a", "/b"]), Stay()),
        *(Wall("disk", True, "full"), Reached([]), Forked(3, "refused"), TaskReady(7)),
    ],
)
def test_a_value_comes_back_as_it_was(value: Task | Wall | Reached | Forked | TaskReady) -> None:
    back = decode(encode(value), Bomb, type(value))
    assert (type(back), back) == (type(value), value)


def test_only_what_is_expected_is_understood() -> None:
    for line in (encode(ChildEnd(1)), encode(Bomb(1)), "{}", "[]", "Ready"):
        with pytest.raises(ValueError, match=r"not TaskReady or Forked: |Expecting value"):
            decode(line, TaskReady, Forked)
