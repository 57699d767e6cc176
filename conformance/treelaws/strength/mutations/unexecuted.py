"""The lines of a module that no law runs, from the laws on the source as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType

from .modules import Module
from .relevance import Clean, ranges


def unexecuted(modules: Iterable[Module], clean: Clean) -> Iterator[str]:
    """Yield a line for each module with code that runs neither for a law nor at import.

    Args:
        modules: the modules.
        clean: the laws on the source as it is.
    """
    for module in modules:
        code = compile(module.text(), module.file, "exec", dont_inherit=True)
        every = set(_lines(code))
        run = clean.loaded.get(module.file, frozenset())
        never = every.difference(run, *(one.lines.get(module.file, ()) for one in clean.held))
        if never:
            count = f"{len(never)} of {len(every)} lines are run by no law"
            yield f"{module.file}: {count}: {ranges(never)}"


def _lines(code: CodeType) -> Iterator[int]:
    yield from (line for _, _, line in code.co_lines() if line)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _lines(one)
