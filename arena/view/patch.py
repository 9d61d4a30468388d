"""The difference between two values of JSON, as small as it packs well.

A patch is a list with the whole new value, or an object with a patch for each part that is another
one: by key, or by index as text. A patch without a part changes nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Patch: TypeAlias = list[Any] | dict[str, Any]


def patch_between(old: Any, new: Any) -> Patch:
    """The patch that makes `new` of `old`."""
    if old == new:
        return {}
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return {key: patch_between(old[key], new[key]) for key in new if old[key] != new[key]}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        changed = [i for i, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
        if 2 * len(changed) <= len(new) or isinstance(new[0], list):
            return {str(i): patch_between(old[i], new[i]) for i in changed}
    return [new]
