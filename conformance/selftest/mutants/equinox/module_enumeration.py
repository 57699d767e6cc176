"""Mutants of `Enumeration`."""

from __future__ import annotations

from typing import Any

from selftest.mutant import mutant


def _base(eqx, *, methods=None, **changed):
    """Make an `Enumeration` with other methods, and a metaclass with other methods."""
    real = eqx.Enumeration
    meta: Any = type("Meta", (type(real),), changed)
    base: Any = meta("Enumerations", (real,), {})
    for name, value in (methods or {}).items():
        type.__setattr__(base, name, classmethod(value))
    return {"Enumeration": base}


def _item_type(eqx):
    class Probe(eqx.Enumeration):
        one = "one"

    return type(Probe.one)


def _items_of(eqx, item_type):
    """Make an `Enumeration` whose members are of another type."""

    def __getattr__(cls, name):
        found = type(eqx.Enumeration).__getattr__(cls, name)
        return item_type(found._value, cls)

    return _base(eqx, __getattr__=__getattr__)


@mutant(
    "equinox",
    kills=[
        "equinox.module.enumeration.members_have_messages",
        "equinox.module.enumeration.members_go_through_jit",
    ],
)
def messages_are_decorated(eqx):
    """Indexing the class says `member` before the message."""

    def __getitem__(cls, item):
        return f"member {type(eqx.Enumeration).__getitem__(cls, item)}"

    return _base(eqx, __getitem__=__getitem__)


@mutant(
    "equinox",
    kills=[
        "equinox.module.enumeration.members_are_equal_by_name",
        "equinox.module.enumeration.members_compare_with_their_own_only",
    ],
)
def members_are_equal_by_identity(eqx):
    """`==` of two members says whether they are one object, and so does it of other things."""

    class Item(_item_type(eqx)):
        def __eq__(self, other):
            return self is other

        def __ne__(self, other):
            return self is not other

    return _items_of(eqx, Item)


@mutant("equinox", kills=["equinox.module.enumeration.members_survive_a_round_trip"])
def members_are_static(eqx):
    """A member is static, without a leaf."""

    class Item(_item_type(eqx)):
        _value: Any = eqx.field(static=True)

    return _items_of(eqx, Item)


@mutant("equinox", kills=["equinox.module.enumeration.members_are_instances"])
def inherited_members_do_not_count(eqx):
    """The length of a class is the number of members that it adds."""

    def __len__(cls):
        inherited = {name for base in cls.__bases__ for name in base._name_to_item}
        return len(set(cls._name_to_item) - inherited)

    return _base(eqx, __len__=__len__)


@mutant(
    "equinox",
    kills=[
        "equinox.module.enumeration.where_chooses_a_member",
        "equinox.module.enumeration.methods_refuse_strangers",
    ],
)
def where_gives_the_first(eqx):
    """`where` gives its first member, whatever it is asked."""
    return _base(eqx, methods={"where": lambda cls, pred, a, b: a})


@mutant(
    "equinox",
    kills=[
        "equinox.module.enumeration.promote_keeps_the_name",
        "equinox.module.enumeration.promote_goes_down_only",
    ],
)
def promote_keeps_the_number(eqx):
    """`promote` gives the member of the same number, of any class."""
    return _base(eqx, methods={"promote": lambda cls, item: type(item)(item._value, cls)})


def _creating(eqx, change):
    """Make an `Enumeration` whose metaclass changes the bases and names of a class."""

    def __new__(mcs, name, bases, names):
        bases, names = change(bases, dict(names))
        return type(eqx.Enumeration).__new__(mcs, name, bases, names)

    return _base(eqx, __new__=__new__)


_CLASSES = "equinox.module.enumeration."


@mutant("equinox", kills=[_CLASSES + "documentation_lists_the_entries"])
def enumerations_are_not_documented(eqx):
    """The documentation of an Enumeration is empty."""
    return _creating(eqx, lambda bases, names: (bases, {"__doc__": "", **names}))


@mutant("equinox", kills=[_CLASSES + "names_of_methods_are_refused"])
def names_of_methods_are_left_out(eqx):
    """An Enumeration has no member of the name of a method, and says nothing about it."""

    def without(bases, names):
        return bases, {key: one for key, one in names.items() if key not in ("promote", "where")}

    return _creating(eqx, without)


@mutant("equinox", kills=[_CLASSES + "other_base_classes_are_refused"])
def other_base_classes_are_left_out(eqx):
    """An Enumeration has no base class that is not one, and says nothing about it."""
    known = (type(eqx.Enumeration),)

    def without(bases, names):
        return tuple(base for base in bases if isinstance(base, known)), names

    return _creating(eqx, without)


@mutant("equinox", kills=["equinox.module.enumeration.a_missing_entry_is_an_attribute_error"])
def missing_entries_are_key_errors(eqx):
    """A name that is not an entry raises KeyError."""
    return _base(eqx, __getattr__=lambda cls, name: cls._name_to_item[name])


@mutant("equinox", kills=["equinox.module.enumeration.an_enumeration_keeps_what_describes_it"])
def enumerations_are_called_alike(eqx):
    """Every class has the name and the module of `Enumeration`."""
    real = type(eqx.Enumeration)

    def __new__(mcs, name, bases, namespace):
        entries = {key: value for key, value in namespace.items() if not key.startswith("__")}
        return real.__new__(mcs, "Enumeration", bases, entries)

    return _base(eqx, __new__=__new__)


@mutant("equinox", kills=["equinox.module.enumeration.a_changed_message_is_the_latest"])
def the_first_message_counts(eqx):
    """An entry keeps the message of the base class, without a warning."""
    real = type(eqx.Enumeration)

    def __new__(mcs, name, bases, namespace):
        known = {entry for base in bases for entry in vars(base)["_name_to_item"]}
        rest = {key: value for key, value in namespace.items() if key not in known}
        return real.__new__(mcs, name, bases, rest)

    return _base(eqx, __new__=__new__)


@mutant("equinox", kills=["equinox.module.enumeration.batches_of_members_have_a_text"])
def only_single_members_have_messages(eqx):
    """The message of a batch of members is looked up as if it were one member."""

    def __getitem__(cls, item):
        return cls._index_to_message[int(item._value)]

    return _base(eqx, __getitem__=__getitem__)


@mutant("equinox", kills=[_CLASSES + "an_entry_has_any_name"])
def names_with_an_underscore_are_left_out(eqx):
    """An entry whose name starts with an underscore is taken for something private."""

    def without(bases, names):
        private = lambda name: name.startswith("_") and not name.startswith("__")
        return bases, {key: one for key, one in names.items() if not private(key)}

    return _creating(eqx, without)
