"""The judge of the campaign `goldens` of fuzz.py: what r0kit makes of a golden, from reading to stage functions.

A golden that means something gets a contract without a fault; one that means nothing gets findings and, where a draft
can say what is left open, a contract whose only faults are that.
"""

import ast
import json
import tempfile
import zlib
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fuzz_inputs as inputs

SHARE = 3  # one of so many contracts goes through the other rooms too
TODO = "TODO"
OPEN = frozenset({"rule11", "rule12", "rule17"})  # what a contract with a TODO may break that its finding does not name
UNUSED = "rule13"  # of a whole contract too: the golden itself leaves an input unused


def judge(content: bytes, origin: int) -> str:
    """Read beside the SPEC of the golden as it was, divide, draft, write, validate; at times everything else as well."""
    from r0kit.contract.draft import draft, with_todos
    from r0kit.contract.read import parse
    from r0kit.contract.write import data_text
    from r0kit.finding import InputError
    from r0kit.golden.filegiven import with_inputs_of_file
    from r0kit.golden.read import program_of
    from r0kit.golden.signature import find_golden
    from r0kit.partition import partition
    from r0kit.source import decode

    spec = _spec_of(origin)
    try:
        text = decode(content, "g.py", "golden.read")
        spec = with_inputs_of_file(find_golden(text, "g.py", None, spec), spec) if spec is None else spec
        program = program_of(text, "g.py", spec)
        divided = partition(program, spec)
        drafted = draft(divided, spec)
    except InputError as error:
        assert error.findings
        _check_findings(error.findings)
        return "refused"
    _check_findings(drafted.findings)
    internal = [finding for finding in program.findings if finding.rule == "golden.internal"]
    assert not internal, internal
    data, comments = with_todos(drafted.contract, divided, spec)
    document = parse(data_text(data, comments), "c.yaml")
    whole = TODO not in data_text(data)
    _check_rules(document, program, spec, whole)
    if zlib.crc32(content) % SHARE == 0:
        _check_text(document, data, comments)
        if whole:
            _check_whole(document, drafted.contract)
        _check_stages(document, text, spec, whole)
        _check_lint(text)
    return "whole" if whole else "with a TODO"


@cache
def _spec_of(origin: int) -> Any:
    from r0kit.spec import read_spec

    files = inputs.golden_files()
    path = files[origin].parent / "SPEC.md" if 0 <= origin < len(files) else None
    return read_spec(str(path))[0] if path is not None and path.exists() else None


def _check_findings(findings: Any) -> None:
    for finding in findings:
        assert finding.message.isprintable() and finding.hint and finding.location.line >= 0, finding


def _check_rules(document: Any, program: Any, spec: Any, whole: bool) -> None:
    """A whole contract breaks no rule, and agrees with its golden; what is open breaks rules only by being open."""
    from r0kit.finding import Severity
    from r0kit.validate import validate_document
    from r0kit.validate.subject import Golden

    golden = None
    if spec is not None:
        stated = frozenset(tensor.name for tensor in spec.inputs)
        golden = Golden(program, stated, frozenset(spec.supported_dtypes), tuple(map(spec.bindings, spec.p0_cases)))
    for finding in validate_document(document, golden).findings:
        open_ = not whole and (finding.rule in OPEN or TODO in finding.message)
        assert open_ or finding.rule == UNUSED or finding.severity is Severity.NOTE, finding


def _check_text(document: Any, data: Any, comments: Any) -> None:
    """The text of a contract says what was drafted, and updating it with what it says changes nothing."""
    from r0kit.contract.update import update

    assert document.data == json.loads(json.dumps(data)), "read back as something else"
    joined = update(data, document, comments)
    assert (joined.text, joined.findings) == (document.text, ()), joined.findings


def _check_whole(document: Any, contract: Any) -> None:
    """The contract read back is the one that was drafted; every form of section 0 is written; nothing has changed."""
    from r0kit.contract.plain import plain
    from r0kit.contract.typed import contract_of
    from r0kit.diff import compare

    read = contract_of(document)
    assert plain(read) == plain(contract)
    difference = compare(contract, read)
    assert not difference.changes, difference.changes
    _check_forms(read)


def _check_forms(contract: Any) -> None:
    from r0kit.render import Lang, as_json, chart, html, markdown, new_design, svg

    for lang, form in product(Lang, (markdown, chart, as_json, svg, html, new_design)):
        text = form(contract, lang)
        assert text.endswith("\n") and TODO not in text, form.__name__
        if form is as_json:
            json.loads(text)
        elif form is svg:
            ElementTree.fromstring(text)


def _check_stages(document: Any, text: str, spec: Any, whole: bool) -> None:
    """Stage functions are Python; where there are none, findings say why."""
    from r0kit.finding import InputError
    from r0kit.stages import stages_of

    with tempfile.TemporaryDirectory() as folder:
        golden = Path(folder) / "g.py"
        golden.write_text(text, "utf-8", newline="")
        try:
            done = stages_of(document, str(golden), spec)
        except InputError as error:
            _check_findings(error.findings)
            assert not whole, error.findings
            return
    compile(ast.parse(done.source), done.file_name, "exec")


def _check_lint(text: str) -> None:
    """The golden read as a kernel has findings with places, or none."""
    from r0kit.lint import lint_text

    report = lint_text(text, "k.py")
    for finding in report.findings:
        assert finding.message.isprintable() and finding.hint and finding.location.line > 0, finding
