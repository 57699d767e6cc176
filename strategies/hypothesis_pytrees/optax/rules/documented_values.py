"""Values that the docstrings of Optax list for an option, each in a call of its function."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import re
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

_STEP = """\
def one_documented_step(tx, **named):
    params = {'a': jnp.ones((2, 3)), 'b': jnp.ones((3, 2))}
    grads = jtu.tree_map(lambda leaf: leaf * 0.5, params)
    loss = lambda tree: sum(jnp.sum(leaf**2) for leaf in jtu.tree_leaves(tree))
    extra = {'value': loss(params), 'grad': grads, 'value_fn': loss}
    extra = {name: extra[name] for name in named.get('extra', ())}
    return tx.update(grads, tx.init(params), params, **extra)[0]
"""
_SEARCH = "one_documented_step(optax.{}({}), extra=('value', 'grad', 'value_fn'))"
_LOSS = "one_documented_step(optax.{}({}), extra=('value',))"
_STEPPED = "one_documented_step(optax.{}({}))"
_NUMBERS = "optax.{}({}) * jnp.ones(2)"
# A function, an option for which its docstring lists texts, a call, and further arguments, where
# `$` is the value.
_ROWS: Sequence[tuple[str, str, str, str]] = (
    ("contrib.muon", "ns_coeffs", _STEPPED, "0.5, ns_coeffs=$"),
    ("contrib.muon", "preconditioning", _STEPPED, "0.5, preconditioning=$"),
    ("polyak_sgd", "variant", _LOSS, "variant=$"),
    ("scale_by_polyak", "variant", _LOSS, "variant=$"),
    ("lion", "mode", _STEPPED, "0.5, mode=$"),
    ("scale_by_lion", "mode", _STEPPED, "mode=$"),
    (
        "scale_by_zoom_linesearch",
        "initial_guess_strategy",
        _SEARCH,
        "3, initial_guess_strategy=$",
    ),
    ("contrib.dog", "init_step", _STEPPED, "init_step=($, 0.5)"),
    (
        "piecewise_interpolate_schedule",
        "interpolate_type",
        "optax.{}({})(1)",
        "$, 1.0, {{2: 0.5}}",
    ),
    (
        "losses.dice_loss",
        "reduction",
        "optax.{}({})",
        "jnp.ones((2, 3, 2)), jnp.ones((2, 3, 2)), reduction=$",
    ),
    (
        "tree_utils.tree_dtype",
        "mixed_dtype_handler",
        "jnp.zeros((), optax.{}({}))",
        "[jnp.ones(1), jnp.ones(1, jnp.bfloat16)], $",
    ),
)
# Names for what stands in a pair, which are no values.
_PLACES = ("tag", "value")
# Text in quotes or in backquotes.
_QUOTED = re.compile(r"(?<![\w`'])(?:'([a-z_+]+)'|`+'?\"?([a-z_+]+)'?\"?`+)")


@functools.cache
def listed() -> tuple[tuple[str, str, str, str], ...]:
    """Return each function, option, call and value that the installed release documents."""
    optax = importlib.import_module("optax")
    found = []
    for name, option, call, arguments in _ROWS:
        function = next(iter(_attribute(optax, name)), None)
        for value in _values(inspect.getdoc(function) or "", option):
            filled = arguments.replace("$", repr(value)).replace("{{", "{").replace("}}", "}")
            found.append((name, option, value, call.format(name, filled)))
    return tuple(found)


def _attribute(optax: object, name: str) -> list[object]:
    try:
        return [operator.attrgetter(name)(optax)]
    except AttributeError:
        # A release that lacks it lists nothing.
        return []


def _values(doc: str, option: str) -> list[str]:
    """Return the texts in quotes in the paragraph of an option."""
    entry = re.search(rf"^( +){option}( \([^)]*\))?:(.*(\n\1 +.*|\n *(?=\n\1 ))*)", doc, re.M)
    words = [one or other for one, other in _QUOTED.findall(entry[3])] if entry else []
    return [
        word for word in dict.fromkeys(words) if word != option and word not in ("tag", "value")
    ]


def documented_values() -> st.SearchStrategy[Recipe]:
    """Draw `call`, a function without arguments that gives an option a value of its docstring."""
    return probe_first(listed, _documented_values())


@st.composite
def _documented_values(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_STEP)
    name, option, value, text = draw(st.sampled_from(listed()))
    scope.note(f"function:{name}", f"{option}:{value}")
    scope.bind("call", f"lambda: {text}")
    return scope.recipe()


_ROW = st.sampled_from(("(3.4, -4.8, 2.0)", "(2.0, -1.5, 0.5)", "(4.0, -6.9, 2.9)"))


@st.composite
def rows_of_coefficients(draw: st.DrawFn) -> Recipe:
    """Draw `rows`, a tuple of triples, and `steps`, which is their number or another."""
    scope = Scope()
    rows = draw(st.lists(_ROW, min_size=1, max_size=6))
    steps = draw(st.integers(1, 7))
    scope.bind("rows", f"({', '.join(rows)},)")
    scope.bind("steps", repr(steps))
    scope.note("steps:fewer" if steps < len(rows) else "steps:enough")
    return scope.recipe()
