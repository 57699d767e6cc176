"""For use without pytest: `check`, and the choice of laws by pattern and level."""
