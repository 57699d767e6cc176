"""A grammar of `eqx.Module` classes: features that are put together at random."""
