"""The frozen Contract: what `module_interfaces.yaml` says, typed; `NamedTuple`s for the reason that `r0kit.finding` gives.

Optional records stay as read (plain dicts and lists): design.md section 4 names their keys, and older files lack them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from r0kit.contract.wire import PRIMARY as PRIMARY  # part of the model: `Wire.module` of a primary input
from r0kit.contract.wire import source_of

Record = Mapping[str, Any]
NOTHING: Record = MappingProxyType({})


class Tensor(NamedTuple):
    """A primary input, or an output of a Module. `shape` is text such as "[M, N]"; "" where the file says nothing."""

    name: str
    shape: str = ""
    dtype: str = ""


class Wire(NamedTuple):
    """A value and the Module that produces it (PRIMARY for a primary input)."""

    name: str
    module: int

    @property
    def source(self) -> str:
        """As written in the file: "primary" or "module_<j>"."""
        return source_of(self.module)


class Module(NamedTuple):
    """One traversal of one section: what it reads, what it writes, and why it starts where it does."""

    id: int
    name: str
    description: str
    section: str
    golden_steps: tuple[str, ...]
    inputs: tuple[Wire, ...]
    outputs: tuple[Tensor, ...]
    golden_stage_fn: str = ""
    boundary: tuple[Record, ...] = ()
    traversal: Record | None = None
    handoff: tuple[Record, ...] = ()
    api: tuple[Record, ...] = ()
    source_lines: tuple[int, ...] = ()
    extra: Record = NOTHING


class Verification(NamedTuple):
    """How the composition is proven: tolerances, seeds, and one binding of the symbols per shape case."""

    atol: float | None = None
    rtol: float | None = None
    policy: str = ""
    seeds: tuple[int, ...] = ()
    shapes: tuple[Record, ...] = ()


class Contract(NamedTuple):
    """The content of one `module_interfaces.yaml`; the single source of truth of R0."""

    op: str
    module_count: int
    primary_inputs: tuple[Tensor, ...]
    modules: tuple[Module, ...]
    final_outputs: tuple[Wire, ...]
    verification: Verification = Verification()
    schema_version: int = 1
    has_cross_core: bool = False
    is_fusion: bool = False
    params: Record = NOTHING
    symbols: tuple[Record, ...] = ()
    reduction: tuple[Record, ...] = ()
    dimensions: tuple[Record, ...] = ()
    wrapper: tuple[Any, ...] = ()
    extra: Record = NOTHING
