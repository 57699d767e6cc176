"""Node types as the documentation of jax_dataclasses makes them."""

from .library import Judgement, Library

_CLASSES = """\
import jax_dataclasses as jdc


@jdc.pytree_dataclass
class JdcPair:
    x: typing.Any
    y: typing.Any


@jdc.pytree_dataclass
class JdcStatic:
    x: typing.Any
    name: jdc.Static[str] = 'text'


@jdc.pytree_dataclass
class JdcChild(JdcStatic):
    z: typing.Any = None


@jdc.pytree_dataclass
class JdcKeywords:
    x: typing.Any = jdc.field(kw_only=True)
    y: jdc.Static[int] = jdc.field(default=1, kw_only=True)


@jdc.pytree_dataclass
class JdcAnnotated(jdc.EnforcedAnnotationsMixin):
    x: typing.Annotated[jax.Array, (2,), jnp.floating]
"""

LIBRARY = Library(
    "jax_dataclasses",
    {},
    _CLASSES,
    searched=False,
    own={
        "jax_dataclasses.pytree_dataclass, plain": "JdcPair($0, $1)",
        "jax_dataclasses.pytree_dataclass, static field": (
            "JdcStatic($0)",
            "JdcStatic($0, 'other')",
        ),
        "jax_dataclasses.pytree_dataclass, subclass": "JdcChild($0, 'text', $1)",
        "jax_dataclasses.pytree_dataclass, keywords": (
            "JdcKeywords(x=$0)",
            "JdcKeywords(x=$0, y=2)",
        ),
        "jax_dataclasses.EnforcedAnnotationsMixin": "JdcAnnotated(jnp.ones((2, 2)))",
    },
    judgements=(
        Judgement(
            "shape_checked_in_unflatten",
            ("node.flatten.unflatten_accepts_any_leaf", "node.keys.paths_depend_on_no_leaf"),
            "EnforcedAnnotationsMixin, which is deprecated, checks shapes and dtypes in "
            "__post_init__, which unflatten runs (jax_dataclasses/_dataclasses.py). JAX "
            "documents that such constructors should avoid validation.",
            "a map to a shape or dtype that contradicts the annotation, such as "
            "jax.tree.map(jnp.sum, x) or a cast to integers, raises AssertionError in "
            "unflatten",
            subjects=("jax_dataclasses.EnforcedAnnotationsMixin",),
        ),
    ),
)
