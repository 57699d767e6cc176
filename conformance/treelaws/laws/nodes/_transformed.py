"""What functions of nodes return under JAX's transformations: structure, shapes, values."""

from __future__ import annotations

from treelaws.equality import same, same_treedef


def shape_of(lib):
    def describe(leaf):
        array = lib.numpy.asarray(leaf)
        weak = getattr(array, "weak_type", False)
        return lib.ShapeDtypeStruct(array.shape, array.dtype, weak_type=weak)

    return describe


def returns(lib, function, node, wanted):
    """Demand that a function returns a node like its argument, with the wanted leaves.

    JAX may return a number that it does not change as it is, so leaves are compared as arrays.
    Nothing is promised of the weak types of results.
    """
    same_inside(lib, function, node)
    same(strong(lib, function(node)), strong(lib, wanted))


def same_inside(lib, function, node):
    """Demand that a traced function returns the structure, shapes and dtypes of its argument.

    The structure is taken within the trace, since the result of `eval_shape` holds no arrays.
    """
    leaves, wanted = lib.tree_util.tree_flatten(node)
    structures = []

    def traced(node):
        given, treedef = lib.tree_util.tree_flatten(function(node))
        structures.append(treedef)
        return given

    shapes = lib.eval_shape(traced, node)
    same_treedef(structures[0], wanted, node)
    same(shapes, list(map(shape_of(lib), leaves)))


def strong(lib, node):
    def array(leaf):
        given = lib.numpy.asarray(leaf)
        # An array that is asked for by its dtype has no weak type.
        return lib.numpy.asarray(given, dtype=given.dtype)

    return lib.tree_util.tree_map(array, node)


def arrays_of(lib, node):
    return lib.tree_util.tree_map(lib.numpy.asarray, node)
