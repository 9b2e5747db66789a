"""What `--fix` changes, and that it changes nothing else."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus import CASES, VALID
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract.read import parse
from r0kit.contract.wire import producer
from r0kit.finding import InputError
from r0kit.validate import order, validate_text
from r0kit.validate.examples import completed
from r0kit.validate.fix import Fixed, fixed
from r0kit.validate.subject import Subject

TEMPLATE = Path(__file__).parents[2] / "templates/module_interfaces.yaml.j2"


def contract(example: str) -> str:
    """The whole contract of which `example` shows some lines, with its keys in order."""
    return order.ordered(completed(example), lambda _: True)[0]


RIGHT = contract("op: shift")
CUBE = contract("section: cube")  # a vector Module and a cube Module that reads it


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("module_count: 2", "module_count: 7"),
        ("module_count: 2", "module_count:   +0x7   # how many"),
        ("module_count: 2", "module_count: !!int '7'"),
        ("module_count: 2", "module_count: &n 7"),
        ("module_count: 2", "'module_count': 7.0"),
    ],
)
def test_the_count(old: str, new: str) -> None:
    text = RIGHT.replace(old, new)
    result = fixed(text, "c")
    assert result.text == re.sub(r"\+?0x7|7\.0|7", "2", text, count=1)
    assert result.changes[0].startswith("module_count: 2 (was ")


@pytest.mark.parametrize("count", ["'2 '", "two", "~", "[7]", "true"])
def test_what_is_no_count_is_left_to_a_person(count: str) -> None:
    text = RIGHT.replace("module_count: 2", f"module_count: {count}")
    assert fixed(text, "c") == Fixed(text)


def test_flags() -> None:
    text = CUBE.replace("module_count: 2", "module_count: 2\nhas_cross_core: False  # no\nis_fusion: off")
    wanted = text.replace("False  # no", "true  # no").replace("off", "true")
    assert fixed(text, "c").text == wanted
    plain = contract("is_fusion: true\nhas_cross_core: yes")
    assert fixed(plain, "c").text == plain.replace("true", "false", 1).replace("yes", "false")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_flags_that_are_missing_stand_below_the_count(end: str) -> None:
    text = CUBE.replace("module_count: 2", "module_count: 2 # two").replace("\n", end)
    wanted = text.replace("# two", f"# two{end}has_cross_core: true{end}is_fusion: true")
    assert fixed(text, "c").text == wanted


MODULES = """modules:
  - {id: 1, section: cube, inputs: [], outputs: [{name: t}]}
  - {id: 2, section: vector, inputs: [{name: t, source: module_1}], outputs: []}
"""
# Two keys of one name, so that no order of keys is put right.
TWICE = "note: 1\nnote: 1\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("before", "count", "after"),
    [
        (TWICE, "module_count: 2 # two", f"\n{MODULES}"),
        (f"\n{TWICE}{MODULES}", "module_count: 2", ""),
        (f"{TWICE}{MODULES}", "module_count: 2", "\n"),
    ],
)
def test_flags_that_are_missing_where_no_order_is_put_right(before: str, count: str, after: str, end: str) -> None:
    for indent in ("", "  "):
        texts = ("".join(f"{indent}{line}" for line in part.splitlines(True)) for part in (before, count, after))
        first, middle, last = (text.replace(f"\n{indent}\n", "\n\n") for text in texts)
        last = after and f"\n{last.removeprefix(indent).removeprefix(chr(10))}"
        text = f"{first}{middle}{last}".replace("\n", end)
        flags = f"{end}{indent}is_fusion: true{end}{indent}has_cross_core: true"
        wanted = f"{first}{middle}".replace("\n", end) + flags + last.replace("\n", end)
        result = fixed(text, "c")
        assert result.text == wanted
        assert result.changes == ("is_fusion: true (was missing)", "has_cross_core: true (was missing)")


@pytest.mark.parametrize("flag", ["maybe", "'false'", "0", "~"])
def test_what_is_no_flag_is_left_to_a_person(flag: str) -> None:
    text = contract(f"is_fusion: {flag}")
    assert fixed(text, "c") == Fixed(text)


@pytest.mark.parametrize(("most", "count"), [(1, 9), (2, 2)])
def test_changes_are_tried_one_by_one_where_there_are_few(
    most: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r0kit.validate.fix._MOST", most)
    text = contract("inputs: [{name: t, source: &a phase_1}]\ngolden_stage_fn: *a\nmodule_count: 9")
    assert fixed(text, "c").text == text.replace("module_count: 9", f"module_count: {count}")


def test_flags_of_a_contract_in_braces() -> None:
    text = (
        "{op: a, module_count: 2, modules: [{id: 1, section: cube, inputs: [], outputs: [{name: t}]},\n"
        "{id: 2, section: vector, inputs: [{name: t, source: module_1}], outputs: []}]}\n"
    )
    wanted = text.replace("module_count: 2", "module_count: 2, is_fusion: true, has_cross_core: true")
    assert fixed(text, "c").text == wanted


def test_older_spellings() -> None:
    text = contract(
        "inputs: [{name: t, source: phase_1}, {name: t, source: 'phase_01'}]\n"
        "boundary: [{kind: section, from: phase_1, value: phase_1}]\nfinal_outputs: [{name: y, source: phase_2}]"
    )
    wanted = text.replace("source: phase", "source: module").replace("'phase", "'module").replace("from: p", "from: q")
    assert fixed(text, "c").text == wanted.replace("from: qhase", "from: module")


@pytest.mark.parametrize("source", ["phase_0", "phases_1", "Phase_1", "phase_x", "primary"])
def test_what_is_no_older_spelling(source: str) -> None:
    text = contract(f"inputs: [{{name: t, source: {source}}}]")
    assert fixed(text, "c") == Fixed(text)


def test_an_anchor_that_something_else_means_too_is_left_alone() -> None:
    text = contract("description: &a phase_1\ninputs: [{name: t, source: *a}]")
    assert fixed(text, "c") == Fixed(text)
    text = contract("inputs: [{name: t, source: &a phase_1}]\ngolden_stage_fn: *a\nmodule_count: 9")
    result = fixed(text, "c")
    assert result.text == text.replace("module_count: 9", "module_count: 2"), "one change does not spoil another"
    assert result.changes == ("module_count: 2 (was 9)",)


def test_the_order_of_keys_takes_comments_and_line_ends_along() -> None:
    text = (
        "# head\nmodules:\n  - outputs: []   # out\n    # the id\n    # of it\n    id: 1\n\n    inputs: []\n    mine: 1\n"
        '    description: |\n      # text\n\n      more\n  - {outputs: [], id: 2}\n# op\nop: "a"\nmodule_count: 2'
    )
    wanted = (
        '# head\n# op\nop: "a"\nmodule_count: 2\nmodules:\n    # the id\n    # of it\n  - id: 1\n\n'
        "    description: |\n      # text\n\n      more\n    inputs: []\n    mine: 1\n    outputs: []   # out\n"
        "  - {outputs: [], id: 2}"
    )
    for end in ("\n", "\r\n", "\r"):
        assert fixed(text.replace("\n", end), "c").text == wanted.replace("\n", end)
    assert fixed(text, "c").changes == ("order of keys in the contract", "order of keys in modules[0]")


def test_a_comment_behind_a_module_stays_there() -> None:
    head = "op: a\nmodule_count: 1\nmodules:\n  - id: 1\n"
    outputs, inputs = (
        "    outputs: []\n",
        "    inputs:\n      - {name: x, source: primary}\n      - name: y\n        source: z\n",
    )
    rest = "\n# what the golden returns\nfinal_outputs: []\n"
    assert fixed(head + outputs + inputs + rest, "c").text == head + inputs + outputs + rest
    items = "    golden_steps:\n      - y = x\n"
    assert fixed(head + inputs + items + rest, "c").text == head + items + inputs + rest
    assert fixed(head + outputs + items + rest, "c").text == head + items + outputs + rest


@pytest.mark.parametrize(
    "text",
    [
        "module_count: 1\nop: a\nop: b\n",  # which of the two?
        "{module_count: 1, op: a}\n",
        "module_count: &n 1\nop: *n\n",
        'module_count: "\n# 1"\nop: a\n',
        "- op: a\n",
        "",
    ],
)
def test_where_the_order_stays(text: str) -> None:
    assert fixed(text, "c") == Fixed(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85"])
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("? module_count\n: 1\n? op\n: a\n", "? op\n: a\n? module_count\n: 1\n"),
        ("? module_count\n: 1\nop: a\n", "op: a\n? module_count\n: 1\n"),
        ("module_count: 1\nop: a", "op: a\nmodule_count: 1"),
        ("module_count: 1\n\nop: a", "op: a\nmodule_count: 1\n"),  # a blank line, and no more lines than before
        ("mine: 1\nmodule_count: 1\nschema_version: 1", "mine: 1\nschema_version: 1\nmodule_count: 1"),
        (
            "op: a\nmodules:\n  - id: 1\n    inputs: []\n    description: |\n      more\n  - id: 2\n",
            "op: a\nmodules:\n  - id: 1\n    description: |\n      more\n    inputs: []\n  - id: 2\n",
        ),
    ],
)
def test_keys_are_put_in_order_with_their_lines(text: str, wanted: str, end: str) -> None:
    assert fixed(text.replace("\n", end), "c").text == wanted.replace("\n", end)


def test_mappings_are_tried_one_by_one_so_often_and_no_more() -> None:
    module = "  - inputs: []\n    id: 1\n"
    text, tried = f"modules:\n{module * 1000}", []
    assert order.ordered(text, lambda new: bool(tried.append(new))) == (text, ())
    assert len(tried) < 500


def test_only_the_contract_and_its_modules_have_an_order() -> None:
    text = (
        "op: a\nmodule_count: 1\nparams:\n  name: 1\n  id: 2\nsymbols:\n  - name: K\n    id: 3\n"
        "modules:\n  - id: 1\n    inputs: []\n    outputs: []\n    traversal:\n      name: 1\n      id: 2\n"
        "    boundary:\n      - name: 1\n        id: 2\n"
    )
    text = text.replace("    traversal", "    boundary: []\n    traversal", 1).partition("    boundary:\n      -")[0]
    assert fixed(text, "c") == Fixed(text)


def test_a_module_whose_order_must_stay_does_not_keep_another_from_its_own() -> None:
    head = "op: a\nmodule_count: 2\nmodules:\n"
    first = "  - outputs: &o []\n    inputs: *o\n    id: 1\n"  # an alias stands behind its anchor
    second = "  - outputs: []\n    inputs: []\n    id: 2\n"
    for modules in (first + second, second.replace("2", "1") + first.replace("1", "2")):
        result = fixed(head + modules, "c")
        other = next(part for part in ("id: 1", "id: 2") if f"inputs: []\n    {part}" in modules)
        moved = modules.replace(
            f"outputs: []\n    inputs: []\n    {other}", f"{other}\n    inputs: []\n    outputs: []"
        )
        assert result.text == head + moved
        assert result.changes == (f"order of keys in modules[{int(other[-1]) - 1}]",)


def test_the_order_is_that_of_the_template() -> None:
    template = TEMPLATE.read_text("utf-8")
    assert tuple(re.findall(r'pair\("(\w+)"', template)) == order.CONTRACT
    (modules,) = re.findall(r'"modules", open=true, order=\[([^]]*)\]', template)
    assert tuple(re.findall(r'"(\w+)"', modules)) == order.MODULE


def test_what_is_no_yaml_is_refused() -> None:
    with pytest.raises(InputError):
        fixed("op: [", "c")


def test_many_modules_out_of_order() -> None:
    module = "  - section: vector\n    id: {}\n    inputs: []\n    outputs: []\n"
    text = f"op: a\nmodule_count: 9\nmodules:\n{''.join(map(module.format, range(1, 3001)))}"
    result = fixed(text, "c")
    assert len(result.changes) == 3001
    assert fixed(result.text, "c") == Fixed(result.text)


_SPOILS = (
    ("module_count: ", "module_count: 1"),
    ("source: module_", "source: phase_"),
    ("section: vector", "section: cube"),
    ("is_fusion: ", "is_fusion: !!bool "),
    ("\n", "\r\n"),
    ("\n", "  \n"),
    ("\n", " # said\n"),
    ("name: ", "name:    "),
    ("source: module_1", "source: 'phase_1'"),
    ("modules:\n", "modules:\n\n# Modules\n"),
    ("is_fusion: false\n", ""),
    ("has_cross_core: false\n", ""),
)


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A contract of the corpus with some of its lines moved and some of its texts replaced."""
    text = draw(st.sampled_from([*VALID, *(case.yaml for case in CASES)]))
    for old, new in draw(st.lists(st.sampled_from(_SPOILS), max_size=5)):
        text = text.replace(old, new)
    lines = text.splitlines(True)
    for _ in range(draw(st.integers(0, 3))):
        index = draw(st.integers(0, max(len(lines) - 1, 0)))
        lines.insert(draw(st.integers(0, len(lines))), lines.pop(index) if lines else "op: a\n")
    return "".join(lines)


def older_spellings(text: str) -> Iterator[str]:
    subject = Subject(parse(text, "c"))
    for wire in (*(wire for module in subject.modules for wire in module.inputs), *subject.finals):
        source = wire.data.get("source")
        if producer(source) is not None and source.startswith("phase"):
            yield source


def _other_lines(text: str) -> Counter[str]:
    """The lines in which nothing is changed, blanks at their ends included; those of keys may move, and lose a dash."""
    lines = (line.lstrip(" -") for line in re.split(r"\r\n|\r|\n", text))
    return Counter(
        line for line in lines if not re.search("module_count|is_fusion|has_cross_core|(phase|module)_", line)
    )


def _ends(text: str) -> Counter[str]:
    return Counter(re.findall(r"\r\n|\r|\n", text))


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\S+", text))


def test_what_is_fixed_is_fixed_and_the_rest_is_as_it_was(long_mode: bool) -> None:
    @settings(max_examples=5_000 if long_mode else 150, deadline=None)
    @given(spoilt())
    def check(text: str) -> None:
        try:
            before = parse(text, "c")
        except InputError:
            return
        new, changes = fixed(text, "c")
        assert (new == text) == (not changes)
        assert fixed(new, "c") == Fixed(new), "once is enough"
        after = {finding.rule for finding in validate_text(new, "c").findings}
        told = {finding.rule for finding in validate_text(text, "c").findings}
        assert after <= told | {"rule3"}, "a final output may be beyond the true count"
        if not before.duplicates and "!!" not in text:
            assert not after & {"rule7", "rule10"}
            assert not list(older_spellings(new))
        assert _other_lines(new) == _other_lines(text)
        added = sum("was missing" in change for change in changes)
        assert sum(_ends(new).values()) - sum(_ends(text).values()) == added
        assert added or _ends(new) == _ends(text)
        fresh = {"true", "false", "is_fusion:", "has_cross_core:"}
        assert {word for word in _words(new) - _words(text) if "module_" not in word} <= fresh | {
            word for word in _words(new) if word.isdecimal()
        }
        assert _words(text) - _words(new) <= Counter(re.findall(r"\S*phase_\S*|\w+", text))

    check()
