"""Prints the pairs of features that no input has although each is frequent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from treelaws.core.errors import BadInput

from .pairs import Pair, dimension, met
from .recorder import Seen, joined, unpacked


def read(files: Sequence[Path]) -> Seen:
    """Return the inputs that runs noted.

    Args:
        files: the files of `--inputs`, at least one.

    Raises:
        BadInput: a file cannot be read, or another program wrote it.
    """
    parts = []
    for file in files:
        try:
            part = json.loads(file.read_text(encoding="utf-8"))
            unpacked(part)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as raised:
            told = f"not features that `pytest --inputs FILE` wrote: {type(raised).__name__}"
            raise BadInput(f"{file}: {told}") from None
        parts.append(part)
    return unpacked(joined(parts))


def apart(seen: Seen, dimensions: frozenset[str] = frozenset()) -> list[Pair]:
    """Return the pairs that never meet.

    Args:
        seen: the inputs.
        dimensions: only pairs of which both features are of these; default all.
    """
    pairs = [pair for name, inputs in sorted(seen.items()) for pair in met(name, inputs).apart]
    return [
        pair
        for pair in pairs
        if not dimensions or {dimension(pair.one), dimension(pair.other)} <= dimensions
    ]


def lines(seen: Seen, dimensions: frozenset[str] = frozenset()) -> Iterator[str]:
    """Return a line for each family with such pairs, and one for each pair.

    Args:
        seen: the inputs.
        dimensions: only pairs of which both features are of these; default all.
    """
    found = [met(name, inputs) for name, inputs in seen.items()]
    pairs = apart(seen, dimensions)
    yield (
        f"{sum(one.inputs for one in found)} inputs of {len(found)} strategies; "
        f"{sum(one.met for one in found)} pairs of features met, {len(pairs)} should have"
    )
    family = ""
    for pair in pairs:
        if pair.family != family:
            family = pair.family
            yield f"{family}: {sum(seen[family].values())} inputs"
        yield f"  {pair.one} with {pair.other}: none, {pair.expected:.0f} by chance"
