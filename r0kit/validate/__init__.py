"""Whether a contract is right: the rules, and the report of what they find."""

from r0kit.contract.read import RULE, Document, parse
from r0kit.contract.structure import has_unknown
from r0kit.finding import Finding, InputError, Report
from r0kit.rulebook import run
from r0kit.source import read_text
from r0kit.validate.rules import RULES
from r0kit.validate.subject import Golden, Subject

__all__ = ["RULES", "Golden", "validate_document", "validate_file", "validate_text"]


def validate_file(path: str, golden: Golden | None = None) -> Report:
    """The report on the contract in the file `path`, compared with `golden` where one is given.

    Whatever is wrong with the file is in it too; nothing is raised.
    """
    try:
        text = read_text(path, RULE)
    except InputError as error:
        return Report(path, error.findings)
    return validate_text(text, path, golden)


def validate_text(text: str, path: str = "<text>", golden: Golden | None = None) -> Report:
    """The report on the contract that `text` is; `path` is what findings call it."""
    try:
        document = parse(text, path)
    except InputError as error:
        return Report(path, error.findings, text)
    return validate_document(document, golden)


def validate_document(document: Document, golden: Golden | None = None) -> Report:
    """The report of all rules on a contract, in the order of the file."""
    text = document.text
    document, told = _with_dashes(document) if document.duplicates else (document, [])
    if has_unknown(document.data):
        from r0kit.validate.intended import judged  # most contracts have no unknown keys

        findings = judged(document, golden, RULES)
    else:
        findings = run(RULES, Subject(document, golden), document.locate)
    return Report(document.path, (*told, *findings), text).sorted()


def _with_dashes(document: Document) -> tuple[Document, list[Finding]]:
    from r0kit.validate.dashes import with_dashes  # most contracts have no key twice

    return with_dashes(document)
