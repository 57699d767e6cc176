"""What is wrong with something that a user gave: one line, and exit code 2 of a command."""


class BadInput(ValueError):
    """Something that was given cannot be used; the text says what, where and what is allowed."""
