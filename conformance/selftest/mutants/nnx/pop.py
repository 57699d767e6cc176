"""Mutants of `pop`."""

from __future__ import annotations

from selftest.mutant import mutant

from ._patching import bare

_ID = "nnx.pop."


@mutant("nnx", kills=[_ID + "pop_gives_what_matches"])
def pop_forgets_metadata(nnx):
    """`pop` gives Variables without metadata."""

    def pop(node, *filters):
        found = nnx.pop(node, *filters)
        return tuple(map(bare, found)) if isinstance(found, tuple) else bare(found)

    return {"pop": pop}


@mutant("nnx", kills=[_ID + "no_match_is_left"])
def pop_takes_nothing_away(nnx):
    """`pop` gives what matches and leaves it where it is."""

    def pop(node, *filters):
        return nnx.state(node, *filters)

    return {"pop": pop}


@mutant("nnx", kills=[_ID + "pop_leaves_the_others"])
def pop_takes_everything(nnx):
    """`pop` takes every Variable away, whatever the filters are."""

    def pop(node, *filters):
        found = nnx.pop(node, *filters, nnx.Variable)[:-1]
        return found[0] if len(found) == 1 else found

    return {"pop": pop}


@mutant("nnx", kills=[_ID + "what_was_set_and_popped_leaves_no_trace"])
def pop_leaves_a_static_attribute(nnx):
    """`pop` puts `None` where it takes a Variable from."""

    def pop(node, *filters):
        names = set(vars(node))
        found = nnx.pop(node, *filters)
        for name in names - set(vars(node)):
            setattr(node, name, None)
        return found

    return {"pop": pop}


@mutant("nnx", kills=[_ID + "a_module_without_what_was_popped_is_printed"])
def pop_leaves_attributes_that_cannot_be_printed(nnx):
    """`pop` leaves something behind that raises when it is printed."""

    class Popped:
        def __repr__(self):
            raise AttributeError("popped")

    def pop(node, *filters):
        found = nnx.pop(node, *filters)
        vars(node)["left_over"] = Popped()
        return found

    return {"pop": pop}
