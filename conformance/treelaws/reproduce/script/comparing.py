"""The checks of `treelaws.equality` for scripts, reduced to the difference to show."""

from __future__ import annotations

# One text for each aspect in which `equality.same` finds a difference.
_LEAVES = """\
def same(got, expected, identical=False):
    one, other = jtu.tree_leaves(got), jtu.tree_leaves(expected)
    if len(one) != len(other) or not all(map(alike, one, other)):
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_STRUCTURE = """\
def same(got, expected, identical=False):
    if jtu.tree_structure(got) != jtu.tree_structure(expected):
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_STATIC = """\
def static(treedef):
    data, children = treedef.node_data(), treedef.children()
    return repr(data and (data[0].__name__, data[1])), [static(child) for child in children]


def same(got, expected, identical=False):
    if static(jtu.tree_structure(got)) != static(jtu.tree_structure(expected)):
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_IDENTITY = """\
def alike(one, other):
    return one is other
"""
_IDENTITY_IF_ASKED = """\
def same(got, expected, identical=False):
    one, other = jtu.tree_leaves(got), jtu.tree_leaves(expected)
    if identical and list(map(id, one)) != list(map(id, other)):
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_TYPE = """\
def alike(one, other):
    return type(one) is type(other)
"""
_ATTRIBUTE = """\
def alike(one, other):
    return getattr(one, "{aspect}", None) == getattr(other, "{aspect}", None)
"""
_VALUE = """\
def alike(one, other):
    equal = not hasattr(one, "dtype") and one == other
    return equal or one is other or repr(one) == repr(other)
"""
_REPR = """\
def alike(one, other):
    return one is other or repr(one) == repr(other)
"""
_ARRAYS = """\
def alike(one, other):
    if not hasattr(one, "dtype"):
        return one is other or repr(one) == repr(other)
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
"""
_TRUE = """\
def true(fact, got, expected):
    if fact is not True:
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_EQUAL = """\
def equal(got, expected):
    if (got == expected) is not True:
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_EQUAL_IN_TYPE = """\
def types_in(value):
    if hasattr(value, "keys"):
        return {key: types_in(value[key]) for key in value}
    if isinstance(value, (tuple, list)):
        return list(map(types_in, value))
    number = hasattr(value, "dtype") or isinstance(value, (int, float, complex))
    return type(value) if number else None


def equal(got, expected):
    if (got == expected) is not True or types_in(got) != types_in(expected):
        sys.exit(f"got      {got!r}\\nexpected {expected!r}")
"""
_DIFFER = """\
def differ(one, other, what="the two values"):
    if one == other or not one != other:
        sys.exit(f"{what} are equal: {one!r}")
"""
_REFUSES = """\
def refuses(error, call):
    try:
        got = call()
    except error:
        return
    except Exception as raised:
        got = repr(raised)
    sys.exit(f"got      {got}\\nexpected {error}")
"""
_BROKEN = """\
class Mismatch(AssertionError):
    def __init__(self, where, aspect, got, expected):
        super().__init__(f"{where}: {aspect}\\ngot      {got}\\nexpected {expected}")
"""
_SHOWN = """\
def shown(value, limit=None):
    return repr(value)
"""
_TREEDEF = """\
def same_treedef(got, expected, node):
    if got != expected:
        sys.exit(f"got      {got}\\nexpected {expected}")
"""
_OTHERS = {
    "equal": _EQUAL,
    "true": _TRUE,
    "differ": _DIFFER,
    "refuses": _REFUSES,
    "Mismatch": _BROKEN,
    "shown": _SHOWN,
}


def checks(aspect: str) -> list[dict[str, str]]:
    """Return texts of the checks, by name, that can show a difference, the shortest first.

    Args:
        aspect: the aspect in which two values differ; empty if the law broke otherwise.
    """
    others = {**_OTHERS, "equal": _EQUAL_IN_TYPE} if aspect == "number type" else _OTHERS
    if aspect == "structure":
        others = {**others, "same_treedef": _TREEDEF}
    return [{**others, "same": text} for text in _same(aspect)]


def _same(aspect: str) -> list[str]:
    if aspect == "structure":
        return [_STRUCTURE]
    if aspect == "static value":
        return [_STATIC]
    if aspect == "identity":
        return [_IDENTITY_IF_ASKED, f"{_IDENTITY}\n\n{_LEAVES}"]
    leaves = {
        "type": [_TYPE],
        "dtype": [_ATTRIBUTE.format(aspect="dtype")],
        "shape": [_ATTRIBUTE.format(aspect="shape")],
        "weak_type": [_ATTRIBUTE.format(aspect="weak_type")],
        "identity": [_IDENTITY, _REPR],
        "value": [_VALUE, _REPR, _ARRAYS],
    }
    alike = leaves.get(aspect.partition(" (")[0])
    return [f"{text}\n\n{_LEAVES}" for text in alike] if alike else [_STRUCTURE]
