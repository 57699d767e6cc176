"""Mutants: copies of a source with one small change."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from treelaws.core.errors import BadInput

from .aliases import unread_aliases
from .exempt import nodes
from .extras import tool
from .modules import Module
from .operators import Change, changes


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A source with one small change.

    Args:
        id: names it in a file of results: module, line, kind of change, number.
        module: the module that is changed.
        line: the first changed line.
        operator: the kind of change.
        before: the lines that are changed.
        after: the lines in their place.
        text: the whole source.
    """

    id: str
    module: Module
    line: int
    operator: str
    before: str
    after: str
    text: str


def draw(modules: Sequence[Module], sample: int | None, seed: int) -> list[Mutant]:
    """Return mutants of some modules, in the order of their lines.

    A mutant that compiles to the code of the source, or of another mutant, is left out.

    Args:
        modules: the modules.
        sample: number of mutants at most; `None` for all.
        seed: seed of the sample.

    Raises:
        BadInput: the source is not valid Python, or nothing in it can be changed.
    """
    sources = [_Source(module) for module in modules]
    ids: Counter[str] = Counter()
    pool = [
        (source, change, number) for source in sources for number, change in source.changes(ids)
    ]
    if sample is not None:
        random.Random(seed).shuffle(pool)
    found: list[Mutant] = []
    for source, change, id in pool:
        if sample is not None and len(found) == sample:
            break
        if (mutant := source.mutant(change, id)) is not None:
            found.append(mutant)
    if not found:
        raise BadInput(f"--module: nothing in {modules[0].name} can be changed")
    return sorted(found, key=lambda one: (one.module.file, one.line, one.id))


class _Source:
    """The source of a module and the codes that were made of it so far."""

    def __init__(self, module: Module) -> None:
        self._module, self._text = module, module.text()
        try:
            self._codes = {_essence(compile(self._text, module.file, "exec", dont_inherit=True))}
            self._parsed = tool("libcst").parse_module(self._text)
        except (SyntaxError, tool("libcst").ParserSyntaxError) as raised:
            told = str(raised).splitlines()[0]
            raise BadInput(f"--module: {module.name} is not valid Python: {told}") from None
        metadata = tool("libcst.metadata")
        wrapper = metadata.MetadataWrapper(self._parsed)
        self._parsed = wrapper.module
        # What a node's text occupies, its spaces included.
        self._places = wrapper.resolve(metadata.WhitespaceInclusivePositionProvider)
        self._lines = wrapper.resolve(metadata.PositionProvider)

    def changes(self, ids: Counter[str]) -> Iterator[tuple[str, Change]]:
        for node in nodes(self._parsed, unread_aliases(self._module, self._parsed)):
            for change in changes(node):
                place = self._lines.get(change.old)
                if place is None:
                    continue
                id = f"{self._module.name}:{place.start.line}:{change.operator}"
                ids[id] += 1
                yield f"{id}:{ids[id]}", change

    def mutant(self, change: Change, id: str) -> Mutant | None:
        """Return the mutant of a change; `None` if it is not valid or was made before."""
        text = self._changed(change)
        try:
            code = compile(text, self._module.file, "exec", dont_inherit=True)
        except SyntaxError:
            return None
        essence = _essence(code)
        if essence in self._codes:
            return None
        self._codes.add(essence)
        before, after, line = _difference(self._text, text)
        return Mutant(id, self._module, line, change.operator, before, after, text)

    def _changed(self, change: Change) -> str:
        lines = self._text.splitlines(keepends=True)
        start, end = self._places[change.old].start, self._places[change.old].end
        first, last = start.line - 1, end.line - 1
        held = self._parsed.code_for_node(change.old)
        head = "".join(lines[:first]) + lines[first][: start.column]
        tail = (lines[last][end.column :] if last < len(lines) else "") + "".join(lines[last + 1 :])
        if head + held + tail == self._text:
            # A hundred times as fast as a new tree.
            new = "" if change.new is None else self._parsed.code_for_node(change.new)
            return head + new + tail
        new = tool("libcst").RemoveFromParent() if change.new is None else change.new
        return self._parsed.deep_replace(change.old, new).code


def _essence(code: CodeType) -> tuple[Any, ...]:
    """Return the parts of a code that decide what it does: not the lines that it stands in."""
    constants = tuple(
        _essence(one) if isinstance(one, CodeType) else (type(one).__name__, repr(one))
        for one in code.co_consts
    )
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    exceptions = getattr(code, "co_exceptiontable", b"")
    return code.co_code, exceptions, constants, names, counts


def _difference(old: str, new: str) -> tuple[str, str, int]:
    """Return the lines that differ, in both texts, and the number of the first one."""
    before, after = old.splitlines(), new.splitlines()
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    while min(len(before), len(after)) > first and before[-1] == after[-1]:
        del before[-1], after[-1]
    return "\n".join(before[first:]), "\n".join(after[first:]), first + 1
