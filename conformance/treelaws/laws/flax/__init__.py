"""Laws about Flax outside NNX, one topic a file."""
