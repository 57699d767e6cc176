"""Which releases have the public names that laws and recipe text use."""
