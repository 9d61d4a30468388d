"""Clojure: a source that is part of a project of several, run without its build tool.

The folders in which namespaces begin are added to where Clojure looks for them, and then its own
program loads the main one: so no tool asks a network, and any ``clojure`` will do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePath

from arena.bots.content import beginning
from arena.bots.language import Language
from arena.bots.manifests import manifests_around
from arena.bots.modules import NAMESPACE

MAIN = rb"\(defn-?\s++(?:\^\S++\s++)?+-main\b"
"""How a main function begins."""
_CALLED = re.compile(rb"^\((?:apply )?-main\b", re.MULTILINE)

_START = (
    "(let [loader (clojure.lang.DynamicClassLoader. (clojure.lang.RT/baseLoader))]"
    " (doseq [place [{places}]] (.addURL loader (.toURL (.toURI (java.io.File. place)))))"
    " (.setContextClassLoader (Thread/currentThread) loader)"
    " (with-bindings {{clojure.lang.Compiler/LOADER loader}} {load}))"
)


def in_project(folder: Path, main: str) -> Language | None:
    """How it is run where it has a namespace in which others could lie, or a main function."""
    text = beginning(folder / main)
    if NAMESPACE.search(text) is None:
        return None
    return Language(
        "Clojure",
        (".clj",),
        run=("clojure -e {start}",),
        install="clojure (Debian, Ubuntu) or https://clojure.org",
        facts=_facts,
    )


def _facts(folder: Path, main: str) -> Mapping[str, str]:
    """The expression that starts it. In `folder` it runs where it lies."""
    text = beginning(folder / main)
    found = NAMESPACE.search(text)
    assert found is not None
    namespace = found[1].decode()
    places = [json.dumps(str(folder / place)) for place in _places(folder, main, namespace)]
    if re.search(MAIN, text) and not _CALLED.search(text):
        load = f"(require '{namespace}) ((resolve '{namespace}/-main))"
    else:
        load = f"(load-file {json.dumps(str(folder / main))})"
    return {"start": _START.format(places=" ".join(places), load=load)}


def _places(folder: Path, main: str, namespace: str) -> list[str]:
    """Where namespaces begin: above the main one, and where its project says."""
    depth = namespace.count(".")
    parents = PurePath(main).parents
    above = [str(parents[depth])] if depth < len(parents) else []
    said = [path for one in manifests_around(folder, main) for path in one.paths(one.sources)]
    libraries = sorted(str(path.relative_to(folder)) for path in folder.glob("lib*/*.jar"))
    usual = ["src", "resources", "."]
    return [*dict.fromkeys([*above, *said, *usual]), *libraries]
