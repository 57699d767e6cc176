"""Node types of mctx."""

from .library import Library

_TREE = """mctx.Tree(
    node_visits=$0,
    raw_values=jnp.zeros((2, 3)),
    node_values=jnp.zeros((2, 3)),
    parents=jnp.zeros((2, 3), 'int32'),
    action_from_parent=jnp.zeros((2, 3), 'int32'),
    children_index=jnp.zeros((2, 3, 4), 'int32'),
    children_prior_logits=jnp.zeros((2, 3, 4)),
    children_visits=jnp.zeros((2, 3, 4), 'int32'),
    children_rewards=jnp.zeros((2, 3, 4)),
    children_discounts=jnp.zeros((2, 3, 4)),
    children_values=jnp.zeros((2, 3, 4)),
    embeddings=$1,
    root_invalid_actions=jnp.zeros((2, 4)),
    extra_data=$2,
)"""

LIBRARY = Library(
    "mctx",
    {
        "mctx.Tree": _TREE,
        "mctx.RootFnOutput": "mctx.RootFnOutput(prior_logits=$0, value=$1, embedding=$2)",
        "mctx.RecurrentFnOutput": (
            "mctx.RecurrentFnOutput(reward=$0, discount=$1, prior_logits=$2, value=jnp.ones(2))"
        ),
        "mctx.PolicyOutput": "mctx.PolicyOutput(action=$0, action_weights=$1, search_tree=$2)",
        "mctx.DecisionRecurrentFnOutput": (
            "mctx.DecisionRecurrentFnOutput(chance_logits=$0, afterstate_value=$1)"
        ),
        "mctx.ChanceRecurrentFnOutput": (
            "mctx.ChanceRecurrentFnOutput("
            "action_logits=$0, value=$1, reward=$2, discount=jnp.ones(2))"
        ),
        "mctx.GumbelMuZeroExtraData": "mctx.GumbelMuZeroExtraData(root_gumbel=$0)",
    },
    "import mctx\n",
)
