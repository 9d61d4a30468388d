"""What control groups can do, and the files through which they do it, in both versions."""

from __future__ import annotations

V1_CONTROLLER = {
    "memory": "memory",
    "pids": "pids",
    "freeze": "freezer",
    "cpu": "cpuacct",
    "share": "cpu",
}
"""Which v1 hierarchy has what v2 may lack."""

FILES = {
    ("memory", "v2"): {
        "memory": "memory.current",
        "memory_peak": "memory.peak",
        "memory_events": "memory.events",
        "memory_limit": "memory.max",
        "swap_limit": "memory.swap.max",
    },
    ("memory", "v1"): {
        "memory": "memory.usage_in_bytes",
        "memory_peak": "memory.max_usage_in_bytes",
        "memory_events": "memory.oom_control",
        "memory_limit": "memory.limit_in_bytes",
        "swap_limit": "memory.memsw.limit_in_bytes",
    },
    ("pids", "v2"): {
        "tasks": "pids.current",
        "pids_events": "pids.events",
        "pids_limit": "pids.max",
    },
    ("kill", "v2"): {"kill": "cgroup.kill"},
    ("freeze", "v2"): {"freeze": "cgroup.freeze", "frozen": "cgroup.events"},
    ("freeze", "v1"): {"freeze": "freezer.state", "frozen": "freezer.state"},
    ("cpu", "v2"): {"cpu": "cpu.stat"},
    ("cpu", "v1"): {"cpu": "cpuacct.usage"},
    ("pressure", "v2"): {
        "pressure": "cpu.pressure",
        "io_pressure": "io.pressure",
        "memory_pressure": "memory.pressure",
    },
    ("share", "v2"): {"share": "cpu.weight", "idle": "cpu.idle"},
    ("share", "v1"): {"share": "cpu.shares", "idle": "cpu.idle"},
}
FILES["pids", "v1"] = FILES["pids", "v2"]
"""What each ability reads and writes, under names that are the same in v1 and v2. A hierarchy has
the ability when it has the first file."""
ABILITIES = ("memory", "pids", "kill", "freeze", "cpu", "pressure", "share")
