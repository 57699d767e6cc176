"""A `DynamicScale` of Flax whose functions take keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from selftest.repair import fault, repaired

_LAW = "flax.training.scaled_losses_take_keywords"


def _scales(flax: Any, given: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return a replacement that passes what `given` returns for the keywords."""
    real = flax.training.dynamic_scale.DynamicScale

    class DynamicScale(real):
        def value_and_grad(self, fun: Callable[..., Any], *args: Any, **options: Any) -> Any:
            def call(*values: Any, **keywords: Any) -> Any:
                bound = lambda *inner: fun(*inner, **given(keywords))
                return real.value_and_grad(self, bound, *args, **options)(*values)

            return call

    return {"training.dynamic_scale.DynamicScale": DynamicScale}


@repaired("flax", laws=_LAW)
def scales_take_keywords(flax: Any) -> dict[str, Any]:
    """The function that `value_and_grad` returns passes keywords to the loss."""
    return _scales(flax, lambda keywords: keywords)


@fault("flax", kills=[_LAW])
def scales_scale_keywords(flax: Any) -> dict[str, Any]:
    """The function that `value_and_grad` returns multiplies keywords by two."""
    double = lambda keywords: {name: value * 2 for name, value in keywords.items()}
    return _scales(flax, double)
