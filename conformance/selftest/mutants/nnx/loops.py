"""Mutants of Flax NNX' loops."""

from __future__ import annotations

from selftest.mutant import mutant

from ._copies import copied, on_copies

_ID = "nnx.loops."


@mutant("nnx", kills=[_ID + "fori_loop_repeats_the_program"])
def fori_loop_stops_early(nnx):
    """`fori_loop` runs once less than it is told to."""

    def fori_loop(lower, upper, body, held):
        return nnx.fori_loop(lower, max(lower, upper - 1), body, held)

    return {"fori_loop": fori_loop}


@mutant("nnx", kills=[_ID + "fori_loop_returns_the_last_module"])
def fori_loop_returns_what_it_was_given(nnx):
    """`fori_loop` changes the module and returns a copy of the one before."""

    def fori_loop(lower, upper, body, held):
        before = copied(nnx)(held)
        nnx.fori_loop(lower, upper, body, held)
        return before

    return {"fori_loop": fori_loop}


@mutant("nnx", kills=[_ID + "while_loop_repeats_the_program"])
def while_loop_works_on_copies(nnx):
    """What `while_loop` changes in a module does not come out."""

    def while_loop(condition, body, held):
        return nnx.while_loop(condition, body, copied(nnx)(held))

    return {"while_loop": while_loop}


@mutant("nnx", kills=[_ID + "while_loop_returns_the_last_values"])
def while_loop_returns_what_it_was_given(nnx):
    """`while_loop` runs and returns its first carry."""

    def while_loop(condition, body, held):
        nnx.while_loop(condition, body, held)
        return held

    return {"while_loop": while_loop}


@mutant("nnx", kills=[_ID + "a_loop_takes_several_modules"])
def loops_change_the_first_module(nnx):
    """`fori_loop` over a tuple changes its first module alone."""

    def fori_loop(lower, upper, body, held):
        if isinstance(held, tuple):
            held = (held[0], *copied(nnx)(held[1:]))
        return nnx.fori_loop(lower, upper, body, held)

    return {"fori_loop": fori_loop}


@mutant("nnx", kills=[_ID + "an_idle_loop_changes_nothing"])
def loops_share_the_first_module(nnx):
    """A loop over a tuple puts the first Variable of the first module into the second one."""

    def fori_loop(lower, upper, body, held):
        back = nnx.fori_loop(lower, upper, body, held)
        if isinstance(held, tuple):
            vars(held[1]).update(vars(held[0]))
        return back

    return {"fori_loop": fori_loop}


@mutant("nnx", kills=[_ID + "scan_carries_a_module", _ID + "a_scan_changes_what_it_takes_whole"])
def scan_works_on_copies(nnx):
    """What `scan` changes in its arguments does not come out."""
    return {"scan": on_copies(nnx, nnx.scan)}
