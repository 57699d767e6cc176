"""Other releases than those installed: environments, and what the suite finds in them."""
