"""The time budget of a run: `--max-time SECONDS`.

Each chosen law is tried on one subject first, then on the others. When the time is up, the rest is
not run, and says so. Time that is left goes to more rounds of the laws that held.
"""
