"""Section 0 of whole contracts against reviewed outputs, and hostile values against a Markdown parser."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from page_examples import full, hostile_supplement
from render_contracts import CONTRACTS, contract
from render_plan import PLAN

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire
from r0kit.render import Lang, as_json, chart, markdown, new_design, page, update, with_plan
from r0kit.render.escape import HTML
from r0kit.render.section import BLOCKS, design
from r0kit.render.supplement import Supplement
from r0kit.render.words import Words, load

Expected = Callable[[str, str], None]


@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("name", CONTRACTS)
def test_markdown(name: str, lang: Lang, expected: Expected) -> None:
    expected(f"{name}.{lang.value}.md", markdown(contract(name), lang))


@pytest.mark.parametrize("name", CONTRACTS)
def test_mermaid(name: str, expected: Expected) -> None:
    expected(f"{name}.mmd", chart(contract(name), Lang.EN))


@pytest.mark.parametrize("name", CONTRACTS)
def test_json(name: str, expected: Expected) -> None:
    text = as_json(contract(name), Lang.EN)
    assert json.loads(text)["op"] == contract(name).op
    expected(f"{name}.json", text)


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("name", CONTRACTS)
def test_no_value_acts_as_html(name: str, lang: Lang) -> None:
    tokens = parsed(markdown(contract(name), lang))
    inline = [part for token in tokens for part in token.children or ()]
    html = {part.content for part in inline if part.type == "html_inline"}
    assert html <= {"<br>", "<code>", "</code>"}
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert len(blocks) == 2 * len(BLOCKS)
    assert all(re.fullmatch(r"<!-- r0kit:(begin|end) \w+.* ?-->", block) for block in blocks)


@pytest.mark.parametrize("lang", Lang)
def test_no_value_acts_as_markdown(lang: Lang) -> None:
    tokens = parsed(markdown(contract("hostile"), lang))
    kinds = Counter(part.type for token in tokens for part in token.children or ())
    assert not kinds["link_open"] and not kinds["em_open"] and not kinds["image"]
    headings = [tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == [load(lang).say(f"{name}.heading") for name in ["section", *(block.id for block in BLOCKS)]]


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_table_row_has_its_columns(name: str) -> None:
    cells: list[int] = []
    for token in parsed(markdown(contract(name), Lang.ZH)):
        cells += [0] if token.type == "tr_open" else []
        if token.type in ("th_open", "td_open"):
            cells[-1] += 1
    rows = [line for line in markdown(contract(name), Lang.ZH).splitlines() if line.startswith("| ")]
    separators = sum(set(row) <= set("| -") for row in rows)
    assert len(cells) == len(rows) - separators
    assert [row.count(" | ") + 1 for row in rows if not set(row) <= set("| -")] == cells


def test_hostile_values_read_as_written() -> None:
    text = "".join(
        part.content
        for token in parsed(markdown(contract("hostile"), Lang.EN))
        for part in token.children or ()
        if part.type in ("text", "text_special", "code_inline")
    )
    for value in (
        "<!-- r0kit:begin basis -->",
        "*bold* _it_",
        "a\\|b ~~no~~",
        "a || b",
        "`code` \\| `` two",
        "y\\|z",
        "</p>",
    ):
        assert value in text


def test_mermaid_labels_hold_no_syntax() -> None:
    for line in chart(contract("hostile"), Lang.EN).splitlines()[1:]:
        if "classDef" in line:
            continue
        labels = re.findall(r'"([^"]*)"', line)
        skeleton = re.sub(r'"[^"]*"', '""', line)
        assert re.fullmatch(r'  \w+(?:\(\[""\]\)|\[""\])(?::::\w+)?|  \w+ (?:-->|==>)(?:\|""\|)? \w+', skeleton), line
        assert not re.search(r"[`<>&%{}\\|]", "".join(labels).replace("<br>", ""))


def test_both_languages_say_the_same_things() -> None:
    zh, en = (load(lang).table for lang in (Lang.ZH, Lang.EN))
    assert list(zh) == list(en)
    for key, value in zh.items():
        assert type(value) is type(en[key])
        assert len(value) == len(en[key]) if isinstance(value, list) else places(value) == places(en[key]), key


def places(pattern: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", pattern))


class Recording(dict[str, Any]):
    """A table of words that remembers which of them were asked for."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        super().__init__(table)
        self.used: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.used.add(key)
        return super().__getitem__(key)


def test_the_contracts_here_use_every_word() -> None:
    words = Words(Lang.EN, Recording(load(Lang.EN).table))
    inked = Words(Lang.EN, Recording(load(Lang.EN, HTML).table), HTML)
    for name in CONTRACTS:
        design(contract(name), words)
        for supplement in (Supplement(), full(), hostile_supplement()):
            page.written(contract(name), inked, words, supplement)
    design(with_plan(contract("row_softmax"), PLAN), words)
    assert words.table.keys() == words.table.used | inked.table.used


def test_a_section_is_the_same_every_time() -> None:
    assert markdown(contract("attention"), Lang.ZH) == markdown(contract("attention"), Lang.ZH)


ANY = st.text(
    st.sampled_from("ab *_`|\\<>&[](){}~$#!-+=.:;\"'/1\n\r\t\u2028\u202e中\x07") | st.characters(), max_size=12
)
RECORD = st.dictionaries(
    st.sampled_from(["kind", "value", "axis", "x"]) | ANY, ANY | st.none() | st.lists(ANY), max_size=3
)


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    """A contract of one Module whose every text is anything at all."""
    value = Tensor(draw(ANY), draw(ANY), draw(ANY))
    wire = Wire(value.name, draw(st.integers(0, 1)))
    records = tuple(draw(st.lists(RECORD, max_size=2)))
    module = Module(
        *(1, draw(ANY), draw(ANY), draw(ANY), (draw(ANY),), (wire,), (value,)),
        *("", records, draw(RECORD), records, tuple(draw(st.lists(RECORD, max_size=2)))),
    )
    rest = {"params": draw(RECORD), "symbols": records, "reduction": records, "dimensions": records, "wrapper": records}
    return Contract(draw(ANY), 1, (value,), (module,), (wire,), Verification(policy=draw(ANY), shapes=records), **rest)


@settings(deadline=None)
@given(contracts())
def test_any_text_stays_in_its_place(made: Contract) -> None:
    text = new_design(made, Lang.EN)
    tokens = parsed(text)
    inline = [part for token in tokens for part in token.children or ()]
    assert {part.content for part in inline if part.type == "html_inline"} <= {"<br>", "<code>", "</code>"}
    assert {part.type for part in inline} <= {
        "text",
        "text_special",
        "code_inline",
        "html_inline",
        "strong_open",
        "strong_close",
    }
    assert sum(token.type == "html_block" for token in tokens) == 2 * len(BLOCKS)
    assert sum(token.type == "heading_open" for token in tokens) == len(BLOCKS) + 2
    assert sum(token.type == "fence" for token in tokens) == 2
    assert update(text, made, None, "DESIGN.md") == text
