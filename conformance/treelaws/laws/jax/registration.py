"""JAX: registering node types: what it changes, and when it raises an error."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true
from treelaws.laws._isolated import outcome

from ._inputs import expressions

law = Topic("jax.registration", "JAX: registration of node types", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary"
_NODE = f"{_DOCS}/jax.tree_util.register_pytree_node.html"
_KEYED = f"{_DOCS}/jax.tree_util.register_pytree_with_keys.html"
_STATIC = f"{_DOCS}/jax.tree_util.register_static.html"
_MODULE = "https://docs.jax.dev/en/latest/jax.tree_util.html"
_REGISTRY = "https://github.com/jax-ml/jax/blob/main/jaxlib/pytree.cc"
# Every example makes a new class, and JAX's registry keeps them all: few examples.
_FRESH = 0.2

_CLASS = """\
@dataclasses.dataclass(frozen=True)
class Fresh:
    x: typing.Any = 0

    def tree_flatten(self):
        return (self.x,), None

    def tree_flatten_with_keys(self):
        return ((jtu.GetAttrKey('x'), self.x),), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)"""
_FUNCTION = "lib.tree_util.register_pytree_node(Fresh, Fresh.tree_flatten, Fresh.tree_unflatten)"
_WITH_KEYS = (
    "lib.tree_util.register_pytree_with_keys("
    "Fresh, Fresh.tree_flatten_with_keys, Fresh.tree_unflatten)"
)
_CLASS_DECORATORS = (
    "lib.tree_util.register_pytree_node_class(Fresh)",
    "lib.tree_util.register_pytree_with_keys_class(Fresh)",
)
_DECORATORS = (
    *_CLASS_DECORATORS,
    "lib.tree_util.register_dataclass(Fresh, data_fields=['x'], meta_fields=[])",
    "lib.tree_util.register_static(Fresh)",
)
_WAYS = (_FUNCTION, _WITH_KEYS, *_DECORATORS)
# Those that call functions of the class.
_WITH_FUNCTIONS = (_FUNCTION, _WITH_KEYS, *_CLASS_DECORATORS)
_BUILT_IN = (
    "list",
    "tuple",
    "dict",
    "type(None)",
    "collections.OrderedDict",
    "collections.defaultdict",
    "jtu.Partial",
)
_NO_PAIRS = ("None", "()", "(1,)", "((1,), None, 3)", "(1, None)", "'ab'", "[(1,), None]", "{}")
_NO_KEYED_PAIRS = (
    *_NO_PAIRS,
    "([1], None)",
    "([(1,)], None)",
    "([(1, 2, 3)], None)",
    "([None], None)",
)


@st.composite
def _classes(draw: st.DrawFn, ways: tuple[str, ...] = _WAYS) -> Recipe:
    """Bind a new class `Fresh`, and `register` and `again`, two functions that register it."""
    scope = Scope()
    scope.statement(_CLASS)
    scope.bind("Fresh", "Fresh")
    for name in ("register", "again"):
        scope.bind(name, f"lambda lib: {draw(st.sampled_from(ways))}")
    return scope.recipe()


@st.composite
def _answers(draw: st.DrawFn, answers: tuple[str, ...]) -> Recipe:
    """Bind a new class `Fresh` and `answer`, a wrong result of its flatten function."""
    scope = Scope()
    scope.statement(_CLASS)
    text = draw(st.sampled_from(answers))
    scope.bind("answer", text)
    return scope.recipe()


@law(
    "registering a type a second time, in any way, raises ValueError",
    source=_REGISTRY,
    case=_classes(),
    level="should",
    weight=_FRESH,
)
def second_registration_is_refused(lib, case):
    case.register(lib)
    refuses(ValueError, lambda: case.again(lib))


@law(
    "a registration that raises leaves the first one unchanged",
    source=_REGISTRY,
    case=_classes(),
    level="should",
    weight=_FRESH,
)
def refused_registration_changes_nothing(lib, case):
    case.register(lib)
    tree = [case.Fresh([1, 2]), case.Fresh(None)]
    leaves, treedef = lib.tree_util.tree_flatten(tree)
    refuses(ValueError, lambda: case.again(lib))
    same(lib.tree_util.tree_leaves(tree), leaves)
    equal(lib.tree_util.tree_structure(tree), treedef)


@law(
    "registering a type that JAX registers itself raises ValueError",
    source=_REGISTRY,
    case=cases(type=expressions(*_BUILT_IN)),
    level="should",
    weight=_FRESH,
)
def built_in_type_cannot_be_registered(lib, case):
    flatten, unflatten = lambda node: ((), None), lambda aux, children: None
    register = lib.tree_util.register_pytree_node
    # In a forked process: a registration that succeeds could not be undone in this one.
    got = outcome(lambda: register(case.type, flatten, unflatten)).answer
    equal(got, "ValueError")


@law(
    "the registering decorators return the class",
    source=f"{_DOCS}/jax.tree_util.register_pytree_node_class.html",
    case=_classes(_DECORATORS),
    weight=_FRESH,
)
def decorator_returns_the_class(lib, case):
    true(case.register(lib) is case.Fresh, case.register, "the class")


@law(
    "instances are leaves before their class is registered, and nodes afterwards",
    source=_MODULE,
    case=_classes(),
    weight=_FRESH,
)
def registration_turns_leaves_into_nodes(lib, case):
    node = case.Fresh(1)
    same(lib.tree_util.all_leaves([node]), True)
    case.register(lib)
    same(lib.tree_util.all_leaves([node]), False)
    same(lib.tree_util.tree_map(lambda leaf: leaf, [node]), [node])


@law(
    "an instance of a subclass of a registered class is a leaf",
    source=_MODULE,
    case=_classes(),
    weight=_FRESH,
)
def subclass_of_a_registered_class_is_a_leaf(lib, case):
    case.register(lib)
    derived = type("Derived", (case.Fresh,), {})(1)
    same(lib.tree_util.tree_leaves([derived]), [derived], identical=True)


@law(
    "an instance of a subclass of a built-in container is a leaf",
    source=_MODULE,
    case=cases(
        base=expressions("list", "tuple", "dict", "collections.OrderedDict", "jtu.Partial"),
    ),
    weight=_FRESH,
)
def subclass_of_a_container_is_a_leaf(lib, case):
    derived = type("Derived", (case.base,), {})
    value = derived(max) if case.base is lib.tree_util.Partial else derived()
    same(lib.tree_util.tree_leaves([value]), [value], identical=True)


@law(
    "`tree_flatten` raises ValueError if the flatten function does not return a pair of children "
    "and aux data",
    source=_NODE,
    case=_answers(_NO_PAIRS),
    level="should",
    weight=_FRESH,
)
def flatten_must_return_a_pair(lib, case):
    lib.tree_util.register_pytree_node(
        case.Fresh, lambda node: case.answer, lambda aux, children: case.Fresh(*children)
    )
    refuses(ValueError, lambda: lib.tree_util.tree_flatten([case.Fresh()]))
    refuses(ValueError, lambda: lib.tree_util.tree_map(lambda leaf: leaf, [case.Fresh()]))


@law(
    "`tree_flatten_with_path` raises an error if `flatten_with_keys` does not return pairs of key "
    "and child",
    source=_KEYED,
    case=_answers(_NO_KEYED_PAIRS),
    level="should",
    weight=_FRESH,
)
def flatten_with_keys_must_return_pairs(lib, case):
    lib.tree_util.register_pytree_with_keys(
        case.Fresh, lambda node: case.answer, lambda aux, children: case.Fresh(*children)
    )
    errors = (ValueError, TypeError)
    refuses(errors, lambda: lib.tree_util.tree_flatten_with_path([case.Fresh()]))


@law(
    "an error raised in a flatten function reaches the caller unchanged, with paths and without",
    source=_NODE,
    case=_classes(_WITH_FUNCTIONS),
    level="should",
    weight=_FRESH,
)
def error_in_flatten_reaches_the_caller(lib, case):
    def fail(node):
        raise _Refused

    case.Fresh.tree_flatten = case.Fresh.tree_flatten_with_keys = fail
    case.register(lib)
    refuses(_Refused, lambda: lib.tree_util.tree_flatten([case.Fresh()]))
    refuses(_Refused, lambda: lib.tree_util.tree_flatten_with_path([case.Fresh()]))


@law(
    "an error raised in an unflatten function reaches the caller unchanged",
    source=_NODE,
    case=_classes(_WITH_FUNCTIONS),
    level="should",
    weight=_FRESH,
)
def error_in_unflatten_reaches_the_caller(lib, case):
    def fail(aux, children):
        raise _Refused

    case.Fresh.tree_unflatten = fail
    case.register(lib)
    refuses(_Refused, lambda: lib.tree_util.tree_map(lambda leaf: leaf, [case.Fresh()]))
    refuses(_Refused, lambda: lib.tree_util.tree_structure([case.Fresh()]).unflatten([1]))


@law(
    "`register_pytree_node` takes the keys of the children from `flatten_with_keys_func`",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    needs={"flatten_with_keys_func"},
    case=_classes((_FUNCTION,)),
    level="should",
    weight=_FRESH,
)
def flatten_with_keys_func_gives_the_keys(lib, case):
    made, key = case.Fresh, lib.tree_util.GetAttrKey("x")
    lib.tree_util.register_pytree_node(
        made, made.tree_flatten, made.tree_unflatten, made.tree_flatten_with_keys
    )
    pairs, treedef = lib.tree_util.tree_flatten_with_path(made([1, 2]))
    same(pairs, [((key, lib.tree_util.SequenceKey(n)), n + 1) for n in range(2)])
    equal(treedef, lib.tree_util.tree_structure(made([1, 2])))


@law(
    "an instance of a static type has no leaves, and unflatten returns an equal instance",
    source=_STATIC,
    case=_classes(("lib.tree_util.register_static(Fresh)",)),
    weight=_FRESH,
)
def static_instance_comes_back(lib, case):
    case.register(lib)
    value = case.Fresh((1, "a"))
    leaves, treedef = lib.tree_util.tree_flatten([value, 1])
    same(leaves, [1])
    equal(lib.tree_util.tree_unflatten(treedef, leaves)[0], value)


@law(
    "structures with static instances are equal if and only if the instances are equal",
    source=_STATIC,
    case=_classes(("lib.tree_util.register_static(Fresh)",)),
    weight=_FRESH,
)
def static_instances_decide_equality(lib, case):
    case.register(lib)
    structure = lib.tree_util.tree_structure
    one, other = structure([case.Fresh((1, "a"))]), structure([case.Fresh((1, "a"))])
    equal(one, other)
    equal(hash(one), hash(other))
    differ(one, structure([case.Fresh((1, "b"))]))


class _Refused(Exception):
    """Raised by a flatten function."""
