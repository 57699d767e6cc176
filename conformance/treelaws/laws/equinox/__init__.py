"""Laws about Equinox, one topic a file; `module_*` are those of `eqx.Module`."""
