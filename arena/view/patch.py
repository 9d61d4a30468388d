"""The difference between two values of JSON, as small as it packs well.

A patch is a list with the whole new value, or an object with a patch for each part that is another
one: by key, or by index as text. A patch without a part changes nothing.
"""

from __future__ import annotations

from operator import ne
from typing import Any, TypeAlias

Patch: TypeAlias = list[Any] | dict[str, Any]


def patch_between(old: Any, new: Any) -> Patch:
    """The patch that makes `new` of `old`."""
    return {} if old == new else _between(old, new)


def _between(old: Any, new: Any) -> Patch:
    """The same for two that differ."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return {key: _between(old[key], new[key]) for key in new if old[key] != new[key]}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        changed = [i for i, differs in enumerate(map(ne, old, new)) if differs]
        if 2 * len(changed) <= len(new) or isinstance(new[0], list):
            return {str(i): _between(old[i], new[i]) for i in changed}
    return [new]
