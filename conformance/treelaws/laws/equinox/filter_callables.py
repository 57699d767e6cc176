"""Equinox: a function that another one asks may be a partial, a method or a callable node."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, trees
from hypothesis_pytrees.core.ways import FORMS
from treelaws.equality import same

from .filter import law

_DOCS = "https://docs.kidger.site/equinox/api/manipulation/"
_MODULE = """\
class AskingModule(eqx.Module):
    function: typing.Any
    weight: typing.Any

    def __call__(self, *args, **named):
        return self.function(*args, **named)

    def ask(self, *args, **named):
        return self.function(*args, **named)
"""
_SAVED = """\
import io


def saved_and_loaded(lib, tree, is_leaf):
    file, seen = io.BytesIO(), []
    note = lambda file, leaf: seen.append(leaf)
    lib.tree_serialise_leaves(file, tree, filter_spec=note, is_leaf=is_leaf)
    load = lambda file, leaf: leaf
    return seen, lib.tree_deserialise_leaves(file, tree, filter_spec=load, is_leaf=is_leaf)
"""
_OF_MODULES = (
    ("equinox-partial", "eqx.Partial({0})"),
    ("callable-module", "AskingModule({0}, jax.device_put(np.float32([1.0])))"),
    ("method-of-module", "AskingModule({0}, jax.device_put(np.float32([1.0]))).ask"),
    ("layer", "eqx.nn.Lambda({0})"),
)
_IS_LIST, _DOUBLE = "lambda node: type(node) is list", "lambda leaf: leaf + leaf"
_X, _STRUCT = "jnp.float32([1.0, 2.0])", "jax.ShapeDtypeStruct((2,), jnp.float32)"
# What asks it: a plain function, and an expression that gives it away as `call`.
_USES = {
    "filter": (_IS_LIST, "lib.filter(tree, False, replace=7, is_leaf=call)"),
    "partition": (_IS_LIST, "lib.partition(tree, callable, is_leaf=call)"),
    "combine": (_IS_LIST, "lib.combine([None, *tree[1:]], tree, is_leaf=call)"),
    "where": ("lambda node: node[0]", "lib.tree_at(call, tree, 7)"),
    "replace": ("lambda node: (node,)", "lib.tree_at(lambda node: node[1], tree, replace_fn=call)"),
    "at-leaves": (
        "lambda node: type(node) is dict",
        "lib.tree_at(lambda node: node[2], tree, 7, is_leaf=call)",
    ),
    "saved": (_IS_LIST, "saved_and_loaded(lib, tree, call)"),
    "shape": (_DOUBLE, f"lib.filter_eval_shape(call, {_X})"),
    "jaxpr": (_DOUBLE, f"lib.filter_make_jaxpr(call)({_X})[1:]"),
    "converted": (_DOUBLE, f"lib.filter_closure_convert(call, {_X})({_X})"),
    "callback": (_DOUBLE, f"lib.filter_pure_callback(call, {_X}, result_shape_dtypes={_STRUCT})"),
    "lambda": (_DOUBLE, f"lib.nn.Lambda(call)({_X})"),
    "activation": (
        _DOUBLE,
        f"lib.nn.MLP(2, 2, 2, 1, activation=call, key=jax.random.key(0))({_X})",
    ),
    "shared": (
        "lambda node: node[0]",
        f"lib.nn.Shared([{_X}, {_X}], lambda node: node[1], call)()",
    ),
}


@st.composite
def _asked(draw: st.DrawFn) -> Recipe:
    """Bind a tree, a plain function, `form`, which gives it another form, and `use`."""
    scope = Scope()
    forms = [(kind.features[0], kind.template.replace("$0", "{0}")) for kind in FORMS]
    forms += [(f"form:{name}", text) for name, text in _OF_MODULES]
    scope.define(_MODULE, _SAVED, *(text for kind in FORMS for text in kind.definitions))
    (feature, form), use = draw(st.sampled_from(forms)), draw(st.sampled_from(list(_USES)))
    scope.note(feature, f"use:{use}")
    scope.bind("tree", f"[{scope.include(draw(trees(kinds=CONTAINERS)))}, [1, 2], {{'a': [3]}}]")
    scope.bind("function", _USES[use][0])
    scope.bind("form", f"lambda function: {form.format('function')}")
    scope.bind("use", f"lambda lib, tree, call: {_USES[use][1]}")
    return scope.recipe()


@law(
    "wherever a function is asked about a node, a leaf or an array, it may be a partial, a method "
    "of a Module or a callable Module",
    source=_DOCS,
    needs={"filter", "partition", "combine", "tree_at", "tree_serialise_leaves", "Partial"}
    | {"filter_eval_shape", "filter_make_jaxpr", "filter_closure_convert", "filter_pure_callback"}
    | {"nn.Lambda", "nn.MLP", "nn.Shared"},
    level="should",
    case=_asked(),
)
def functions_have_any_form(lib, case):
    """A callable node in the place of a filter spec is a tree, as all nodes there are."""
    wanted = case.use(lib, case.tree, case.function)
    same(case.use(lib, case.tree, case.form(case.function)), wanted)
