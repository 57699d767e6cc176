"""The preflight: what of this machine, its packages and its settings would spoil a run."""
