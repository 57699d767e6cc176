"""Mutants of exported functions."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("jax", kills=["jax.export.an_export_can_be_called_anywhere"])
def an_export_turns_vectors_around(jax):
    """What is exported is a function whose arrays with axes are turned around."""
    import jax.export

    def export(function, **options):
        def turned(tree):
            found = function(tree)
            return jax.tree_util.tree_map(lambda leaf: leaf[::-1] if leaf.ndim else leaf, found)

        return jax.export.export(jax.jit(turned), **options)

    return {"export.export": export}
