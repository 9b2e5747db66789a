"""The page as text: reviewed outputs, and hostile values against an HTML parser. How it looks is in test_browser.py."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_examples import HOSTILE, PAGES, full, hostile_supplement, twenty
from render_contracts import CONTRACTS, contract
from render_plan import PLAN
from test_section import ANY, contracts

from r0kit.contract.model import Contract
from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.render import Lang, html, with_plan
from r0kit.render.escape import HTML
from r0kit.render.supplement import Source, Supplement, proof_of
from r0kit.render.words import load

Expected = Callable[[str, str], None]
REVIEWED = {"attention": Lang.EN, "whole_sum": Lang.ZH, "hostile": Lang.EN, "older": Lang.ZH}
VOID = {"meta", "link", "br", "path", "rect", "circle"}
ELEMENTS = set(
    """html head meta title link style body a header p h1 h2 h3 h4 ul ol li nav span main section div svg desc defs
    marker path rect circle text article table caption thead tbody tr th td code strong dl dt dd footer br""".split()  # noqa: SIM905
)
ATTRIBUTES = set(
    """lang charset http-equiv content name rel href class id aria-label aria-labelledby aria-describedby role tabindex
    scope xmlns width height viewbox refx refy markerwidth markerheight markerunits orient preserveaspectratio d x y rx
    cx cy r text-anchor marker-end""".split()  # noqa: SIM905
)


SCALAR = st.none() | st.booleans() | st.floats() | st.integers() | ANY
PLAN_KEYS = st.sampled_from(["id", "name", "phases", "candidates", "axes", "extents", "tile", "live_bytes", "cases"])


class Outline(HTMLParser):
    """Elements, attributes and texts; complains where an end tag does not fit."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: set[str] = set()
        self.texts: list[str] = []
        self.comments: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {key for key, _ in attrs}
        self.targets |= {str(value) for key, value in attrs if key == "href"}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def checked(text: str) -> Outline:
    outline = Outline(text)
    assert outline.elements <= ELEMENTS
    assert outline.attributes <= ATTRIBUTES
    assert all(re.fullmatch(r"#[a-z0-9-]+|data:,", target) for target in outline.targets)
    assert outline.comments == []
    return outline


@pytest.mark.parametrize("name", REVIEWED)
def test_html(name: str, expected: Expected) -> None:
    supplement = {"attention": full(), "hostile": hostile_supplement()}.get(name, Supplement())
    text = html(contract(name), REVIEWED[name], supplement)
    text = re.sub(r"<style>.*?</style>", "<style>...</style>", text, flags=re.DOTALL)
    expected(f"{name}.html", re.sub(r"sha256-[^']*", "sha256-...", text))


@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("name", CONTRACTS)
def test_every_contract_has_a_page(name: str, lang: Lang) -> None:
    outline = checked(html(contract(name), lang))
    text = "".join(outline.texts)
    for module in contract(name).modules:
        assert all(value.name.split("\n")[0] in text for value in module.outputs)


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_are_sound(name: str) -> None:
    checked(PAGES[name]())


def test_the_policy_names_the_style_and_nothing_else() -> None:
    from base64 import b64encode
    from hashlib import sha256

    text = html(contract("attention"), Lang.EN)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert style and policy
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert policy[1] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style[1] and "@import" not in style[1]


def test_hostile_values_read_as_written() -> None:
    outline = checked(html(contract("hostile"), Lang.EN, hostile_supplement()))
    shown = re.sub(r"\s+", " ", HOSTILE).replace("\u202e", "\ufffd")
    assert sum(shown in text for text in outline.texts) >= 6


def test_lines_of_the_golden_stand_beside_the_steps() -> None:
    some = contract("whole_sum")
    golden = Source("golden.py", ("def f(x):", "", "", "", "    a  = x.float()", "\tb = '<i>\u202e'"))
    outline = checked(html(some, Lang.EN, Supplement(golden)))
    assert "a  = x.float()" in outline.texts and "b = '<i>\ufffd'" in outline.texts
    assert "Golden: golden.py" in outline.texts
    assert "def f(x):" not in outline.texts
    short = Source("golden.py", ("one line",))
    assert "Golden: golden.py" not in checked(html(some, Lang.EN, Supplement(short))).texts


def test_findings_are_told_or_that_there_are_none() -> None:
    some = contract("whole_sum")
    assert "Findings" not in checked(html(some, Lang.EN)).texts
    assert "No findings: the contract passes every rule." in checked(html(some, Lang.EN, Supplement(findings=()))).texts
    found = Finding("rule9", Severity.ERROR, "two sections", Location("c.yaml", 7, 3), "choose one")
    texts = checked(html(some, Lang.EN, Supplement(findings=(found,)))).texts
    assert {"rule9", "two sections", "7:3", "choose one", "findings: 1"} <= set(texts)


def test_tiles_of_a_plan_stand_on_the_page_and_on_the_cards() -> None:
    text = html(with_plan(contract("row_softmax"), PLAN), Lang.EN)
    assert 'id="tiles"' in text and text.count(f"<caption>{load(Lang.EN, HTML).say('tiles.heading')}</caption>") > 1
    checked(text)
    assert 'id="tiles"' not in html(contract("row_softmax"), Lang.EN)


@settings(deadline=None)
@given(st.recursive(SCALAR, lambda inner: st.lists(inner) | st.dictionaries(PLAN_KEYS | ANY, inner)))
def test_any_plan_stays_in_its_place(modules: object) -> None:
    checked(html(with_plan(contract("row_softmax"), {"modules": modules, "platform": modules}), Lang.EN))


def verdict(**fields: object) -> str:
    return json.dumps({"status": "FAIL", "cases_passed": 1, "cases_total": 2, "checks": [], **fields})


def test_a_failing_module_says_so_on_its_card() -> None:
    first = {"failing_module_boundary": 2, "summary": "y is off by 0.5"}
    proof = proof_of(verdict(first_failure=first), "v.json")
    texts = checked(html(contract("row_softmax"), Lang.EN, Supplement(proof=proof))).texts
    assert texts.count("Verification fails here first: y is off by 0.5") == 1
    assert "verification fails: 1 of 2 cases pass" in texts


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "1", '{"status": "PASS"}', '{"status": "MAYBE", "checks": []}'),
        *('{"status": "PASS", "checks": 3}', "[" * 100_000, '{"status": "PASS", "checks": [' + "9" * 5000 + "]}"),
    ],
)
def test_what_is_no_report_of_a_verification_is_a_finding(text: str) -> None:
    with pytest.raises(InputError) as error:
        proof_of(text, "v.json")
    finding = error.value.findings[0]
    assert finding.rule == "render.verify" and finding.location.path == "v.json" and finding.hint


JSON = st.recursive(SCALAR, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner))
KEYS = ["cases_passed", "cases_total", "first_failure", "findings", "op_name"]
CHECK = st.dictionaries(
    st.sampled_from(["id", "status", "bindings", "seed", "failure", "reason", "max_abs_diff"]), JSON
)


@settings(deadline=None)
@given(contracts(), st.dictionaries(st.sampled_from(KEYS), JSON), st.lists(CHECK | JSON, max_size=3), ANY)
def test_any_text_stays_in_its_place(
    some: Contract, fields: dict[str, object], checks: list[object], text: str
) -> None:
    proof = proof_of(json.dumps({**fields, "status": "PASS", "checks": checks}), "v.json")
    findings = (Finding(text, Severity.WARNING, text, Location(text, 1, 1), text),)
    checked(html(some, Lang.ZH, Supplement(Source(text, (text, text)), proof, findings)))


def test_many_modules_are_not_all_linked_at_the_top() -> None:
    text = html(twenty(count=30), Lang.EN)
    nav = text[text.index("<nav") : text.index("</nav>")]
    assert '<a href="#modules">' in nav and "#module-1" not in nav
