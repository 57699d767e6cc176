"""Optax: random keys in every form, typed and raw, and seeds."""

from __future__ import annotations

from hypothesis_pytrees.optax.rules.keys import random_keys
from treelaws.core.law import Topic

from ._inputs import CODE, close

law = Topic("optax.keys", "Optax: random keys", family="optax")


@law(
    "a random key is a typed one or the raw array of one, or a seed where an integer is allowed, "
    "and each form of a key gives the same results",
    # A key is annotated as an array, or as an array or an integer.
    source=f"{CODE}_src/base.py#L31",
    level="should",
    needs={"tree_utils.tree_random_like", "tree_utils.tree_split_key_like"},
    case=random_keys(),
)
def every_form_of_a_key_is_the_same(lib, case):
    close(case.call(case.other), case.call(case.key))
