"""Mutants of Flax NNX modules as PyTrees and as objects."""

from __future__ import annotations

import copy
from typing import Any

import jax
import jax.core

from selftest.mutant import mutant

_ID = "nnx.pytree."


def _module(nnx: Any, **methods: Any) -> dict[str, Any]:
    """Return a Module with some methods replaced; classes of recipes derive from it."""
    return {"Module": type("Module", (nnx.Module,), methods)}


@mutant(
    "nnx",
    kills=[
        _ID + "a_map_keeps_types_and_metadata",
        _ID + "a_map_changes_the_leaves_alone",
    ],
)
def unflatten_adds_an_attribute(nnx):
    """A module that unflatten made notes it in a static attribute."""

    def unflatten(cls, static, leaves):
        back = super(broken["Module"], cls)._pytree__unflatten(static, leaves)
        object.__setattr__(back, "unflattened", True)
        return back

    broken = _module(nnx, _pytree__unflatten=classmethod(unflatten))
    return broken


@mutant("nnx", kills=[_ID + "jit_of_the_identity_keeps_the_module"])
def unflatten_marks_traced_modules(nnx):
    """A module that unflatten made of tracers notes it in a static attribute."""

    def unflatten(cls, static, leaves):
        leaves = list(leaves)
        back = super(broken["Module"], cls)._pytree__unflatten(static, leaves)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree_util.tree_leaves(leaves)):
            object.__setattr__(back, "traced", True)
        return back

    broken = _module(nnx, _pytree__unflatten=classmethod(unflatten))
    return broken


@mutant("nnx", kills=[_ID + "a_mapped_module_is_apart", _ID + "a_map_changes_the_leaves_alone"])
def unflatten_gives_back_the_last_module(nnx):
    """Unflatten gives a module with the attributes of the last one that was flattened."""
    last: dict[type, Any] = {}

    def flatten(self):
        last[type(self)] = self
        return super(broken["Module"], self)._pytree__flatten()

    def unflatten(cls, static, leaves):
        if cls in last:
            return copy.copy(last[cls])
        return super(broken["Module"], cls)._pytree__unflatten(static, leaves)

    broken = _module(nnx, _pytree__flatten=flatten, _pytree__unflatten=classmethod(unflatten))
    return broken


@mutant("nnx", kills=[_ID + "deepcopy_is_an_equal_graph"])
def deepcopy_is_shallow(nnx):
    """A deep copy of a module holds its very attributes."""
    return _module(nnx, __deepcopy__=lambda self, memo=None: copy.copy(self))


@mutant("nnx", kills=[_ID + "pickle_is_an_equal_graph", _ID + "copy_holds_the_very_attributes"])
def pickles_lose_a_variable(nnx):
    """The state of a module that is pickled or copied lacks its first public attribute."""

    def state(self):
        names = [name for name in vars(self) if not name.startswith("_")][:1]
        return {name: value for name, value in vars(self).items() if name not in names}

    return _module(nnx, __getstate__=state)


@mutant("nnx", kills=[_ID + "a_missing_attribute_is_an_attribute_error"])
def modules_answer_for_what_they_hold(nnx):
    """A module hands attributes that it does not have on to its attribute `x`."""
    return _module(nnx, __getattr__=lambda self, name: getattr(self.x, name))


@mutant("nnx", kills=[_ID + "looking_changes_nothing"])
def printing_leaves_a_mark(nnx):
    """A module notes that it was printed."""

    def text(self):
        object.__setattr__(self, "printed", True)
        return super(broken["Module"], self).__repr__()

    broken = _module(nnx, __repr__=text)
    return broken


@mutant("nnx", kills=[_ID + "every_module_can_be_printed"])
def printing_follows_every_reference(nnx):
    """The text of a module holds that of its attributes, without an end where there is a cycle."""

    def text(self):
        held = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return f"{type(self).__name__}({held})"

    return _module(nnx, __repr__=text)


@mutant(
    "nnx",
    kills=[
        _ID + "a_changed_copy_leaves_the_module_alone",
        _ID + "references_and_own_arrays_are_not_shared",
    ],
)
def clone_gives_back_the_module(nnx):
    """`clone` returns its argument."""
    return {"clone": lambda node, *_, **__: node}


@mutant("nnx", kills=[_ID + "copies_made_together_share_what_the_modules_share"])
def dicts_are_not_copied(nnx):
    """`copy.deepcopy` of a Dict returns the Dict."""
    return {"Dict.__deepcopy__": lambda self, memo: self}
