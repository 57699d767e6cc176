"""Laws that every type of node must keep, one topic a file."""
