"""Recipes, kinds and what is done to a tree before a law gets it."""
