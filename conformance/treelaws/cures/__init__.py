"""Fixes for the causes of broken laws, each given only where its test on the witness says so."""
