"""Inputs that are drawn and built once for all laws of a subject that read the same cases."""
