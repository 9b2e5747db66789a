"""Section 0 inside DESIGN.md files as people have them: what is replaced, what is added, and that all else stays."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract.model import Contract, Module, Tensor, Verification, Wire
from r0kit.finding import InputError
from r0kit.render import Lang, markdown, new_design, update
from r0kit.render.section import BLOCKS

BEGIN = re.compile(r"<!-- r0kit:begin (\w+)")
BLOCK_IDS = [block.id for block in BLOCKS]


def contract(goal: str = "row maximum") -> Contract:
    first = Module(
        1, "stats", goal, "vector", ("m = amax(x, N)",), (Wire("x", 0),), (Tensor("m", "[M, 1]", "float32"),)
    )
    second = Module(2, "out", "y", "vector", ("y = x - m",), (Wire("x", 0), Wire("m", 1)), (Tensor("y", "[M, N]"),))
    inputs = (Tensor("x", "[M, N]", "float16"),)
    check = Verification(1e-3, 1e-3, "", (42,), ({"M": 4, "N": 8},))
    return Contract("demo", 2, inputs, (first, second), (Wire("y", 2),), check)


# The shape of the official template: same headings, same kinds of placeholders, a later section behind a ruler.
TEMPLATE = """# demo 设计

---

## §0 Module 划分（R0 输出）

> 先按数据依赖确定边界。

### 维度契约

- **kernel 接收与处理维度**：{逐项列出}
- **kernel 内维度适配规则**（SPEC 要求时填写）：

| SPEC 输入 shape | kernel 接收 | kernel 内索引/stride 映射 | 输出形态 |
|-----------------|-------------|---------------------------|----------|
| {如 [L]} | {原始 [L]} | {按 L 索引} | {输出} |

### Wrapper 边界外操作

空

### 划分依据

{数据依赖边界}

### Module 列表

| Module | 目的 | 输入依赖 | 输出 | Section |
|-------|------|---------|------|---------|
| Module 1 | {purpose} | {dependency} | {output} | {section_vector / section_cube} |
| Module 2 | ... | ... | ... | ... |

> 若只有一个 Module，说明为什么不需要拆分。

### 归约轴容量结论

> 含归约算子时必填。

- **归约轴是否可能超单 tile**：{是 / 否}
- **多Tile归约方案**：{常规多遍 / 在线统计}

### Module 级数据流

```
{Module 间的数据流向示意}
```

---

## §1 API 映射（R1 输出）

| API | {dtype} |
|-----|---------|
| {api} | {x} |
"""


def merged(text: str, lang: Lang | None = None) -> str:
    """`text` brought up to date, once checked that a second time changes nothing."""
    done = update(text, contract(), lang, "DESIGN.md")
    assert update(done, contract(), None, "DESIGN.md") == done
    return done


def outside(text: str) -> str:
    """What no marker encloses."""
    return re.sub(r"<!-- r0kit:begin.*?r0kit:end \w+ -->\r?\n?", "", text, flags=re.DOTALL)


def in_order(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def test_untouched_template_is_filled() -> None:
    done = merged(TEMPLATE)
    head, later = done.split("## §1")
    assert BEGIN.findall(done) == BLOCK_IDS
    assert "{" not in outside(head) and "| Module 2 | ... |" not in done
    assert "\n空\n" not in outside(head) and "| Module | 目的 |" not in done
    assert later == TEMPLATE.split("## §1")[1], "a later section is nobody's business"
    guidance = [line for line in TEMPLATE.splitlines() if line.startswith((">", "#", "---"))]
    assert in_order(guidance, done.splitlines())


def test_every_subsection_sits_under_its_own_heading() -> None:
    done = merged(TEMPLATE)
    headings = re.findall(r"^### (.*?)\n.*?<!-- r0kit:begin (\w+)", done, flags=re.MULTILINE | re.DOTALL)
    assert dict(headings)["Module 列表"] == "modules" and dict(headings)["归约轴容量结论"] == "reduction"
    assert [block for _, block in headings] == BLOCK_IDS


def test_older_template_keeps_its_headings() -> None:
    old = (
        TEMPLATE.replace("Module 划分", "Phase 划分")
        .replace("### Module", "### Phase")
        .replace("| Module 1", "| Phase1")
    )
    old = old.replace(
        "### Wrapper 边界外操作\n\n空", "### Wrapper 操作清单\n\n| API | 证据 |\n|---|---|\n| {空} | {N/A} |"
    )
    old = old.replace("| {原始 [L]} | {按 L 索引} | {输出} |", "| reshape [L,1] | [M,N] | reshape 回 [L] |")
    done = merged(old.replace("- **多Tile归约方案**", "- **是否采用多 tile 归约（online / 两遍法）**"))
    assert BEGIN.findall(done) == BLOCK_IDS
    assert "### Phase 列表\n\n<!-- r0kit:begin modules" in done
    assert "### Phase 级数据流\n\n<!-- r0kit:begin dataflow" in done
    assert "### Module 列表" not in done and "{" not in outside(done.split("## §1")[0])


def test_hand_written_lines_stay() -> None:
    written = TEMPLATE.replace("{数据依赖边界}", "我们选择 `{a: 1}` 这样的划分。\n\n因为 {一个集合} 放得下。")
    written = written.replace("> 若只有", "表格下面的说明。\n\n> 若只有").replace(
        "### Module 列表\n", "### Module 列表\n\n导言\n"
    )
    done = merged(written)
    for line in ("我们选择 `{a: 1}` 这样的划分。", "因为 {一个集合} 放得下。", "表格下面的说明。", "导言"):
        assert line in outside(done).splitlines()
    assert "划分。\n\n因为 {一个集合} 放得下。\n\n<!-- r0kit:begin basis" in done


@pytest.mark.parametrize(
    "own", ["{1, 2, 3}", '```\n{"q": "x"}\n```', "```json\n{}\n```", "{a: b}", "| a |\n|---|\n| {1} |"]
)
def test_braces_of_ones_own_stay(own: str) -> None:
    done = merged(TEMPLATE.replace("{数据依赖边界}", own))
    assert f"### 划分依据\n\n{own}\n\n<!-- r0kit:begin basis" in done


def test_half_filled_table_is_a_persons() -> None:
    filled = TEMPLATE.replace("| Module 1 | {purpose} | {dependency}", "| Module 1 | 求行最大值 | x")
    done = merged(filled)
    assert "| Module 1 | 求行最大值 | x | {output} | {section_vector / section_cube} |" in done.splitlines()
    assert "| Module 2 | ... | ... | ... | ... |\n" in done
    assert done.index("求行最大值") < done.index("r0kit:begin modules")


def test_only_blocks_change_when_the_contract_does() -> None:
    done = merged(TEMPLATE)
    noted = done.replace("### 归约轴容量结论", "人工备注，两段之间\n\n### 归约轴容量结论")
    again = update(noted, contract("a new goal"), None, "DESIGN.md")
    assert again != noted and "a new goal" in again
    assert outside(again) == outside(noted)


@pytest.mark.parametrize("text", [TEMPLATE, "# t\n\n## §0 Module 划分\n", "# t\n\n## §2 x\n"])
def test_crlf_stays_crlf(text: str) -> None:
    done = merged(text.replace("\n", "\r\n"))
    assert done.count("\n") == done.count("\r\n")
    assert done == merged(text).replace("\n", "\r\n")


def test_lines_with_mixed_endings_keep_their_own() -> None:
    mixed = "# t\n\nby hand\r\nmore\n\n## §0 Module 划分\r\n\r\n## §1 x\n"
    done = merged(mixed)
    assert "by hand\r\nmore\n" in done and "## §0 Module 划分\r\n" in done and done.endswith("## §1 x\n")


def test_empty_document_gets_the_whole() -> None:
    assert merged("") == new_design(contract(), Lang.ZH)
    assert merged("", Lang.EN) == new_design(contract(), Lang.EN)


def test_deleted_section_returns_before_the_later_ones() -> None:
    without = "# t\n\nabout\n\n## 背景\n\nhand\n\n## §1 API 映射\n\nkeep\n"
    done = merged(without)
    assert done.index("hand") < done.index("## §0 Module 划分（R0 输出）") < done.index("## §1 API")
    assert outside(done).startswith("# t\n\nabout\n\n## 背景\n\nhand\n\n## §0")
    assert done.endswith("## §1 API 映射\n\nkeep\n")


def test_sections_before_and_after_stay_as_they_are() -> None:
    before, after = (
        "## §-1 背景\n\n| a |\n|---|\n| {x} |\n\n",
        "## §1 API 映射（R1 输出）\n\n### Module 列表\n\n{keep}\n",
    )
    section = "## §0 Module 划分（R0 输出）\n\n### 划分依据\n\n人工说明\n\n"
    done = merged(f"# t\n\n{before}{section}{after}")
    assert done.startswith(f"# t\n\n{before}## §0 Module 划分") and done.endswith(f"\n{after}")
    assert "人工说明" in outside(done) and BEGIN.findall(done) == BLOCK_IDS
    deleted = merged(f"# t\n\n{before}{after}")
    assert deleted.endswith(f"\n{after}") and before.strip() in deleted and BEGIN.findall(deleted) == BLOCK_IDS


def test_document_without_sections_gets_it_at_the_end() -> None:
    assert merged("# only a title").startswith("# only a title\n\n## §0")


def test_renamed_section_is_found_by_its_markers() -> None:
    renamed = merged(TEMPLATE).replace("## §0 Module 划分（R0 输出）", "## 模块怎么切")
    again = update(renamed, contract("another goal"), None, "DESIGN.md")
    assert "§0" not in again and again.count("r0kit:begin modules") == 1
    assert outside(again) == outside(renamed)


@pytest.mark.parametrize("block", BLOCK_IDS)
def test_a_removed_block_comes_back_in_its_place(block: str) -> None:
    done = merged(TEMPLATE)
    gone = re.sub(rf"<!-- r0kit:begin {block}.*?r0kit:end {block} -->\n", "", done, flags=re.DOTALL)
    assert BEGIN.findall(gone) == [other for other in BLOCK_IDS if other != block]
    back = merged(gone)
    assert BEGIN.findall(back) == BLOCK_IDS
    assert [line for line in outside(back).splitlines() if line] == [
        line for line in outside(done).splitlines() if line
    ]


@pytest.mark.parametrize("block", BLOCK_IDS)
def test_a_removed_subsection_comes_back_in_its_place(block: str) -> None:
    done = merged("")
    gone = re.sub(rf"### [^\n]*\n\n<!-- r0kit:begin {block}.*?r0kit:end {block} -->\n\n?", "", done, flags=re.DOTALL)
    assert BEGIN.findall(gone) == [other for other in BLOCK_IDS if other != block]
    assert merged(gone).strip() == done.strip()


def test_language_follows_the_markers_unless_asked() -> None:
    english = merged(TEMPLATE, Lang.EN)
    assert "mathematical goal" in english
    assert "mathematical goal" in update(english, contract("new"), None, "DESIGN.md")
    assert "数学目标" in update(english, contract(), Lang.ZH, "DESIGN.md")


def test_markers_and_headings_in_fences_are_text() -> None:
    quoted = "# t\n\n```md\n<!-- r0kit:begin modules lang=zh -->\n## §0 Module 划分\n```\n\n## §1 x\n"
    done = merged(quoted)
    assert quoted.split("## §1")[0] in done
    assert done.index("r0kit:begin dimensions") > done.index("```\n")


BROKEN = {
    "begin without end": ("<!-- r0kit:begin modules lang=zh -->\nx\n", 1, "without its end"),
    "end without begin": ("x\n<!-- r0kit:end modules -->\n", 2, "without its begin"),
    "nested": (
        "<!-- r0kit:begin modules -->\n<!-- r0kit:begin basis -->\n<!-- r0kit:end basis -->\n<!-- r0kit:end modules -->\n",
        2,
        "inside block 'modules'",
    ),
    "crossed": (
        "<!-- r0kit:begin modules -->\n<!-- r0kit:begin basis -->\n<!-- r0kit:end modules -->\n<!-- r0kit:end basis -->\n",
        2,
        "inside block 'modules'",
    ),
    "twice": (2 * "<!-- r0kit:begin basis -->\n<!-- r0kit:end basis -->\n", 3, "second block 'basis'"),
    "unknown block": ("<!-- r0kit:begin nonsense -->\n<!-- r0kit:end nonsense -->\n", 1, "not a marker"),
    "no block": ("\n<!-- r0kit:begin -->\n", 2, "not a marker"),
    "endless fence": ("a\n```\n<!-- r0kit:begin basis -->\n<!-- r0kit:end basis -->\n", 2, "never ends"),
    "two sections": ("## §0 Module 划分\n\n## §0 Module 划分\n", 3, "second section 0"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_markers_are_a_finding_with_a_line(name: str) -> None:
    text, line, says = BROKEN[name]
    with pytest.raises(InputError) as error:
        update(text, contract(), None, "d/DESIGN.md")
    finding = error.value.findings[0]
    assert finding.rule in {"render.markers", "render.section"} and says in finding.message and finding.hint
    assert (finding.location.path, finding.location.line) == ("d/DESIGN.md", line)


LINES = st.sampled_from(
    [
        *TEMPLATE.splitlines(),
        *markdown(contract(), Lang.ZH).splitlines(),
        *("text", "", "~~~", "````", "    code", "## §0 x", "# t", "### Module list", "<!-- r0kit:begin basis -->"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(LINES, st.sampled_from(["\n", "\n", "\r\n"])), max_size=40), st.booleans())
def test_any_document_is_refused_or_updated_for_good(rows: list[tuple[str, str]], cut: bool) -> None:
    text = "".join(map("".join, rows))
    text = text.rstrip("\r\n") if cut else text
    try:
        done = update(text, contract(), None, "DESIGN.md")
    except InputError as error:
        assert error.findings
        return
    assert update(done, contract(), None, "DESIGN.md") == done
    assert set(BEGIN.findall(done)) >= set(BLOCK_IDS)
