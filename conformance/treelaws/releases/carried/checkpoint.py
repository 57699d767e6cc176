"""`carried --subject --file`: whether the installed releases read a checkpoint into a model."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import operator
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from treelaws.compat.environment import environment
from treelaws.core.errors import BadInput
from treelaws.core.mismatch import first_line

from .child import told
from .formats import Entry, format_of

_FITS, _DIFFERS = 0, 1


def checked(reference: str, path: Path) -> int:
    """Print for each array of a model and of a checkpoint whether they fit, and whether it loads.

    Args:
        reference: the model, or a function that makes it, as `package.module:name`.
        path: the checkpoint.

    Returns:
        0 if every array fits and the checkpoint loads; else 1.

    Raises:
        BadInput: the model cannot be made, or the file is in no known format, or is cut off.
    """
    form = format_of(path)
    model = made(reference)
    held = form.entries(path)
    try:
        wanted = form.of_model(model)
    except Exception as raised:
        raise BadInput(f"{reference} cannot be written as {form.name}: {told(raised)}") from raised
    print(f"{path}: {form.name}, {len(held)} arrays; {reference} has {len(wanted)}")
    print(environment())
    pairs = list(_by_name(held, wanted) if form.named else _by_order(held, wanted))
    for one, other in pairs:
        print(f"  {_line(one, other)}")
    problem = ""
    if form.load is not None:
        try:
            form.load(path, model)
        except Exception as raised:
            problem = told(raised)
    differing = sum(not (one and other and one.fits(other)) for one, other in pairs)
    if problem:
        print(f"does not load: {problem}")
    print(f"{differing} of {len(pairs)} arrays differ" if differing else "every array fits")
    return _DIFFERS if problem or differing else _FITS


def made(reference: str) -> Any:
    """Return a model by its reference; a function or a class is called without arguments.

    Args:
        reference: `package.module:name`.

    Raises:
        BadInput: it cannot be imported, or calling it raises.
    """
    module, colon, name = reference.partition(":")
    if not (module and colon and name):
        raise BadInput(f"--subject {reference!r}: write package.module:name")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found: Any = operator.attrgetter(name)(importlib.import_module(module))
    except Exception as raised:
        told = f"{type(raised).__name__}: {first_line(raised)}"
        raise BadInput(f"--subject {reference!r} cannot be imported: {told}") from raised
    # A model may be callable, too.
    if not (inspect.isroutine(found) or isinstance(found, (type, functools.partial))):
        return found
    try:
        return found()
    except Exception as raised:
        told = f"{type(raised).__name__}: {first_line(raised)}"
        raise BadInput(f"--subject {reference!r}: calling it raises {told}") from raised


_Pair = tuple["Entry | None", "Entry | None"]


def _by_name(held: Sequence[Entry], wanted: Sequence[Entry]) -> Iterator[_Pair]:
    there = {one.place: one for one in held}
    here = {one.place: one for one in wanted}
    for place in dict.fromkeys((*here, *there)):
        yield there.get(place), here.get(place)


def _by_order(held: Sequence[Entry], wanted: Sequence[Entry]) -> Iterator[_Pair]:
    """Align two lists of arrays, so that one that is missing does not shift all others."""
    if len(held) == len(wanted):
        yield from zip(held, wanted, strict=True)
        return
    texts = [[str(one) for one in side] for side in (held, wanted)]
    for what, a, b, c, d in difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        there, here = held[a:b], wanted[c:d]
        count = max(len(there), len(here)) if what != "equal" else len(here)
        for index in range(count):
            yield (
                there[index] if index < len(there) else None,
                here[index] if index < len(here) else None,
            )


def _line(one: Entry | None, other: Entry | None) -> str:
    if other is None:
        assert one is not None
        return f"{one.place or '(no place)'}  {one} is in the file alone"
    if one is None:
        return f"{other.place or '.'}  {other} is in the model alone"
    if one.fits(other):
        return f"{other.place or '.'}  {other}"
    return f"{other.place or '.'}  {other}, but {one} in the file"
