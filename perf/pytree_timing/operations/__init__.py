"""One file a library and topic; the first word of its name is the library."""
