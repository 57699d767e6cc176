"""Inputs of laws about documented rules: formulas, conditions, measurements, noise."""
