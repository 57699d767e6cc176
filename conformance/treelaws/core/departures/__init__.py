"""Known departures: entries, files and the table that a search asks."""
