"""The committed table of public functions: what laws passed to each, and why some are not called.

`table.json` is written by `python -m treelaws coverage --record`. It keeps the names that only
other releases have.
"""

from __future__ import annotations

import fnmatch
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from treelaws.compat import toml
from treelaws.core.files import replace_text

from .inventory import Public
from .recorder import CALL, Calls

FILE = Path(__file__).with_name("table.json")
REASONS = Path(__file__).with_name("reasons.toml")
Kinds = Mapping[str, int]


class Entry(NamedTuple):
    """A public function, and how laws call it.

    Args:
        name: the dotted name.
        calls: number of calls by laws and by the text of recipes.
        parameters: by parameter, how often each kind of argument other than the default was passed.
    """

    name: str
    calls: int
    parameters: Mapping[str, Kinds]

    def gaps(self) -> Iterator[str]:
        """Give the name if no law calls it, else each parameter to which no law passes a value."""
        if not self.calls:
            yield self.name
            return
        yield from (f"{self.name}({one})" for one, kinds in self.parameters.items() if not kinds)


def entries(listed: Sequence[Public], calls: Calls) -> list[Entry]:
    """Return the entries of an installed library from the calls of a run."""
    made = []
    for public in listed:
        found = calls.get(public.name, {})
        parameters = {name: dict(found.get(name, {})) for name in public.parameters}
        made.append(Entry(public.name, sum(found.get(CALL, {}).values()), parameters))
    return made


def read() -> dict[str, list[Entry]]:
    """Return the committed entries by library."""
    table = json.loads(FILE.read_text(encoding="utf-8"))["libraries"]
    return {
        library: [Entry(name, one["calls"], one["parameters"]) for name, one in found.items()]
        for library, found in table.items()
    }


def write(found: Mapping[str, Sequence[Entry]], releases: Mapping[str, str]) -> None:
    """Replace the entries of the installed releases, and keep those that only others have.

    Args:
        found: entries by library.
        releases: the installed release of each library.
    """
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    libraries: dict[str, dict[str, Any]] = before.get("libraries", {})
    for library, listed in found.items():
        held = libraries.setdefault(library, {})
        for one in listed:
            parameters = {
                name: kinds
                for name, kinds in held.get(one.name, {}).get("parameters", {}).items()
                if name not in one.parameters
            } | dict(one.parameters)
            held[one.name] = {"calls": one.calls, "parameters": parameters}
    told = {**before.get("releases", {}), **releases}
    text = ",\n".join(f'"{name}": {_lines(libraries[name])}' for name in sorted(libraries))
    replace_text(FILE, f'{{"releases": {json.dumps(told)},\n"libraries": {{{text}}}}}\n')


def _lines(entries: Mapping[str, Any]) -> str:
    """Return JSON with a line for each function."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(entries[name], sort_keys=True)}"
        for name in sorted(entries)
    )
    return "{\n" + ",\n".join(lines) + "}"


@functools.cache
def reasons() -> Mapping[str, str]:
    """Return why no law calls a function or passes a parameter, by pattern.

    A pattern is that of a name, which includes its parameters, or of `name(parameter)`.
    """
    return toml.loads(REASONS.read_text(encoding="utf-8"))["reasons"]


def reason(gap: str) -> str:
    """Return the reason for a gap; "" if there is none."""
    names = (gap, gap.split("(")[0])
    return next(
        (
            why
            for pattern, why in reasons().items()
            if any(fnmatch.fnmatchcase(name, pattern) for name in names)
        ),
        "",
    )
