"""The description of an API in the form of OpenAPI 3.1, from the declarations of its endpoints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from arena import __version__

JSON = "application/json"
_REF = "#/components/schemas/{name}"


class ApiProblem(Struct, frozen=True):
    """Why a request was not done."""

    error: str
    """A sentence that says what to do."""


class Endpoint(Struct, frozen=True):
    """One method of one path."""

    method: str
    path: str
    """Behind ``/{contest}/api/``, as Starlette writes paths."""
    answer: Callable[..., Any]
    """What answers a call."""
    gives: Any = None
    """The type of the answer, as JSON; None with `media`."""
    media: str = ""
    """The media type of an answer that is not JSON."""
    status: int = 200
    scopes: tuple[str, ...] = ()
    """The scopes of which a token must have one; none: everybody may call it."""
    may: str = "take part"
    """What the account of the token must be allowed to do."""
    query: type[Struct] | None = None
    """The parameters behind the ``?``."""
    takes: type[Struct] | None = None
    """The body, as JSON."""
    takes_file: bool = False
    """Whether the body is a file."""

    @property
    def types(self) -> list[Any]:
        """All types of the description."""
        return [one for one in (self.gives, self.query, self.takes) if one is not None]


def description(endpoints: Sequence[Endpoint], url: str, contests: Iterable[str]) -> dict[str, Any]:
    """The document for a site at the address `url`, with these contests."""
    types = [one for endpoint in endpoints for one in endpoint.types]
    schemas, components = msgspec.json.schema_components([*types, ApiProblem], ref_template=_REF)
    of_type = dict(zip(map(repr, [*types, ApiProblem]), schemas, strict=True))
    contest = {
        "name": "contest",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "enum": sorted(contests)},
    }
    paths: dict[str, Any] = {}
    for one in endpoints:
        path = "/{contest}/api/" + re.sub(r":\w+\}", "}", one.path)
        entry = paths.setdefault(path, {"parameters": [contest, *_in_path(one.path)]})
        entry[one.method.lower()] = _operation(one, of_type, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "arena",
            "version": __version__,
            "description": "Contests of bots. Errors are JSON with a sentence that says what to "
            "do. An ETag comes with each JSON document and record.",
        },
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _in_path(path: str) -> list[dict[str, Any]]:
    found = re.findall(r"\{(\w+)(?::(\w+))?\}", path)
    kinds = {"int": {"type": "integer", "minimum": 0, "maximum": 10**15}}
    text = {"type": "string", "minLength": 1, "maxLength": 40}
    return [
        {"name": name, "in": "path", "required": True, "schema": kinds.get(kind, text)}
        for name, kind in found
    ]


def _operation(
    one: Endpoint, of_type: dict[str, Any], components: dict[str, Any]
) -> dict[str, Any]:
    summary, _, rest = (one.answer.__doc__ or "").partition("\n\n")
    problem = {JSON: {"schema": of_type[repr(ApiProblem)]}}
    media = {JSON: {"schema": of_type[repr(one.gives)]}} if one.gives else {one.media: {}}
    codes = {"400": "The parameters or the body are wrong.", "404": "It does not exist."}
    codes |= {"401": "The token is missing or does not hold.", "403": "The token is for less."}
    codes |= {"413": "It is too large.", "415": "The body is no JSON."} if _has_body(one) else {}
    if one.method != "GET":
        codes["409"] = "It was understood, and is not allowed: a limit, the deadline, a name."
    if one.media == "text/event-stream":
        codes["429"] = "Too many streams are open."
    responses: dict[str, Any] = {str(one.status): {"description": "Done.", "content": media}}
    if one.method == "GET" and one.media != "text/event-stream":
        responses["304"] = {"description": "As it was at that ETag."}
    for code, why in sorted(codes.items()):
        responses[code] = {"description": why, "content": problem}
    made: dict[str, Any] = {
        "operationId": one.answer.__name__,
        "summary": " ".join(summary.split()),
        "responses": responses,
        "security": [{"token": []}] if one.scopes else [{}, {"token": []}],
    }
    if rest:
        made["description"] = " ".join(rest.split())
    if one.scopes:
        made["x-scopes"] = list(one.scopes)
    if one.query is not None:
        made["parameters"] = _parameters(one.query, components)
    if one.takes is not None:
        schema = of_type[repr(one.takes)]
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
    if one.takes_file:
        made["requestBody"] = {"required": True, "content": _FILE}
    return made


_FILE = {
    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        }
    },
}


def _has_body(one: Endpoint) -> bool:
    return one.takes is not None or one.takes_file


def _parameters(query: type[Struct], components: dict[str, Any]) -> list[dict[str, Any]]:
    """Its fields as parameters. Their type is then not one of the components."""
    schema = components.get(query.__name__, {})
    return [
        {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": of}
        for name, of in schema["properties"].items()
    ]
