"""Trees, and what goes with a tree: positions, prefixes, specs, predicates, selectors."""
