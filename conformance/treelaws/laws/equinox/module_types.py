"""Equinox Modules: generic classes, plain Python bases, equality, hashes and `eqx.nn` layers."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, scalars, trees
from hypothesis_pytrees.classes.layers import LAYERS
from hypothesis_pytrees.core import prior_operations
from hypothesis_pytrees.core.availability import usable
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, same, true

law = Topic("equinox.module.types", "Equinox: classes and equality of Modules", family="equinox")
_MODULE = "https://docs.kidger.site/equinox/api/module/module/#equinox.Module"
_GENERIC = "https://typing.python.org/en/latest/spec/generics.html#instantiating-generic-classes-and-type-erasure"
_EQUAL = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_equal"
_HASH = "https://docs.python.org/3/reference/datamodel.html#object.__hash__"
_ALIKE = "https://github.com/patrick-kidger/equinox/pull/1240"
_LAYERS = "https://docs.kidger.site/equinox/all-of-equinox/"

_GENERICS = """\
First = typing.TypeVar('First')
Second = typing.TypeVar('Second')


class Holder(eqx.Module, typing.Generic[First]):
    x: First


class TwoHolder(Holder[First], typing.Generic[First, Second]):
    y: Second = eqx.field(static=True, default='y')


class HolderFirst(typing.Generic[First], eqx.Module):
    x: First

    def __init__(self, x):
        self.x = x
"""
_ALIASES = ("Holder[int]", "TwoHolder[int, str]", "HolderFirst[int]", "Holder[list[int]]")


@st.composite
def _generic(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.define(_GENERICS)
    alias = draw(st.sampled_from(_ALIASES))
    name = alias.partition("[")[0]
    scope.bind("x", draw(trees(max_leaves=2)))
    scope.bind("plain", f"{name}(x)")
    aliased = draw(st.booleans())
    scope.note(f"class:{name}", "made-by:alias" if aliased else "made-by:class")
    module = scope.bind("module", f"{alias if aliased else name}(x)")
    prior_operations.apply(draw, scope, module)
    return scope.recipe()


@law(
    "`Cls[int](x)` and `Cls(x)` have equal treedefs",
    source=_GENERIC,
    needs={"Module"},
    level="should",
    case=_generic(),
)
def aliases_do_not_change_the_treedef(lib, case):
    got, wanted = jtu.tree_structure(case.module), jtu.tree_structure(case.plain)
    true(got.num_nodes == wanted.num_nodes, got, str(wanted))
    equal(got.node_data(), wanted.node_data())


@law(
    "`Cls[int](x)` has the class and the leaves of `Cls(x)`",
    source=_GENERIC,
    needs={"Module"},
    case=_generic(),
)
def aliases_make_ordinary_instances(lib, case):
    true(type(case.module) is type(case.plain), type(case.module), str(type(case.plain)))
    same(jtu.tree_leaves(case.module), jtu.tree_leaves(case.module.x), identical=True)


_BASES = """\
class Counting:
    step = 2

    def count(self):
        return (self.step, self.x)

    @property
    def half(self):
        return self.step // 2


class NoSlots:
    __slots__ = ()


class Meeting(abc.ABC):
    @abc.abstractmethod
    def meet(self):
        ...


class Met(Meeting):
    def meet(self):
        return 'met'


class Mapped(collections.abc.Iterable):
    def __iter__(self):
        return iter((self.x,))


Item_ = typing.TypeVar('Item_')


class Typed(typing.Generic[Item_]):
    pass
"""
_BASE_NAMES = ("Counting", "NoSlots", "Met", "Mapped", "Typed")


@st.composite
def _plain_bases(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    names = draw(st.permutations([draw(st.sampled_from(_BASE_NAMES)), "Counting"]))
    names = list(dict.fromkeys(names))
    position = draw(st.integers(0, len(names)))
    scope.note(f"first-base:{[*names[:position], 'eqx.Module'][0]}")
    written = "_".join([*names[:position], "eqx", *names[position:]])
    bases = ", ".join([*names[:position], "eqx.Module", *names[position:]])
    field = draw(st.sampled_from(("typing.Any", "typing.Any = eqx.field(static=True)")))
    name = f"Based_{written}_{'static' if 'static' in field else 'dynamic'}"
    scope.define(_BASES, f"class {name}({bases}):\n    x: {field}\n    y: typing.Any = None\n")
    scope.bind("x", "'label'" if "static" in field else draw(trees(max_leaves=2)))
    scope.bind("y", draw(trees(max_leaves=2)))
    module = scope.bind("module", f"{name}(x, y)")
    prior_operations.apply(draw, scope, module)
    scope.bind("bases", f"({', '.join(names)},)")
    scope.bind("held", "[y]" if "static" in field else "[x, y]")
    return scope.recipe()


@law(
    "base classes that are not Modules, in any position, do not change fields or leaves",
    source=_MODULE,
    needs={"Module"},
    case=_plain_bases(),
)
def plain_bases_leave_the_pytree_alone(lib, case):
    got = jtu.tree_leaves(case.module)
    true(len(got) == len(jtu.tree_leaves(case.held)), got, "the leaves of the dynamic fields")
    dynamic = [getattr(case.module, name) for name in ("x", "y")][-len(case.held) :]
    same(got, jtu.tree_leaves(dynamic), identical=True)


@law(
    "methods and properties of a base class that is not a Module work, also after `tree_map`",
    source=_MODULE,
    needs={"Module"},
    case=_plain_bases(),
)
def plain_bases_keep_working(lib, case):
    back = jtu.tree_map(lambda leaf: leaf, case.module)
    true(isinstance(back, case.bases), back, "an instance of every base")
    same(back.count(), (2, case.module.x), identical=True)
    same(back.half, 1)


_EQUAL_TEXT = """\
class Comparable(eqx.Module):
    x: typing.Any
    tag: typing.Any = eqx.field(static=True, default='tag')
"""
_INHERITED_TEXT = """\
class ComparableChild(Comparable):
    y: typing.Any = 0
"""
_TAGS = ("'tag'", "1", "True", "1.0", "None", "(1, 2)")


@st.composite
def _comparable(draw: st.DrawFn, values: st.SearchStrategy[Recipe]) -> Recipe:
    scope = Scope()
    scope.define(_EQUAL_TEXT, _INHERITED_TEXT)
    one, tag = draw(values), draw(st.sampled_from(_TAGS))
    cls = draw(st.sampled_from(("Comparable", "ComparableChild")))
    for name in ("one", "other"):
        # Half of the pairs are equal: the same text, a different object.
        same_text = name == "one" or draw(st.booleans())
        value = scope.include(one if same_text else draw(values))
        label = tag if same_text else draw(st.sampled_from(_TAGS))
        scope.bind(name, f"{cls}({value}, tag={label})")
    if draw(st.booleans()):
        scope.rebind("other", "jtu.tree_map(lambda leaf: leaf, other)")
    return scope.recipe()


@law(
    "for two Modules, `a == b` equals `tree_equal(a, b)`, and `a != b` is the opposite",
    source=_EQUAL,
    needs={"Module", "tree_equal"},
    level="should",
    case=_comparable(leaves()),
)
def equality_is_tree_equality(lib, case):
    wanted = bool(lib.tree_equal(case.one, case.other))
    equal(bool(case.one == case.other), wanted)
    equal(bool(case.one != case.other), not wanted)


@law(
    "a Module is not equal to a value that is not a Module",
    source=_EQUAL,
    needs={"Module"},
    level="should",
    case=_comparable(leaves()),
)
def modules_differ_from_other_things(lib, case):
    for thing in (None, 1, "text", (1,), object(), type(case.one), case.one.tag):
        differ(case.one, thing)


@law(
    "equal Modules have equal hashes",
    source=_HASH,
    needs={"Module"},
    case=_comparable(scalars()),
)
def equal_modules_hash_alike(lib, case):
    """Precondition: the fields hold hashable values; others have no hash in Python."""
    if bool(case.one == case.other):
        same(hash(case.one), hash(case.other))


@law(
    "a Module in a dict or a set is found by its copy after flatten and unflatten",
    source=_HASH,
    needs={"Module"},
    level="should",
    case=_comparable(scalars()),
)
def modules_are_dictionary_keys(lib, case):
    """Precondition: no field holds NaN, which does not equal itself."""
    back = jtu.tree_map(lambda leaf: leaf, case.one)
    same(hash(back), hash(case.one))
    true({case.one: 1}.get(back) == 1, back, "a key that is found")
    true(back in {case.one}, back, "a member that is found")


@st.composite
def _layers(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    table = usable([kind for kind in LAYERS if "layer:slow" not in kind.features])
    layer = scope.bind("layer", draw(trees(roots=table, max_leaves=2)))
    prior_operations.apply(draw, scope, layer)
    return scope.recipe()


@law(
    "a layer of `eqx.nn` has the same attributes after flatten and unflatten",
    source=_LAYERS,
    needs={"Module", "nn"},
    level="should",
    case=_layers(),
)
def layers_are_modules(lib, case):
    back = jtu.tree_unflatten(*reversed(jtu.tree_flatten(case.layer)))
    true(vars(back).keys() == vars(case.layer).keys(), vars(back), str(vars(case.layer)))
    for name, value in vars(case.layer).items():
        same(getattr(back, name), value, identical=True)


@law(
    "layers made with equal arguments and keys have equal arrays and the same number of nodes",
    source=_LAYERS,
    needs={"Module", "nn"},
    level="should",
    case=_layers(),
)
def layers_made_alike_are_alike(lib, case):
    """Treedefs may differ: some layers make a new function in each construction."""
    arrays, others = (lib.filter(c.layer, lib.is_array) for c in (case, case.rebuild()))
    same(jtu.tree_leaves(others), jtu.tree_leaves(arrays))
    got, wanted = jtu.tree_structure(case.rebuild().layer), jtu.tree_structure(case.layer)
    true(got.num_nodes == wanted.num_nodes, got, str(wanted))


_FUNCTIONS = ("jax.nn.relu", "jnp.tanh", "jax.nn.gelu", "None")


@st.composite
def _layers_twice(draw: st.DrawFn) -> Recipe:
    """Write one layer of any kind twice, its functions being the same objects."""
    scope = Scope()
    kind = draw(st.sampled_from(usable(LAYERS)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    children = [draw(st.sampled_from(_FUNCTIONS)) for _ in range(kind.arity)]
    text = kind.text(children)
    if draw(st.booleans()):
        scope.note("layer:inside")
        text = f"eqx.nn.Sequential([{text}, eqx.nn.Identity()])"
    for name in ("layer", "other"):
        scope.bind(name, text)
    return scope.recipe()


@law(
    "layers made with equal arguments and keys are `tree_equal`, and `filter_jit` compiles a "
    "function of them once",
    source=_ALIKE,
    needs={"Module", "nn", "tree_equal", "filter_jit"},
    level="should",
    case=_layers_twice(),
    parents=(layers_made_alike_are_alike,),
)
def layers_made_alike_are_equal(lib, case):
    equal(bool(lib.tree_equal(case.layer, case.other)), True)
    traced = []
    jitted = lib.filter_jit(lambda layer: traced.append(layer))
    jitted(case.layer)
    jitted(case.other)
    equal(len(traced), 1)
