"""Flax NNX: views of classes with their own `set_view`, and what `view_info` says of them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, refuses, true

from .views import law, view_sets_what_its_filter_selects

_DOCS = "https://flax.readthedocs.io/en/latest"
_VIEW = f"{_DOCS}/api_reference/flax.nnx/module.html#flax.nnx.view"
_INFO = f"{_DOCS}/guides/view.html#getting-information-with-nnx-view-info"
_NAMES = ("rate", "mode", "decode")
# Makes a module whose `set_view` takes `names`, and with `rest` any other name, which it returns.
_MAKE = '''\
def nnx_viewed(suffix, names, rest, doc, hint):
    parts = [f"{name}{hint}=None" for name in names] + ["**rest"] * rest
    text = f"""class NnxViewed{suffix}(nnx.Module):
    def __init__(self):
        self.seen = ()

    def set_view(self, {', '.join(parts)}):
        {doc!r}
        given = dict({', '.join(f'{name}={name}' for name in names)})
        self.seen = tuple(name for name, value in given.items() if value is not None)
        return {'rest' if rest else '{}'}
"""
    space = {"nnx": nnx, "__name__": __name__}
    exec(text, space)
    return space[f"NnxViewed{suffix}"]()
'''
_HINTS = ("", ": bool | None", ": 'bool | None'")


@st.composite
def _viewed(draw: st.DrawFn, *, rest: bool) -> Recipe:
    """Draw `module`, whose modules have a `set_view`, `parts`: them by what they take, and `given`.

    `described` are the parameters that a docstring describes, each as a pair of name and text.

    Args:
        rest: some `set_view` may take any keyword, and return what it does not use.
    """
    scope = Scope()
    scope.define(_MAKE)
    parts, described = [], []
    for suffix in draw(st.sampled_from((("A",), ("A", "B")))):
        names = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=2, unique=True))
        doc, told = draw(_docstrings(names))
        scope.note(*("doc:silent" for name in names if doc is not None and name not in told))
        described += told.values()
        takes_rest = rest and draw(st.booleans())
        scope.note(*["set-view:rest"] * takes_rest)
        hint = draw(st.sampled_from(_HINTS))
        scope.bind("part", f"nnx_viewed({suffix!r}, {names!r}, {takes_rest}, {doc!r}, {hint!r})")
        parts.append(names)
    bound = ["part", "part_2"][: len(parts)]
    scope.bind("module", f"nnx.Dict({', '.join(f'{name}={name}' for name in bound)})")
    scope.bind(
        "parts", f"{{{', '.join(f'{n!r}: {p!r}' for n, p in zip(bound, parts, strict=True))}}}"
    )
    scope.bind("described", repr(described))
    given = draw(st.lists(st.sampled_from((*_NAMES, "bogus")), min_size=1, max_size=3, unique=True))
    if not {*given} <= {name for names in parts for name in names}:
        scope.note("given:unused")
    scope.bind("given", f"dict.fromkeys({given!r}, 0.5)")
    return scope.recipe()


@st.composite
def _docstrings(draw: st.DrawFn, names: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """Draw a docstring, or None, and the texts in it that describe parameters, by name."""
    form = draw(st.sampled_from(("none", "line", "args", "returns", "args-returns")))
    if form == "none":
        return None, {}
    told = draw(st.lists(st.sampled_from(names), unique=True)) if "args" in form else []
    texts = {name: f"what {name} means" for name in told}
    lines = ["Set the view."]
    if "args" in form:
        lines += ["", "Args:", *(f"  {name}: {text}." for name, text in texts.items())]
    if "returns" in form:
        lines += ["", "Returns:", "  the rest."]
    return "\n".join(lines) + "\n", texts


@law(
    "`view` gives each `set_view` the settings that it takes, and raises ValueError for a setting "
    "that none takes, or that each returns as unused",
    source=_VIEW,
    level="should",
    needs={"view", "views_by_signature"},
    case=_viewed(rest=True),
    parents=[view_sets_what_its_filter_selects],
)
def settings_that_no_set_view_uses_are_refused(lib, case):
    used = {name for names in case.parts.values() for name in names}
    if not {*case.given} <= used:
        refuses(ValueError, lambda: lib.view(case.module, **case.given))
    else:
        back = lib.view(case.module, **case.given)
        for at, names in case.parts.items():
            equal({*back[at].seen}, {*names} & {*case.given})


@law(
    "`view_info` names each class with a `set_view` and each setting that it takes, with its "
    "description if the docstring has one",
    source=_INFO,
    level="should",
    needs={"view_info"},
    case=_viewed(rest=False),
)
def view_info_names_all_settings(lib, case):
    text = lib.view_info(case.module)
    for at, names in case.parts.items():
        wanted = (type(case.module[at]).__name__, *names, *case.described)
        true(all(word in text for word in wanted), text, f"a text with {wanted}")
