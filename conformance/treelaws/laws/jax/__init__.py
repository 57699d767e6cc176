"""Laws about JAX, one topic a file."""
