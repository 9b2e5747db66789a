"""Names and descriptions of Modules, as a person would choose them from what the Module computes.

`NAMERS` is read from the top: the first that knows the Module names it. A name that two Modules would share is told
apart by what they write or read, and only then by a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from r0kit.contract.draft.features import FUNCTIONS, features, features_behind_statistics, normalizes
from r0kit.contract.draft.subject import Subject
from r0kit.golden.naming import SPANNING, row_or_column
from r0kit.golden.program import Kind, Section, Step
from r0kit.partition.model import Partition


class Naming(NamedTuple):
    """What a Module is called, and what it does in one sentence."""

    name: str
    description: str


def namings(partition: Partition) -> tuple[Naming, ...]:
    """One per Module, in order; the names are unique."""
    subjects = [Subject(part, partition) for part in partition.parts]
    found = [_naming(subject) for subject in subjects]
    names = _told_apart([naming.name for naming in found], subjects)
    return tuple(naming._replace(name=name) for naming, name in zip(found, names, strict=True))


def _naming(subject: Subject) -> Naming:
    return next(naming for namer in NAMERS if (naming := namer(subject)))


# Recurrence of the traversal -> what its Module is called; of several, the first.
RECURRENCES = {
    "attention": Naming("online_softmax", "running maximum and denominator over {axes}, and the weights of each tile"),
    "softmax_statistics": Naming("online_stats", "running maximum and exponential sum over {axes}"),
    "welford": Naming("moments", "mean and variance over {axes} in one traversal"),
}
# What a reduction computes, as `golden.naming` calls it -> in words.
PHRASES = {
    "exp_sum": "sum of exponentials",
    "exp_mean": "mean of exponentials",
    "abs_max": "largest magnitude",
    "abs_sum": "sum of magnitudes",
    "abs_mean": "mean of magnitudes",
    "square_sum": "sum of squares",
    "mean_square": "mean of squares",
    "variance": "mean of squared deviations",
    "m2": "sum of squared deviations",
    "max": "maximum",
    "min": "minimum",
    "any": "whether any element holds",
    "all": "whether all elements hold",
    "argmax": "position of the maximum",
    "argmin": "position of the minimum",
    "count": "number of nonzero elements",
}
# Words of a name -> what is done, in a sentence.
DONE = {
    "bias": "bias addition",
    "residual": "residual addition",
    "scale": "scaling",
    "mask": "masking",
    "clamp": "clamping",
    "dequant": "dequantisation",
    "quantize": "quantisation",
    "rope": "rotary embedding",
    "gate": "gating",
    "random": "random numbers",
}
LOSSES = ("loss", "entropy", "nll", "kl_", "kl_div", "divergence")
# Statistics that go by another name together, or in a Module.
TOGETHER = {
    frozenset({"mean", "variance"}): "moments",
    frozenset({"mean", "mean_square"}): "moments",
    frozenset({"sum", "square_sum"}): "moments",
    frozenset({"mean", "m2"}): "moments",
    frozenset({"m2"}): "variance",
    frozenset({"max", "exp_sum"}): "softmax_stats",
    frozenset({"max", "min"}): "range",
}
ORDERINGS = {"topk_values": "topk", "topk_indices": "topk", "sort_values": "sort", "sort_indices": "sort"}
PLAIN = frozenset({"out", "output", "result", "res", "ret", "tmp", "temp", "val", "value", "y", "z"})


def _single(subject: Subject) -> Naming | None:
    """The one Module of an operator is the operator."""
    if len(subject.partition.parts) > 1:
        return None
    return Naming(subject.program.op, f"{subject.program.op} in one traversal: {_wrote(subject)} from {_read(subject)}")


def _copy(subject: Subject) -> Naming | None:
    if any(step.op != "clone" for step in subject.computing):
        return None
    if subject.is_cube or any(step.op not in ("cast", "copy", "clone") for step in subject.part.steps):
        moved = {step.op for step in subject.part.steps}
        if all(step.kind is Kind.CREATION for step in subject.part.steps) and moved:
            return Naming("fill", f"{_wrote(subject)}, filled with constants")
        return (
            Naming("rearrange", f"{_wrote(subject)} from {_read(subject)} by {_list(sorted(moved))}") if moved else None
        )
    return Naming("copy", f"{_wrote(subject)} as a copy of {_read(subject)}")


def _recurrence(subject: Subject) -> Naming | None:
    if subject.part.traversal.algorithm != "online":
        return None
    present = subject.part.traversal.recurrence.split("+")
    known = next((naming for name, naming in RECURRENCES.items() if name in present), None)
    if known is None:
        return None
    log = known.name == "online_stats" and any(step.op == "log" for step in subject.computing)
    description = known.description.format(axes=_list(subject.part.traversal.reduces))
    return (
        Naming("online_logsumexp", f"{description}, and their logarithm")
        if log
        else known._replace(description=description)
    )


def _attention(subject: Subject) -> Naming | None:
    """Contractions before and after a softmax, and what is left to do behind them."""
    if _is_pv(subject):
        return Naming("pv", f"weights contracted with the values: {_contracted(subject)}")
    if subject.is_cube and any(map(_weighs_values, _vector_path(subject))):
        return Naming("qk", f"scores of queries against keys: {_contracted(subject)}")
    divides = any(step.op in ("div", "mul") for step in subject.computing)
    behind = any(_is_pv(writer) for writer in map(subject.beside, subject.writers()))
    if divides and behind and not subject.reductions and any(map(subject.is_statistic, _crossing(subject))):
        return Naming("rescale", f"{_wrote(subject)}: the accumulated output divided by the denominator")
    return None


def _composite(subject: Subject) -> Naming | None:
    """All of a composite call, in one Module."""
    origins = Counter(step.origin for step in subject.computing)
    if len(origins) != 1 or not all(origins) or not subject.reductions:
        return None
    name = next(iter(origins))
    elsewhere = (s for part in subject.partition.parts if part is not subject.part for s in part.steps)
    if any(step.origin == name for step in elsewhere):
        return None
    return Naming(name, f"{name} of {_read(subject)} over {_list(_reduced(subject))}")


def _cube(subject: Subject) -> Naming | None:
    if not subject.is_cube:
        return None
    contractions = subject.of_kind(Kind.CONTRACTION)
    if not contractions:
        return Naming(_label(subject), f"{_wrote(subject)} from {_read(subject)} on the matrix path")
    kinds = {_contraction(step) for step in contractions}
    base = kinds.pop() if len(kinds) == 1 else "matmul"
    if len(contractions) > 1:
        return Naming(_joined_names(subject) or f"{base}s", _contracted(subject))
    behind = [word for word in features(subject) if (base, word) != ("linear", "bias")]
    added = f", with {_list(behind)}" if behind else ""
    return Naming("_".join([base, *behind]), _contracted(subject) + added)


def _ordering(subject: Subject) -> Naming | None:
    steps = subject.of_kind(Kind.ORDERING, Kind.SCAN)
    if not steps:
        return None
    names = list(dict.fromkeys(ORDERINGS.get(step.op, step.op) for step in steps))
    return Naming("_".join(names[:2]), f"{_list(names)}{_over(_axes_of(subject, steps))}: {_wrote(subject)}")


def _statistics(subject: Subject) -> Naming | None:
    """Reductions, by what is reduced."""
    if not subject.reductions:
        return None
    names = list(dict.fromkeys(map(subject.values.statistic, subject.reductions)))
    phrases = [PHRASES.get(name, name) for name in names]
    description = f"{_list(phrases)}{_over(_reduced(subject))}"
    if any(_is_loss(output, subject) for output in subject.returned):
        return Naming("loss", f"{description}: the loss{'' if _wrote(subject) == 'loss' else f' {_wrote(subject)}'}")
    if normalizes(subject) and "quantize" in features(subject):
        return Naming("quantize", f"{description}, then {_wrote(subject)}")
    if normalizes(subject) and ("exp_sum" not in names or any(step.op == "div" for step in subject.computing)):
        return Naming("softmax" if "exp_sum" in names else "normalize", f"{description}, then {_wrote(subject)}")
    if "exp_sum" in names and any(step.op == "log" for step in subject.computing):
        return Naming("logsumexp", f"{description}, and the logarithm of the sum")
    plain = len(names) == 1 and names[0] in SPANNING
    name = TOGETHER.get(frozenset(names)) or "_".join([_span(subject)] * plain + names[:2]).strip("_")
    return Naming(name, description)


def _elementwise(subject: Subject) -> Naming | None:
    """By what it does to what it reads."""
    words = features(subject)
    if normalizes(subject) and "dequant" not in words:
        behind = [word for word in features_behind_statistics(subject) if word not in ("scale", "bias", *FUNCTIONS)]
        statistics = [name for name in _crossing(subject) if subject.is_statistic(name)]
        plain = [crossing.name for crossing in subject.part.inputs if crossing.name not in statistics]
        name = "quantize" if behind == ["quantize"] and "scale" not in words else "_".join(["normalize", *behind])
        which = f"the statistic{'s' if len(statistics) > 1 else ''} {_list(statistics)}"
        return Naming(
            name, f"{_wrote(subject)} from {_list(plain)} and {which}" if plain else f"{_wrote(subject)} from {which}"
        )
    if not words:
        return None
    telling = [word for word in words if word not in FUNCTIONS] or words
    done = _list([DONE.get(word, word) for word in words])
    return Naming("_".join(telling[:3]), f"{_wrote(subject)}: {done} of {_read(subject)}")


def _whatever(subject: Subject) -> Naming | None:
    return Naming(_label(subject), f"{_wrote(subject)} from {_read(subject)}")


NAMERS: tuple[Callable[[Subject], Naming | None], ...] = (
    _single,
    _copy,
    _recurrence,
    _attention,
    _composite,
    _cube,
    _ordering,
    _statistics,
    _elementwise,
    _whatever,
)


def _told_apart(names: list[str], subjects: Sequence[Subject]) -> list[str]:
    alike: dict[str, list[Subject]] = {}
    for name, subject in zip(names, subjects, strict=True):
        alike.setdefault(name, []).append(subject)
    labelled = [_labelled(name, subject, alike[name]) for name, subject in zip(names, subjects, strict=True)]
    taken: set[str] = set()
    result: list[str] = []
    for name in labelled:
        number = next(k for k in range(1, len(names) + 1) if _numbered(name, k) not in taken)
        result.append(_numbered(name, number))
        taken.add(result[-1])
    return result


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}_{number}"


def _labelled(name: str, subject: Subject, alike: Sequence[Subject]) -> str:
    """The name with what the Module writes, or else what it alone of those alike reads."""
    if len(alike) == 1:
        return name
    written = [_written_name(one) for one in alike]
    others = [other for other in alike if other is not subject]
    label = _written_name(subject) if len(set(written)) == len(written) else _read_alone(subject, others)
    if not label or label in name.split("_"):
        return name
    return label if label.startswith(f"{name}_") else f"{name}_{label}"


def _read_alone(subject: Subject, others: Sequence[Subject]) -> str:
    """A primary input that none of the others reads, a weight where there is one; "" for none."""
    shared = {crossing.name for other in others for crossing in other.part.inputs}
    own = [crossing.name for crossing in subject.part.inputs if crossing.name not in shared]
    named = [name for name in own if name in subject.primary]
    weights = [
        name for step in subject.of_kind(Kind.CONTRACTION) for name in subject.operands(step)[1:] if name in named
    ]
    return min(weights or named, key=len, default="").strip("_").lower()


def _written_name(subject: Subject) -> str:
    """The golden's name of what it writes, where that says something."""
    own = {output: subject.steps[output].name for output in subject.part.outputs if output in subject.steps}
    returned = subject.returned
    names = [output if output in returned and name not in output else name for output, name in own.items()]
    return next((name.strip("_").lower() for name in names if name.strip("_") and name not in PLAIN), "")


def _label(subject: Subject) -> str:
    """A name where no rule knows the Module: what it writes, else its last operation."""
    ops = [step.op for step in subject.computing]
    return _written_name(subject) or (ops[-1] if ops else "elementwise")


def _weighs(subject: Subject) -> bool:
    """Whether a vector Module hands `exp(s - m)`, normalised or not, to a contraction."""
    if subject.is_cube or not any(reader.part.section is Section.CUBE for reader in _downstream(subject)):
        return False
    exponents = [subject.source(step) for step in subject.computing if step.op == "exp"]
    return any(
        step is not None and step.op == "sub" and any(map(subject.is_statistic, step.tensors)) for step in exponents
    )


def _is_pv(subject: Subject) -> bool:
    """Whether it contracts the weights of an attention, over the axis that they were normalised over."""
    if not subject.is_cube or not any(_weighs(subject.beside(writer)) for writer in subject.writers()):
        return False
    vector = (part for part in subject.partition.parts if part.section is Section.VECTOR)
    return any(set(part.traversal.reduces) & set(subject.part.traversal.reduces) for part in vector)


def _weighs_values(subject: Subject) -> bool:
    """Whether it computes weights with which a contraction takes the mean of values."""
    return _weighs(subject) and any(map(_is_pv, _downstream(subject)))


def _is_loss(output: str, subject: Subject) -> bool:
    """Whether a value that the golden returns is one number of an operator or call that computes a loss."""
    step = subject.steps.get(output)
    origins = {step.origin for step in subject.part.steps} | {subject.program.op}
    said = any(word in origin for word in LOSSES for origin in (*origins, output))
    return said and step is not None and all(extent.const == 1 for extent in step.shape)


def _downstream(subject: Subject) -> Iterator[Subject]:
    return map(subject.beside, subject.readers())


def _vector_path(subject: Subject) -> Iterator[Subject]:
    """The vector Modules that its values go through, up to the next contraction."""
    pending, seen = [subject], {subject.part.id}
    while pending:
        for reader in _downstream(pending.pop()):
            if not reader.is_cube and reader.part.id not in seen:
                seen.add(reader.part.id)
                pending.append(reader)
                yield reader


def _crossing(subject: Subject) -> list[str]:
    return [crossing.name for crossing in subject.part.inputs if crossing.module]


def _axes_of(subject: Subject, steps: Sequence[Step]) -> list[str]:
    return list(dict.fromkeys(axis for step in steps for axis in subject.axes(step)))


def _over(axes: Sequence[str]) -> str:
    """` over N and H`; an axis without a name is called by its place."""
    named = [axis.replace("dim=", "axis ") for axis in axes]
    return f" over {_list(named)}" if named else ""


def _reduced(subject: Subject) -> list[str]:
    return _axes_of(subject, subject.reductions)


def _span(subject: Subject) -> str:
    """`row` where every reduction runs over the last axis alone, `column` over the first of two, else nothing."""
    spans = {row_or_column(step) for step in subject.reductions}
    return spans.pop() if len(spans) == 1 else ""


def _contraction(step: Step) -> str:
    return "linear" if step.origin == "linear" or "linear(" in step.text else step.op


def _contracted(subject: Subject) -> str:
    return "; ".join(dict.fromkeys(_contracted_step(step, subject) for step in subject.of_kind(Kind.CONTRACTION)))


def _contracted_step(step: Step, subject: Subject) -> str:
    operands = _list([subject.whole_of(name) for name in subject.operands(step)[:2]])
    labels = step.attrs.get("labels", ((), (), ()))
    shape = subject.shapes[step.tensors[0]]
    summed = [str(shape[at]) for at, label in enumerate(labels[0]) if label in labels[1] and label not in labels[2]]
    return f"{operands} contracted over {_list(summed)}" if summed else f"{step.op} of {operands}"


def _joined_names(subject: Subject) -> str:
    """The golden's names of all that it writes, drawn together."""
    names = [subject.steps[output].name for output in subject.part.outputs if output in subject.steps]
    if len(names) > 3 or not all(name and name not in PLAIN for name in names):
        return ""
    return ("" if all(len(name) == 1 for name in names) else "_").join(names)


def _wrote(subject: Subject) -> str:
    return _list(subject.part.outputs)


def _read(subject: Subject) -> str:
    return _list([crossing.name for crossing in subject.part.inputs]) or "nothing"


def _list(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
