"""Flax NNX: what is done to a copy of a module, and what several copies share."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from ._model import apart, described, same_graph, same_rows
from .pytree import deepcopy_is_an_equal_graph, law

_CLONE = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.clone"
_COPY = "https://docs.python.org/3/library/copy.html"
_FIRST = "operator.setitem(held, 0, 7.0)"
_ARRAY_CHANGES = (_FIRST, "operator.setitem(held, ..., held[...] * 2 + 1)")
# By kind: the text of a value, and expressions that change it in place.
_VALUES = {
    "array": ("jnp.float32([1.0, 2.0])", _ARRAY_CHANGES),
    "numpy": ("np.float32([1.0, 2.0])", _ARRAY_CHANGES),
    "list": ("[jnp.ones(2), 3.0]", (_FIRST, "operator.setitem(held, 1, 7.0)")),
    "dict": ("{0: jnp.ones(2), 5: 3.0}", (_FIRST, "operator.setitem(held, 5, 1.0)")),
}
_TYPES = ("nnx.Param", "nnx.Variable", "nnx.BatchStat")
# By the place of what is changed: a module that holds it, and how it is reached.
_PLACES = {
    "attribute": ("nnx.Dict(a={})", "module.a"),
    "module": ("nnx.Dict(a=nnx.Dict(b={}))", "module.a.b"),
    "list": ("nnx.List([nnx.Param(1.0), {}])", "module[1]"),
    "tree": ("nnx.Dict(a=nnx.data(({}, None)))", "module.a[0]"),
}
_DEEP = "lambda module: copy.deepcopy(module)"
_PICKLED = "lambda module: pickle.loads(pickle.dumps(module))"
_COPIES = {
    "deepcopy": _DEEP,
    "pickle": _PICKLED,
    "clone": "lambda module: nnx.clone(module)",
    "held-clone": "lambda module: nnx.clone(nnx.Dict(held=module)).held",
}
# Whether a reference can be pickled is up to JAX. Own arrays of a NumPy array are no NumPy arrays.
_OF_REFERENCES = {
    **{way: text for way, text in _COPIES.items() if way != "pickle"},
    "own-arrays": "lambda module: nnx.clone(module, arrays=True)",
}
_REFERENCES = {**{kind: "" for kind in _VALUES if kind != "numpy"}, "ref": ", ref=True"}
_SHARED = {
    "variable": "nnx.Param(jnp.float32([1.0, 2.0]))",
    "module": "nnx.Dict(a=nnx.Param(jnp.float32([1.0, 2.0])), b='text')",
    "list": "nnx.List([nnx.Param(1.0), nnx.Variable(2.0)])",
}
_HOLDERS = ("nnx.Dict(a=$)", "nnx.List([$, $])", "nnx.Dict(a=nnx.data(($, 1.0)))")
_TREES = ("(one, other)", "[other, one]", "{'b': one, 'a': [other]}", "((one,), {'c': other})")


@st.composite
def _changed(draw: st.DrawFn, *, options: dict[str, str], copies: dict[str, str]) -> Recipe:
    """Draw `module`, a way to make its copy, `copied`, and `change`, which changes a copy in place.

    Args:
        options: by feature, arguments of the Variable that is changed.
        copies: the ways by feature.
    """
    scope = Scope()
    kind, of = draw(st.sampled_from(tuple(options.items())))
    value, changes = _VALUES[kind if kind in _VALUES else "array"]
    held = f"{draw(st.sampled_from(_TYPES))}({value}{of})"
    if kind == "numpy" and draw(st.booleans()):
        # Also an array that no Variable holds is data.
        held = value
        scope.note("held:alone")
    place = draw(st.sampled_from(tuple(_PLACES)))
    way = draw(st.sampled_from(tuple(copies)))
    scope.note(f"value:{kind}", f"place:{place}", f"copy:{way}")
    scope.bind("module", _PLACES[place][0].format(held))
    scope.bind("copied", copies[way])
    scope.bind("change", f"lambda held: {draw(st.sampled_from(changes))}")
    scope.bind("reach", f"lambda module: {_PLACES[place][1]}")
    return scope.recipe()


@st.composite
def _together(draw: st.DrawFn) -> Recipe:
    """Draw `held`, a tree of two modules that share something, and a way to copy it, `copied`."""
    scope = Scope()
    kind = draw(st.sampled_from(tuple(_SHARED)))
    scope.bind("shared", _SHARED[kind])
    alone = () if kind == "variable" else ("shared",)
    one, other = (draw(st.sampled_from((*alone, *_HOLDERS))) for _ in range(2))
    scope.bind("one", one.replace("$", "shared"))
    again = draw(st.booleans())
    scope.bind("other", "one" if again else other.replace("$", "shared"))
    apart = not again and (one != "shared" or other != "shared")
    scope.note(f"shared:{kind}", "pair:two" if apart else "pair:one")
    way = draw(st.sampled_from(("deepcopy", "pickle")))
    scope.note(f"copy:{way}")
    scope.bind("copied", _COPIES[way])
    scope.bind("held", draw(st.sampled_from(_TREES)))
    return scope.recipe()


@law(
    "changing a value of a clone, a deep copy or an unpickled module in place does not change the "
    "module, whatever holds the value",
    source=_CLONE,
    level="should",
    needs={"clone", "data"},
    case=_changed(options=dict.fromkeys(_VALUES, ""), copies=_COPIES),
    parents=[deepcopy_is_an_equal_graph],
)
def a_changed_copy_leaves_the_module_alone(lib, case):
    wanted = described(case.rebuild().module)
    case.change(case.reach(case.copied(case.module)))
    same_rows(described(case.module), wanted)


@law(
    "changing a value of a copy in place does not change the module, if the Variable holds a "
    "reference or the copy has arrays of its own",
    source=_CLONE,
    level="should",
    needs={"clone_copies_arrays", "var_defaults"},
    case=_changed(options=_REFERENCES, copies=_OF_REFERENCES),
    parents=[a_changed_copy_leaves_the_module_alone],
)
def references_and_own_arrays_are_not_shared(lib, case):
    """References are told apart by identity, so that the values are compared."""
    held = case.reach(case.module)
    wanted = held.get_value()
    case.change(case.reach(case.copied(case.module)))
    same(held.get_value(), wanted)


@law(
    "what two modules share is shared by their copies, if both are copied or pickled in one call",
    source=f"{_COPY}#copy.deepcopy",
    level="should",
    needs={"Dict", "List", "data"},
    case=_together(),
    parents=[deepcopy_is_an_equal_graph],
)
def copies_made_together_share_what_the_modules_share(lib, case):
    back = case.copied(case.held)
    same_graph(back, case.held)
    apart(back, case.held)
