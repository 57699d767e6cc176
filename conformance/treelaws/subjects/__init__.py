"""What laws are run on: libraries and node types of the suite, and those of users."""
