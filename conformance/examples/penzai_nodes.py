"""Node types of Penzai: named arrays, variables, selections, and the layers of `penzai.nn`."""

from .library import Judgement, Library

_AXES = "collections.OrderedDict(a=2, b=3)"
_LINEAR = "pznn.Linear(pz.nx.wrap(jnp.ones((2, 3))).tag('a', 'b'), ('a',), ('b',))"

LIBRARY = Library(
    "penzai",
    {
        "penzai.core.named_axes.NamedArray": (
            "pz.nx.wrap(jnp.ones((2, 3))).tag('a', 'b')",
            "pz.nx.wrap(jnp.ones((2, 3)))",
            "pz.nx.wrap(jnp.ones((2, 3)), 'a', 'b').untag('a').with_positional_prefix()",
        ),
        "penzai.core.named_axes.NamedArrayView": (
            "pz.nx.wrap(jnp.ones((2, 3))).tag('a', 'b').untag('b').as_namedarrayview()",
        ),
        "penzai.core.selectors.SelectionHole": "penzai.core.selectors.SelectionHole(('a',))",
        "penzai.core.selectors.SelectionQuote": "penzai.core.selectors.SelectionQuote(3)",
        "penzai.pz.Selection": (
            "pz.select([$0, $1])",
            "pz.select({'a': jnp.ones(2), 'b': jnp.ones(3)}).at(lambda tree: tree['a'])",
        ),
        "penzai.core.shapecheck.ArraySpec": (
            "penzai.core.shapecheck.ArraySpec(shape=(2,), dtype=np.float32)",
            f"penzai.core.shapecheck.ArraySpec(named_shape={_AXES})",
        ),
        "penzai.core.shapecheck.Wildcard": (
            "penzai.core.shapecheck.Wildcard()",
            "penzai.core.shapecheck.Wildcard('text')",
        ),
        "penzai.pz.ParameterValue": (
            "pz.ParameterValue(label='a', value=$0)",
            "pz.ParameterValue(label='a', value=$0, metadata={'b': 1})",
        ),
        "penzai.pz.ParameterSlot": ("pz.ParameterSlot(label='a')", "pz.ParameterSlot(label='b')"),
        "penzai.pz.StateVariableValue": (
            "pz.StateVariableValue(label='a', value=$0)",
            "pz.StateVariableValue(label='a', value=$0, metadata={'b': 1})",
        ),
        "penzai.pz.StateVariableSlot": "pz.StateVariableSlot(label='a')",
        "penzai.pz.NotInThisPartition": "pz.NotInThisPartition()",
        "penzai.nn.attention.ApplyExplicitAttentionMask": (
            "pznn.ApplyExplicitAttentionMask('mask', jnp.float32(0))"
        ),
        "penzai.nn.attention.ApplyCausalAttentionMask": (
            "pznn.ApplyCausalAttentionMask(jnp.float32(0))"
        ),
        "penzai.nn.attention.ApplyCausalSlidingWindowAttentionMask": (
            "pznn.ApplyCausalSlidingWindowAttentionMask(jnp.float32(0), 3)"
        ),
        "penzai.nn.attention.Attention": "pznn.Attention($0, $1, $2, None, None)",
        "penzai.nn.attention.KVCachingAttention": (
            "pznn.KVCachingAttention($0, $1, $2, None, None, sequence_axis='s', "
            "kv_cache_end_index_key='end', kv_cache=jnp.ones(2))"
        ),
        "penzai.nn.basic_ops.Elementwise": "pznn.Elementwise(operator.neg)",
        "penzai.nn.basic_ops.Softmax": "pznn.Softmax('a')",
        "penzai.nn.basic_ops.CastToDType": "pznn.CastToDType(jnp.float32)",
        "penzai.nn.basic_ops.TanhSoftCap": "pznn.TanhSoftCap(jnp.float32(2))",
        "penzai.nn.combinators.Residual": "pznn.Residual($0)",
        "penzai.nn.combinators.BranchAndAddTogether": "pznn.BranchAndAddTogether([$0, $1])",
        "penzai.nn.combinators.BranchAndMultiplyTogether": (
            "pznn.BranchAndMultiplyTogether([$0, $1])"
        ),
        "penzai.nn.dropout.StochasticDropout": (
            "pznn.StochasticDropout(0.5)",
            "pznn.StochasticDropout(0.5, share_across_axes=('a',))",
        ),
        "penzai.nn.dropout.DisabledDropout": "pznn.DisabledDropout(0.5, ())",
        "penzai.nn.embeddings.EmbeddingTable": "pznn.EmbeddingTable($0, 'words')",
        "penzai.nn.embeddings.EmbeddingLookup": "pznn.EmbeddingLookup($0)",
        "penzai.nn.embeddings.EmbeddingDecode": "pznn.EmbeddingDecode($0)",
        "penzai.nn.embeddings.ApplyRoPE": "pznn.ApplyRoPE('a', 100.0, 'positions')",
        "penzai.nn.embeddings.ApplyRoPEToSubset": (
            "pznn.ApplyRoPEToSubset('a', 100.0, 2, 'positions')"
        ),
        "penzai.nn.grouping.Sequential": "pznn.Sequential([$0, $1])",
        "penzai.nn.grouping.NamedGroup": "pznn.NamedGroup('a', [$0, $1])",
        "penzai.nn.grouping.CheckedSequential": (
            "pznn.CheckedSequential(input_like=penzai.core.shapecheck.Wildcard(), "
            "output_like=penzai.core.shapecheck.Wildcard(), sublayers=[$0])"
        ),
        "penzai.nn.grouping.Identity": "pznn.Identity()",
        "penzai.nn.grouping.CheckStructure": (
            "pznn.CheckStructure(penzai.core.shapecheck.Wildcard())"
        ),
        "penzai.nn.layer_stack.LayerStack": "pznn.LayerStack($0, 'layers', 2)",
        "penzai.nn.linear_and_affine.RenameAxes": "pznn.RenameAxes('a', 'b')",
        "penzai.nn.linear_and_affine.LinearInPlace": f"pznn.LinearInPlace([{_LINEAR}])",
        "penzai.nn.linear_and_affine.NamedEinsum": (
            "pznn.NamedEinsum(({'a': 'i'}, {'b': 'j'}), {'a': 'i', 'b': 'j'})"
        ),
        "penzai.nn.linear_and_affine.Linear": _LINEAR,
        "penzai.nn.linear_and_affine.AddBias": (
            "pznn.AddBias(pz.nx.wrap(jnp.ones(2)).tag('a'), new_axis_names=())"
        ),
        "penzai.nn.linear_and_affine.Affine": f"pznn.Affine([{_LINEAR}])",
        "penzai.nn.linear_and_affine.ConstantRescale": "pznn.ConstantRescale(jnp.float32(2))",
        "penzai.nn.standardization.Standardize": "pznn.Standardize('a')",
        "penzai.nn.standardization.LayerNorm": "pznn.LayerNorm([pznn.Standardize('a')])",
        "penzai.nn.standardization.RMSStandardize": "pznn.RMSStandardize('a')",
        "penzai.nn.standardization.RMSLayerNorm": "pznn.RMSLayerNorm([pznn.RMSStandardize('a')])",
    },
    """\
import collections
import operator
import penzai.core.selectors
import penzai.core.shapecheck
from penzai import pz
from penzai.pz import nn as pznn
""",
    not_tried={
        "penzai.deprecated": "the API before version 2, which Penzai itself calls deprecated",
        "penzai.models": "models made of the layers that are tried",
        "penzai.toolshed": "tools for particular tasks, which Penzai calls less stable",
        "penzai.pz.RandomStream": "a key with a counter that is shared through a variable",
    },
    judgements=(
        Judgement(
            "list_and_dict_in_aux_data",
            ("node.aux.aux_data_is_hashable",),
            "The aux data of a Struct is StructStaticMetadata, a frozen dataclass of a list of "
            "names and a dict, whose hash raises (penzai/core/struct.py). JAX documents aux data "
            "as hashable.",
            "hash of the aux data raises, and so does a cache keyed by it",
        ),
    ),
)
