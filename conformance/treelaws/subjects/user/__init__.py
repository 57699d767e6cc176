"""Subjects from users: classes, instances, factories, modules and libraries."""

from .making import BadSubject, recreated, subject_of
from .several import Several, subjects_of

__all__ = ["BadSubject", "Several", "recreated", "subject_of", "subjects_of"]
