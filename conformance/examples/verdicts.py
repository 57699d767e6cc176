"""`python -m examples.verdicts [PACKAGE ...]` runs the laws on the node types of libraries.

Run it in `conformance/`. Each node type is checked as its author would do it: once with each
function that creates an instance, and once with the type hints of its constructor. The laws are
those of nodes; for the first node type of a library, also those of JAX, Equinox and NNX. The
verdicts go to `results/`; a failing law without a judgement is printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import treelaws
from treelaws.subjects.user import BadSubject

from .factories import Example, examples
from .library import Library, libraries, packages

# What a whole check may take, in seconds.
_MAX_TIME = 600.0


def tried(example: Example, *, hints: bool, laws: str = "*", mixed: bool = False) -> dict[str, Any]:
    """Check one node type; return what a results file holds about it.

    Args:
        example: the node type.
        hints: whether instances come from the type hints of the constructor.
        laws: ids or patterns of laws.
        mixed: also run the laws of JAX, Equinox and NNX on trees that hold such nodes.
    """
    made = "type hints" if hints else example.text
    found: dict[str, Any] = {"node_type": example.node_type, "instances": made}
    try:
        records = treelaws.check(
            type(example.factory()),
            instances=None if hints else example.factory,
            laws=laws,
            profile="quick",
            mixed=mixed,
            on_broken="return",
            max_time=_MAX_TIME,
        )
    except BadSubject as refused:
        return found | {"refused": str(refused)}
    reports = [_report(group) for group in treelaws.ConformanceError(records).defects]
    counts = Counter("advice" if _is_advice(one) else one.verdict for one in records)
    return found | {"verdicts": dict(sorted(counts.items())), "reports": reports}


def _is_advice(record: treelaws.Record) -> bool:
    return record.verdict == "broken" and record.advisory


def _report(group: list[treelaws.Record]) -> dict[str, Any]:
    return {
        "laws": [[one.law, one.subject, one.message.partition("\n")[0]] for one in group],
        "text": group[0].message,
    }


def unjudged(library: Library, results: list[dict[str, Any]]) -> Iterator[str]:
    """Return the reports of failing laws that no judgement explains."""
    for one in results:
        for report in one.get("reports", ()):
            laws = [
                law
                for law, _, line in report["laws"]
                if library.judgement(one["node_type"], law, line) is None
            ]
            if laws:
                head = f"{one['node_type']} ({one['instances']}): {', '.join(laws)}"
                yield f"{head}\n{report['text']}"


def run(library: Library, *, laws: str, tell: Callable[[str], None]) -> list[dict[str, Any]]:
    """Check the node types of an installed library; return what its results file holds.

    Args:
        library: the library.
        laws: ids or patterns of laws.
        tell: is called with a line before each check.
    """
    results = []
    with tempfile.TemporaryDirectory() as folder:
        seen: set[type] = set()
        for example in examples(library, Path(folder)):
            tell(f"{example.node_type}: {example.text}")
            # One node type shows how the trees of other libraries take such nodes.
            results.append(tried(example, hints=False, laws=laws, mixed=not results))
            if (kind := type(example.factory())) not in seen:
                seen.add(kind)
                tell(f"{example.node_type}: type hints")
                results.append(tried(example, hints=True, laws=laws))
    return results


def write(library: Library, results: list[dict[str, Any]]) -> None:
    """Write the results file of a library, without the texts of reports, which have addresses."""
    library.results.parent.mkdir(exist_ok=True)
    rows = [
        one | {"reports": [report["laws"] for report in one["reports"]]}
        if "reports" in one
        else one
        for one in results
    ]
    found = {"version": library.installed, "node_types": rows}
    library.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Run the laws on the libraries of the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.verdicts")
    parser.add_argument("package", nargs="*", help="default each that is installed")
    parser.add_argument("--again", action="store_true", help="only libraries with results")
    parser.add_argument("--laws", default="*", help="ids or patterns of laws; default all")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.package if name not in packages()]:
        parser.error(f"unknown {unknown[0]!r}; choose from {', '.join(packages())}")
    left = 0
    for library in libraries(chosen.package):
        if chosen.again and not library.results.exists():
            continue
        if library.absent:
            print(f"{library.package}: skipped, {library.absent}", file=sys.stderr)
            continue
        results = run(
            library, laws=chosen.laws, tell=lambda line: print(line, file=sys.stderr, flush=True)
        )
        if chosen.laws == "*":
            write(library, results)
        for text in unjudged(library, results):
            print(f"{text}\n", flush=True)
            left += 1
    print(f"{left or 'no'} reports with a failing law without a judgement")
    return 1 if left else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main())
