"""Flax outside NNX, and Chex: structs, frozen dicts, traversals."""
