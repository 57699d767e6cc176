"""Mutants of Flax NNX' settings."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.settings.settings_are_those_of_a_thread"])
def all_threads_share_a_setting(nnx):
    """A block of one thread sets the value of all."""
    values = [nnx.using_eager_sharding()]

    class Setting:
        def __init__(self, value):
            self.value = value

        def __enter__(self):
            values.append(self.value)

        def __exit__(self, *error):
            values.pop()

        @staticmethod
        def current_value():
            return values[-1]

        def __call__(self, function):
            def called(*args):
                with self:
                    return function(*args)

            return called

    return {
        "use_eager_sharding": Setting,
        "using_eager_sharding": Setting.current_value,
        "set_graph_mode": Setting,
        "set_graph_updates": Setting,
    }


@mutant("nnx", kills=["nnx.settings.an_option_does_what_the_setting_does"])
def with_rngs_ignores_its_options(nnx):
    """`with_rngs` does what the settings say, whatever `graph` and `graph_updates` are."""
    if not hasattr(nnx, "with_rngs"):
        return {}
    return {"with_rngs": lambda node, split, **_: nnx.with_rngs(node, split=split)}


@mutant("nnx", kills=["nnx.settings.a_mode_is_an_option_or_a_setting"])
def split_ignores_its_option(nnx):
    """`split` takes a module as the setting says, whatever `graph` is."""
    return {"split": lambda node, *filters, **_: nnx.split(node, *filters)}
