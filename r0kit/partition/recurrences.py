"""Recurrences: statistics that one traversal keeps up to date, so that a re-traversal of their axis is declared, not hidden.

One row per recurrence. A row finds its occurrences in a Program and says which pairs (reduction, dependent anchor) the
one-traversal form covers, which states it carries, on which conditions, and on which identity it rests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from r0kit.golden.axes import Atoms
from r0kit.golden.program import Kind, Ref, Section, Step
from r0kit.golden.scalars import Constant
from r0kit.partition.flow import Flow
from r0kit.partition.model import State

NEG_LARGE = "-1.0e30"  # a module-level infinity does not compile in PyPTO-Pro; the sentinel is finite


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place in a Program where a recurrence applies.

    covers: pairs (reduction, dependent anchor) of one traversal; axes: those that it runs over once; states: carried
    over its tiles, in FP32; anchor: the reduction that begins it.
    """

    recurrence: str
    anchor: str
    covers: frozenset[tuple[str, str]]
    axes: Atoms
    states: tuple[State, ...]


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A row: its name, how it is found, its one-traversal form, its conditions, and the identity with its source."""

    name: str
    find: Callable[[Flow], Iterator[Occurrence]]
    form: tuple[str, ...]
    conditions: tuple[str, ...]
    identity: str
    source: str


def occurrences(flow: Flow) -> tuple[Occurrence, ...]:
    """Every occurrence of every recurrence in a Program."""
    return tuple(found for recurrence in RECURRENCES for found in recurrence.find(flow))


def by_name(name: str) -> Recurrence:
    return next(recurrence for recurrence in RECURRENCES if recurrence.name == name)


# Softmax statistics: m and s = sum(exp(x - m)) in one traversal.


@dataclass(frozen=True, slots=True)
class Exponential:
    """`value = exp(x - m)` where `m` is the maximum of the same x over an axis."""

    value: str
    maximum: str
    axes: Atoms


def exponentials(flow: Flow) -> Iterator[Exponential]:
    """Every exponential of a difference to the running maximum, with or without a positive factor in between."""
    for name, step in flow.steps.items():
        if step.op in ("exp", "exp2"):
            difference = _through(flow, step.tensors[0], _positive_scale)
            match = _centred(flow, difference, ("amax",))
            if match:
                yield Exponential(name, match, flow.axes.whole(flow.steps[match]))


def _softmax_statistics(flow: Flow) -> Iterator[Occurrence]:
    for exponential in exponentials(flow):
        sums = [anchor for anchor in flow.anchors if _sums(flow, anchor, exponential)]
        if sums:
            maximum = exponential.maximum
            covers = frozenset((maximum, anchor) for anchor in sums)
            states = (_maximum_state(flow, maximum), *(_sum_state(flow, maximum, anchor) for anchor in sums))
            yield Occurrence("softmax_statistics", maximum, covers, exponential.axes, states)


def _sums(flow: Flow, anchor: str, exponential: Exponential) -> bool:
    """Whether the anchor adds up the exponential over its axis, with factors at most: then alpha rescales the sum."""
    step = flow.steps[anchor]
    adds = step.op in ("sum", "mean") and exponential.axes <= flow.axes.whole(step)
    return adds and linear(flow, exponential.value, anchor)


def _maximum_state(flow: Flow, maximum: str) -> State:
    mask = f"tail columns = {NEG_LARGE} before the maximum; a row that is masked whole needs a guard of its own"
    return State(maximum, "float32", NEG_LARGE, f"{maximum}_new = max({maximum}, amax(tile))", mask)


def _sum_state(flow: Flow, maximum: str, anchor: str) -> State:
    update = f"{anchor} = {anchor} * exp({maximum} - {maximum}_new) + sum(exp(tile - {maximum}_new))"
    return State(anchor, "float32", "0", update, "tail columns contribute 0")


# Attention: m, l and the output o; the division has moved behind the contraction.


def _attention(flow: Flow) -> Iterator[Occurrence]:
    for exponential in exponentials(flow):
        handed = [anchor for anchor in flow.anchors if _handed_on(flow, anchor, exponential)]
        for anchor in handed:
            products = [step.target for step in flow.consumers[anchor] if step.kind is Kind.CONTRACTION]
            states = tuple(_output_state(exponential.maximum, product) for product in products)
            covers = frozenset({(exponential.maximum, anchor)})
            yield Occurrence("attention", exponential.maximum, covers, exponential.axes, states)


def _handed_on(flow: Flow, anchor: str, exponential: Exponential) -> bool:
    """Whether the anchor is the exponential, times factors at most, and only contractions over its axis read it."""
    if anchor in flow.outputs or flow.section(anchor) is not Section.VECTOR or flow.heavy(anchor):
        return False
    if anchor != exponential.value and not linear(flow, exponential.value, anchor):
        return False
    readers = list(_contractions(flow, anchor))
    return bool(readers) and all(
        reader is not None and exponential.axes <= flow.axes.whole(reader) for reader in readers
    )


def _contractions(flow: Flow, name: str) -> Iterator[Step | None]:
    """Contractions that read a value, through layout Steps; None for a reader of another kind outside its own sums."""
    for reader in flow.consumers.get(name, ()):
        if reader.kind is Kind.CONTRACTION:
            yield reader
        elif reader.kind is Kind.LAYOUT or reader.op == "cast":
            yield from _contractions(flow, reader.target)
        elif reader.op not in ("sum", "mean"):
            yield None


def _output_state(maximum: str, product: str) -> State:
    update = f"{product} = {product} * exp({maximum} - {maximum}_new) + p @ tile"
    return State(product, "float32", "0", update, "tail rows of the right operand = 0")


# Welford: mean and centred second moment in one traversal.


def _welford(flow: Flow) -> Iterator[Occurrence]:
    for name, step in flow.steps.items():
        mean = _centred(flow, name, ("mean", "sum")) if step.op == "sub" else ""
        if not mean:
            continue
        axes = flow.axes.whole(flow.steps[mean])
        squares = [reader.target for reader in flow.consumers.get(name, ()) if _squares(reader, name)]
        moments = [anchor for anchor in flow.anchors if any(_adds(flow, anchor, square, axes) for square in squares)]
        if moments:
            covers = frozenset((mean, anchor) for anchor in moments)
            yield Occurrence("welford", mean, covers, axes, (_count_state(), *_moment_states(mean, moments)))


def _squares(step: Step, name: str) -> bool:
    if step.op == "mul":
        return step.tensors == (name, name)
    return step.op == "square" or (step.op == "pow" and step.operands[1:] in ((Constant(2),), (Constant(2.0),)))


def _adds(flow: Flow, anchor: str, square: str, axes: Atoms) -> bool:
    step = flow.steps[anchor]
    return step.op in ("sum", "mean") and axes == flow.axes.whole(step) and linear(flow, square, anchor)


def _count_state() -> State:
    return State("n", "int32", "0", "n_new = n + n_tile", "the tail counts its valid elements only")


def _moment_states(mean: str, moments: list[str]) -> Iterator[State]:
    yield State(
        mean, "float32", "0", f"{mean} = {mean} + delta * n_tile / n_new, delta = mean(tile) - {mean}", "masked"
    )
    for moment in moments:
        update = "M2 = M2 + M2(tile) + delta**2 * n * n_tile / n_new"
        yield State(moment, "float32", "0", update, "tail elements contribute 0")


# What the rows share.


def linear(flow: Flow, source: str, anchor: str) -> bool:
    """Whether the anchor's operand is `source` times factors that do not depend on it, however moved or retyped."""
    cone = flow.cones[anchor]
    if source not in cone.steps:
        return source in flow.steps[anchor].tensors
    dependent = {source}
    for name in (*cone.steps, anchor):
        step = flow.steps[name]
        touched = [operand for operand in step.tensors if operand in dependent]
        if not touched or name == source:
            continue
        if name != anchor and not _scales(step, touched):
            return False
        dependent.add(name)
    return anchor in dependent


def _scales(step: Step, touched: list[str]) -> bool:
    """Whether the Step multiplies what depends on the source once, or moves or retypes it."""
    if step.kind is Kind.LAYOUT or step.op in ("cast", "neg", "tril", "triu"):
        return True
    if step.op == "mul":
        return len(touched) == 1
    return step.op == "div" and step.tensors[:1] == tuple(touched)


def _centred(flow: Flow, name: str, reductions: tuple[str, ...]) -> str:
    """The reduction r of x where the value is `x - r(x)`; "" where it is not such a difference."""
    step = flow.steps.get(name)
    if (
        step is None
        or step.op != "sub"
        or len(step.operands) != 2
        or not all(isinstance(o, Ref) for o in step.operands)
    ):
        return ""
    value, centre = step.tensors[:2]
    reduction = _through(flow, centre, _post_processed)
    found = flow.steps.get(reduction)
    if found is None or found.op not in reductions:
        return ""
    same = _through(flow, found.tensors[0], _retyped) == _through(flow, value, _retyped)
    return reduction if same else ""


def _through(flow: Flow, name: str, passes: Callable[[Step], bool]) -> str:
    """Upstream through Steps that `passes` lets by."""
    while name in flow.steps and passes(flow.steps[name]):
        name = flow.steps[name].tensors[0]
    return name


def _retyped(step: Step) -> bool:
    return step.op == "cast"


def _post_processed(step: Step) -> bool:
    """Layout, casts, and the division of a sum by its count."""
    return step.op in ("cast", "unsqueeze", "squeeze", "expand", "reshape") or (
        step.op in ("div", "mul") and len(step.tensors) == 1 and isinstance(step.operands[0], Ref)
    )


def _positive_scale(step: Step) -> bool:
    """A cast, or a factor that is known to be positive."""
    if step.op == "cast":
        return True
    factors = [operand for operand in step.operands if isinstance(operand, Constant)]
    return step.op == "mul" and len(step.tensors) == 1 and len(factors) == 1 and float(factors[0].value) > 0


RECURRENCES: tuple[Recurrence, ...] = (
    Recurrence(
        "softmax_statistics",
        _softmax_statistics,
        ("m_new = max(m, amax(tile))", "s_new = s * exp(m - m_new) + sum(exp(tile - m_new))"),
        (
            "state stays FP32",
            f"the tail of the axis is masked with {NEG_LARGE} before the maximum",
            "a row that is masked whole needs its own guard (its sum is the tile length, not 0)",
            "a scale inside the exponent is positive",
        ),
        "exp(x - m) * exp(m - m_new) = exp(x - m_new)",
        "Milakov and Gimelshein, Online normalizer calculation for softmax, arXiv:1805.02867",
    ),
    Recurrence(
        "attention",
        _attention,
        ("alpha = exp(m - m_new)", "l = l * alpha + rowsum(p)", "o = o * alpha + p @ v", "y = o / l"),
        (
            "state m, l, o stays FP32",
            f"tail columns are masked with {NEG_LARGE} before the maximum, the causal mask before the length mask",
            "multiplying l by alpha without adding rowsum(p) is wrong",
            "a row that is masked whole needs its own guard",
            "a scale inside the exponent is positive",
        ),
        "sum_j (exp(x_j - m) / l) v_j = (sum_j exp(x_j - m) v_j) / l",
        "Dao et al., FlashAttention, arXiv:2205.14135, section 3.1",
    ),
    Recurrence(
        "welford",
        _welford,
        (
            "delta = mean(tile) - mean",
            "mean = mean + delta * n_tile / n_new",
            "M2 = M2 + M2(tile) + delta**2 * n * n_tile / n_new",
        ),
        ("state stays FP32", "the tail counts its valid elements only"),
        "sum (x - mean)**2 over two parts = M2_a + M2_b + delta**2 * n_a * n_b / (n_a + n_b)",
        "Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, 1979",
    ),
)
