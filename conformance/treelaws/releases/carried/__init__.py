"""Laws across releases: what one release wrote, another reads."""
