"""Example databases: where Hypothesis saves inputs that broke laws, and what may fail there."""
