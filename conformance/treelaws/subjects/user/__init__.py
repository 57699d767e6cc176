"""Subjects that users wrote: classes, instances, factories, libraries of their own."""

from .making import BadSubject, subject_of

__all__ = ["BadSubject", "subject_of"]
