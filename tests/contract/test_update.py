"""`gen --update`: what people wrote stays, what follows from the golden is new, and nothing goes without a word."""

from typing import NamedTuple

import handmade
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r0kit.contract.comments import comments_of
from r0kit.contract.draft import draft
from r0kit.contract.model import Contract, Tensor, Verification
from r0kit.contract.plain import plain
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.contract.update import update
from r0kit.contract.write import contract_text, data_text
from r0kit.finding import InputError, Severity

CASES = Verification(0.001, 0.001, "", (42,), ({"M": 4, "N": 128},))


def drafted(made=handmade.softmax_conventional):
    return draft(made()).contract._replace(verification=CASES)


def written(contract):
    return contract_text(contract)


def updated(new, old_text):
    """The contract that an update writes, and its findings."""
    result = update(plain(new), parse(old_text, "old.yaml"))
    return Result(contract_of(parse(result.text, "new.yaml")), result.findings, result.text)


class Result(NamedTuple):
    contract: Contract
    findings: tuple
    text: str


def said(result):
    return [(finding.rule, finding.severity, finding.message) for finding in result.findings]


def test_an_unchanged_contract_stays_as_it_is():
    result = updated(drafted(), written(drafted()))
    assert result.text == written(drafted())
    assert result.findings == ()


def test_what_people_choose_stays():
    old = drafted()
    first = old.modules[0]._replace(name="peak", description="largest of each row", extra={"owner": "ann"})
    verification = Verification(0.001, 0.001, "", (7, 8), ({"M": 1, "N": 5},))
    edited = old._replace(
        modules=(first, *old.modules[1:]), verification=verification, extra={"ticket": 17}, wrapper=("pad x",)
    )
    result = updated(drafted(), written(edited))
    new = result.contract
    assert (new.modules[0].name, new.modules[0].description) == ("peak", "largest of each row")
    assert new.modules[0].extra == {"owner": "ann"} and new.extra == {"ticket": 17} and new.wrapper == ("pad x",)
    assert new.verification == verification
    assert result.findings == ()


def test_a_placeholder_is_nothing_that_people_chose():
    old = drafted()
    edited = old._replace(modules=(old.modules[0]._replace(name="TODO", description="TODO: say"), *old.modules[1:]))
    result = updated(drafted(), written(edited))
    assert result.contract.modules[0].name == "row_max" and result.findings == ()


def test_a_conflict_with_the_golden_is_named_with_its_place():
    old = drafted()
    text = written(old._replace(primary_inputs=(Tensor("x", "[M, K]", "float16"),)))
    (finding,) = updated(drafted(), text).findings
    assert finding.rule == "gen.replaced" and finding.severity is Severity.WARNING
    assert finding.message == "primary_inputs[0].shape is '[M, N]' now; old.yaml had '[M, K]'"
    assert "[M, K]" in text.splitlines()[finding.location.line - 1]


def test_a_shape_in_another_spelling_is_no_conflict():
    text = written(drafted()).replace('shape: "[M, N]", dtype: float16', "shape: [M,N], dtype: float16")
    assert text != written(drafted())
    assert updated(drafted(), text).findings == ()


def test_records_that_the_draft_writes_are_told_once_each():
    old = drafted()
    last = old.modules[2]._replace(golden_steps=("y = softmax(x)",), boundary=({"kind": "pinned", "value": "s"},))
    result = updated(drafted(), written(old._replace(modules=(*old.modules[:2], last))))
    assert said(result) == [
        (
            "gen.replaced",
            Severity.NOTE,
            "golden_steps of Module 3 (normalize) is written anew; old.yaml had [y = softmax(x)]",
        ),
        (
            "gen.replaced",
            Severity.NOTE,
            "boundary of Module 3 (normalize) is written anew; old.yaml had [{kind: pinned, value: s}]",
        ),
    ]


def test_modules_are_matched_by_what_they_write_and_the_rest_is_named():
    old = drafted()
    names = ("peak", "total", "result")
    edited = old._replace(modules=tuple(m._replace(name=n) for m, n in zip(old.modules, names, strict=True)))
    result = updated(drafted(handmade.softmax_online), written(edited))
    assert [module.name for module in result.contract.modules] == ["peak", "result"]
    dropped = [finding for finding in result.findings if finding.rule == "gen.dropped"]
    assert [finding.message.split(" has ")[0] for finding in dropped] == ["Module 2 (total)"]
    assert result.contract.final_outputs == drafted(handmade.softmax_online).final_outputs


def test_a_name_that_people_gave_is_not_given_twice():
    old = drafted()
    edited = old._replace(modules=(old.modules[0]._replace(name="exp_sum"), *old.modules[1:]))
    text = written(edited).replace("name: exp_sum\n    description: sum", "name: TODO\n    description: sum")
    result = updated(drafted(), text)
    assert [module.name for module in result.contract.modules] == ["exp_sum", "exp_sum_2", "normalize"]


def test_a_case_without_the_symbols_needed_now_is_dropped_with_a_word():
    old = drafted()._replace(verification=CASES._replace(shapes=({"M": 2}, {"M": 2, "N": 9})))
    result = updated(drafted(), written(old))
    assert result.contract.verification.shapes == ({"M": 2, "N": 9},)
    assert [finding.message for finding in result.findings] == [
        "composition_verification.shapes[0] has no place in the new contract: {M: 2}"
    ]


def test_keys_that_mean_nothing_to_us_stay_wherever_they_are():
    text = (
        written(drafted()).replace("dtype: float16}", "dtype: float16, layout: ND}").replace("atol:", "why: x, atol:")
    )
    result = updated(drafted(), text)
    assert result.text == text.replace("why: x, atol: 0.001", "atol: 0.001").replace("}]}", "}], why: x}")
    assert result.findings == ()


def test_a_parameter_that_the_golden_has_no_more_is_dropped_with_a_word():
    text = written(drafted()._replace(params={"eps": 1e-5}))
    result = updated(drafted()._replace(params={"scale": 2.0}), text)
    assert result.contract.params == {"scale": 2.0}
    assert [finding.message for finding in result.findings] == ["params.eps has no place in the new contract: 1e-05"]


def test_the_older_spelling_of_sources_is_no_conflict():
    assert updated(drafted(), written(drafted()).replace(": module_", ": phase_")).findings == ()


@pytest.mark.parametrize("text", ["", "- a\n", "op: [\n"])
def test_an_old_file_that_is_no_contract_is_refused(text):
    with pytest.raises(InputError):
        updated(drafted(), text)


def test_an_unfinished_old_file_gives_what_it_has():
    text = """\
op: row_softmax
is_fusion: TODO
modules:
  - {id: 1, name: peak, section: TODO, inputs: TODO, outputs: [{name: m, shape: TODO}]}
  - {id: 2, name: TODO}
  - TODO
final_outputs: [{name: TODO, source: TODO}]
"""
    result = updated(drafted(), text)
    assert result.text == written(drafted()).replace("name: row_max", "name: peak")


# Comments

COMMENTED = """\
# decided in the review

op: demo  # of the team
modules:
  # the statistics
  - id: 1  # first
    name: "a # b"
    note: |
      text # not a comment
  # the output
  - {id: 2, name: c}  # last
seeds: [1,
  2]  # two of them
# the end
"""


def test_comments_are_about_values():
    assert [(c.about, c.text, c.line, c.behind) for c in comments_of(COMMENTED)] == [
        (("^",), "# decided in the review", 1, False),
        (("op",), "# of the team", 3, True),
        (("modules", 0), "# the statistics", 5, False),
        (("modules", 0, "id"), "# first", 6, True),
        (("modules", 1), "# the output", 10, False),
        (("modules", 1), "# last", 11, True),
        (("seeds", 1), "# two of them", 13, True),
        (("$",), "# the end", 14, False),
    ]


def test_comments_stay_with_what_they_are_about():
    lines = written(drafted()).splitlines()
    at = {line.strip(): number for number, line in enumerate(lines)}
    lines[at["op: row_softmax"]] += "  # ours"
    lines[at["- id: 2"]] = "  # the sum\n  - id: 2  # second"
    lines[at["section: vector"]] += "  # for sure"
    lines.insert(0, "# reviewed by ann")
    text = "\n".join([*lines, "# the end", ""])
    assert updated(drafted(), text).text == text


def test_comments_follow_a_module_that_moves_and_are_told_of_where_it_went():
    old = written(drafted()).replace("  - id: 3\n", "  # the output\n  - id: 3  # last\n")
    old = old.replace("  - id: 2\n", "  - id: 2  # gone\n")
    result = updated(drafted(handmade.softmax_online), old)
    assert "  # the output\n  - id: 2  # last\n    name: normalize\n" in result.text
    lost = [f.message for f in result.findings if "comment" in f.message]
    assert lost == ["the comment has no place in the new contract: # gone"]


def test_a_comment_that_is_there_already_is_not_repeated():
    new, comments = plain(drafted()), {("op",): "the operator"}
    text = data_text(new, comments)
    assert update(new, parse(text, "old.yaml"), comments).text == text


# Anything at all as the old file

_LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab:#[ TODO\n", max_size=6) | st.just("TODO")
_ANYTHING = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", max_size=3), inner, max_size=3)
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_old_file_makes_an_update_fail_or_changes_what_follows_from_the_golden(data):
    old = plain(drafted())
    for _ in range(data.draw(st.integers(0, 4))):
        old = _damaged(old, data)
    new = plain(drafted())
    text = update(new, parse(data_text(old), "old.yaml")).text
    written = parse(text, "new.yaml").data
    for key in ("op", "module_count", "primary_inputs", "final_outputs"):
        assert _without_extras(written[key], new[key]) == new[key]
    assert len(written["modules"]) == len(new["modules"])


def _damaged(value, data):
    """A copy with one part replaced by anything."""
    if isinstance(value, (dict, list)) and value and data.draw(st.integers(0, 3)):
        keys = sorted(value) if isinstance(value, dict) else range(len(value))
        at = data.draw(st.sampled_from(keys))
        parts = dict(value) if isinstance(value, dict) else list(value)
        parts[at] = _damaged(value[at], data)
        return parts
    return data.draw(_ANYTHING) if not isinstance(value, dict) or "op" not in value else value


def _without_extras(value, like):
    if isinstance(like, dict):
        return {key: _without_extras(value[key], like[key]) for key in like}
    return [_without_extras(a, b) for a, b in zip(value, like, strict=True)] if isinstance(like, list) else value


def test_a_kept_name_that_is_no_text_is_kept():
    old = plain(drafted())
    old["modules"][0]["name"] = [None]
    assert parse(update(plain(drafted()), parse(data_text(old), "old.yaml")).text, "new.yaml").data["modules"][0][
        "name"
    ] == [None]
