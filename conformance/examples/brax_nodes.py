"""Node types of Brax: parts of a physical system."""

from .library import Judgement, Library

LIBRARY = Library(
    "brax",
    {
        "brax.base.Transform": ("base.Transform.zero()", "base.Transform.create(pos=jnp.ones(3))"),
        "brax.base.Motion": "base.Motion.zero()",
        "brax.base.Force": "base.Force(ang=jnp.zeros(3), vel=jnp.zeros(3))",
        "brax.base.Inertia": (
            "base.Inertia(transform=base.Transform.zero(), i=jnp.eye(3), mass=jnp.float32(1))"
        ),
        "brax.base.Link": (
            "base.Link(base.Transform.zero(), base.Transform.zero(), "
            "base.Inertia(base.Transform.zero(), jnp.eye(3), jnp.float32(1)), "
            "*[jnp.float32(0)] * 5)"
        ),
        "brax.base.State": "STATE",
        "brax.base.System": "SYSTEM",
    },
    """\
from brax import base
from brax.generalized import pipeline
from brax.io import mjcf

SYSTEM = mjcf.loads(
    "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
)
STATE = pipeline.init(SYSTEM, SYSTEM.init_q, jnp.zeros(SYSTEM.qd_size()))
""",
    rest="they are made like those that are tried",
    judgements=(
        Judgement(
            "list_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "System.link_names is a list in the aux data (brax/base.py). JAX documents aux data as "
            "hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
            ("brax.base.System",),
        ),
        Judgement(
            "model_compares_by_identity",
            ("node.aux.treedef_survives_*", "node.copies.*_equals_the_original"),
            "System.mj_model is a mujoco.MjModel in the aux data, a class without __eq__. JAX "
            "documents that aux data is compared by ==.",
            "a deep copy or a loaded pickle of a System, or one loaded again from the same "
            "file, has another treedef, so that jit compiles again",
            subjects=("brax.base.System",),
        ),
    ),
)
