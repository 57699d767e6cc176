"""What differs between two values, and where, in the words of the user."""
