"""Mutants of constructors."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.construction.documented_modules_can_be_built"])
def states_take_nothing(nnx):
    """`State` accepts no mapping."""

    def __init__(self, *args, **options):
        raise TypeError("State takes no arguments")

    return {"State": type("State", (nnx.State,), {"__init__": __init__})}


@mutant("nnx", kills=["nnx.construction.documented_names_exist"])
def find_duplicates_is_gone(nnx):
    """`find_duplicates` is `None`."""
    return {"find_duplicates": None}


@mutant("nnx", kills=["nnx.construction.mixins_stand_in_any_order"])
def copies_are_of_the_first_module_class(nnx):
    """`clone` gives a module of the first base class."""

    def clone(node, **options):
        back = nnx.clone(node, **options)
        bases = [base for base in type(node).__bases__ if issubclass(base, nnx.Pytree)]
        if len(type(node).__bases__) > 1 and bases:
            object.__setattr__(back, "__class__", bases[0])
        return back

    return {"clone": clone}


@mutant("nnx", kills=["nnx.construction.class_keywords_reach_the_bases"])
def class_keywords_are_dropped(nnx):
    """`Module` takes all keywords of a class for itself."""

    def init_subclass(cls, tag=None, **keywords):
        super(broken, cls).__init_subclass__(**keywords)

    broken = type(nnx.Module)(
        "Module", (nnx.Module,), {"__init_subclass__": classmethod(init_subclass)}
    )
    return {"Module": broken}


@mutant("nnx", kills=["nnx.construction.abstract_methods_must_be_defined"])
def abstract_classes_are_made(nnx):
    """`Module` forgets the abstract methods of its subclasses."""

    class Meta(type(nnx.Module)):
        def __call__(self, *args, **kwargs):
            self.__abstractmethods__ = frozenset()
            return super().__call__(*args, **kwargs)

    return {"Module": Meta("Module", (nnx.Module,), {})}
