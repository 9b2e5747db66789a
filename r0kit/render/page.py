"""A contract as one HTML page: nothing is loaded, nothing runs, and every value of a contract or golden is text in it."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from r0kit import resources
from r0kit.contract.model import Contract
from r0kit.finding import Finding, Severity
from r0kit.render import basis, dataflow, figure, later, reduction, tables, tiles
from r0kit.render.card import card
from r0kit.render.escape import HTML, PLAIN, Safe
from r0kit.render.flow import SECTIONS, crossings
from r0kit.render.page_index import Index
from r0kit.render.supplement import Proof, Supplement
from r0kit.render.tables import Cells
from r0kit.render.template import environment
from r0kit.render.words import Lang, Words, load

_LANGUAGES = {Lang.ZH: "zh-CN", Lang.EN: "en"}


def page(contract: Contract, lang: Lang, supplement: Supplement) -> str:
    """The page, with what the supplement adds to the contract."""
    return written(contract, load(lang, HTML), load(lang, PLAIN), supplement)


def written(contract: Contract, words: Words, plain: Words, supplement: Supplement) -> str:
    """The page in `words`, which are those of HTML, and the swimlane on it in the same ones, plain."""
    style = resources.text("templates", "page/page.css") + figure.style()
    index = Index(contract, words)
    template = environment(words).get_template("page/page.html.j2")
    return template.render(
        lang=_LANGUAGES[words.lang],
        style=style,
        digest=b64encode(sha256(style.encode()).digest()).decode(),
        op=words.prose(contract.op),
        badges=list(_badges(contract, supplement, words)),
        links=[(position, words.say("module", id=m.id), words.prose(m.name)) for position, m in _numbered(contract)],
        figure=figure.inline(contract, plain, linked=True),
        cards=[card(position, contract, index, supplement, words) for position, _ in _numbered(contract)],
        **_sections(contract, words),
        proof=_proof(supplement.proof, words),
        findings=_findings(supplement.findings, words),
    )


def _numbered(contract: Contract) -> Iterator[tuple[int, Any]]:
    return enumerate(contract.modules, 1)


def _sections(contract: Contract, words: Words) -> dict[str, Any]:
    """What section 0 says of the operator as a whole."""
    reasons = basis.basis(contract, words)
    return {
        "dimensions": tables.dimensions(contract, words),
        "wrapper": tables.wrapper(contract, words)["operations"],
        "single": reasons["single"],
        "capacity": reduction.reduction(contract, words),
        "flow": dataflow.handoff_table(contract, words),
        "later": later.later(contract, words),
        "tiles": tiles.tiles(contract, words) if tiles.attached(contract) else None,
        "verification": tables.verification(contract, words),
    }


def _badges(contract: Contract, supplement: Supplement, words: Words) -> Iterator[tuple[str, Safe]]:
    """What a reader wants to know first: a class, and what it says."""
    yield "plain", words.say("page.modules", count=len(contract.modules))
    sections = {module.section for module in contract.modules}
    for name in ("cube", "vector"):
        count = sum(module.section == name for module in contract.modules)
        if count:
            yield name, words.say("page.count", section=words.say(f"section.{name}"), count=count)
    if sections >= SECTIONS:
        yield "plain", words.say("page.fused")
    handoffs = sum(1 for _ in crossings(contract))
    if handoffs:
        yield "handoff", words.say("page.handoffs", count=handoffs)
    if supplement.proof:
        proof = supplement.proof
        passed, total = words.prose(proof.passed), words.prose(proof.total)
        yield proof.status.lower(), words.say(f"page.proof.{proof.status.lower()}", passed=passed, total=total)
    if supplement.findings is not None:
        wrong = any(finding.severity is Severity.ERROR for finding in supplement.findings)
        count = len(supplement.findings)
        yield "fail" if wrong else "plain", words.say("page.findings", count=count)


def _proof(proof: Proof | None, words: Words) -> Mapping[str, Any] | None:
    if proof is None:
        return None
    rows = [
        tuple(map(words.prose, (c.id, c.status, c.bindings, c.seed, c.absolute, c.relative, c.detail)))
        for c in proof.cases
    ]
    return {
        "failed": proof.status != "PASS",
        "verdict": words.say(
            f"page.proof.{proof.status.lower()}", passed=words.prose(proof.passed), total=words.prose(proof.total)
        ),
        "summary": words.prose(proof.summary),
        "findings": [words.prose(finding) for finding in proof.findings],
        "columns": words.columns("page.case_columns"),
        "rows": rows,
    }


def _findings(findings: tuple[Finding, ...] | None, words: Words) -> Mapping[str, Any] | None:
    if findings is None:
        return None
    return {
        "columns": words.columns("page.finding_columns"),
        "rows": [_finding(finding, words) for finding in findings],
    }


def _finding(finding: Finding, words: Words) -> Cells:
    place = finding.location
    where = ":".join(str(number) for number in (place.line, place.column) if number)
    texts = (finding.severity.value, finding.rule, finding.message, where, finding.hint)
    return tuple(map(words.prose, texts))
