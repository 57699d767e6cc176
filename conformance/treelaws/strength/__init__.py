"""How strong the laws are: generated faults, mutated sources, and which calls they reach."""
