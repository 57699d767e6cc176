"""Recipes of Flax NNX layers, with the documented options of each and forms of its inputs."""
