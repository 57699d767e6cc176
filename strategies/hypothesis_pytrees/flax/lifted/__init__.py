"""Linen modules and the lifted transforms that are applied to them."""
