"""Equinox: `error_if` inside of programs, and the message for a batch of indices."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, true

from ._errors import error_of
from .errors import each_call_is_checked, law, the_index_chooses_the_message

_DOCS = "https://docs.kidger.site/equinox/api/errors/#equinox."
# Each takes a function of one number, `$0`, and is one; `flag` says whether a branch is taken.
_PARTS = {
    "scan": "lambda x: jax.lax.scan(lambda c, _: ($0(c) + 1, None), x, None, length=3)[0]",
    "results": "lambda x: jax.lax.scan(lambda c, y: (c, $0(c + y)), x, jnp.arange(3.0))[1].sum()",
    "fori": "lambda x: jax.lax.fori_loop(0, 3, lambda _, c: $0(c) + 1, x)",
    "while": "lambda x: jax.lax.while_loop(lambda c: c[0] < 2, "
    "lambda c: (c[0] + 1, $0(c[1]) + 1), (0, x))[1]",
    "map": "lambda x: jax.lax.map($0, jnp.stack([x, x + 1])).sum()",
    "cond": "lambda x: jax.lax.cond(flag, $0, lambda y: y, x)",
    "switch": "lambda x: jax.lax.switch(jnp.where(flag, 1, 0), [lambda y: y, $0], x)",
    "checkpoint": "jax.checkpoint($0)",
    "filter-checkpoint": "eqx.filter_checkpoint($0)",
    "vmap": "lambda x: jax.vmap($0)(jnp.stack([x, x + 1])).sum()",
    "filter-vmap": "lambda x: eqx.filter_vmap($0)(jnp.stack([x, x + 1])).sum()",
    "jit": "jax.jit($0)",
    "filter-jit": "eqx.filter_jit($0)",
    "grad": "lambda x: sum(jax.value_and_grad($0)(x))",
    "jvp": "lambda x: sum(jax.jvp($0, (x,), (jnp.ones_like(x),)))",
    "filter-jvp": "lambda x: sum(eqx.filter_jvp($0, (x,), (jnp.ones_like(x),)))",
    "linearize": "lambda x: jax.linearize($0, x)[0]",
    "hessian": "lambda x: $0(x) + jax.hessian($0)(x)",
}
_BATCHES = (
    "jax.vmap(chosen)",
    "eqx.filter_vmap(chosen)",
    "eqx.filter_jit(jax.vmap(chosen))",
    "jax.vmap(eqx.filter_jit(chosen))",
    "lambda *args: jax.lax.map(lambda one: jax.vmap(chosen)(*args), jnp.arange(2))",
)


@st.composite
def _programs(draw: st.DrawFn) -> Recipe:
    """Bind `program`, which takes a check of one number, and `limit`, `flag` and `start`."""
    text, scope = "check", Scope()
    drawn = draw(st.lists(st.sampled_from(sorted(_PARTS)), min_size=1, max_size=3))
    for at, name in enumerate(drawn):
        # JAX has no derivative in reverse mode of a loop of unknown length.
        if name in ("grad", "hessian") and "while" in drawn[:at]:
            continue
        text = _PARTS[name].replace("$0", f"({text})")
        scope.note(f"part:{name}")
    scope.bind("program", f"lambda check: lambda flag, x: ({text})(x)")
    scope.bind("limit", str(draw(st.sampled_from((0.5, 2.5, 5.5, 100.0)))))
    scope.bind("flag", f"jnp.array({draw(st.booleans())})")
    scope.bind("start", f"jnp.float32({draw(st.integers(0, 2))})")
    return scope.recipe()


@st.composite
def _indices(draw: st.DrawFn) -> Recipe:
    """Bind `run`, which maps `chosen`, and the `conditions` and `indices` of its batch."""
    scope = Scope()
    scope.bind("messages", "['has a horn', 'has a tail', 'has a mane']")
    scope.bind("chosen", "lambda x, *which: eqx.branched_error_if(x, *which, messages)")
    scope.bind("run", draw(st.sampled_from(_BATCHES)))
    size = draw(st.integers(1, 3))
    for name, one in (("conditions", st.booleans()), ("indices", st.integers(0, 2))):
        values = draw(st.lists(one, min_size=size, max_size=size))
        scope.bind(name, f"jnp.array({values})")
    return scope.recipe()


@law(
    "`error_if` inside of loops, branches and transformations raises if its condition is true in "
    "a step that runs, and otherwise not, eagerly and under `filter_jit`",
    source=f"{_DOCS}error_if",
    level="should",
    needs={"error_if"},
    case=_programs(),
    parents=(each_call_is_checked,),
)
def a_check_of_a_program_runs_with_it(lib, case):
    """The other program has NaN where the check fails; its result is NaN then."""
    poisoned = case.program(lambda x: jnp.where(x > case.limit, jnp.nan, x))
    fails = bool(jnp.isnan(jax.jit(poisoned)(case.flag, case.start)))
    checked = case.program(lambda x: lib.error_if(x, x > case.limit, "has a horn"))
    for call in (checked, lib.filter_jit(checked)):
        said = error_of(lambda call=call: call(case.flag, case.start))
        true("has a horn" in said if fails else not said, said, "the error" if fails else "none")


@law(
    "under `vmap`, `branched_error_if` raises if any condition of the batch is true, and then the "
    "message of the largest index of the batch",
    source=f"{_DOCS}branched_error_if",
    needs={"branched_error_if"},
    case=_indices(),
    parents=(the_index_chooses_the_message,),
)
def the_largest_index_of_a_batch_chooses_the_message(lib, case):
    said = error_of(lambda: case.run(jnp.ones(case.indices.shape), case.conditions, case.indices))
    largest = case.messages[int(case.indices.max())]
    wanted = [largest] if bool(case.conditions.any()) else []
    true(bool(said) == bool(wanted), said, f"{wanted}")
    equal([one for one in case.messages if one in said], wanted)
