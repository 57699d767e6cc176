"""The time budget of a run: `--max-time SECONDS`.

Each selected law runs on one subject first, then on the others. When the time is up, the remaining
tests are skipped as "not run". Spare time goes to more examples for the laws that held.
"""
