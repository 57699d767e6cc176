"""Functions with signatures of every form, and calls that fit them, as text.

What a function does with its arguments is its end: text of a function that gets them all in order.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from hypothesis import strategies as st

from .kinds import Kind
from .recipe import Scope

_TOTAL = """\
def signed_total(values):
    numbers = [len(leaf) if isinstance(leaf, str) else leaf for leaf in jtu.tree_leaves(values)]
    squares = [jnp.sum(jnp.square(jnp.asarray(leaf, jnp.float32))) for leaf in numbers]
    return sum(squares, start=jnp.float32(0))
"""
_TREE = """\
def signed_tree(first, *rest):
    factor = 1 + signed_total(rest)
    return jtu.tree_map(lambda leaf: (leaf * factor).astype(leaf.dtype), first)
"""
_PAIR = """\
def signed_pair(first, second, *rest):
    return signed_tree(first, second, *rest), signed_tree(second, first, *rest)
"""
_LOSS = """\
def signed_loss(*values):
    return signed_total(values) + signed_total(values[0])
"""
_LOSS_AND_TREE = """\
def signed_loss_and_tree(*values):
    return signed_loss(*values), signed_tree(*values)
"""
_STEP = """\
def signed_step(index, tree, *rest):
    return signed_tree(tree, index, *rest)
"""
_GROWTH = """\
def signed_growth(first, tree, *rest):
    step = 1 + signed_total((first, *rest))
    return jtu.tree_map(lambda leaf: (leaf + step).astype(leaf.dtype), tree)
"""
_FEW = """\
def signed_few(tree):
    return jnp.any(jnp.stack([False, *(jnp.any(leaf < 3) for leaf in jtu.tree_leaves(tree))]))
"""
_DEFAULT_CLASS = """\
class SignedDefault:
    def __init__(self, end):
        self.end = end

    def __call__(self, first, second, third=2.0):
        return self.end(first, second, third)

    def call(self, first, second, third=2.0):
        return self.end(first, second, third)
"""
_KEYWORD_CLASS = """\
class SignedKeyword:
    def __init__(self, end):
        self.end = end

    def __call__(self, first, second, *, mask=None):
        return self.end(first, second, mask)

    def call(self, first, second, *, mask=None):
        return self.end(first, second, mask)
"""
# The functions that recipes with a drawn signature can use.
ENDS = (_TOTAL, _TREE, _PAIR, _LOSS, _LOSS_AND_TREE, _STEP, _GROWTH, _FEW)


@dataclasses.dataclass(frozen=True)
class Signature:
    """A form of function and of its call.

    Args:
        name: the feature of a recipe that has it is `signature:<name>`.
        text: the function; `$0` stands for its end, `first`, `second` and `third` for names.
        more: how many arguments a call gives by position after `first` and `second`.
        named: the parameters that it gives by name.
        given: how many of the first two it gives by position.
        definitions: texts of the classes that the function needs.
        arrays: whether its arguments must be arrays; default trees.
        traits: further features of a recipe that has it.
    """

    name: str
    text: str
    more: int = 0
    named: tuple[str, ...] = ()
    given: int = 2
    definitions: tuple[str, ...] = ()
    arrays: bool = False
    traits: tuple[str, ...] = ()


_S = Signature
_HAS_DEFAULT = "lambda first, second, third=2.0: $0(first, second, third)"
_HAS_KEYWORD = "lambda first, second, *, third=2.0: $0(first, second, third)"
_PARTIAL = f"functools.partial({_HAS_DEFAULT.replace('=2.0', '')}, third=2.0)"
_REST = "lambda first, second, **rest: $0(first, second, *rest.values())"
SIGNATURES: Sequence[Signature] = (
    _S("plain", "lambda first, second: $0(first, second)"),
    _S("positional-only", "lambda first, second, /: $0(first, second)"),
    _S("second-by-name", "lambda first, second: $0(first, second)", given=1, named=("second",)),
    _S("default", _HAS_DEFAULT),
    _S("default-text", "lambda first, second, third='on': $0(first, second, third)"),
    _S(
        "default-flag",
        "lambda first, second, third=True: $0(first, second, 2.0 if third else 3.0)",
    ),
    _S("default-none", "lambda first, second, third=None: $0(first, second, third)"),
    _S("default-given", _HAS_DEFAULT, more=1),
    _S("default-by-name", _HAS_DEFAULT, named=("third",)),
    _S("keyword", _HAS_KEYWORD),
    _S("keyword-text", "lambda first, second, *, third='on': $0(first, second, third)"),
    _S("keyword-none", "lambda first, second, *, third=None: $0(first, second, third)"),
    _S("keyword-given", _HAS_KEYWORD, named=("third",)),
    _S(
        "keyword-required",
        "lambda first, second, *, third: $0(first, second, third)",
        named=("third",),
    ),
    _S("rest", "lambda *rest: $0(*rest)"),
    _S("rest-more", "lambda first, *rest: $0(first, *rest)", more=1),
    _S("rest-keyword", "lambda first, *rest, third=2.0: $0(first, *rest, third)"),
    _S("any-names", _REST),
    _S("any-names-given", _REST, named=("third", "rest")),
    _S("partial", _PARTIAL),
    _S("partial-overridden", _PARTIAL, named=("third",)),
    _S(
        "partial-first",
        "functools.partial(lambda third, first, second: $0(first, second, third), 2.0)",
    ),
    _S("partial-default", f"functools.partial({_HAS_DEFAULT})"),
    _S("compiled-default", f"jax.jit({_HAS_DEFAULT})"),
    _S("object-default", "SignedDefault($0)", definitions=(_DEFAULT_CLASS,)),
    _S("method-default", "SignedDefault($0).call", definitions=(_DEFAULT_CLASS,)),
    _S("object-keyword", "SignedKeyword($0)", definitions=(_KEYWORD_CLASS,)),
    _S("method-keyword", "SignedKeyword($0).call", definitions=(_KEYWORD_CLASS,)),
    _S(
        "object-keyword-given",
        "SignedKeyword($0)",
        named=("mask",),
        definitions=(_KEYWORD_CLASS,),
    ),
)
# Functions of the library itself, by the end that they stand for.
_LIBRARY = {
    "signed_tree": _S("library-keyword", "jnp.add", arrays=True),
    "signed_loss": _S("library-keyword", "jnp.vdot", arrays=True),
    "signed_step": _S("library-keyword", "jnp.add", arrays=True),
}
# What signatures have in common, by the feature of a recipe that has one of them.
_TRAITS = {
    "parameters:by-name-alone": (
        "keyword",
        "keyword-text",
        "keyword-none",
        "keyword-given",
        "keyword-required",
        "rest-keyword",
        "any-names-given",
        "partial-overridden",
        "object-keyword",
        "method-keyword",
        "object-keyword-given",
        "library-keyword",
    ),
    "parameters:left-to-default": (
        "default",
        "default-text",
        "default-flag",
        "default-none",
        "compiled-default",
        "object-default",
        "method-default",
    ),
    "parameters:positional-by-name": ("second-by-name", "default-by-name"),
    "arguments:by-name": tuple(one.name for one in SIGNATURES if one.named),
}
_NAMED = ("first", "second", "third")
_NAMES = (
    ("first", "second", "third"),
    ("x", "y", "scale"),
    ("f", "fun", "func"),
    ("args", "kwargs", "argnums"),
    ("self", "other", "cls"),
    ("key", "in_axes", "params"),
    ("module", "graph", "axis_size"),
)
# Each has a leading axis of length two, to be mapped over; the numbers are small, so that sums of
# their squares are exact.
ROWS = tuple(
    Kind("leaf", f"jax.device_put({text})", (), (f"leaf:rows-{name}",))
    for name, text in (
        ("float32", "np.float32([1.0, 2.0])"),
        ("float32-matrix", "np.float32([[1.0, -1.0, 0.0], [2.0, 0.0, 3.0]])"),
        ("bfloat16", "jnp.array([1.0, -2.0], jnp.bfloat16)"),
        ("empty", "np.zeros((2, 0), np.float32)"),
    )
)


def bind_signed(
    draw: st.DrawFn,
    scope: Scope,
    end: str,
    trees: Sequence[str],
    *,
    signatures: Sequence[Signature] = SIGNATURES,
) -> None:
    """Draw a `function`, the arguments `args` and `named` of a call, and `bound`.

    `bound` is the function with the arguments by name bound already; `names` are those of the
    first three parameters. Features: `signature:<name>`, `names:<the first name>`,
    `parameters:...` and `arguments:...` for what several signatures have in common.

    Args:
        draw: how to draw.
        scope: where the names are bound.
        end: what the function does with its arguments, the name of one of `ENDS`.
        trees: texts of two trees of arrays with a leading axis of length two.
        signatures: the forms; default all of `SIGNATURES`, and functions of the library itself.
    """
    own = [_LIBRARY[end]] if end in _LIBRARY and signatures is SIGNATURES else []
    drawn = draw(st.sampled_from([*signatures, *own]))
    given_names = draw(st.sampled_from(_NAMES))
    names = {str(one): name for one, name in zip(_NAMED, given_names, strict=True)}
    scope.define(*ENDS, *drawn.definitions)
    scope.note(f"signature:{drawn.name}", f"names:{names['first']}", *drawn.traits)
    scope.note(*(trait for trait, forms in _TRAITS.items() if drawn.name in forms))
    rows = [kind.template for kind in ROWS]
    more = [rows[0]] * drawn.more
    given = [rows[1], rows[1]] if drawn.arrays else trees[: drawn.given]
    by_name = {"second": trees[1]}
    pairs = (f"{_renamed(name, names)!r}: {by_name.get(name, rows[0])}" for name in drawn.named)
    scope.bind("names", str(tuple(names.values())))
    scope.bind("args", f"({', '.join([*given, *more])},)")
    scope.bind("named", f"{{{', '.join(pairs)}}}")
    text = drawn.text if drawn.definitions else _renamed(drawn.text, names)
    scope.bind("function", text.replace("$0", end))
    scope.bind("bound", "functools.partial(function, **named)" if drawn.named else "function")


def _renamed(text: str, names: dict[str, str]) -> str:
    """Write the drawn names of the parameters."""
    return re.sub(r"\b(first|second|third)\b", lambda name: names[name[0]], text)
