"""The preflight: checks the machine, its packages and its settings before a run."""
