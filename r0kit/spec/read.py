"""SPEC.md -> Spec, from whichever of its three forms the file has: machine contract, YAML front matter, prose."""

from __future__ import annotations

from collections.abc import Iterator

from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.source import read_text
from r0kit.source.refused import refusal
from r0kit.spec.build import build
from r0kit.spec.check import check
from r0kit.spec.json_form import parse_json
from r0kit.spec.markdown import Block, Document, split
from r0kit.spec.merge import Form, merge
from r0kit.spec.model import Place, Spec
from r0kit.spec.node import Node, places
from r0kit.spec.prose import read_prose
from r0kit.spec.yaml_form import parse_yaml

PROSE = "prose"
_START = "state the operator in a block that opens with ```json machine-contract"

LIMIT = 1 << 20  # bytes of a SPEC.md


def read_spec(path: str) -> tuple[Spec, tuple[Finding, ...]]:
    """The Spec of the file `path` and what is wrong with it; errors among the findings mean that it contradicts itself.

    InputError where it cannot be read at all: no such file, no text, malformed JSON or YAML, numbers beyond all bounds.
    """
    text = read_text(path, "spec.read", LIMIT)
    if not text.strip():
        raise refusal(path, "spec.empty", "is empty", _START)
    return parse_spec(text, path)


def parse_spec(text: str, path: str) -> tuple[Spec, tuple[Finding, ...]]:
    """As `read_spec`, of the text of the file `path`."""
    document = split(text)
    findings: list[Finding] = list(_fence_findings(document, path))
    prose, sideless, unread = read_prose(document.prose)
    try:
        forms = list(_forms(document, prose, path))
    except InputError as error:
        raise InputError([*findings, *error.findings]) from None
    inputs = next((node.get("inputs") for _, node in forms if node.get("inputs")), None)
    findings += () if inputs else (_sideless(place, path) for place in sideless)
    findings += () if any(node.get("p0_cases") for _, node in forms) else (_no_case(place, path) for place in unread)
    whole: Form | None = None
    for title, node in forms:
        spec, wrong = build(node, path, inputs, lenient=title == PROSE)
        findings.extend(wrong)
        form = Form(title, spec, places(node))
        if whole is None:
            whole = form
        else:
            whole, conflicts = merge(whole, form)
            findings.extend(conflicts)
    if whole is None:
        findings.append(_empty(path))
        return Spec(path), tuple(findings)
    findings.extend(check(whole.spec, whole.places))
    return whole.spec, tuple(findings)


def _forms(document: Document, prose: Node, path: str) -> Iterator[tuple[str, Node]]:
    """(title, content) of each form that the document has, the deciding one first."""
    contracts = _contracts(document)
    if contracts:
        yield "machine contract", parse_json(contracts[0].text, path, Place(contracts[0].line, 1))
    if document.front_matter is not None:
        front = parse_yaml(document.front_matter.text, path, Place(document.front_matter.line, 1))
        if front.value:
            yield "front matter", front
    if prose.value:
        yield PROSE, prose


def _contracts(document: Document) -> list[Block]:
    return [block for block in document.fences if "machine-contract" in block.info.split()]


def _fence_findings(document: Document, path: str) -> Iterator[Finding]:
    if document.unclosed:
        message = "the front matter that opens here is never closed, so that nothing of it is read"
        yield Finding("spec.fence", Severity.ERROR, message, Location(path, 1, 1), "close it with a line of ---")
    for block in _contracts(document)[1:]:
        place = Location(path, block.line - 1, 1)
        message = "a second machine contract; the first one counts"
        yield Finding("spec.repeated", Severity.ERROR, message, place, "keep one machine contract")
    for block in document.fences:
        if not block.closed:
            place = Location(path, block.line - 1, 1)
            message = "the code block that opens here is never closed"
            yield Finding("spec.fence", Severity.ERROR, message, place, "close it with a line of ```")


def _sideless(place: Place, path: str) -> Finding:
    message = "a table of tensors is not read: nothing says whether they are inputs or outputs"
    hint = "put it below a heading that says Inputs or Outputs (输入, 输出), or title its first column so"
    return Finding("spec.table", Severity.WARNING, message, Location(path, place.line, place.column), hint)


def _no_case(place: Place, path: str) -> Finding:
    message = "this line below a heading that speaks of cases is not read: it says more than extents"
    return Finding(
        "spec.case", Severity.WARNING, message, Location(path, place.line, place.column), "write `- B=2, T=128`"
    )


def _empty(path: str) -> Finding:
    message = "nothing in this SPEC can be read: no machine contract, no front matter, no input table"
    return Finding("spec.empty", Severity.WARNING, message, Location(path), _START)
