"""Models with Equinox state, and programs on them."""
