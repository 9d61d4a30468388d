"""The tables of ``records.md``, from the types themselves: ``python -m arena.guide.schema``.

A field's meaning is the docstring under it. `SECTIONS` lists the types of each section; the types
of their fields follow. The page describes each type once, where it first appears.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias, get_args

import msgspec
from msgspec import Struct
from msgspec import inspect as types

from arena.api.compare import ComparisonReport
from arena.api.games import GameDescription
from arena.api.rerun import RerunReport
from arena.api.series import SeriesReport
from arena.api.suite import SuiteReport
from arena.doctor.capability import Diagnosis
from arena.league.audit import AuditReport
from arena.league.bots import LeagueSubmission
from arena.league.export import Export
from arena.league.table import LeagueTable
from arena.league.types import LeagueAccount, MatchAccount
from arena.match.report import MatchReport
from arena.record.format import Record
from arena.record.position import Position
from arena.record.verify import Verdict
from arena.trial.report import Check
from arena.workbench.analysis import AnalysisReport, WhatIf
from arena.workbench.bisect import BisectReport
from arena.workbench.fitting import FitReport
from arena.workbench.history import HistoryEntry, HistoryReport
from arena.workbench.pool import PoolReport
from arena.workbench.tune import Iteration, TuneReport

PAGE = Path(__file__).with_name("records.md")
SECTIONS: dict[str, Sequence[type[Struct]]] = {
    "replay": get_args(Record),
    "match": (MatchReport,),
    "series": (SeriesReport,),
    "comparison": (ComparisonReport,),
    "pool": (PoolReport,),
    "tune": (TuneReport, Iteration),
    "history": (HistoryReport, HistoryEntry),
    "bisect": (BisectReport,),
    "analysis": (AnalysisReport, WhatIf, FitReport),
    "check": (Check,),
    "rerun": (RerunReport,),
    "position": (Position,),
    "suite": (SuiteReport,),
    "verdict": (Verdict,),
    "audit": (AuditReport,),
    "league": (LeagueTable,),
    "account": (LeagueAccount, MatchAccount, Export),
    "submission": (LeagueSubmission,),
    "diagnosis": (Diagnosis,),
    "game": (GameDescription,),
}
"""By the name in the markers of the page: ``<!-- schema: NAME -->`` … ``<!-- end -->``."""
Compound: TypeAlias = types.StructType | types.DataclassType
"""A type with fields."""
MARKED = re.compile(r"(<!-- schema: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str) -> str:
    """The page with all its tables made anew, each type once. Raises KeyError for an unknown
    section."""
    described: set[type] = set()
    return MARKED.sub(lambda found: f"{found[1]}\n{section(found[2], described)}\n{found[3]}", page)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of every line of a record and of every document that ``--json`` prints, by
    the names of their types under ``$defs``."""
    roots = [kind for kinds in SECTIONS.values() for kind in kinds]
    references, definitions = msgspec.json.schema_components(roots, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Records and JSON documents of the arena",
        "anyOf": list(references),
        "$defs": definitions,
    }


def section(name: str, described: set[type] | None = None) -> str:
    """The tables of one section, except those of types in `described`, to which it adds its own."""
    known = set() if described is None else described
    kinds = [kind for kind in _with_parts(SECTIONS[name]) if kind.cls not in known]
    known.update(kind.cls for kind in kinds)
    return "\n".join(table for kind in kinds for table in _table(kind))


def _with_parts(roots: Sequence[type[Struct]]) -> list[Compound]:
    """The types, each followed by those that its fields hold."""
    found: dict[type, Compound] = {}
    for root in roots:
        for part in _compounds(types.type_info(root)):
            found.setdefault(part.cls, part)
    return list(found.values())


def _compounds(kind: types.Type) -> Iterator[Compound]:
    if isinstance(kind, Compound):
        yield kind
    for part in _parts(kind):
        yield from _compounds(part)


def _parts(kind: types.Type) -> Sequence[types.Type]:
    match kind:
        case types.StructType(fields=fields) | types.DataclassType(fields=fields):
            return [field.type for field in fields]
        case types.UnionType(types=parts):
            return parts
        case types.ListType(item_type=item) | types.VarTupleType(item_type=item):
            return (item,)
        case types.DictType(value_type=value):
            return (value,)
        case _:
            return ()


def _table(kind: Compound) -> list[str]:
    """The lines of one type: its name, what it is, a row for each field."""
    tag, meanings = _tag(kind), _meanings(kind.cls)
    rows = [f'| `type` | `"{tag}"` | |'] if tag else []
    rows += [
        f"| `{field.encode_name}` | {_type(field, kind)} | {meanings.get(field.name, '')} |"
        for field in kind.fields
    ]
    head = ["| field | type | meaning |", "|---|---|---|"]
    return [f"#### {_title(kind)}\n", f"{_prose(kind.cls.__doc__)}\n", *head, *rows, ""]


def _tag(kind: Compound) -> str:
    """What tells lines of this type apart; empty where nothing must."""
    return str(kind.tag) if isinstance(kind, types.StructType) and kind.tag_field else ""


def _title(kind: Compound) -> str:
    return f"`{_tag(kind)}`" if _tag(kind) else kind.cls.__name__


def _type(field: types.Field, kind: Compound) -> str:
    name = _name(field.type)
    if field.required:
        return name
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    else:
        default = field.default
    if default is msgspec.NODEFAULT:  # as msgspec shows UNSET
        return f"{name}; may be absent"
    if not _omits_defaults(kind):
        return name
    if default is None:
        return f"{name.removesuffix(' or null')}; may be absent"
    return f"{name}; absent when `{msgspec.json.encode(default).decode()}`"


def _omits_defaults(kind: Compound) -> bool:
    return isinstance(kind, types.StructType) and kind.cls.__struct_config__.omit_defaults


def _name(kind: types.Type) -> str:
    """A type in words."""
    match kind:
        case types.StructType() | types.DataclassType():
            return _title(kind)
        case types.UnionType(types=parts):
            return " or ".join(map(_name, parts))
        case types.ListType(item_type=item) | types.VarTupleType(item_type=item):
            return f"list of {_name(item)}"
        case types.DictType(value_type=value):
            return f"object, each value {_name(value)}"
        case types.EnumType(cls=cls):
            return _values(cls)
        case _:
            return _PLAIN[type(kind)]


_PLAIN: dict[type[types.Type], str] = {
    types.IntType: "integer",
    types.FloatType: "number",
    types.StrType: "text",
    types.BoolType: "true or false",
    types.NoneType: "null",
    types.AnyType: "any",
}


def _values(cls: type[Enum]) -> str:
    return ", ".join(f'`"{member.value}"`' for member in cls)


def _meanings(cls: type) -> dict[str, str]:
    """The docstrings under the fields of a class."""
    (definition,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(definition, ast.ClassDef)
    pairs = zip(definition.body, definition.body[1:], strict=False)
    return {
        field.target.id: _prose(meaning.value.value)
        for field, meaning in pairs
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(meaning, ast.Expr)
        and isinstance(meaning.value, ast.Constant)
    }


def _prose(text: object) -> str:
    """A docstring in one line of Markdown, with the words of JSON."""
    return " ".join(re.sub(r"\bNone\b", "null", str(text)).replace("``", "`").split())


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
