"""The pages of files across releases: an index, and a page and a picture for each package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from treelaws.core.files import status_folder

from .judged import NAME, judgement
from .outcomes import LETTERS, RANKED
from .picture import picture
from .promises import PROMISES
from .status import read

FOLDER = status_folder().parent / "carried"

_INDEX = """\
# Files across releases

`python -m treelaws carried --package equinox` lets each release of a package write files that the
next release reads, and the other way round. A case is the text of an input, which both releases
build: what the reading release makes of the file is compared with what it builds itself, in
structure, values, dtypes and static values. These pages show, for each package, what loads:

| package | releases | pairs | loads wrong | ends the process | unclear error | fails |
|---|---:|---:|---:|---:|---:|---:|
{packages}

The columns on the right count the pairs of releases with such an outcome in some law.

## Read a page

Each table has one row for each law, and one letter for each pair of releases, the oldest first:

| letter | worst outcome of a case |
|---|---|
{letters}

*Upgrades* are read by the newer release of the pair, *rollbacks* by the older one. The last letter
is the oldest release with the newest.

Cases that a release cannot build, or for which the law breaks within one release, say nothing about
the pair, and are left out. Releases of JAX draw different random numbers, so that inputs with such
numbers are left out, too, unless each array gets numbers that depend on its key path alone.

## What is promised

{promises}

No promise is known for the rest, and people rely on it.

`python -m treelaws pages docs` generates these pages from the files in `reports/carried/`, which
`python -m treelaws carried --status reports/carried` writes.
"""
_HEAD = """\
# Files across releases: {package}

{examples} cases of each law and subject, seed {seed}. The [index](index.md) explains the letters.

![Laws by pairs of releases]({package}.svg)
"""


def pages(folder: Path = FOLDER) -> dict[str, str]:
    """Return the text of each page and picture by its path below the folder of the documentation.

    Args:
        folder: where the results are; default that of the clone.
    """
    found = [read(path) for path in sorted(folder.glob("*.toml")) if path.name != NAME]
    texts = {f"carried/{one['package']}.md": "\n".join(_package(one, folder)) for one in found}
    pictures = {f"carried/{one['package']}.svg": picture(one) for one in found}
    return {"carried/index.md": _index(found), **texts, **pictures}


def _index(found: Sequence[Mapping[str, Any]]) -> str:
    letters = (f"| `{letter}` | {outcome or 'no case'} |" for outcome, letter in LETTERS.items())
    promises: dict[str, list[str]] = {}
    for law, promise in PROMISES.items():
        promises.setdefault(f"[{promise.text}]({promise.source})", []).append(f"`{law}`")
    lines = (f"- {text}: {', '.join(laws)}" for text, laws in promises.items())
    return _INDEX.format(
        packages="\n".join(map(_row, found)),
        letters="\n".join(letters),
        promises="\n".join(lines),
    )


def _row(found: Mapping[str, Any]) -> str:
    pairs = found["pair"]
    releases = {one for pair in pairs for one in (pair["writer"], pair["reader"])}
    bad = [outcome for outcome in LETTERS if outcome not in ("loads", "")]
    counts = (sum(outcome in pair.get("counts", ()) for pair in pairs) for outcome in bad)
    name = found["package"]
    cells = [f"[{name}]({name}.md)", str(len(releases)), str(len(pairs)), *map(str, counts)]
    return f"| {' | '.join(cells)} |"


def _package(found: Mapping[str, Any], folder: Path) -> Iterator[str]:
    yield _HEAD.format_map(found)
    ups, downs = directions(found["pair"])
    yield "| law | upgrades | rollbacks |"
    yield "|---|---|---|"
    for law in laws(found):
        yield f"| `{law}` | `{_letters(law, ups)}` | `{_letters(law, downs)}` |"
    yield ""
    yield "| upgrade | with | reads with |"
    yield "|---|---|---|"
    for pair in ups:
        sides = (_beside(pair.get(role, {})) for role in ("writes_with", "reads_with"))
        yield f"| {pair['writer']} -> {pair['reader']} | {' | '.join(sides)} |"
    yield ""
    problems = [pair for pair in found["pair"] if "problem" in pair]
    if problems:
        yield "## Releases that could not run"
        yield ""
        yield from (f"- {one['writer']} -> {one['reader']}: {one['problem']}" for one in problems)
        yield ""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in found.get("outcome", ()):
        verdict = judgement(found["package"], row, folder)
        groups.setdefault((row["outcome"], verdict or row["law"]), []).append(row)
    for outcome in (one for one in RANKED if any(one == key[0] for key in groups)):
        yield f"## {outcome[0].upper()}{outcome[1:]}"
        yield ""
        for (of, verdict), rows in groups.items():
            if of == outcome:
                yield from _group(verdict if verdict != rows[0]["law"] else "", rows)


def _group(verdict: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Write outcomes of one cause, and the shortest input or script that shows it."""
    yield from (verdict, "") if verdict else ()
    for row in rows:
        first = _plain(row["told"].strip().splitlines()[0])
        where = f"{', '.join(row['subjects'])}; {_listed(row['pairs'])}"
        yield f"- `{row['law']}`: {where}: {first}"
    yield ""
    shown = min(rows, key=lambda row: (not row.get("script"), len(_code(row))))
    yield from ("```", shown["told"].strip("\n"), "```", "")
    yield from ("```python", _code(shown).strip("\n"), "```", "")


def _code(row: Mapping[str, Any]) -> str:
    return row.get("script") or row["input"]


def _plain(text: str) -> str:
    return f"`{text.replace('`', '')}`"


def _listed(pairs: Sequence[str]) -> str:
    more = len(pairs) - 6
    return ", ".join(pairs[:6]) + (f" and {more} more" if more > 0 else "")


def _beside(libraries: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in libraries.items())


def directions(pairs: Sequence[Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Return the pairs that are read by the newer release, and those by the older one.

    Args:
        pairs: each followed by the same in the other direction.
    """
    return list(pairs[::2]), list(pairs[1::2])


def laws(found: Mapping[str, Any]) -> list[str]:
    """Return the laws with a result, by id."""
    return sorted({law for pair in found["pair"] for law in pair["laws"]})


def _letters(law: str, pairs: Sequence[Mapping[str, Any]]) -> str:
    return "".join(LETTERS[pair["laws"].get(law, "")] for pair in pairs)
