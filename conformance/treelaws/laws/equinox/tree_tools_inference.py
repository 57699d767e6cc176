"""Equinox: `inference_mode` of models with anything named `inference`."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from .tree_tools import inference_mode_sets_every_flag, law

_INFERENCE = "https://docs.kidger.site/equinox/api/nn/inference/#equinox.nn.inference_mode"
# Members of a model, by the feature of a recipe that has one.
_MEMBERS = {
    "flag": "    inference: bool = False\n",
    "method": "    def inference(self, x):\n        return x\n",
    "static-method": "    @staticmethod\n    def inference(x):\n        return x\n",
    "class-method": "    @classmethod\n    def inference(cls, x):\n        return x\n",
    "property": "    @property\n    def inference(self):\n        return False\n",
    "property-of-flag": (
        "    @property\n    def inference(self):\n        return self.dropout.inference\n"
    ),
    "compiled-method": "    @eqx.filter_jit\n    def inference(self, x):\n        return x\n",
    "class": "    class inference:\n        pass\n",
    "other": "    inferences: bool = False\n",
}
_AROUND = ("{}", "[{}, 1.0]", "dict(a=({},))", "eqx.nn.Sequential([{}])", "jtu.Partial(max, {})")


@st.composite
def _models(draw: st.DrawFn) -> Recipe:
    """Bind `model` and `read`, which gives the flag of its dropout."""
    scope = Scope()
    member = draw(st.sampled_from(list(_MEMBERS)))
    scope.note(f"member:{member}")
    name = f"Inferring{''.join(word.title() for word in member.split('-'))}"
    scope.define(f"class {name}(eqx.Module):\n    dropout: typing.Any\n{_MEMBERS[member]}")
    around = draw(st.sampled_from(_AROUND))
    scope.bind("model", around.format(f"{name}(eqx.nn.Dropout(0.5))"))
    flags = (
        "[node.inference for node in jtu.tree_leaves(tree, is_leaf=is_dropout) if is_dropout(node)]"
    )
    scope.bind("is_dropout", "lambda node: isinstance(node, eqx.nn.Dropout)")
    scope.bind("read", f"lambda tree: {flags}")
    return scope.recipe()


@law(
    "`inference_mode` sets the flag of a layer inside a model, whatever method, property or class "
    "of the model is named `inference`",
    # Quote: "Convenience function for setting all `inference` attributes".
    source=_INFERENCE,
    needs={"nn.inference_mode", "nn.Dropout"},
    level="should",
    case=_models(),
    parents=[inference_mode_sets_every_flag],
)
def inference_mode_finds_the_flag(lib, case):
    on = lib.nn.inference_mode(case.model)
    same(case.read(on), [True])
    same(case.read(lib.nn.inference_mode(on, value=False)), [False])
