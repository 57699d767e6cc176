"""The results of one package as a small file, from which the page and the picture are made."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit

from hypothesis_pytrees import Recipe
from treelaws.compat import toml

from .asked import Asked
from .differing import Differing, differing
from .outcomes import worst
from .running import Result

# Characters of a difference and of an input.
_LONGEST = 600
# A longer script says less than its input.
_LINES = 100


def text(asked: Asked, results: Sequence[Result], suite: str) -> str:
    """Write the results as TOML.

    Args:
        asked: what was asked of each release.
        results: in the order of the table.
        suite: version of the suite.
    """
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by `python -m treelaws carried --status`."))
    head = {"package": asked.package, "suite": suite}
    document.update({**head, "examples": asked.examples, "seed": asked.seed})
    document.add("pair", _tables([_pair(result) for result in results]))
    if groups := differing(results):
        document.add("outcome", _tables([_row(one) for one in groups]))
    return document.as_string()


def _pair(result: Result) -> dict[str, Any]:
    told: dict[str, Any] = {"writer": result.writer.name, "reader": result.reader.name}
    for role, libraries in zip(("writes", "reads"), result.libraries, strict=True):
        others = {name: text for name, text in libraries.items() if name != result.writer.package}
        if others.get("jaxlib") == libraries.get("jax"):
            others.pop("jaxlib", None)
        told |= {f"{role}_with": others} if others else {}
    counts = Counter(one.outcome for one in result.outcomes)
    told |= {"counts": dict(sorted(counts.items()))} if counts else {}
    by_law: dict[str, list[Any]] = {}
    for one in result.outcomes:
        by_law.setdefault(one.case.law, []).append(one)
    told |= {"laws": {law: worst(found) for law, found in sorted(by_law.items()) if worst(found)}}
    return told | ({"problem": result.problem} if result.problem else {})


def _row(one: Differing) -> dict[str, Any]:
    script = one.script()
    short = script if script.count("\n") < _LINES else ""
    shown = {"script": short} if short else {"input": _shown(one.first.case.recipe)}
    return {
        "law": one.law,
        "outcome": one.first.outcome,
        "subjects": one.subjects,
        "told": one.first.told[:_LONGEST],
        **shown,
        "pairs": one.pairs,
    }


def _shown(recipe: Recipe) -> str:
    """Return the text of an input; if it is long, without its definitions and first statements."""
    text = recipe.source()
    if len(text) > _LONGEST:
        text = (recipe := dataclasses.replace(recipe, definitions=())).source()
    while len(recipe.statements) > 1 and len(text) > _LONGEST:
        recipe = dataclasses.replace(recipe, statements=recipe.statements[1:])
        text = recipe.source()
    return text


def _tables(rows: Sequence[dict[str, Any]]) -> Any:
    found = tomlkit.aot()
    for row in rows:
        table = tomlkit.table()
        for name, value in row.items():
            table.add(name, _item(value))
        found.append(table)
    return found


def _item(value: Any) -> Any:
    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update(value)
        return table
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    return value


def read(path: Path) -> dict[str, Any]:
    """Read the results of a package.

    Raises:
        ValueError: the file is not TOML.
    """
    return toml.loads(path.read_text(encoding="utf-8"))
