"""Subjects from users: classes, instances, factories and libraries."""

from .making import BadSubject, subject_of

__all__ = ["BadSubject", "subject_of"]
