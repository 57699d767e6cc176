"""The generated pages of the documentation, one subject a file."""
