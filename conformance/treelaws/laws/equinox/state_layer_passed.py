"""Equinox: what `Sequential` is a sequence of, and layers that pass a state on."""

from __future__ import annotations

from hypothesis_pytrees.equinox.states_norms import sequences
from hypothesis_pytrees.equinox.states_passed import passed_states
from treelaws.equality import equal, same

from ._state_inputs import STATE
from .state_layer import law

_DOCS = "https://docs.kidger.site/equinox/api/nn/"
_SLICES = (
    slice(None),
    slice(1),
    slice(1, None),
    slice(None, None, -1),
    slice(-1, None),
    slice(5, 9),
)


@law(
    "`Sequential` has the length, the items and the order of its layers, and a slice of it is a "
    "`Sequential` of those layers",
    source="https://github.com/patrick-kidger/equinox/issues/152",
    level="should",
    needs=STATE | {"nn.Sequential", "nn.StatefulLayer"},
    case=sequences(),
)
def a_sequence_is_one_of_its_layers(lib, case):
    model, layers = case.model, tuple(case.model.layers)
    places = range(-len(layers), len(layers))
    equal([id(model[place]) for place in places], [id(layers[place]) for place in places])
    equal([id(layer) for layer in model], [id(layer) for layer in layers])
    same(len(model), len(layers))
    for part in _SLICES:
        same(model[part], lib.nn.Sequential(layers[part]))


@law(
    "`LayerNorm`, `RMSNorm` and `GroupNorm` pass a state through unchanged, and return it with "
    "what they return without one",
    source=f"{_DOCS}normalisation/#equinox.nn.LayerNorm.__call__",
    needs=STATE | {"nn.LayerNorm", "nn.RMSNorm", "nn.GroupNorm"},
    case=passed_states(),
)
def a_normalisation_passes_the_state(lib, case):
    out, state = case.with_state(case.state)
    same((out, state), (case.without(), case.rebuild().state))
