"""Reports: one stream of events, and the files that are made of it."""
