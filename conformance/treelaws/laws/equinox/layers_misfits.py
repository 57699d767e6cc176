"""Equinox: options of layers are checked in each dimension."""

from __future__ import annotations

from hypothesis_pytrees.equinox.layer_misfits import layer_misfits
from treelaws.equality import refuses

from .layers import law

# Quote: "Must have `output_padding < stride` (elementwise)."
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/nn/_conv.py#L505-L507"


@law(
    "a layer raises ValueError for an option that does not fit in one dimension, whatever it is in "
    "the others, or that is for another number of dimensions",
    source=_CODE,
    level="should",
    needs={
        *("nn.Conv", "nn.Conv1d", "nn.Conv2d", "nn.Conv3d"),
        *("nn.ConvTranspose", "nn.ConvTranspose1d", "nn.ConvTranspose2d", "nn.ConvTranspose3d"),
        *("nn.AvgPool1d", "nn.AvgPool2d", "nn.AvgPool3d"),
        *("nn.MaxPool1d", "nn.MaxPool2d", "nn.MaxPool3d", "nn.AdaptivePool"),
    },
    case=layer_misfits(),
)
def options_are_checked_in_each_dimension(lib, case):
    refuses(ValueError, case.make)
