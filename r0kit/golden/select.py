"""Which function of a file is its golden: by the operator's name, then the file's, then because there is no other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os.path import basename, splitext

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.golden.candidates import Candidate

# How a golden of the operator {op} is called, best first (conventions counted in public repositories).
NAMES = (
    "{op}_golden_cpu",
    "{op}_golden",
    "golden_{op}",
    "_golden_{op}",
    "compute_golden_{op}",
    "compute_{op}_golden",
    "{op}_reference",
    "{op}_ref",
    "reference_{op}",
    "ref_{op}",
    "torch_{op}",
    "{op}_torch",
    "{op}_cpu",
    "{op}",
)

# Kinds of names, the surest first; only one kind is ever considered.
_KINDS = (
    re.compile(r"\w+_golden_cpu"),
    re.compile(r"\w+_golden"),
    re.compile(r"\w*golden\w*"),
    re.compile(r"\w+_(?:ref|reference|torch|cpu)|(?:ref|reference|torch)_\w+"),
)
_HELPERS = re.compile(
    r"_?(?:test|main|validate|check|run|demo|get_inputs|get_init_inputs|setup|make_inputs)(?:_\w*)?|__\w+__"
)


def choose(found: Sequence[Candidate], path: str, op: str | None, hints: Sequence[str] = ()) -> tuple[Candidate, str]:
    """The golden among `found`, and the operator's name.

    op: as the user gave it; hints: other names the operator may go by (that of SPEC). InputError, listing what there is,
    where nothing is a golden or nothing says which one is.
    """
    usable = [candidate for candidate in found if not _HELPERS.fullmatch(candidate.name)]
    others = [name for name in (op_of_file(path), *hints) if name]
    for name, patterns in ((op, NAMES), *((other, NAMES[:-1]) for other in others)):
        named = _called(usable, name, patterns) if name else None
        if named is not None:
            return named, op or str(name)
    only = _only(usable, path, others)
    named_after = operator_of(only.name) or operator_of(splitext(basename(path))[0])
    return only, op or named_after or next(iter(hints), "") or op_of_file(path)


def operator_of(name: str) -> str:
    """The operator that a function or file of this name is the golden of; "" where the name follows no convention."""
    for pattern in NAMES[:-1]:
        match = re.fullmatch(pattern.format(op=r"(\w+?)"), name)
        if match:
            return match.group(1)
    return ""


def op_of_file(path: str) -> str:
    """The operator that a golden file is named after: "softmax" of softmax_golden_cpu.py; else its bare name."""
    stem = splitext(basename(path))[0]
    bare = operator_of(stem) or stem
    return re.sub(r"^\d+_", "", bare)  # KernelBench numbers its problems


def _called(found: Sequence[Candidate], op: str, patterns: Sequence[str]) -> Candidate | None:
    for pattern in patterns:
        named = [candidate for candidate in found if candidate.name == pattern.format(op=op)]
        if named:
            return _outermost(named)
    return None


def _outermost(named: Sequence[Candidate]) -> Candidate:
    """Of several of one name: one of the module before one of a class, that before one inside a function."""
    return min(named, key=lambda candidate: (candidate.nested, candidate.owner is not None, candidate.conditional))


def _only(found: Sequence[Candidate], path: str, ops: Sequence[str]) -> Candidate:
    """The only candidate of the surest kind that has any."""
    for group in _groups(found, ops):
        outside = [candidate for candidate in group if not candidate.nested] or group
        names = dict.fromkeys(candidate.name for candidate in outside)
        if len(names) == 1:
            return _outermost(outside)
        if names:
            raise _ambiguous(outside, path)
    raise _none(found, path)


def _groups(found: Sequence[Candidate], ops: Sequence[str]) -> Iterable[list[Candidate]]:
    plain = [candidate for candidate in found if candidate.name != "forward"]
    for kind in _KINDS:
        yield [candidate for candidate in plain if kind.fullmatch(candidate.name)]
    yield [candidate for candidate in found if candidate.qualified == "Model.forward"]
    models = [candidate for candidate in found if candidate.name == "forward" and candidate.owner is not None]
    yield models if len(models) == 1 else []
    yield [candidate for candidate in plain if candidate.name in ops and not candidate.nested]
    yield [candidate for candidate in plain if not candidate.nested and candidate.owner is None]


def _ambiguous(found: Sequence[Candidate], path: str) -> InputError:
    listed = ", ".join(f"{candidate.qualified} (line {candidate.line})" for candidate in found[:20])
    more = f" and {len(found) - 20} more" if len(found) > 20 else ""
    message = f"several functions may be the golden: {listed}{more}"
    names = " or ".join(sorted({operator_of(candidate.name) or candidate.name for candidate in found[:2]}))
    return _error("golden.ambiguous", path, message, f"say which with --op (for example {names})", found[0].line)


def _none(found: Sequence[Candidate], path: str) -> InputError:
    hint = "name it {op}_golden_cpu(...) or {op}_golden(...), or write a class Model with forward"
    listed = ", ".join(f"{candidate.qualified} (line {candidate.line})" for candidate in found[:20])
    message = f"no function is a golden; there are {listed}" if found else "no golden function: the file defines none"
    return _error("golden.none", path, message, hint, found[0].line if found else 1)


def _error(rule: str, path: str, message: str, hint: str, line: int) -> InputError:
    return InputError([Finding(rule, Severity.ERROR, message, Location(path, line, 1), hint)])
