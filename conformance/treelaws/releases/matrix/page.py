"""The pages of releases: an index, and for each package the laws that each release breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from treelaws.core.files import status_folder

from .status import LETTERS, read

FOLDER = status_folder()

_INDEX = """\
# Releases

`python -m treelaws matrix --package equinox` runs the suite on each release of a package. These
pages show, for each package, which laws each release breaks:

| package | releases | laws with a breach |
|---|---:|---:|
{packages}

## Read a page

The first table has one row for each release, with the number of laws by verdict. *Beside* names
the other packages that were pinned.

The second table has one row for each known departure of a law, or for the unknown breaches of a
law. *Verdicts* has one letter for each release, the oldest first:

| letter | verdict |
|---|---|
{letters}
| `-` | the release could not be run |

*First bad* is the oldest release that breaks the law. `<=` means that no older release was run.
*First good* is the release that fixed it; it is empty if the newest release still breaks the law.

`python -m treelaws pages docs` generates these pages from the files in `reports/status/`, which
`python -m treelaws matrix --status reports/status` writes.
"""
_HEAD = """\
# Releases: {package}

Profile {profile}, edition {edition}, seed {seed}. The [index](index.md) explains the columns.
"""


def pages(folder: Path = FOLDER) -> dict[str, str]:
    """Return the text of each page by its path below the folder of the documentation.

    Args:
        folder: where the files of status are; default that of the clone.
    """
    found = [read(path) for path in sorted(folder.glob("*.toml"))]
    texts = {f"releases/{status['package']}.md": "\n".join(_package(status)) for status in found}
    return {"releases/index.md": _index(found), **texts}


def page(folder: Path = FOLDER) -> str:
    """Return all pages as one text.

    Args:
        folder: where the files of status are; default that of the clone.
    """
    return "\n".join(pages(folder).values())


def _index(found: Sequence[Mapping[str, Any]]) -> str:
    packages = (
        f"| [{status['package']}]({status['package']}.md) | {_count(status)} | {_broken(status)} |"
        for status in found
    )
    letters = (f"| `{letter}` | {verdict} |" for verdict, letter in LETTERS.items())
    return _INDEX.format(packages="\n".join(packages), letters="\n".join(letters))


def _count(status: Mapping[str, Any]) -> int:
    return len({release["version"] for release in status["release"]})


def _broken(status: Mapping[str, Any]) -> int:
    return len({law["law"] for law in status.get("law", ())})


def _package(status: Mapping[str, Any]) -> Iterator[str]:
    yield _HEAD.format_map(status)
    yield "| release | beside | held | known | broken | other | |"
    yield "|---|---|---:|---:|---:|---:|---|"
    for release in status["release"]:
        yield _release(release)
    yield ""
    yield "| law | subject | beside | verdicts | first bad | first good | known departure |"
    yield "|---|---|---|---|---|---|---|"
    for law in status.get("law", ()):
        yield _law(law)
    yield ""


def _release(release: Mapping[str, Any]) -> str:
    counts: dict[str, int] = release.get("counts", {})
    named = ("held", "known", "broken")
    rest = (f"{count} {name}" for name, count in counts.items() if name not in named)
    shown = (str(counts.get(name, "")) for name in named)
    beside = release.get("beside") or _libraries(release)
    cells = [release["version"], beside, *shown, ", ".join(rest), release.get("problem", "")]
    return f"| {' | '.join(map(_plain, cells))} |"


def _libraries(release: Mapping[str, Any]) -> str:
    jax = release.get("libraries", {}).get("jax")
    return f"jax {jax}" if jax else ""


def _law(law: Mapping[str, Any]) -> str:
    departure = f"`{law['departure']}`" if "departure" in law else ""
    cells = [
        f"`{law['law']}`",
        _plain(law["subject"]),
        _plain(law.get("beside", "")),
        f"`{law['verdicts']}`",
        law["first_bad"],
        law.get("first_good", ""),
        departure,
    ]
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
