"""Small commands, one module each."""
