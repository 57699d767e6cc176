"""Random programs on the state of a model, with the same program on a plain list."""

from __future__ import annotations

import textwrap

from hypothesis import strategies as st

from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.contexts import contexts
from hypothesis_pytrees.core.prior_operations import PRIOR_OPERATIONS
from hypothesis_pytrees.core.recipe import Recipe, Scope

# Each step: statements on `model`, `state` and `plain`, the list of what each index should hold.
# `$i` is the position of an index; `sub` and `old` live from one step to the next.
_SET = "state = state.set(indices[$i], plain[$i])"
STEPS: dict[str, str] = {
    "get": "plain[$i] = state.get(indices[$i])",
    "set": f"plain[$i] = changed(plain[$i])\n{_SET}",
    "restart": f"plain[$i] = given[$i]\n{_SET}",
    "set-numbers": "plain[$i] = given[$i]\nstate = state.set(indices[$i], started[$i])",
    "update": (
        "plain[$i] = changed(plain[$i])\n"
        "sub = state.substate(indices[$i])\n"
        "sub = sub.set(indices[$i], plain[$i])\n"
        "state = state.update(sub)"
    ),
    "update-all": "state = state.update(state.substate(model))",
    "update-backwards": "state = state.update(state.substate(indices[::-1]))",
    "update-some": (
        "sub = state.substate(indices[:$i])\n"
        "for place in range($i):\n"
        "    plain[place] = changed(plain[place])\n"
        "    sub = sub.set(indices[place], plain[place])\n"
        "state = state.update(sub)"
    ),
    "abandon": "state.substate(model).set(indices[$i], changed(plain[$i]))",
    "refused-set": (
        "try:\n    state.set(indices[$i], [plain[$i], None])\nexcept ValueError:\n    pass"
    ),
    "refused-index": "try:\n    state.set($i, plain[$i])\nexcept ValueError:\n    pass",
    "clone": "state = jtu.tree_unflatten(*jtu.tree_flatten(state)[::-1])",
    "branch": (
        "other = jtu.tree_map(lambda leaf: leaf, state)\nother.set(indices[$i], changed(plain[$i]))"
    ),
    "map": "state = jtu.tree_map(another_array, state)\nplain[:] = map(changed, plain)",
    "copy": "state = copy.copy(state)",
    "deepcopy": "state = copy.deepcopy(state)",
    "pickle": "state = pickle.loads(pickle.dumps(state))",
    "combine": "state = eqx.combine(*eqx.partition(state, lambda leaf: leaf.ndim == 0))",
    "copy-model": "model = copy.copy(model)\nindices = indices_of(model)",
    "map-model": "model = jtu.tree_map(lambda leaf: leaf, model)\nindices = indices_of(model)",
    "pickle-both": (
        "model, state = pickle.loads(pickle.dumps((model, state)))\nindices = indices_of(model)"
    ),
    "rebuild-model": "model, _ = eqx.nn.make_with_state(make)()\nindices = indices_of(model)",
    "rebuild-state": (
        "_, fresh = eqx.nn.make_with_state(make)()\n"
        "for place, index in enumerate(indices):\n"
        "    fresh = fresh.set(index, plain[place])\n"
        "state = fresh"
    ),
    "print": "repr(state)",
}

# Copies of some values are different values, as in `prior_operations`.
_FORBIDS = {history.name: history.forbids for history in PRIOR_OPERATIONS}
_FORBIDS["pickle-both"] = _FORBIDS["pickle"]


@st.composite
def state_programs(
    draw: st.DrawFn,
    models: st.SearchStrategy[Recipe],
    *,
    max_steps: int = 8,
) -> Recipe:
    """Draw a program over a stateful model: bind `program`, a function that yields after each step.

    Each time it yields the indices, the state, and the list of what the indices should hold. A
    position that the model does not have is taken modulo their number. Features: `step:set`, ...

    Args:
        models: what `stateful_models` gives.
        max_steps: how many steps at most, at least 1; default 8.

    Raises:
        ValueError: `max_steps` is below 1.
    """
    if max_steps < 1:
        raise ValueError(f"max_steps must be at least 1, got {max_steps}")
    scope = Scope()
    scope.include(draw(models))
    allowed = tuple(name for name in STEPS if not _FORBIDS.get(name, set()) & scope.features)
    names = draw(st.lists(st.sampled_from(allowed), min_size=1, max_size=max_steps))
    lines = ["indices, plain = indices_of(model), list(given)"]
    for name in names:
        scope.note(f"step:{name}")
        lines += [_placed(STEPS[name], draw(st.integers(0, 2))), "yield indices, state, plain"]
    body = textwrap.indent("\n".join(lines), "    ")
    scope.statement(f"def program(model, state):\n{body}")
    return scope.recipe()


def _placed(step: str, place: int) -> str:
    return step.replace("$i", str(place) if place == 0 else f"{place} % len(indices)")


# Operations of layers on their state, for a `State` and for a list of the values.
_FORWARDS: dict[str, tuple[str, str]] = {
    "set": (
        """\
for index in indices:
    value = state.get(index)
    state = state.set(index, value + value)
return state""",
        "return [value + value for value in values]",
    ),
    "move": (
        """\
first = state.get(indices[0])
state = state.set(indices[0], state.get(indices[-1]))
return state.set(indices[-1], first)""",
        "return [values[-1], *values[1:-1], values[0]][: len(values)]",
    ),
    "update": (
        """\
part = state.substate(indices[-1])
part = part.set(indices[-1], part.get(indices[-1]) * 4)
return state.update(part)""",
        "return [*values[:-1], values[-1] * 4]",
    ),
    "map": (
        "return jtu.tree_map(lambda leaf: leaf / 2, state)",
        "return [value / 2 for value in values]",
    ),
}


@st.composite
def state_functions(
    draw: st.DrawFn, models: st.SearchStrategy[Recipe], *, context: bool = False
) -> Recipe:
    """Draw a function of a state and the same of a list of its values: `on_state`, `on_values`.

    Features: `forward:set`, `forward:update`, ...

    Args:
        models: what `stateful_models` gives, where every state is one real floating array of one
            shape.
        context: bind `context` too, as `contexts` draws it; default `False`.
    """
    scope = Scope()
    scope.include(draw(models))
    if context:
        scope.bind("context", draw(contexts()))
    texts = {"state": "state", "values": "values"}
    for name in draw(st.lists(st.sampled_from(tuple(_FORWARDS)), min_size=1, max_size=2)):
        scope.note(f"forward:{name}")
        step = scope.fresh("step")
        for kind, body in zip(texts, _FORWARDS[name], strict=True):
            scope.statement(f"def {step}_on_{kind}({kind}):\n{textwrap.indent(body, '    ')}")
            texts[kind] = f"{step}_on_{kind}({texts[kind]})"
    for kind, text in texts.items():
        scope.statement(f"on_{kind} = lambda {kind}: {text}")
    return scope.recipe()


_COUNTING = """\
class CountingLayer(eqx.Module):
    index: eqx.nn.StateIndex
    scale: jax.Array
    name: str = 'counting'

    def __init__(self, start):
        self.index = eqx.nn.StateIndex(start)
        self.scale = jnp.ones_like(start)

    def step(self, x, state):
        value = state.get(self.index)
        return x * value * self.scale, state.set(self.index, value + x)
"""
_PAIRED = """\
class PairedLayer(CountingLayer):
    pair: tuple

    def __init__(self, start):
        super().__init__(start)
        self.pair = (CountingLayer(start + 1), None)

    def step(self, x, state):
        x, state = self.pair[0].step(x, state)
        return super().step(x, state)
"""
_SPLIT = """\
def members_of(tree):
    # What one vmapped tree holds for each of its members.
    return [
        jtu.tree_map(lambda leaf: leaf[i] if eqx.is_array(leaf) else leaf, tree) for i in range(2)
    ]
"""
_STARTS = ("[1, 2]", "[[1, 2], [3, 4]]", "[[0, -1], [1, 8]]")


@st.composite
def vmapped_layers(draw: st.DrawFn) -> Recipe:
    """Draw a layer vmapped over its start, beside one that is not.

    Binds `model` and `state`; `layer`, the class; `starts` and `inputs`, one of each for each of
    the two members; `members_of`, which parts a vmapped tree.
    """
    scope = Scope()
    scope.define(_COUNTING, _PAIRED, _SPLIT)
    scope.bind("layer", draw(st.sampled_from(("CountingLayer", "PairedLayer"))))
    text = draw(st.sampled_from(_STARTS))
    scope.bind("starts", f"jax.device_put(np.float32({text}))")
    scope.bind("inputs", f"jax.device_put(np.float32({text}) + 3)")
    write = "{'alone': layer(starts), 'members': eqx.filter_vmap(layer)(starts)}"
    scope.statement(f"make = lambda: {write}")
    scope.statement("model, state = eqx.nn.make_with_state(make)()")
    prior_operations.apply(draw, scope, "model")
    return scope.recipe()
