"""Operations of torch as tables: what a golden may call, the Steps it becomes, and the torch text of each Step.

A new operation is a row in the file of its family (`row(name, spellings, signature, rule)`), a line in STEPS where it
needs a Step of its own, and a case in `tests/golden/operations/`; the tests fail where one of the three is missing.
"""

from r0kit.golden.ops.attributes import attribute
from r0kit.golden.ops.axes import axes
from r0kit.golden.ops.axismap import AxisMap, Link
from r0kit.golden.ops.indexing import index, store
from r0kit.golden.ops.layers import Weight, weights
from r0kit.golden.ops.row import Operation
from r0kit.golden.ops.steptable import KINDS, torch_text
from r0kit.golden.ops.table import ROWS, call, find, is_in_place, says_in_place

__all__ = [
    "KINDS",
    "ROWS",
    "AxisMap",
    "Link",
    "Operation",
    "Weight",
    "attribute",
    "axes",
    "call",
    "find",
    "index",
    "is_in_place",
    "says_in_place",
    "store",
    "torch_text",
    "weights",
]
