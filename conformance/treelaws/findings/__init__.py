"""Files of known departures: read, extended, checked against a run, and updated by one."""
