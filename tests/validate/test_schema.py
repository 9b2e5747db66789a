"""The published schema and the validator: structure is the same for both, and the schema refuses nothing that is right."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import CASES, VALID
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from r0kit import resources
from r0kit.cli import run
from r0kit.contract import structure
from r0kit.contract.read import Document, parse, read
from r0kit.finding import InputError
from r0kit.validate import RULES, validate_document
from r0kit.validate.examples import completed
from r0kit.validate.tensors import DTYPES

SCHEMA = json.loads(resources.text("schemas", "module_interfaces.schema.json"))
VALIDATOR = Draft202012Validator(SCHEMA)
STRUCTURE = "rule0"


def owners(data: Any) -> set[str]:
    """The rules of which the schema says that `data` violates them."""
    return {error.schema.get("$comment", "").partition(":")[0] or STRUCTURE for error in _errors(data)}


def _errors(data: Any) -> Iterator[Any]:
    for error in VALIDATOR.iter_errors(data):
        if error.schema is SCHEMA:
            error.schema = {}  # the comment of the whole schema is about all the others
        yield error


def agree(data: Any) -> None:
    """Assert that schema and validator agree about plain data in which every key is text."""
    report = validate_document(Document("data", "", data))
    raised = {finding.rule for finding in report.findings if finding.severity == "error"}
    refused = owners(data)
    assert (STRUCTURE in raised) == (STRUCTURE in refused), (data, raised, refused)
    assert refused <= raised, (data, refused - raised)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def _properties(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, part in {"contract": SCHEMA, **SCHEMA["$defs"]}.items():
        yield from ((f"{name}.{key}", value) for key, value in part.get("properties", {}).items())


@pytest.mark.parametrize(("key", "value"), list(_properties(SCHEMA)), ids=[key for key, _ in _properties(SCHEMA)])
def test_every_key_has_a_description_for_editors(key: str, value: dict[str, Any]) -> None:
    assert value.get("description", "").endswith(".")


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("contract", structure.CONTRACT),
        ("module", structure.MODULE),
        ("input", structure.INPUT),
        ("tensor", structure.TENSOR),
        ("final_output", structure.FINAL_OUTPUT),
        ("symbol", structure.SYMBOL),
        ("verification", structure.VERIFICATION),
    ],
)
def test_both_know_the_same_keys(name: str, record: structure.Record) -> None:
    part = SCHEMA if name == "contract" else SCHEMA["$defs"][name]
    assert set(part["properties"]) == set(record.fields)
    assert set(part.get("required", ())) == set(record.required)


def _undescribed(data: Any, schema: Any, path: str = "") -> Iterator[str]:
    """Keys of `data` that the schema has no words for."""
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if isinstance(data, list):
        for item in data:
            yield from _undescribed(item, schema.get("items") or schema.get("anyOf", [{}])[0].get("items", {}), path)
    elif isinstance(data, dict):
        others = schema.get("additionalProperties")
        for key, child in data.items():
            part = schema.get("properties", {}).get(key, others)
            if part is None:
                yield f"{path}.{key}"
            else:
                yield from _undescribed(child, part, f"{path}.{key}")


@pytest.mark.parametrize("op", ["attention", "quant_matmul", "masked_mean_pool"])
def test_a_drafted_contract_has_no_key_without_a_description(op: str, tmp_path: Path) -> None:
    (golden,) = (Path(__file__).parent.parent / "goldens" / op).glob("*_golden*.py")
    assert run(["gen", str(golden), "-o", str(tmp_path / "c.yaml")]) in (0, None)
    data = read(str(tmp_path / "c.yaml")).data
    agree(data)
    assert list(_undescribed(data, SCHEMA)) == []


def test_both_know_the_same_dtypes() -> None:
    assert SCHEMA["$defs"]["dtype"]["enum"] == list(DTYPES)


def test_corpus() -> None:
    for case in CASES:
        agree(parse(case.yaml, case.id).data)


def test_examples_of_the_rules() -> None:
    for rule in RULES:
        agree(parse(completed(rule.good), rule.id).data)
        agree(parse(completed(rule.bad), rule.id).data)


def test_right_contracts_are_right_for_the_schema() -> None:
    for text in VALID:
        assert not list(VALIDATOR.iter_errors(parse(text, "valid").data))


_LEAVES: list[Any] = [None, True, 0, 1, -1, 1.0, 2.5, float("nan"), float("inf"), "", "x", "1", "1e-3", "[M, N]", "[M"]
_LEAVES += [
    "primary",
    "module_1",
    "phase_01",
    "module_0",
    "cube",
    "float32",
    "TODO",
    [],
    {},
    [1],
    ["a"],
    [{}],
    {"a": 1},
]
_KEYS = sorted({key.partition(".")[2] for key, _ in _properties(SCHEMA)})


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for step, child in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from _places(child, (*path, step))


def _mutated(data: Any, draw: st.DrawFn) -> Any:
    """`data` with the value at one of its places replaced, removed or doubled, or a key added to it."""
    *path, last = draw(st.sampled_from([place for place in _places(data) if place]))
    owner = data
    for step in path:
        owner = owner[step]
    change = draw(st.sampled_from(("replace", "remove", "add")))
    if change == "remove":
        del owner[last]
    elif change == "add" and isinstance(owner, dict):
        owner[draw(st.sampled_from(_KEYS))] = copy.deepcopy(draw(st.sampled_from(_LEAVES)))
    else:
        owner[last] = copy.deepcopy(draw(st.sampled_from(_LEAVES)))
    return data


@st.composite
def contracts(draw: st.DrawFn) -> Any:
    """A right contract in which up to four things have been changed."""
    data = parse(draw(st.sampled_from(VALID)), "valid").data
    for _ in range(draw(st.integers(1, 4))):
        data = _mutated(data, draw) if isinstance(data, dict) and data else data
    return data


def test_mutated_contracts(long_mode: bool) -> None:
    @settings(max_examples=10_000 if long_mode else 300, deadline=None)
    @given(contracts())
    def check(data: Any) -> None:
        agree(data)

    check()


@pytest.mark.parametrize("text", ["1: x\n", "op: {true: 1}\n"])
def test_keys_that_are_not_text_are_refused_before_the_schema_applies(text: str) -> None:
    findings = validate_document(parse(text, "keys")).findings
    assert any("is not text" in finding.message and finding.rule == STRUCTURE for finding in findings)


def test_what_is_no_data_never_reaches_the_schema() -> None:
    with pytest.raises(InputError):
        parse("op: [", "broken")
