"""The pages of coverage: which public functions and options the laws of each library call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from treelaws.strength.coverage.table import Entry, current, read, reason
from treelaws.strength.harvest.record import open_kinds

_TITLES = {"jax": "JAX", "equinox": "Equinox", "flax": "Flax", "optax": "Optax"}
_HEAD = """\
# Coverage

`python -m treelaws coverage` runs all laws and prints which public functions and parameters no law
passes a value to. Calls are counted that the text of a law, or of its input, makes; what a library
calls on its own is not. The command exits with 1 if a gap has no reason.

```sh
pytest conformance/ -n 2 --calls calls.json
python -m treelaws coverage calls.json --library equinox
```

`--all` prints every function, with the kinds of argument that were passed and how often. `--record`
writes `table.json` in `conformance/treelaws/strength/coverage/`, from which the pages of the
libraries are made; `reasons.toml` beside it has the reasons. Python 3.12 and later count at almost
no cost; older ones take several times as long. The verdicts of such a run are not those of other
runs, since counting changes what stays in memory.

Other projects pass kinds of argument that no law passes. `python -m treelaws harvest` runs the
libraries' own tests at the installed releases and counts their calls in the same way; `--record`
adds the kinds to `harvest.json` in `conformance/treelaws/strength/harvest/`, where `suites.py` says
which tests run. It clones the repositories, unless `--sources` names a folder with clones.

| library | functions, classes and methods | called | with a reason | open | open kinds |
|---|---:|---:|---:|---:|---:|
{rows}

## Inputs

Each input has features, such as `way:jit` and `form:partial`, or `leaf:bfloat16`. Two of them may
never meet although each is frequent, since a strategy rules it out, on purpose or by mistake.

```sh
pytest conformance/ -n 2 --inputs inputs.json
python -m treelaws coverage --inputs inputs.json --dimension way --dimension form
```

The second command prints, for each strategy, the pairs of features that no input has although ten
or more would have both by chance. `--dimension` names the part before the colon.
"""
_PAGE = """\
# Coverage of {title}

A parameter is followed by the kinds of argument, other than its default, that laws pass to it.

{functions}

## With a reason

| not called, or not passed | reason |
|---|---|
{reasons}

## Open

{open}

## Kinds that only other projects pass

{kinds}
"""


def pages() -> dict[str, str]:
    """Return the text of each page by its path below the folder of the documentation."""
    table = {library: current(found.values()) for library, found in read().items()}
    rows = "\n".join(_row(library, listed) for library, listed in table.items())
    made = {"coverage/index.md": _HEAD.format(rows=rows)}
    for library, listed in table.items():
        gaps = [gap for one in listed for gap in one.gaps()]
        made[f"coverage/{library}.md"] = _PAGE.format(
            title=_TITLES[library],
            functions="\n".join(_function(one) for one in listed if one.calls),
            reasons="\n".join(f"| `{gap}` | {why} |" for gap in gaps if (why := reason(gap))),
            open="\n".join(f"- `{gap}`" for gap in gaps if not reason(gap)) or "Nothing.",
            kinds="\n".join(_kinds(open_kinds(listed))) or "None.",
        )
    return made


def _row(library: str, listed: Sequence[Entry]) -> str:
    called = sum(1 for one in listed if one.calls)
    gaps = [reason(gap) for one in listed for gap in one.gaps()]
    given = sum(map(bool, gaps))
    link = f"[{_TITLES[library]}]({library}.md)"
    kinds = len(open_kinds(listed))
    return f"| {link} | {len(listed)} | {called} | {given} | {len(gaps) - given} | {kinds} |"


def _kinds(found: Sequence[str]) -> Iterator[str]:
    """Give a line for each parameter with the kinds that no law passes to it."""
    for name, same in itertools.groupby(found, lambda one: one.split(": ")[0]):
        yield f"- `{name}`: {', '.join(one.split(': ', 1)[1] for one in same)}"


def _function(one: Entry) -> str:
    return "\n".join([f"- `{one.name}`, {one.calls} calls", *_parameters(one)])


def _parameters(one: Entry) -> Iterator[str]:
    for name, kinds in one.parameters.items():
        if kinds:
            yield f"    - `{name}`: {', '.join(f'{kind} {kinds[kind]}' for kind in sorted(kinds))}"
