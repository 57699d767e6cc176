"""The command `bisect`: the release that brought or fixed a bug."""
