"""Which public functions, options and kinds of argument the calls of laws reach."""
