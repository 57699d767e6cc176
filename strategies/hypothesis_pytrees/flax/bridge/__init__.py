"""Inputs for modules that are converted between Linen and Flax NNX."""
