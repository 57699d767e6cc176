"""Programs as text that are stored in a folder and read again, in a process of their own."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way

_UNDER = "lambda held: jnp.sum(held[0]) < 100"
_STEP = "lambda held: (held[0] + held[1], held[1])"
# Each is a function of an array of small whole numbers; sums and products of them are exact.
# Without `jit`, a loop is a program of its own.
_PROGRAMS = (
    way("arithmetic", "lambda x: (x + x, x * x)"),
    way("sum", "lambda x: jnp.sum(x)"),
    way("product", "lambda x: jnp.outer(x, x) @ x"),
    way("sort", "lambda x: jnp.sort(x)"),
    way("while-of-a-value", f"lambda x: jax.lax.while_loop({_UNDER}, {_STEP}, (x, x + 1))"),
    way(
        "while-of-a-count",
        "lambda x: jax.lax.while_loop(lambda held: held[0] < 3, "
        "lambda held: (held[0] + 1, held[1] * 2), (0, x))",
    ),
    way(
        "while-of-loops",
        "lambda x: jax.lax.while_loop(lambda held: held[0] < 2, lambda held: (held[0] + 1, "
        "jax.lax.fori_loop(0, 2, lambda index, y: y + x, held[1])), (0, x))",
    ),
    way(
        "while-of-branches",
        "lambda x: jax.lax.while_loop(lambda held: held[0] < 3, lambda held: (held[0] + 1, "
        "jax.lax.cond(held[0] > 1, lambda y: y + y, lambda y: y + 1, held[1])), (0, x))",
    ),
    way(
        "while-of-products",
        "lambda x: jax.lax.while_loop(lambda held: held[0] < 2, "
        "lambda held: (held[0] + 1, jnp.outer(x, x) @ held[1]), (0, x))",
    ),
    way(
        "while-of-a-product",
        "lambda x: jax.lax.while_loop(lambda held: jnp.sum(held) < 100, "
        "lambda held: jnp.outer(x, x) @ held, x)",
    ),
    way("fori", "lambda x: jax.lax.fori_loop(0, 3, lambda index, y: y + x, x)"),
    way(
        "fori-to-a-value", "lambda x: jax.lax.fori_loop(0, jnp.int32(x[0]), lambda i, y: y + 1, x)"
    ),
    way("scan", "lambda x: jax.lax.scan(lambda held, one: (held + one, held * one), x[0], x)"),
    way("map", "lambda x: jax.lax.map(lambda one: one * 2, x)"),
    way("cond", "lambda x: jax.lax.cond(x[0] > 1, lambda y: y * 2, lambda y: y, x)"),
    way("switch", "lambda x: jax.lax.switch(1, [lambda y: y, lambda y: y * 3], x)"),
    way("vmap", "lambda x: jax.vmap(lambda one: one + x)(x)"),
    way("grad-of-scan", "jax.grad(lambda x: jax.lax.scan(lambda h, y: (h + y, h), x[0], x)[0])"),
)
_FORMS = {"alone": "{}", "compiled": "jax.jit({})"}
_ARRAYS = ("np.float32([2, 1, 3])", "np.float32([1, 2])", "jnp.float16([1, 2])")
_TEXT = """\
import json
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

read = lambda leaf: [str(leaf.dtype), np.asarray(leaf, np.float32).tolist()]
with tempfile.TemporaryDirectory() as folder:
    jax.config.update("jax_enable_compilation_cache", True)
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # Before JAX 0.5.0, nothing is stored if there is an array before the folder is known.
    programs, x = [$programs], $x
    rounds = []
    for _ in range(2):
        found = [jax.tree.leaves(program(x)) for program in programs]
        rounds.append([[read(leaf) for leaf in leaves] for leaves in found])
        # What is compiled next is read from the folder.
        jax.clear_caches()
print(json.dumps(rounds))
"""


@st.composite
def stored_programs(draw: st.DrawFn) -> Recipe:
    """Bind `programs`, functions of the array `x`, and `text`, which runs them twice.

    The text prints two lists, the second one by programs that were read from a folder. Each holds a
    list of leaves for each program; a leaf is its dtype and its numbers.
    """
    scope = Scope()
    kinds = draw(st.lists(st.sampled_from(available(_PROGRAMS)), min_size=1, max_size=4))
    texts = []
    for kind in kinds:
        form = draw(st.sampled_from(tuple(_FORMS)))
        scope.note(*(f"{feature}-{form}" for feature in kind.features))
        texts.append(_FORMS[form].format(kind.template))
    x = draw(st.sampled_from(_ARRAYS))
    scope.bind("x", x)
    programs = ", ".join(texts)
    scope.bind("programs", f"[{programs}]")
    text = _TEXT.replace("$programs", programs).replace("$x", x)
    scope.bind("text", repr(text))
    return scope.recipe()
