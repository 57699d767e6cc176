"""Mutants of views of modules of Flax NNX."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.views.settings_that_no_set_view_uses_are_refused"])
def views_take_any_setting(nnx):
    """`view` ignores a setting that no module takes."""
    view = nnx.view
    return {"view": lambda node, **settings: view(node, **settings | {"raise_if_not_found": False})}


@mutant("nnx", kills=["nnx.views.view_info_names_all_settings"])
def view_info_is_cut(nnx):
    """`view_info` leaves out its last word."""
    info = nnx.view_info
    return {"view_info": lambda node, **options: info(node, **options).rpartition(":")[0]}


@mutant("nnx", kills=["nnx.views.eval_and_train_set_further_attributes"])
def eval_sets_its_flags_alone(nnx):
    """`eval` ignores the attributes that it is given."""

    class Module(nnx.Module):
        def eval(self, **attributes):
            super().eval()

    return {"Module": Module}
