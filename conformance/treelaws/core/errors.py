"""Errors about input from the user: a message of one line, and exit code 2 of a command."""


class BadInput(ValueError):
    """A value from the user is invalid; the message says which, where and what is allowed."""
