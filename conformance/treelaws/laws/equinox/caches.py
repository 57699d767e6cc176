"""Equinox: what earlier calls have left changes no result."""

from __future__ import annotations

from hypothesis_pytrees.equinox.cached import rotary_calls
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("equinox.caches", "Equinox: caches", family="equinox")


@law(
    "a rotary embedding has its own base frequency, whatever layers were called before",
    source="https://docs.kidger.site/equinox/api/nn/embedding/"
    "#equinox.nn.RotaryPositionalEmbedding.__init__",
    level="should",
    needs={"nn.RotaryPositionalEmbedding", "clear_caches"},
    case=rotary_calls(),
)
def layers_do_not_depend_on_layers_before(lib, case):
    lib.clear_caches()
    found = [call() for call in case.calls]
    for got, call in zip(found, case.calls, strict=True):
        lib.clear_caches()
        same(got, call())
