"""Laws about Optax, one topic a file."""
