"""Mutants of what `Sequential` is a sequence of, and of layers that pass a state on."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "equinox.state.layer."


@mutant("equinox", kills=[_ID + "a_sequence_is_one_of_its_layers"])
def slices_leave_out_the_last_layer(eqx):
    """A slice of a `Sequential` has no last layer."""

    class Sequential(eqx.nn.Sequential):
        def __getitem__(self, place):
            found = super().__getitem__(place)
            return Sequential(found.layers[:-1]) if isinstance(place, slice) else found

    return {"nn.Sequential": Sequential}


@mutant("equinox", kills=[_ID + "a_normalisation_passes_the_state"])
def normalisations_drop_the_state(eqx):
    """`LayerNorm` returns None in the place of the state."""

    class LayerNorm(eqx.nn.LayerNorm):
        def __call__(self, x, state=None, *, key=None):
            out = super().__call__(x, key=key)
            return out if state is None else (out, None)

    return {"nn.LayerNorm": LayerNorm}
