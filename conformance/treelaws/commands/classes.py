"""`python -m treelaws classes`: print the classes of inputs that grammars write."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from hypothesis_pytrees.classes.grammar.chex_dataclasses import CHEX_CLASSES
from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_modules import NNX_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_variables import NNX_VARIABLE_CLASSES
from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.registered_dataclasses import REGISTERED_CLASSES
from hypothesis_pytrees.classes.grammar.structs import STRUCT_CLASSES
from hypothesis_pytrees.classes.grammar.writing import Grown
from hypothesis_pytrees.core.availability import lacking
from hypothesis_pytrees.nodes.node_classes import NODE_CLASSES
from treelaws.core.errors import BadInput

_GRAMMARS = (
    MODULE_CLASSES,
    NNX_CLASSES,
    NNX_VARIABLE_CLASSES,
    STRUCT_CLASSES,
    CHEX_CLASSES,
    REGISTERED_CLASSES,
    NODE_CLASSES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("names", nargs="*", metavar="CLASS", help="names; default: all classes")
    parser.add_argument(
        "--seed",
        metavar="SEED",
        help="those of a run with `--hypothesis-seed SEED`; default: of a run without a seed",
    )


def run(options: argparse.Namespace) -> int:
    """Print the texts of the classes.

    Returns:
        0.

    Raises:
        BadInput: no generated class has one of the names.
    """
    found = (kind for one in _GRAMMARS for kind in _kinds(one, options.seed))
    kinds = {kind.template.split("(")[0]: kind for kind in found}
    if unknown := [name for name in options.names if name not in kinds]:
        raise BadInput(f"{unknown[0]!r}: no generated class has that name; give none to print all")
    chosen = options.names or kinds
    print("\n\n".join("\n".join(_lines(kinds[name])) for name in chosen))
    return 0


def _kinds(grammar: Grammar, seed: str | None) -> Iterator[Grown]:
    yield from grammar.alone()
    yield from grammar.above_and_below()
    yield from grammar.of_run() if seed is None else grammar.together(seed)


def _lines(kind: Grown) -> Iterator[str]:
    yield f"# {kind.template}: {', '.join(one.trait.name for one in kind.placed)}"
    if reason := lacking(kind):
        yield f"# Not drawn: {reason}"
    yield from (text.rstrip("\n") + "\n" for text in kind.definitions)
