"""JAX: trees on several devices, put there, moved and taken back."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.meshes import draw_mesh, draw_shardings
from hypothesis_pytrees.trees.positions import bind_tree, names_of
from hypothesis_pytrees.trees.prefixes import CUTS, draw_prefix
from treelaws.core.law import Topic
from treelaws.equality import equal, same
from treelaws.laws._sharded import arrays_of, as_arrays, on_devices, sharded_trees

law = Topic("jax.sharding", "JAX: trees on several devices", family="jax")
_PUT = "https://docs.jax.dev/en/latest/_autosummary/jax.device_put.html"
_GET = "https://docs.jax.dev/en/latest/_autosummary/jax.device_get.html"
EIGHT = {"eight_devices", "device_put", "sharding.NamedSharding"}


@st.composite
def _moves(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, `where`, `other` and `options`, which have prefixes of `tree`, too."""
    scope = Scope()
    tree = bind_tree(draw, scope, arrays_of("any"))
    names_of(scope)
    mesh = draw_mesh(draw, scope, explicit=True)
    for name in ("where", "other"):
        draw_shardings(draw, scope, mesh, tree, name=name, single=True)
    name = draw(st.sampled_from(("donate", "may_alias", "src")))
    scope.note(f"option:{name}")
    if name == "src":
        scope.bind("options", "{'src': where}")
        return scope.recipe()
    prefix = draw_prefix(draw, scope, CUTS[draw(st.integers(0, len(CUTS) - 1))], tree)
    values = ("True", "False", "None")[: 2 + (name == "may_alias" and prefix.cut == "root")]
    chosen = [draw(st.sampled_from(values)) for _ in prefix.subtrees]
    scope.bind("options", f"{{'{name}': {prefix.text(chosen)}}}")
    return scope.recipe()


@law(
    "`device_put` puts each leaf where a tree prefix of shardings says, a part on each device, and "
    "keeps the structure, the values and the types",
    source=_PUT,
    needs=EIGHT,
    case=sharded_trees(single=True, explicit=True),
)
def leaves_are_put_where_the_prefix_says(lib, case):
    placed = lib.device_put(case.tree, case.where)
    same(placed, as_arrays(case.tree))
    on_devices(placed, case.where)
    leaves = lib.tree_util.tree_leaves(placed)
    equal([leaf.committed for leaf in leaves], [True] * len(leaves))


@law(
    "a device in the place of a sharding holds the whole tree",
    source=_PUT,
    needs=EIGHT,
    case=sharded_trees(single=True, explicit=True),
    parents=[leaves_are_put_where_the_prefix_says],
)
def a_device_holds_the_whole_tree(lib, case):
    placed = lib.device_put(case.tree, case.where)
    for device in lib.devices()[7:3:-3]:
        moved = lib.device_put(placed, device)
        same(moved, as_arrays(case.tree))
        on_devices(moved, lib.sharding.SingleDeviceSharding(device))


@law(
    "without a device, `device_put` leaves a tree where it is",
    source=_PUT,
    needs=EIGHT,
    case=sharded_trees(single=True, explicit=True),
    parents=[leaves_are_put_where_the_prefix_says],
)
def without_a_device_a_tree_stays(lib, case):
    placed = lib.device_put(case.tree, case.where)
    for found in (lib.device_put(placed), lib.device_put(placed, None)):
        same(found, as_arrays(case.tree))
        on_devices(found, case.where)


@law(
    "a tree is moved from some devices to others, with `donate`, `may_alias` and `src` as tree "
    "prefixes, and keeps the values",
    source=_PUT,
    needs=EIGHT,
    case=_moves(),
    parents=[leaves_are_put_where_the_prefix_says],
)
def a_moved_tree_is_the_same(lib, case):
    placed = lib.device_put(case.tree, case.where)
    moved = lib.device_put(placed, case.other, **case.options)
    same(moved, as_arrays(case.rebuild().tree))
    on_devices(moved, case.other)


@law(
    "`device_get` of a tree on several devices gives what it gives on one",
    source=_GET,
    needs={*EIGHT, "device_get"},
    case=sharded_trees(single=True, explicit=True),
    parents=[leaves_are_put_where_the_prefix_says],
)
def device_get_gathers_the_parts(lib, case):
    placed = lib.device_put(case.tree, case.where)
    same(lib.device_get(placed), lib.device_get(as_arrays(case.tree)))
