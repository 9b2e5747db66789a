"""What `r0kit render --format html` shows beside the contract: the golden's lines, a verification, findings."""

import os
from glob import escape, glob

from r0kit.cli.common import show
from r0kit.cli.settings import severities
from r0kit.contract.model import Contract
from r0kit.contract.read import Document
from r0kit.finding import InputError, Report, Severity
from r0kit.render.supplement import Source, Supplement, proof_of
from r0kit.source import read_text
from r0kit.validate import validate_document

RULE = "render.golden"
LIMIT = 2 << 20  # bytes of a golden


def supplement(document: Document, contract: Contract, golden: str | None, verify_json: str | None) -> Supplement:
    """All of it; the golden is looked for beside the contract where none is named. InputError for what cannot be read."""
    path = golden if golden is not None else _beside(document.path, contract.op)
    source = _source(path, found=golden is None) if path else None
    proof = proof_of(read_text(verify_json, "render.verify"), verify_json) if verify_json is not None else None
    return Supplement(source, proof, _findings(document, golden).rated(severities()).findings)


def _source(path: str, found: bool) -> Source | None:
    """The lines of the golden. One that was only found, and cannot be read, is told and left out."""
    try:
        return Source(os.path.basename(path), tuple(read_text(path, RULE, LIMIT).split("\n")))
    except InputError as error:
        if not found:
            raise
        show(tuple(finding._replace(severity=Severity.WARNING) for finding in error.findings))
        return None


def _findings(document: Document, golden: str | None) -> Report:
    """What `validate` says, with the golden where one was named."""
    if golden is None:
        return validate_document(document)
    from r0kit.cli.comparing import golden_of  # reads goldens, which takes a while

    return validate_document(document, golden_of(document, golden))


def _beside(contract: str, op: str) -> str | None:
    """The golden in the folder of the contract: named after its operator, else the only one there."""
    folder = os.path.dirname(contract)
    if os.path.basename(op) == op:  # an operator's name comes from the contract, and leads nowhere else
        for name in (f"{op}_golden_cpu.py", f"{op}_golden.py"):
            if os.path.isfile(os.path.join(folder, name)):
                return os.path.join(folder, name)
    others = [path for path in glob(os.path.join(escape(folder), "*_golden*.py")) if not path.endswith("_modular.py")]
    return others[0] if len(others) == 1 else None
