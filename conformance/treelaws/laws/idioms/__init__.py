"""Laws about idioms that users copy, one problem a file."""
