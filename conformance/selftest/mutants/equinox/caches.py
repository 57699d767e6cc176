"""Mutants of layers that earlier calls change."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("equinox", kills=["equinox.caches.layers_do_not_depend_on_layers_before"])
def every_other_layer_has_another_frequency(eqx):
    """Of rotary embeddings of one size, every other one has twice the base frequency."""
    made = []

    def layer(size, *, theta=10_000.0, **options):
        made.append(size)
        theta *= 1 + len(made) % 2
        return eqx.nn.RotaryPositionalEmbedding(size, theta=theta, **options)

    return {"nn.RotaryPositionalEmbedding": layer}
