"""What each bug of one library asks of every library."""
