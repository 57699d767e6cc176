"""Programs on a FrozenDict, with the same steps on a plain dict."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .mappings import KEYS, ORDERED

_VALUES = ("1", "'text'", "None", "{}", "{'w': 1}", "[1]")
# By name: what happens to `frozen` and to `plain`, for `$k`, a key, and `$v`, a value.
_STEPS = {
    "copy": ("frozen.copy({$k: $v})", "{**plain, $k: $v}"),
    "copy-frozen": ("frozen.copy(flax.core.freeze({$k: $v}))", "{**plain, $k: $v}"),
    "function-copy": ("flax.core.copy(frozen, {$k: $v})", "{**plain, $k: $v}"),
    "rebuild": ("flax.core.FrozenDict({**frozen, $k: $v})", "{**plain, $k: $v}"),
    "nest": ("flax.core.freeze({$k: frozen})", "{$k: plain}"),
    "map": ("jtu.tree_map(lambda leaf: leaf, frozen)", "plain"),
    "wrap": (
        "jtu.tree_map(lambda leaf: {'x': leaf}, frozen)",
        "jtu.tree_map(lambda leaf: {'x': leaf}, plain)",
    ),
    "pickle": ("pickle.loads(pickle.dumps(frozen))", "plain"),
    "refreeze": ("flax.core.freeze(flax.core.unfreeze(frozen))", "plain"),
}
_POPS = ("frozen.pop($k)[0]", "flax.core.pop(frozen, $k)[0]")


@st.composite
def frozen_programs(draw: st.DrawFn) -> Recipe:
    """Draw a program that binds `frozen`, a FrozenDict, and `plain`, the dict that it stands for.

    Features are `step:` followed by `copy`, `copy-frozen`, `function-copy`, `rebuild`, `nest`,
    `map`, `wrap`, `pickle`, `refreeze` or `pop`.
    """
    scope = Scope()
    keys = KEYS[draw(st.sampled_from(ORDERED))]
    scope.bind("plain", "{}")
    scope.bind("frozen", "flax.core.freeze(plain)")
    held: set[str] = set()
    for name in draw(st.lists(st.sampled_from((*_STEPS, "pop")), max_size=8)):
        key = draw(st.sampled_from(keys))
        if name == "pop" and key not in held:
            continue
        scope.note(f"step:{name}")
        if name == "pop":
            step = _POPS[draw(st.integers(0, 1))]
            model = "{key: value for key, value in plain.items() if key != $k}"
            held -= {key}
        else:
            step, model = _STEPS[name]
            held = {key} if name == "nest" else held | ({key} if "$v" in step else set())
        value = draw(st.sampled_from(_VALUES)) if "$v" in step else ""
        scope.rebind("frozen", step.replace("$k", key).replace("$v", value))
        scope.rebind("plain", model.replace("$k", key).replace("$v", value))
    return scope.recipe()
