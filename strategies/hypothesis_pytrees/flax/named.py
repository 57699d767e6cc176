"""Names that a library may use for itself: of fields of dataclasses and of keyword arguments."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

# Parameters and attributes of Flax, of dataclasses and of mappings.
_OFTEN = ("x", "self", "cls")
_NAMES = (
    *(*_OFTEN, "name", "state", "value", "key", "updates", "fields", "clz", "obj"),
    *("args", "kwargs", "xs", "data", "meta", "children", "metadata", "path", "target", "init"),
    *("keys", "items", "values", "get", "pop", "copy", "update", "unfreeze", "_dict", "_hash"),
    *("tree_flatten", "_replace", "_fields", "__x", "é", "pytree_node"),
)
# Only as a key: no parameter can have such a name.
_KEYS = ("''", "'a b'", "'class'", "'1'", "'None'")
_VALUES = ("1", "'text'", "[2, 3]", "jax.device_put(np.float32([1.0, 2.0]))")
_FIELD = "flax.struct.field(pytree_node=False)"


@st.composite
def named_structs(draw: st.DrawFn, *, methods: bool = True) -> Recipe:
    """Draw `node`, a `flax.struct` dataclass whose fields have odd names.

    Also `names`, the names with whether each is data, and `values`, what the fields hold.

    Args:
        methods: a field may be named `replace`, as a method is; default `True`.
    """
    scope = Scope()
    decorated = draw(st.booleans())
    # A base class gives a field of this name its own method as a default.
    pool = (*_OFTEN * 3, *_NAMES, *(("replace",) * 5 if methods and decorated else ()))
    names = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True))
    flags = [draw(st.booleans()) for _ in names]
    scope.note("struct:decorated" if decorated else "struct:base-class")
    # A static value must have a hash.
    texts = [draw(st.sampled_from(_VALUES if flag else _VALUES[:2])) for flag in flags]
    scope.note(*(f"field:{name}" for name in names))
    scope.bind("names", repr(dict(zip(names, flags, strict=True))))
    scope.bind("values", f"[{', '.join(texts)}]")
    static = f"{{name: {_FIELD} for name in names if not names[name]}}"
    hints = "'__annotations__': dict.fromkeys(names, object), '__module__': __name__"
    space = f"{{{hints}, **{static}}}"
    made = f"flax.struct.dataclass(type('NamedStruct', (), {space}))"
    if not decorated:
        made = f"type('NamedNode', (flax.struct.PyTreeNode,), {space})"
    scope.bind("node", f"{made}(**dict(zip(names, values)))")
    return scope.recipe()


@st.composite
def named_entries(draw: st.DrawFn) -> Recipe:
    """Draw `entries`, a dict with odd names as keys."""
    scope = Scope()
    pool = (*map(repr, (*_OFTEN * 3, *_NAMES, "replace")), *_KEYS)
    names = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True))
    scope.note(*(f"key:{name.strip(chr(39))}" for name in names))
    texts = [f"{name}: {draw(st.sampled_from(('1', 'None', '{1: 2}', '[3]')))}" for name in names]
    scope.bind("entries", f"{{{', '.join(texts)}}}")
    return scope.recipe()


_LABELS = """\
class StructLabels:
    label = 'none'

    def __init_subclass__(cls, label='unlabelled', **options):
        super().__init_subclass__(**options)
        cls.label = label
"""
_COUNTS = """\
class StructCounts:
    counted = False

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.counted = True
"""
_OWN = """\
class StructOwn(flax.struct.PyTreeNode):
    label: typing.ClassVar[str] = 'none'

    def __init_subclass__(cls, label='unlabelled', **options):
        super().__init_subclass__(**options)
        cls.label = label
"""
_OPTIONS = ("frozen=False", "kw_only=True", "order=True", "repr=False")


@st.composite
def labelled_structs(draw: st.DrawFn) -> Recipe:
    """Draw a class `Made` with class keywords, of which bases take some.

    Also `label`, what its base has to hold, and `hooked`, whether another base notes subclasses.
    """
    scope = Scope()
    own = draw(st.booleans())
    others = ["StructCounts"] * draw(st.booleans()) + ["abc.ABC"] * draw(st.booleans())
    base = "StructOwn" if own else "flax.struct.PyTreeNode"
    others += [] if own else ["StructLabels"]
    scope.define(*([_OWN] if own else [_LABELS]), *([_COUNTS] if "StructCounts" in others else []))
    bases = draw(st.permutations((base, *others)))
    hooks = {"StructCounts", "StructLabels"} & set(bases[bases.index(base) :])
    scope.note(*("order:hook-after-node" for _ in hooks))
    # A class of a frozen one is frozen.
    possible = _OPTIONS[own:]
    chosen = draw(st.lists(st.sampled_from(possible), unique=True, max_size=2))
    scope.bind("options", f"dict({', '.join(chosen)})")
    given = draw(st.booleans())
    if given:
        scope.note("keyword:label", *(["keyword:label-after-node"] * ("StructLabels" in hooks)))
    scope.bind("label", "'given'" if given else "'unlabelled'")
    keywords = ", label=label" * given
    space = "{'__annotations__': {'x': typing.Any}, '__module__': __name__}"
    scope.bind("Made", f"type('Made', ({', '.join(bases)},), {space}{keywords}, **options)")
    scope.bind("hooked", repr("StructCounts" in bases))
    return scope.recipe()
