"""Flax NNX: `view`, `with_attributes` and `set_attributes` set attributes of modules in a tree."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.nnx.settings import settings
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same

from ._model import described, same_rows, variables_of

law = Topic("nnx.views", "Flax NNX: views", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/module.html"
_VIEW = f"{_DOCS}#flax.nnx.view"
_WITH = f"{_DOCS}#flax.nnx.with_attributes"
_SET = f"{_DOCS}#flax.nnx.Module.set_attributes"
_CASES = settings()
_LAYERS = settings(layers=True)


@law(
    "`with_attributes` returns a module in which the selected modules that have an attribute have "
    "its new value, and all others the old one",
    source=_WITH,
    needs={"with_attributes"},
    case=_CASES,
)
def with_attributes_sets_what_its_filter_selects(lib, case):
    wanted = _after(lib, case)
    options = {"only": case.only, "raise_if_not_found": False}
    equal(_held(lib, lib.with_attributes(case.module, **options, **case.settings)), wanted)


@law(
    "`with_attributes` does not change the module that it gets, and its copy holds the same arrays",
    source=_WITH,
    needs={"with_attributes"},
    case=_CASES,
)
def with_attributes_leaves_the_original_alone(lib, case):
    before = described(case.module)
    options = {"only": case.only, "raise_if_not_found": False}
    back = lib.with_attributes(case.module, **options, **case.settings)
    same_rows(described(case.module), before)
    same(_arrays(back), _arrays(case.module), identical=True)


@law(
    "`with_attributes` raises ValueError if no selected module has one of the attributes",
    source=_WITH,
    needs={"with_attributes"},
    case=_CASES,
)
def attributes_of_no_module_are_refused(lib, case):
    call = lambda: lib.with_attributes(case.module, only=case.only, **case.settings)
    _refused_unless_found(call, lib, case)


@law(
    "`set_attributes` sets the attributes of the selected modules that have them, in place",
    source=_SET,
    needs={"Module.set_attributes"},
    case=_CASES,
)
def set_attributes_sets_what_its_filters_select(lib, case):
    wanted = _after(lib, case)
    case.module.set_attributes(case.only, raise_if_not_found=False, **case.settings)
    equal(_held(lib, case.module), wanted)


@law(
    "`set_attributes` raises ValueError if no selected module has one of the attributes",
    source=_SET,
    needs={"Module.set_attributes"},
    case=_CASES,
)
def set_attributes_refuses_attributes_of_no_module(lib, case):
    call = lambda: case.module.set_attributes(case.only, **case.settings)
    _refused_unless_found(call, lib, case)


@law(
    "`view` returns a module in which the selected layers have the new settings, and leaves the "
    "original alone",
    source=_VIEW,
    needs={"view"},
    case=_LAYERS,
)
def view_sets_what_its_filter_selects(lib, case):
    wanted, before = _after(lib, case), described(case.module)
    back = lib.view(case.module, only=case.only, raise_if_not_found=False, **case.settings)
    equal(_held(lib, back), wanted)
    same_rows(described(case.module), before)
    same(_arrays(back), _arrays(case.module), identical=True)


@law(
    "`view` raises ValueError if no selected layer takes one of the settings",
    source=_VIEW,
    needs={"view"},
    case=_LAYERS,
)
def view_refuses_settings_of_no_layer(lib, case):
    _refused_unless_found(lambda: lib.view(case.module, only=case.only, **case.settings), lib, case)


@law(
    "`eval()` makes all layers deterministic and lets them use their running averages; `train()` "
    "does the opposite",
    source=f"{_DOCS}#flax.nnx.Module.eval",
    needs={"Module.eval", "Module.train"},
    case=_CASES,
)
def modules_train_and_are_evaluated(lib, case):
    for method, value in (("eval", True), ("train", False), ("eval", True)):
        getattr(case.module, method)()
        for _, module in nnx_api.iter_modules(lib, case.module):
            flags = [getattr(module, name, value) for name in _FLAGS]
            equal(flags, [value] * len(_FLAGS))


@law(
    "`eval` and `train` also set the attributes that they are given, of all modules that have them",
    source=f"{_DOCS}#flax.nnx.Module.eval",
    needs={"Module.eval", "Module.train"},
    case=_CASES,
    parents=[modules_train_and_are_evaluated],
)
def eval_and_train_set_further_attributes(lib, case):
    # Whether a name that no module has is refused, as by `set_attributes`, is not documented.
    further = {"level": case.settings.get("level", 3)}
    for method, value in (("eval", True), ("train", False)):
        wanted, new = _held(lib, case.module), {**dict.fromkeys(_FLAGS, value), **further}
        for held in wanted.values():
            held.update({name: new[name] for name in held if name in new})
        getattr(case.module, method)(**further)
        equal(_held(lib, case.module), wanted)


_FLAGS = ("deterministic", "use_running_average")
_NAMES = (*_FLAGS, "level", "nowhere")


def _held(lib, module):
    """Return the attributes of each module by its path."""
    return {
        path: {name: getattr(one, name) for name in _NAMES if hasattr(one, name)}
        for path, one in nnx_api.iter_modules(lib, module)
    }


def _after(lib, case):
    """Return the attributes of each module by its path after the settings."""
    held = _held(lib, case.module)
    for path, one in nnx_api.iter_modules(lib, case.module):
        if case.selects(path, one):
            held[path] |= {name: new for name, new in case.settings.items() if name in held[path]}
    return held


def _refused_unless_found(call, lib, case):
    modules = [one for at, one in nnx_api.iter_modules(lib, case.module) if case.selects(at, one)]
    found = all(any(hasattr(one, name) for one in modules) for name in case.settings)
    if found:
        call()
    else:
        refuses(ValueError, call)


def _arrays(module):
    return [jtu.tree_leaves(nnx_api.raw_value(one)) for _, one in variables_of(module)]
