"""Mutants of what is data and what is static in Flax NNX modules."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.core

from selftest.mutant import mutant

_ID = "nnx.attributes."


def _forgetful(nnx: Any) -> Any:
    """Return a `pop` that notes in the structure what it took away."""

    def pop(node, *filters, **options):
        found = nnx.pop(node, *filters, **options)
        for _, value in list(nnx.iter_graph(node)):
            if isinstance(value, nnx.Module):
                object.__setattr__(value, "_popped", True)
        return found

    return pop


@mutant(
    "nnx",
    kills=[
        _ID + "removing_what_was_added_restores_the_graphdef",
        _ID + "removing_what_was_added_restores_the_structure",
    ],
)
def pop_leaves_a_note(nnx):
    """`pop` leaves a static attribute in each module that it passes."""
    return {"pop": _forgetful(nnx)}


@mutant("nnx", kills=[_ID + "other_attributes_stay_untouched"])
def pop_rebuilds_what_it_keeps(nnx):
    """`pop` puts copies in the place of the Variables that it keeps."""

    def pop(node, *filters, **options):
        found = nnx.pop(node, *filters, **options)
        for _, value in list(nnx.iter_graph(node)):
            if isinstance(value, nnx.Module):
                for name, held in list(vars(value).items()):
                    if isinstance(held, (nnx.Variable, nnx.Module)) and held is not value:
                        object.__setattr__(value, name, nnx.clone(held))
        return found

    return {"pop": pop}


def _is_data(nnx: Any, change: Any) -> dict[str, Any]:
    return {"is_data": lambda value: change(value, getattr(nnx, "is_data", bool)(value))}


@mutant(
    "nnx",
    kills=[
        _ID + "arrays_variables_and_objects_are_data",
        _ID + "data_attributes_are_the_leaves",
    ],
)
def numpy_arrays_are_static(nnx):
    """`is_data` knows arrays of JAX alone."""
    return _is_data(nnx, lambda value, is_data: is_data and not hasattr(value, "tobytes"))


@mutant(
    "nnx",
    kills=[_ID + "other_values_are_static", _ID + "data_attributes_are_the_leaves"],
)
def numbers_are_data(nnx):
    """`is_data` takes a number for an array."""
    return _is_data(nnx, lambda value, is_data: is_data or isinstance(value, (int, float)))


@mutant("nnx", kills=[_ID + "what_is_data_is_data_inside_a_transform"])
def variables_are_static_inside_a_trace(nnx):
    """`is_data` of a Variable or module that holds a tracer is `False`."""

    def change(value, is_data):
        held = jax.tree_util.tree_leaves(value) if is_data else []
        return is_data and not any(isinstance(leaf, jax.core.Tracer) for leaf in held)

    return _is_data(nnx, change)


@mutant("nnx", kills=[_ID + "data_set_inside_a_transform_is_a_leaf"])
def dict_drops_what_is_traced(nnx):
    """A Dict takes no Variable or module that holds a tracer."""
    if not hasattr(nnx, "Dict"):
        return {}

    class Dict(nnx.Dict):
        def __setattr__(self, name, value):
            held = jax.tree_util.tree_leaves(value)
            if not any(isinstance(leaf, jax.core.Tracer) for leaf in held):
                super().__setattr__(name, value)

    return {"Dict": Dict}


@mutant("nnx", kills=[_ID + "marks_decide"])
def data_marks_nothing(nnx):
    """`data` gives its value unmarked."""
    return {"data": lambda value: value}


@mutant("nnx", kills=[_ID + "data_status_survives_reassignment"])
def status_follows_the_value(nnx):
    """An attribute of a Dict is static as soon as a static value is assigned."""
    if not hasattr(nnx, "is_data"):
        return {}

    class Dict(nnx.Dict):
        def __setattr__(self, name, value):
            if not nnx.is_data(value) and not isinstance(value, dataclasses.Field):
                value = nnx.static(value)
            super().__setattr__(name, value)

    return {"Dict": Dict}


@mutant(
    "nnx",
    kills=[
        _ID + "data_in_a_static_attribute_is_refused",
        _ID + "check_pytree_finds_hidden_data",
        _ID + "marks_inside_structures_are_refused",
    ],
)
def dicts_are_not_checked(nnx):
    """A Dict takes any value for any attribute, and nothing is checked."""
    if not hasattr(nnx, "is_data"):
        return {}

    class Dict(nnx.Dict):
        def _check_value(self, key, value, new_status):
            pass

    return {"Dict": Dict, "check_pytree": lambda module: None}


@mutant("nnx", kills=[_ID + "a_refused_assignment_changes_nothing"])
def values_are_stored_before_the_check(nnx):
    """A Dict stores a value and then raises."""
    if not hasattr(nnx, "is_data"):
        return {}

    class Dict(nnx.Dict):
        def _check_value(self, key, value, new_status):
            object.__setattr__(self, key, value)
            super()._check_value(key, value, new_status)

    return {"Dict": Dict}


@mutant("nnx", kills=[_ID + "hidden_data_is_refused"])
def static_is_a_way_out(nnx):
    """`static` marks what has data inside as data."""
    return {"static": lambda value: nnx.data(value)}


@mutant("nnx", kills=[_ID + "a_property_is_what_its_setter_sets"])
def modules_note_their_properties(nnx):
    """A module notes the status of each name that is set, those of properties too."""
    if not hasattr(nnx, "is_data"):
        return {}

    class Module(nnx.Module):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            nodes = self._pytree__nodes.update({name: nnx.is_data(value)})
            object.__setattr__(self, "_pytree__nodes", nodes)

    return {"Module": Module}


@mutant("nnx", kills=[_ID + "field_specifiers_decide"])
def specifiers_are_swapped(nnx):
    """A field specified as static is data."""

    def static(value=dataclasses.MISSING, **options):
        return nnx.static(value) if value is not dataclasses.MISSING else nnx.data(**options)

    return {"static": static}


@mutant("nnx", kills=[_ID + "a_registered_type_is_data"])
def registration_is_forgotten(nnx):
    """`register_data_type` registers nothing."""
    return {"register_data_type": lambda cls: cls}


@mutant("nnx", kills=[_ID + "an_object_is_a_leaf"])
def objects_are_pytrees(nnx):
    """`Object` is another name of `Pytree`, and `pytree=False` is ignored."""
    if not hasattr(nnx, "Pytree"):
        return {}

    class Module(nnx.Module):
        def __init_subclass__(cls, *, pytree=True, **options):
            super().__init_subclass__(pytree=True, **options)

    return {"Object": nnx.Pytree, "Module": Module}


@mutant("nnx", kills=[_ID + "attributes_are_not_set_from_inside_a_transform"])
def modules_take_tracers(nnx):
    """A module takes new attributes whichever trace it was made in."""

    class Module(nnx.Module):
        def _check_valid_context(self, *args):
            pass

    return {"Module": Module}


@mutant("nnx", kills=["nnx.attributes.a_default_that_is_written_changes_nothing"])
def marks_do_not_compare(nnx):
    """`data` and `static` take a `compare` that is given for false."""

    def marking(mark):
        return lambda *args, **options: mark(
            *args, **options | dict.fromkeys({"compare"} & {*options}, False)
        )

    return {"data": marking(nnx.data), "static": marking(nnx.static)}


@mutant("nnx", kills=["nnx.attributes.annotations_name_types_of_their_own_module"])
def annotations_with_lists_are_refused(nnx):
    """A class of modules with a list among its annotations raises TypeError."""

    class Module(nnx.Module):
        def __init_subclass__(cls, **kwargs):
            if any("list" in str(one) for one in vars(cls).get("__annotations__", {}).values()):
                raise TypeError(f"{cls.__name__} has a list")
            super().__init_subclass__(**kwargs)

    return {"Module": Module}
