"""Names that a library can confuse with its own, and what takes keyword arguments, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, SET_METADATA
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way

# Names of parameters of the library's own functions; `$0` stands for one of them in a kind.
AWKWARD: tuple[str, ...] = (
    *("scale", "self", "cls", "args", "kwargs", "func", "fn", "node", "module", "model", "params"),
    *("path", "name", "step", "type", "key", "metadata", "graph", "graph_updates", "only", "state"),
)
# `fun` is a parameter of functions of JAX. `eval_shape` documents some parameters as its own.
_OF_EVAL_SHAPE = (*(name for name in AWKWARD if not name.startswith("graph")), "fun")
_WITH_RULE = """\
def nnx_with_rule(function):
    custom = nnx.custom_vjp(function)
    custom.defvjp(lambda *args: (function(*args), args), lambda args, given: args)
    return custom
"""
_SHAPES = "jtu.tree_map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), {})"


def _modes(name: str, text: str, *modes: str) -> list[Kind]:
    """Return a way, and the same way with each set of options."""
    plain = way(name, text.replace(", $mode", ""))
    named = {"graph=False": "tree", "graph_updates=False": "pure"}
    return [
        plain,
        *(
            way(f"{name}-{named[mode]}", text.replace("$mode", mode), needs=(GRAPH_OPTIONS,))
            for mode in modes
        ),
    ]


_MODES = ("graph=False", "graph_updates=False")
_FACTORS = ("jax.device_put(np.float32([3.0, -0.5]))", "np.float32([0.0, 8.0])")
# Ways to call a function of `x` and `extra` that propagate changes of graphs.
CALLS: Sequence[Kind] = (
    *_modes("jit", "nnx.jit(function, $mode)(x, **extra)", *_MODES),
    way(
        "jit-lower",
        "nnx.jit(function).lower(x, **extra).compile()(x, **extra)",
        needs=(GRAPH_OPTIONS,),
    ),
    way(
        "cached-partial",
        "nnx.cached_partial(nnx.jit(lambda held, x, **extra: function(x, **extra)), "
        "nnx.Dict(a=nnx.Param(x)))(x, **extra)",
    ),
    way("jit-partial", "nnx.jit_partial(function, x, graph=False)(**extra)"),
    *_modes("remat", "nnx.remat(function, $mode)(x, **extra)", *_MODES),
    *_modes("grad", "nnx.grad(function, $mode)(x, **extra)", *_MODES),
    *_modes("value-and-grad", "nnx.value_and_grad(function, $mode)(x, **extra)", *_MODES),
    *_modes("vmap", "nnx.vmap(function, $mode)(x, **extra)", *_MODES),
    way("checkify", "nnx.checkify(function)(x, **extra)[1]"),
    way("custom-vjp", "nnx_with_rule(function)(x, **extra)", _WITH_RULE),
    way("split-rngs", "nnx.split_rngs(splits=2)(function)(x, **extra)"),
    way("fork-rngs", "nnx.fork_rngs()(function)(x, **extra)"),
    way("capture", "nnx.capture(function, nnx.Intermediate)(x, **extra)[0]"),
    way("sequential", "nnx.Sequential(function)(x, **extra)"),
    way("variable", "nnx.Variable(function)(x, **extra)"),
    way("call", "nnx.call(nnx.split(nnx.Sequential(function)))(x, **extra)[0]"),
)
EVAL_SHAPE: Sequence[Kind] = (
    way("eval-shape", _SHAPES.format("nnx.eval_shape(function, x, **extra)")),
    way(
        "jit-eval-shape",
        _SHAPES.format("nnx.jit(function).eval_shape(x, **extra)"),
        needs=(GRAPH_OPTIONS,),
    ),
)
# Definitions of classes; `$0` stands for a name.
_TAKES = """\
class NnxNamed{suffix}_$0({base}):
    def __init__(this, $0):
        this.held = $0
"""
_TAKES_ALL = """\
class NnxNamedAll(nnx.Module):
    def __init__(this, **named):
        for name, value in named.items():
            setattr(this, name, value)
"""
_INHERITS = """\
class NnxNamedLayer(nnx.Module):
    def __init__(this, size, **named):
        this.size, this.held = size, nnx.Dict(named)


class NnxNamedBlock(NnxNamedLayer):
    def __init__(this, **named):
        super().__init__(2, **named)
"""
_FIELDS = """\
@dataclasses.dataclass
class NnxNamedFields_$0(nnx.Module):
    $0: object
"""
_FIELDS_OF_NNX = """\
@nnx.dataclass
class NnxNamedNnxFields_$0(nnx.Pytree):
    $0: jax.Array
"""


def _takes(base: str) -> tuple[str, str]:
    suffix = base.removeprefix("nnx.")
    return _TAKES.format(suffix=suffix, base=base), f"NnxNamed{suffix}_$0(**extra).held"


# A definition, and an expression that gives the keyword argument `$0` in `extra` back.
_CLASSES: dict[str, tuple[str, str]] = {
    "module": _takes("nnx.Module"),
    "any": (_TAKES_ALL, "getattr(NnxNamedAll(**extra), '$0')"),
    "subclass": (_INHERITS, "NnxNamedBlock(**extra).held['$0']"),
    "object": _takes("nnx.Object"),
    "pytree": _takes("nnx.Pytree"),
    "dataclass": (_FIELDS, "NnxNamedFields_$0(**extra).$0"),
    "nnx-dataclass": (_FIELDS_OF_NNX, "NnxNamedNnxFields_$0(**extra).$0"),
    "dict": ("", "nnx.Dict(**extra)['$0']"),
    "metric": ("", "nnx.MultiMetric(**extra).$0"),
}
# Ways to give a Variable of the value `x` the metadata `extra`.
METADATA: Sequence[Kind] = (
    way("variable", "nnx.Variable(x, **extra)"),
    way("param", "nnx.Param(x, **extra)"),
    way("own-type", "NnxNamedVariable(x, **extra)", "class NnxNamedVariable(nnx.Variable): pass\n"),
    way("copy", "nnx.Param(x).copy(x, **extra)"),
    way("replace", "nnx.Param(x).replace(x, **extra)"),
    way(
        "set-metadata",
        "(lambda held: (held.set_metadata(**extra), held)[1])(nnx.Param(x))",
        needs=(SET_METADATA,),
    ),
    way(
        "set-metadata-of-all",
        "(lambda held: (nnx.set_metadata([held], **extra), held)[1])(nnx.Param(x))",
    ),
    way("with-metadata", "nnx.Param(nnx.with_metadata(lambda: x, **extra)())"),
)
_LABELS = ("'rows'", "1", "None", "(2, 'columns')")
_METRICS = ("{}", "nnx.MultiMetric(loss={})", "nnx.MultiMetric(outer=nnx.MultiMetric(loss={}))")
# Functions that give an equal Variable.
_JOURNEYS = (
    "lambda variable: variable",
    "lambda variable: nnx.clone(nnx.Dict(a=variable)).a",
    "lambda variable: nnx.merge(*nnx.split(nnx.Dict(a=variable))).a",
    "lambda variable: nnx.jit(lambda held: nnx.clone(held))(nnx.Dict(a=variable)).a",
    "lambda variable: nnx.state(nnx.Dict(a=variable))['a']",
    "lambda variable: variable.copy()",
)


@st.composite
def named_calls(draw: st.DrawFn) -> Recipe:
    """Draw `run`, a way to call `function` with `x` and the keyword argument `extra`.

    `usual` is the same function with another name for the argument, and takes `as_usual`.
    """
    scope = Scope()
    shapes = draw(st.booleans())
    keyword = draw(st.sampled_from(_OF_EVAL_SHAPE if shapes else AWKWARD))
    scope.note(f"keyword:{keyword}")
    scope.bind("x", "jax.device_put(np.float32([1.0, 2.0]))")
    scope.bind("value", draw(st.sampled_from(_FACTORS)))
    for name, extra, function in ((keyword, "extra", "function"), ("scale", "as_usual", "usual")):
        scope.bind(extra, f"{{{name!r}: value}}")
        scope.bind(function, f"lambda x, {name}: jnp.sum(x * {name})")
    bind_way(draw, scope, EVAL_SHAPE if shapes else CALLS, "function, x, extra", forms=PLAIN)
    return scope.recipe()


@st.composite
def named_construction(draw: st.DrawFn) -> Recipe:
    """Draw `make`, which gives back the value in `extra` of the keyword argument `keyword`."""
    scope = Scope()
    keyword = draw(st.sampled_from(AWKWARD))
    scope.note(f"keyword:{keyword}")
    kinds = [
        Kind("class", text.replace("$0", keyword), (given.replace("$0", keyword),) * bool(given))
        for given, text in _CLASSES.values()
    ]
    names = dict(zip(kinds, _CLASSES, strict=True))
    kind = draw(st.sampled_from(available(kinds)))
    scope.define(*kind.definitions)
    scope.note(f"class:{names[kind]}")
    metric = names[kind] == "metric"
    value = "nnx.metrics.Average()" if metric else "nnx.Param(jax.device_put(np.float32(2.0)))"
    scope.bind("value", value)
    scope.bind("extra", f"{{{keyword!r}: value}}")
    scope.bind("make", f"lambda extra: {kind.template}")
    return scope.recipe()


@st.composite
def named_metadata(draw: st.DrawFn) -> Recipe:
    """Draw `run`, a way to give a Variable of `x` the metadata `extra`, and a `journey` of it."""
    scope = Scope()
    # `nnx.set_metadata` documents these parameters as its own.
    keyword = draw(st.sampled_from([name for name in AWKWARD if name not in ("only", "graph")]))
    scope.note(f"keyword:{keyword}")
    scope.bind("x", "jax.device_put(np.float32([1.0, 2.0]))")
    scope.bind("extra", f"{{{keyword!r}: {draw(st.sampled_from(_LABELS))}}}")
    bind_way(draw, scope, METADATA, "x, extra", forms=PLAIN)
    scope.bind("journey", draw(st.sampled_from(_JOURNEYS)))
    return scope.recipe()


@st.composite
def named_metrics(draw: st.DrawFn) -> Recipe:
    """Draw `metric`, made with the name of its argument, and `extra`, that argument."""
    scope = Scope()
    keyword = draw(st.sampled_from(AWKWARD))
    scope.note(f"keyword:{keyword}")
    text = draw(st.sampled_from(_METRICS)).format(f"nnx.metrics.Average({keyword!r})")
    scope.bind("metric", text)
    scope.bind("extra", f"{{{keyword!r}: jax.device_put(np.float32([1.0, 2.0]))}}")
    return scope.recipe()
