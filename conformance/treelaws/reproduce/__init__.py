"""From a breach to an issue: witness, script, quote, replay."""
