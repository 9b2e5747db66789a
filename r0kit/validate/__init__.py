"""Whether a contract is right: the rules, and the report of what they find."""

from collections.abc import Callable, Iterable

from r0kit.contract.meant import as_meant, as_written
from r0kit.contract.path import Path
from r0kit.contract.read import RULE, Document, parse
from r0kit.finding import Finding, InputError, Location, Report
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
    meant = as_meant(document.data)
    subject = Subject(document._replace(data=meant.data), golden, meant.unknown)
    findings = run(RULES, subject, _locator(document, meant.renamed))
    return Report(document.path, (*told, *findings), text).sorted()


def _with_dashes(document: Document) -> tuple[Document, list[Finding]]:
    from r0kit.validate.dashes import with_dashes  # most contracts have no key twice

    return with_dashes(document)


def _locator(document: Document, renamed: dict[Path, str]) -> Callable[[Iterable[Path]], dict[Path, Location]]:
    """What finds the places of paths in the contract as it was meant."""
    if not renamed:
        return document.locate

    def locate(paths: Iterable[Path]) -> dict[Path, Location]:
        written = {path: tuple(as_written(path, renamed)) for path in paths}
        places = document.locate(dict.fromkeys(written.values()))
        return {path: places[there] for path, there in written.items()}

    return locate
