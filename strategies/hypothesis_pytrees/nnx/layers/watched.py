"""Draw modules with members and containers of each kind, to look at while they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import PLAIN_CONTAINERS

# Members of the class of a module, and what a call does with them.
_MEMBERS: Sequence[tuple[str, str, str]] = (
    ("method", "    def more(self, x):\n        return x + 1\n", "self.more(x)"),
    ("static", "    @staticmethod\n    def fixed(x):\n        return x * 2\n", "self.fixed(x)"),
    ("static", "    @staticmethod\n    def still(x):\n        return x - 2\n", "x"),
    (
        "class",
        "    @classmethod\n    def of_class(cls, x):\n        return x + len(cls.__name__)\n",
        "self.of_class(x)",
    ),
    ("property", "    @property\n    def width(self):\n        return 2\n", "x * self.width"),
    ("constant", "    factor = 3.0\n", "x * self.factor"),
    ("private", "    def _hidden(self, x):\n        return x - 1\n", "self._hidden(x)"),
    ("call-part", "", "self.part(x)"),
    ("call-part", "", "self.part(x, {}, None, x)"),
    ("call-part", "", "self.part(x, (), more=[None, x])"),
)
_LEAF = """\
class NnxWatchedLeaf(nnx.Module):
    def __init__(self, weight):
        self.weight = nnx.Param(jnp.float32(weight))
        self.bias = $variable

    def __call__(self, x, *unused, more=None):
        return x * self.weight[...] + self.bias[...]
"""
_HOOKED = """\
class NnxWatchedPositive(nnx.BatchStat):
    def on_set_value(self, value):
        return jnp.abs(value)
"""
# A Variable of each leaf: with metadata of any type, and of a type of one's own.
_VARIABLES: Mapping[str, str] = {
    "plain": "nnx.Param(jnp.float32(0))",
    "text": "nnx.Param(jnp.float32(0), note='a', places=(1, None))",
    "function": "nnx.Param(jnp.float32(0), note=jnp.tanh)",
    "type": "nnx.Param(jnp.float32(0), note=jnp.bfloat16, of=nnx.Module)",
    "spec": "nnx.Param(jnp.float32(0), note=jax.sharding.PartitionSpec('rows'))",
    "set": "nnx.Param(jnp.float32(0), note=frozenset({1}))",
    "hook": "NnxWatchedPositive(jnp.float32(0))",
}
_BASE = """\
class NnxWatchedBase(nnx.Module):
    def inherited(self, x):
        return x + 10

    @staticmethod
    def fixed_of_base(x):
        return x * 5
"""
# A container of leaves, and the text that goes through it.
_CONTAINERS: Sequence[tuple[str, str, str]] = (
    ("none", "None", ""),
    ("dict", "nnx.Dict(a=NnxWatchedLeaf(2.0), b=NnxWatchedLeaf(3.0))", ".values()"),
    ("list", "nnx.List([NnxWatchedLeaf(2.0), NnxWatchedLeaf(3.0)])", ""),
    ("sequential", "nnx.Sequential(NnxWatchedLeaf(2.0), NnxWatchedLeaf(3.0))", ".layers"),
    ("plain-dict", "$({'a': NnxWatchedLeaf(2.0)})", ".values()"),
    ("plain-list", "$([NnxWatchedLeaf(2.0), NnxWatchedLeaf(3.0)])", ""),
)

_ROWS = {
    "none": (),
    "dict": ("held/a", "held/b", "NnxWatchedLeaf"),
    "list": ("held/0", "held/1", "NnxWatchedLeaf"),
    "sequential": ("held/layers/0", "held/layers/1", "NnxWatchedLeaf"),
    "plain-dict": ("held/a", "NnxWatchedLeaf"),
    "plain-list": ("held/0", "held/1", "NnxWatchedLeaf"),
}


def _known() -> list[tuple[str, str, str]]:
    """Return the containers that the installed release has."""
    first = lambda text: text.partition("(")[0]
    return [row for row in _CONTAINERS if row[1][:3] != "nnx" or names.has(first(row[1]))]


@st.composite
def watched(draw: st.DrawFn, *, fails: bool = True) -> Recipe:
    """Bind `module`, `x`, and `classes`, those of the module, its base and its leaves.

    `rows` are the paths and types of the modules that a call of the module calls.

    Args:
        fails: whether a call of some modules raises KeyError; default `True`.
    """
    scope = Scope()
    members = draw(st.lists(st.sampled_from(_MEMBERS), max_size=3, unique_by=lambda one: one[0]))
    inherits = draw(st.booleans())
    kinds = [kind for kind, _, _ in members]
    scope.note(*(["class:static"] if inherits or "static" in kinds else []))
    steps = [step for _, _, step in members]
    steps += ["self.inherited(x)"] * (inherits and draw(st.booleans()))
    if inherits and draw(st.booleans()):
        steps.append("self.fixed_of_base(x)")
    given = [step for step in steps if step.startswith("self.part(x, ")]
    scope.note(*(["calls:empty-container"] if given else []))
    scope.note(*(["calls:static"] if any("self.fixed" in step for step in steps) else []))
    kind, container, iterated = draw(st.sampled_from(_known()))
    scope.note(f"holds:{kind}")
    wrap = "nnx.data" if PLAIN_CONTAINERS.lacking() else ""
    container = container.replace("$", wrap)
    variable = draw(st.sampled_from(tuple(_VARIABLES)))
    scope.note(f"metadata:{variable}")
    fails = fails and draw(st.booleans())
    scope.note(*(["fails"] if fails else []))
    body = "".join(f"        x = {step}\n" for step in steps)
    if iterated or kind in ("list", "plain-list"):
        body += f"        for one in self.held{iterated}:\n            x = one(x)\n"
    if fails:
        body += "        raise KeyError('inside')\n"
    base = "NnxWatchedBase" if inherits else "nnx.Module"
    text = "".join(member for _, member, _ in members)
    # As statements, they make new classes each time: no call sees those that another one changed.
    scope.statement(_HOOKED)
    scope.statement(_LEAF.replace("$variable", _VARIABLES[variable]))
    scope.statement(_BASE)
    scope.statement(
        f"class NnxWatched({base}):\n{text}"
        f"    def __init__(self):\n        self.part = NnxWatchedLeaf(0.5)\n"
        f"        self.held = {container}\n\n"
        f"    def __call__(self, x):\n{body}        return x\n"
    )
    scope.bind("module", "NnxWatched()")
    scope.bind("x", "jnp.ones(2)")
    scope.bind("classes", "(NnxWatched, NnxWatchedBase, NnxWatchedLeaf)")
    rows = ["NnxWatched", *_ROWS[kind], *(["part"] if "call-part" in kinds else [])]
    scope.bind("rows", repr(rows))
    return scope.recipe()
