"""Laws about Flax NNX, one topic a file."""
