"""Settings of Flax NNX for a block, and modules with attributes to set, with filters of modules."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

_BLOCK = """\
class NnxBlock(nnx.Module):
    def __init__(self, inner=None):
        self.level = 1
        self.drop = nnx.Dropout(0.5, deterministic=False)
        self.norm = nnx.BatchNorm(2, use_running_average=False, rngs=nnx.Rngs(0))
        self.inner = inner
"""
_LEAF = """\
class NnxLevel(nnx.Module):
    def __init__(self):
        self.level = 2
        self.weight = nnx.Param(jnp.ones(2))
"""
_MODULES: Sequence[str] = (
    "NnxBlock()",
    "NnxLevel()",
    "NnxBlock(NnxLevel())",
    "NnxBlock(NnxBlock(NnxLevel()))",
    "NnxBlock(nnx.Dropout(0.1, deterministic=True))",
    "nnx.Sequential(NnxLevel(), nnx.Dropout(0.1, deterministic=False))",
)
# Each with what it says of the path to a module and the module.
_FILTERS: Sequence[tuple[str, str]] = (
    ("...", "True"),
    ("nnx.Dropout", "isinstance(module, nnx.Dropout)"),
    ("(nnx.Dropout, nnx.BatchNorm)", "isinstance(module, (nnx.Dropout, nnx.BatchNorm))"),
    ("nnx.Not(nnx.Dropout)", "not isinstance(module, nnx.Dropout)"),
    ("NnxLevel", "isinstance(module, NnxLevel)"),
    ("nnx.PathContains('inner')", "'inner' in path"),
    ("lambda path, module: len(path) == 1", "len(path) == 1"),
    ("None", "False"),
)
_LAYERS = ("deterministic", "use_running_average")


@st.composite
def settings(draw: st.DrawFn, *, layers: bool = False) -> Recipe:
    """Draw `module`, `only`, a filter of modules, and `settings`, values by name of attribute.

    `selects(path, module)` is what the filter means.

    Args:
        layers: only name attributes of the library's own layers; default `False`.
    """
    scope = Scope()
    scope.define(_BLOCK, _LEAF)
    scope.bind("module", draw(st.sampled_from(_MODULES)))
    only, meant = draw(st.sampled_from(_FILTERS))
    scope.bind("only", only)
    scope.bind("selects", f"lambda path, module: {meant}")
    names = _LAYERS if layers else (*_LAYERS, "level", "nowhere")
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    values = {"level": "5", "nowhere": "None"}
    pairs = [f"{name!r}: {values.get(name) or draw(st.booleans())}" for name in chosen]
    scope.bind("settings", f"{{{', '.join(pairs)}}}")
    return scope.recipe()


# Each gives the context and a function that reads the setting.
SETTINGS: Sequence[Kind] = (
    Kind("setting", "(nnx.use_eager_sharding, nnx.using_eager_sharding)", (), ("set:sharding",)),
    Kind("setting", "(nnx.set_graph_mode, nnx.set_graph_mode.current_value)", (), ("set:mode",)),
    Kind(
        "setting",
        "(nnx.set_graph_updates, nnx.set_graph_updates.current_value)",
        (),
        ("set:updates",),
    ),
)
BLOCKS = ("block", "block with an error")
FORMS = (*BLOCKS, "function", "function with an error")


@st.composite
def nested_settings(draw: st.DrawFn, *, forms: Sequence[str] = FORMS) -> Recipe:
    """Draw `setting` and `current`, which reads it, and `levels`: pairs of a form and a value.

    Args:
        forms: the forms, of `FORMS`; default all.
    """
    scope = Scope()
    kind = draw(st.sampled_from(available(SETTINGS)))
    scope.note(*kind.features)
    scope.bind("setting", f"{kind.template}[0]")
    scope.bind("current", f"{kind.template}[1]")
    level = st.tuples(st.sampled_from(forms), st.booleans())
    levels = draw(st.lists(level, min_size=1, max_size=4))
    scope.note(*(f"form:{form.partition(' ')[0]}" for form, _ in levels))
    scope.bind("levels", repr(levels))
    return scope.recipe()
