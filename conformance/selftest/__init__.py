"""The suite is itself tested: its laws by mutants, its plugin and commands as users run them."""
