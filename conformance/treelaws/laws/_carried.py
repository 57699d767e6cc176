"""Hands what a law has written to what reads it: in one process, or from one release to another.

    file = io.BytesIO()
    lib.tree_serialise_leaves(file, case.tree)
    written = carried(file.getvalue())
    same(lib.tree_deserialise_leaves(io.BytesIO(written), case.like), case.tree)

An ordinary run reads what it wrote itself. `python -m treelaws carried` runs the law with one
release, keeps the bytes, and runs it with another release that gets those bytes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_carriers: list[Callable[[bytes], bytes]] = []


def carried(written: bytes) -> bytes:
    """Return the bytes to read: the given ones, or in a run across releases those of the other.

    Args:
        written: what the law has written; each law calls this once.
    """
    return _carriers[-1](written) if _carriers else written


@contextlib.contextmanager
def carrying(carrier: Callable[[bytes], bytes]) -> Iterator[None]:
    """Let laws get their bytes from a function.

    Args:
        carrier: takes what a law has written, and returns what it reads.
    """
    _carriers.append(carrier)
    try:
        yield
    finally:
        _carriers.pop()
