"""Subjects from users: classes, instances, factories, modules and libraries."""

from .making import BadSubject, subject_of
from .several import Several, subjects_of

__all__ = ["BadSubject", "Several", "subject_of", "subjects_of"]
