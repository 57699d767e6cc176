"""Flax NNX: modules, states, Variables and programs on them."""
