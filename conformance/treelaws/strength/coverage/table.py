"""The committed table of public functions: what laws passed to each, and why some are not called.

`table.json` is written by `python -m treelaws coverage --record`. It keeps the names and parameters
that only other releases have.
"""

from __future__ import annotations

import fnmatch
import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

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
        release: the newest release of its library that is recorded to have it.
        former: parameters that only other releases have.
    """

    name: str
    calls: int
    parameters: Mapping[str, Kinds]
    release: str = ""
    former: tuple[str, ...] = ()

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


def read() -> dict[str, dict[str, Entry]]:
    """Return the committed entries by library and name."""
    if not FILE.exists():
        return {}
    table = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        library: {
            name: Entry(name, one["calls"], one["parameters"], one["release"], tuple(one["former"]))
            for name, one in found.items()
        }
        for library, found in table.items()
    }


def current(listed: Iterable[Entry]) -> list[Entry]:
    """Return the entries of the newest release of a library that is recorded."""
    found = list(listed)
    newest = max((Version(one.release) for one in found), default=None)
    return [one for one in found if Version(one.release) == newest]


def write(found: Mapping[str, Sequence[Entry]], releases: Mapping[str, str]) -> None:
    """Record the entries of the installed releases beside those of others.

    Args:
        found: entries by library.
        releases: the installed release of each library.
    """
    table = read()
    for library, listed in found.items():
        held = table.setdefault(library, {})
        for one in listed:
            new = one._replace(release=releases[library])
            held[one.name] = _joined(held[one.name], new) if one.name in held else new
    text = ",\n".join(f'"{name}": {_lines(table[name])}' for name in sorted(table))
    replace_text(FILE, f"{{{text}}}\n")


def _joined(one: Entry, other: Entry) -> Entry:
    """Return the entry of the newer release, with what only the older one has or passes.

    A run draws some kinds of argument only; of two runs with one release, both count.
    """
    older, newer = sorted((one, other), key=lambda entry: Version(entry.release))
    parameters = {
        name: _either(
            older.parameters.get(name, {}), kinds, all_kinds=older.release == newer.release
        )
        for name, kinds in newer.parameters.items()
    }
    former = {*older.parameters, *older.former, *newer.former} - parameters.keys()
    return Entry(
        one.name, max(newer.calls, older.calls), parameters, newer.release, tuple(sorted(former))
    )


def _either(older: Kinds, newer: Kinds, *, all_kinds: bool) -> Kinds:
    if not all_kinds:
        return newer or older
    return {kind: max(older.get(kind, 0), newer.get(kind, 0)) for kind in {**older, **newer}}


def _lines(entries: Mapping[str, Entry]) -> str:
    """Return JSON with a line for each function."""
    lines = []
    for name in sorted(entries):
        held = entries[name]._asdict()
        del held["name"]
        lines.append(f"{json.dumps(name)}: {json.dumps(held, sort_keys=True)}")
    return "{\n" + ",\n".join(lines) + "}"


@functools.cache
def reasons() -> Mapping[str, str]:
    """Return why no law calls a function or passes a parameter, by pattern.

    A pattern is that of a name, which includes its parameters, of `name(parameter)`, which
    includes each kind of argument, or of `name(parameter): kind`.
    """
    return toml.loads(REASONS.read_text(encoding="utf-8"))["reasons"]


def reason(gap: str) -> str:
    """Return the reason for a gap, or for a kind of argument; "" if there is none."""
    names = (gap, gap.split(": ")[0], gap.split("(")[0])
    return next(
        (
            why
            for pattern, why in reasons().items()
            if any(fnmatch.fnmatchcase(name, pattern) for name in names)
        ),
        "",
    )
