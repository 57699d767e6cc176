"""Writes the page of releases with the laws that each release of a library breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .status import LETTERS, read

FOLDER = Path(__file__).resolve().parents[4] / "reports" / "status"
_HEAD = """\
# Releases

Which laws each release of a library breaks. It is made of the files in `reports/status/`, which
`python -m treelaws matrix` writes, by `python -m treelaws pages docs`.

A line is about a known departure of a law, or about breaches of the law that none covers. The
verdicts stand in the order of the releases: {letters},
- could not be run. *First bad* with <= is the oldest release that was run; without *first good* the
newest breaks it.
"""


def page(folder: Path = FOLDER) -> str:
    """Write the page of releases as Markdown.

    Args:
        folder: where the files of status are; default that of the clone.
    """
    letters = ", ".join(f"{letter} {verdict}" for verdict, letter in LETTERS.items())
    parts = [_HEAD.format(letters=letters)]
    parts += ["\n".join(_package(read(path))) for path in sorted(folder.glob("*.toml"))]
    return "\n".join(parts)


def _package(status: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {status['package']}"
    yield ""
    yield f"Profile {status['profile']}, edition {status['edition']}, seed {status['seed']}."
    yield ""
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
