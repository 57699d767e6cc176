"""Mutants of Variables and the level of the trace in which they were made."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.variables.values_are_not_assigned_from_inside_a_transform"])
def values_are_assigned_anywhere(nnx):
    """Assigning `value` sets the value in any trace."""

    def assign(self, name, value):
        if name == "value":
            name = "_raw_value" if hasattr(self, "_raw_value") else "raw_value"
            object.__setattr__(self, name, value)
        else:
            real.__setattr__(self, name, value)

    real = nnx.Variable
    return {
        name: type(base)(name, (base,), {"__slots__": (), "__setattr__": assign})
        for name in ("Variable", "Param", "BatchStat")
        if (base := getattr(nnx, name))
    }
