"""Inputs for cursors of Flax."""
