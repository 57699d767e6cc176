"""Ways in which functions of NNX modules are called: transforms, options, threads."""
