"""Adds candidates to a file of known departures, behind what stands there."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from treelaws.core.departures.departure import EVERY_CASE, Departure

from .candidates import Candidate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_WIDTH = 98
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def append(path: Path, candidates: Sequence[Candidate], taken: Collection[str]) -> list[str]:
    """Write candidates behind what a file holds; it is made where there is none.

    Args:
        path: the file.
        candidates: what to write.
        taken: names that other entries have, beside those of the file.

    Returns:
        The names of the entries.

    Raises:
        OSError: the file cannot be written.
    """
    before = path.read_bytes() if path.exists() else b""
    names = {*taken, *tomllib.loads(before.decode("utf-8"))}
    entries: dict[str, str] = {}
    for one in candidates:
        name = _free(one, names)
        names.add(name)
        entries[name] = "".join(f"{line}\n" for line in _entry(one.departure(name), one.features))
    text = "\n".join(entries.values())
    if before:
        # One blank line between what was there and what comes.
        text = ("" if before.endswith(b"\n") else "\n") + "\n" + text
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    # Nothing is written that the next run cannot read.
    tomllib.loads(before.decode("utf-8") + text)
    with path.open("ab") as file:
        file.write(text.encode("utf-8"))
    return list(entries)


def _free(candidate: Candidate, taken: Collection[str]) -> str:
    words = f"{candidate.law} {candidate.subject}"
    wanted = re.sub(r"\W+", "_", words, flags=re.ASCII).strip("_")
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _entry(found: Departure, features: Sequence[str]) -> Iterator[str]:
    region = ", ".join(map(_text, found.region))
    yield from _comment(
        "Say in `reason` why the library is wrong, and in `issue` where that is reported."
    )
    yield from _comment(
        f"With {_text(EVERY_CASE)} the law is tried on the witness alone. Narrow the region to "
        "the features that the bug needs, so that a second bug shows."
    )
    if features:
        yield from _comment(f"The witness has: {', '.join(map(_text, features))}")
    yield f"[{found.name}]"
    yield f"law = {_text(found.law)}"
    yield f"subject = {_text(found.subject)}"
    pins = (f"{_key(package)} = {_text(spec)}" for package, spec in found.versions.items())
    yield f"versions = {{ {', '.join(pins)} }}"
    yield f"issue = {_text(found.issue)}"
    yield f"reason = {_text(found.reason)}"
    yield f"region = [{region}]"
    if found.raises:
        yield f"raises = {_text(found.raises)}"
    yield f"witness = {_block(found.witness)}"


def _comment(text: str) -> Iterator[str]:
    wrapper = textwrap.TextWrapper(width=_WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    for line in wrapper.wrap(text):
        yield f"# {line}"


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _text(text)


def _text(text: str) -> str:
    escaped = _escaped(text).replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _block(text: str) -> str:
    """Write text over several lines, as it is where TOML can."""
    if "'''" not in text and not _CONTROL.search(text):
        return f"'''\n{text}\n'''"
    escaped = _escaped(text).replace('"""', '\\"\\"\\"')
    return f'"""\n{escaped}\n"""'


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\")
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
