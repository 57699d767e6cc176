"""How many examples a law gets: profiles, and the measured times of laws."""
