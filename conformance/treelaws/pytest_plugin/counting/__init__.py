"""Counts what a run does: which functions laws call, and which inputs they meet."""
