"""Flax NNX: None among the arguments, results and axes of a function with marked axes."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, same

from .axes import law
from .axes_results import marked_functions_name_the_new_axis

# "these should match the values passed to the corresponding transform"
_MARK = "https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html"
_VARIABLE = "nnx.Param(jnp.zeros((2, 2)), out_sharding={}, eager_sharding=False)"
_NAMES = ("('stack', 'rows')", "('rows', 'stack')")
_MODES = ("", ", graph=False", ", graph=True")
_MATRIX = "jnp.ones((2, 2))"
# With an axis, each leaf needs that axis, as in `vmap`.
_MAPPED = ("None", f"[None, {_MATRIX}]", f"{{'a': None, 'b': (None, {_MATRIX})}}", _MATRIX)
_WHOLE = (*_MAPPED, "[None, 1.0]", "jax.device_put(np.float32([2.0]))")


@st.composite
def _marked(draw: st.DrawFn) -> Recipe:
    """Bind two Variables, `held` and `other`, with the axis `stack` at `axis`, and `options`.

    `names` are those of both Variables, `inner` those without the axis. `extra` is a tree, `axes`
    are axes for `held` and `extra`, and `out` is that of `extra` as a result. Feature `extra:none`
    if `extra` holds None.
    """
    scope = Scope()
    axis = draw(st.integers(0, 1))
    named = draw(st.booleans())
    names = _NAMES[axis] if named else _NAMES[axis].replace("'stack'", "None")
    scope.note("partition:named" if named else "partition:none")
    scope.bind("axis", str(axis))
    scope.bind("names", names)
    scope.bind("inner", "('rows',)")
    for name in ("held", "other"):
        scope.bind(name, _VARIABLE.format(names))
    axes = draw(st.sampled_from((f"({axis}, None)", f"({axis}, 0)", str(axis))))
    whole = "None" in axes
    extra = draw(st.sampled_from(_WHOLE if whole else _MAPPED))
    scope.note(*(["extra:none"] if "None" in extra else []))
    scope.bind("extra", extra)
    scope.bind("axes", axes)
    scope.bind("out", "None" if whole else "0")
    partition = "'stack'" if named else "None"
    scope.bind("options", f"dict(partition={partition}{draw(st.sampled_from(_MODES))})")
    return scope.recipe()


@law(
    "a function marked by `transform_metadata` takes and returns None as the function itself does, "
    "in a tree or alone",
    source=_MARK,
    level="should",
    needs={"transform_metadata", "out_sharding"},
    case=_marked(),
    parents=[marked_functions_name_the_new_axis],
)
def marked_functions_take_and_return_none(lib, case):
    seen = []
    given = lambda held, extra: (seen.append(held.out_sharding), extra)[1]
    marked = lib.transform_metadata(given, in_axes=case.axes, out_axes=case.out, **case.options)
    same(marked(case.held, case.extra), case.extra)
    equal([*seen, case.held.out_sharding], [case.inner, case.names])


@law(
    "in and after a function marked by `transform_metadata`, a Variable whose axis is None keeps "
    "the names of its axes",
    source=_MARK,
    level="should",
    needs={"transform_metadata", "out_sharding"},
    case=_marked(),
    parents=[marked_functions_name_the_new_axis],
)
def variables_without_an_axis_keep_their_names(lib, case):
    seen = []
    note = lambda *pair: seen.extend(one.out_sharding for one in pair)
    marked = lib.transform_metadata(note, in_axes=(case.axis, None), out_axes=0, **case.options)
    marked(case.held, case.other)
    equal(seen, [case.inner, case.names])
    equal([case.held.out_sharding, case.other.out_sharding], [case.names] * 2)
