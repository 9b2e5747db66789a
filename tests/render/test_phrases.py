"""What the draft writes into reduction records reads in each language: no English is left in a Chinese section 0."""

import re

import pytest
from drawn import CASES, drafted, ids
from render_contracts import contract

from r0kit.contract.model import Contract
from r0kit.render import Lang, markdown
from r0kit.render.words import load

ENGLISH = re.compile(r"(?!(?:tile|mask|UB|GM|SPEC|Module|single_tile|conventional|p0|case)\b)\b[A-Za-z]\w+", re.ASCII)
LABELS = {
    "B": ("单遍", "a single traversal"),  # a Module before it makes the data, and none runs over the axis after it
    "C": ("常规多遍（3 遍）", "conventional, 3 traversals"),
    "E": ("在线统计，一遍完成", "statistics online, one traversal"),
    "F": ("在线统计加输出两遍", "statistics online, then a traversal for the output"),
    "G": ("在线统计及其后续遍历，共 3 遍", "statistics online, 3 traversals with those that use them"),
}


def line(text: str, axis: str) -> str:
    """What the list of schemes says of an axis."""
    return [line for line in text.splitlines() if line.lstrip("- ").startswith((f"`{axis}` 轴", f"axis `{axis}`"))][1]


@pytest.mark.parametrize(("axis", "said"), LABELS.items())
def test_a_scheme_is_called_by_the_traversals_that_are_made(axis: str, said: tuple[str, str]) -> None:
    for lang, words in zip((Lang.ZH, Lang.EN), said, strict=True):
        assert re.search(
            rf"[:：] ?{re.escape(words)}(?:[，,]|$)", line(markdown(contract("reduction_schemes"), lang), axis)
        )


def test_a_persons_own_words_stay_as_they_are() -> None:
    assert "the designer's own words" in line(markdown(contract("reduction_schemes"), Lang.ZH), "A")
    assert load(Lang.ZH).again("pinned; because I say so") is None


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_everything_the_draft_says_of_reductions_is_said_in_chinese(case: tuple[str, str]) -> None:
    said = load(Lang.ZH)
    for sentence in sentences(drafted(*case).contract):
        again = said.again(sentence)
        assert again is not None, sentence
        assert not re.search(
            r"[A-Za-z]{2,}", re.sub(r"`[^`]*`|tile|mask|UB|GM|SPEC|Module|single_|conventional", "", again)
        )


def sentences(drawn: Contract) -> list[str]:
    """Reasons of schemes, what the tail of each state must hold, and updates in words rather than as a formula."""
    states = [state for module in drawn.modules for state in (module.traversal or {}).get("state", ())]
    updates = [state["update"] for state in states if "=" not in state["update"]]
    return [*(record["why"] for record in drawn.reduction), *(state["tail_mask"] for state in states), *updates]


# What no labelled golden makes the draft say.
RARE = [
    "one Module per traversal moves less through GM than online: 5 bytes against 7; weighed at M = 4, N = 8 (bounds of SPEC); "
    "weighed at E = 64 (first p0 case); weighed at K = 1024 (assumed)",
    "one Module per traversal follows pins that online cannot",
    "the axis has no bound in SPEC; no recurrence is known: one Module per traversal",
    "pinned",
    "unbounded",
]


@pytest.mark.parametrize("sentence", RARE)
def test_rare_sentences_are_said_in_chinese(sentence: str) -> None:
    again = load(Lang.ZH).again(sentence)
    assert again is not None and not ENGLISH.search(re.sub(r"`[^`]*`", "", again))
    assert set(re.findall(r"\d+", sentence)) <= set(re.findall(r"\d+", again))
