"""Settings of a game: one typed struct per game, parsed from text, checked, and described.

A game declares its settings as a frozen struct; the annotation of a field carries its range and
meaning, so that the checks, the error messages and ``arena games NAME`` cannot disagree::

    class WarlightSettings(Settings, frozen=True, kw_only=True):
        luck: Annotated[int, Meta(ge=0, le=1000, description="share of chance, per mille")] = 160
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec
from msgspec import Meta, Struct

from arena.errors import SettingError, did_you_mean
from arena.text import joined

Milliseconds = Annotated[int, Meta(ge=1, le=86_400_000)]


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of every game. Checks across keys belong in `__post_init__` (ValueError)."""

    timebank: Annotated[
        Milliseconds, Meta(description="thinking time a seat starts with and can save up, ms")
    ] = 10_000
    time_per_move: Annotated[
        int, Meta(ge=0, le=86_400_000, description="added to the time bank after each request, ms")
    ] = 100


S = TypeVar("S", bound=Struct)


class Key(Struct, frozen=True):
    """The description of one setting."""

    name: str
    default: Any
    allowed: str
    meaning: str
    choices: tuple[str, ...] = ()
    """The allowed values, if they are a list of words."""


def keys(kind: type[Settings]) -> list[Key]:
    """All settings of a game in the order of its table."""
    hints = _hints(kind)
    return [
        Key(
            name=field.name,
            default=_default(field.default, meta),
            allowed=allowed(hints[field.name]),
            meaning=meta["meaning"],
            choices=_choices(hints[field.name]),
        )
        for field in msgspec.structs.fields(kind)
        for meta in [_meta(hints[field.name])]
    ]


def parse(kind: type[S], given: Mapping[str, Any]) -> S:
    """A value of that kind from names and values (text or typed); missing ones get their defaults.

    Raises SettingError naming the key, the given value and the allowed ones.
    """
    forms = _forms(kind)
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in forms:
            raise SettingError(f"there is no setting {name!r}: {did_you_mean(name, forms)}")
        values[name] = forms[name].convert(name, value)
    try:
        return kind(**values)
    except ValueError as error:
        raise SettingError(str(error)) from None


@cache
def _hints(kind: type[Struct]) -> dict[str, Any]:
    """The type hints of a class; cached, because computing them takes a millisecond."""
    return typing.get_type_hints(kind, include_extras=True)


def parse_changes(changes: Iterable[str]) -> dict[str, str]:
    """Names and values from texts ``KEY=VALUE``. Raises SettingError."""
    found: dict[str, str] = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise SettingError(f"--set {change}: give KEY=VALUE, as in --set timebank=2000")
        found[key.strip()] = value.strip()
    return found


def convert(name: str, given: Any, hint: Any) -> Any:
    """A value (text or typed) as its annotation wants it. The ``extra`` of its `Meta` may have a
    function that reads it from text (``read``).

    Raises SettingError naming the key, the given value and the allowed ones.
    """
    return _Form(hint).convert(name, given)


class _Form:
    """What an annotation says of how a value is read: looked up once, because that takes longer
    than to read a value, and a book of openings has 100,000 of them."""

    __slots__ = ("hint", "is_tuple", "present", "read")

    def __init__(self, hint: Any) -> None:
        self.hint, self.present = hint, _present(hint)
        self.read = _meta(self.present).get("read")
        self.is_tuple = typing.get_origin(_strip(self.present)) is tuple

    def convert(self, name: str, given: Any) -> Any:
        """As the function `convert`."""
        value = self.read(given) if self.read and isinstance(given, str) else given
        if self.is_tuple and isinstance(value, str):
            value = value.replace(",", " ").split()
        try:
            converted = msgspec.convert(value, self.hint, strict=not isinstance(value, str | list))
            _check_decimals(converted, self.present)
        except (msgspec.ValidationError, ArithmeticError):
            shown = " ".join(map(str, value)) if isinstance(value, list | tuple) else given
            raise SettingError(
                f"{name}={shown} is not allowed: give {allowed(self.hint)}"
            ) from None
        return converted


@cache
def _forms(kind: type[Struct]) -> dict[str, _Form]:
    """The forms of the fields of a class."""
    return {name: _Form(hint) for name, hint in _hints(kind).items()}


def _check_decimals(value: Any, hint: Any) -> None:
    """Check the range of a Decimal, which msgspec does not. Raises ArithmeticError."""
    if isinstance(value, tuple):
        arguments = typing.get_args(_strip(hint))
        for i, item in enumerate(value):
            _check_decimals(item, arguments[0] if arguments[-1] is Ellipsis else arguments[i])
    elif isinstance(value, Decimal):
        meta = _meta(hint)
        if not (value.is_finite() and meta["ge"] <= value <= meta["le"] and value * 1000 % 1 == 0):
            raise ArithmeticError


def decimal_range(low: int, high: int, description: str = "") -> Meta:
    """The range and meaning of a Decimal with at most three places::

    Annotated[Decimal, decimal_range(0, 10, "what each citizen eats")]
    """
    return Meta(description=description, extra={"ge": low, "le": high})


def _choices(hint: Any) -> tuple[str, ...]:
    """The words that an annotation allows, if it lists them."""
    plain = _strip(hint)
    if typing.get_origin(plain) is Literal:
        return tuple(map(str, typing.get_args(plain)))
    return tuple(map(str, plain)) if isinstance(plain, type) and issubclass(plain, Enum) else ()


def allowed(hint: Any) -> str:
    """The allowed values of an annotation, in words: ``a whole number from 1 to 9``.

    The ``extra`` of its `Meta` may state them instead (``allowed``), or the unit of the number."""
    plain, meta = _strip(hint), _meta(hint)
    origin, arguments = typing.get_origin(plain), typing.get_args(plain)
    if "allowed" in meta:
        return str(meta["allowed"])
    if choices := _choices(hint):
        return joined(choices, "or")
    if origin in (Union, types.UnionType):
        return " or ".join(allowed(kind) for kind in arguments if kind is not type(None))
    if origin is tuple:
        count = "" if arguments[-1] is Ellipsis else f"{len(arguments)} "
        return f"{count}numbers, each {allowed(arguments[0])}"
    words = _KINDS.get(plain, "a text")
    low, high, unit = meta.get("ge"), meta.get("le"), meta.get("unit", "")
    if low is not None and high is not None:
        return f"{words} from {low} to {high} {unit}".rstrip()
    if low is not None:
        return f"{words}, at least {low}"
    return words


_KINDS = {
    bool: "true or false",
    int: "a whole number",
    Decimal: "a number with at most three decimals",
}


def _strip(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _present(hint: Any) -> Any:
    """The annotation of a given value: without the ``| None`` of derived settings. (Any other union
    is reduced to its first type, which suits all callers.)"""
    plain = _strip(hint)
    if typing.get_origin(plain) in (Union, types.UnionType):
        return next(a for a in typing.get_args(plain) if a is not type(None))
    return hint


def _meta(hint: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"meaning": ""}
    for meta in typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ():
        if isinstance(meta, Meta):
            found.update(
                {name: value for name in ("ge", "le") if (value := getattr(meta, name)) is not None}
            )
            found["meaning"] = meta.description or found["meaning"]
            found.update(meta.extra or {})
    return found


def _default(default: Any, meta: dict[str, Any]) -> Any:
    return meta["default"] if default is None and "default" in meta else default
