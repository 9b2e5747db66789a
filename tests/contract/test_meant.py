"""A contract as it was meant: which keys are taken for which, and what is left as it is written."""

from copy import deepcopy
from typing import Any

import pytest

from r0kit.contract.meant import as_meant, as_written, nearly

RIGHT: dict[str, Any] = {
    "op": "f",
    "module_count": 1,
    "primary_inputs": [{"name": "x", "shape": "[M]", "dtype": "int8"}],
    "modules": [
        {
            "id": 1,
            "section": "vector",
            "inputs": [{"name": "x", "source": "primary", "shape": "[M]", "dtype": "int8"}],
            "outputs": [{"name": "y", "shape": "[M]", "dtype": "int8"}],
        }
    ],
    "final_outputs": [{"name": "y", "source": "module_1"}],
    "composition_verification": {"atol": 0.1, "rtol": 0.1},
}
MODULE, INPUT, OUTPUT = ("modules", 0), ("modules", 0, "inputs", 0), ("modules", 0, "outputs", 0)


def _part(data: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def _with_key(path: tuple[Any, ...], key: str, written: str) -> dict[str, Any]:
    """RIGHT with one key written otherwise, in its place."""
    data = deepcopy(RIGHT)
    part = _part(data, path)
    entries = [(written if each == key else each, value) for each, value in part.items()]
    part.clear()
    part.update(entries)
    return data


# Path of a mapping, a key of it, and how else people call it.
OTHERWISE = [
    (INPUT, "source", ("from", "src", "producer", "origin", "SOURCE", "sorce", "from ", "ｓｏｕｒｃｅ")),
    (OUTPUT, "dtype", ("type", "data_type", "Dtype")),
    (OUTPUT, "shape", ("dim", "dims", "dimensions", "size", "shapes")),
    (OUTPUT, "name", ("nmae", "nane", "Name")),
    (MODULE, "outputs", ("result", "results", "output")),
    (MODULE, "inputs", ("arg", "args", "operands", "input")),
    (MODULE, "section", ("domain", "unit", "core", "sections")),
    (MODULE, "id", ("module", "number", "index", "no", "Id")),
    ((), "modules", ("module", "Modules")),
    ((), "final_outputs", ("final_output",)),
    (("composition_verification",), "atol", ("a_tol", "atoll")),
]


@pytest.mark.parametrize(("path", "key", "written"), [(p, key, each) for p, key, all_ in OTHERWISE for each in all_])
def test_a_key_by_another_name(path: tuple[Any, ...], key: str, written: str) -> None:
    data = _with_key(path, key, written)
    meant = as_meant(data)
    assert meant.data == RIGHT
    assert meant.renamed == {(*path, key): written}
    (unknown,) = meant.unknown
    assert (unknown.path, unknown.key, unknown.meant) == (path, written, key)
    assert unknown.hint == f"did you mean {key!r}?"
    assert data == _with_key(path, key, written)


@pytest.mark.parametrize("written", ["direction", "ix", "i", "nothing", "x:y"])
def test_a_key_that_stands_for_none(written: str) -> None:
    data = _with_key(MODULE, "id", written)
    meant = as_meant(data)
    assert meant.data == data
    assert meant.renamed == {}
    assert [(unknown.key, unknown.meant, unknown.hint) for unknown in meant.unknown] == [(written, "", "")]


def test_a_right_contract_is_what_was_meant() -> None:
    assert as_meant(RIGHT).data is RIGHT
    assert as_meant(RIGHT).unknown == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("modules", {"id": 1}),
        ("modules", [3, [{"idd": 1}]]),
        ("composition_verification", [{"a_tol": 1}]),
        ("params", {"axs": 1}),
        ("dimensions", [{"nmae": 1}]),
    ],
)
def test_what_has_another_shape_or_any_keys_is_left_alone(key: str, value: Any) -> None:
    data = {"opp": "f", key: value}
    assert as_meant(data).data == {"op": "f", key: value}


@pytest.mark.parametrize(
    ("entry", "expected", "hint"),
    [
        ({"name:x": None}, {"name": "x"}, "write a blank behind the colon: `name: x`"),
        ({"name :x": None}, {"name": "x"}, "write a blank behind the colon: `name: x`"),
        ({"name：x": None}, {"name": "x"}, "： is a full-width mark: write :"),
        ({"nmae:x": None}, {"name": "x"}, "did you mean 'name'?"),
        ({"name:x": "y"}, {"name": "y"}, "write a blank behind the colon: `name: x`"),
        ({"nmae": None}, {"name": None}, "did you mean 'name'?"),
        ({"nmae": 1, "naem": 2}, {"name": 1, "naem": 2}, "did you mean 'name'?"),
        ({"nmae": 1, 2: 3}, {"name": 1, 2: 3}, "did you mean 'name'?"),
    ],
)
def test_a_value_that_stands_in_its_key(entry: dict[Any, Any], expected: dict[Any, Any], hint: str) -> None:
    meant = as_meant({"primary_inputs": [entry]})
    assert meant.data == {"primary_inputs": [expected]}
    assert meant.unknown[0].hint == hint


def test_the_dimensions_that_a_shape_without_quotes_has_lost() -> None:
    entry = {"name": "x", "shape": "M", "N": None, 4: None, "dtype": None, "K": None}
    meant = as_meant({"primary_inputs": [entry]})
    assert meant.data == {"primary_inputs": [{"name": "x", "shape": "M, N, 4", "dtype": None, "K": None}]}
    assert [unknown.key for unknown in meant.unknown] == ["K"]


def test_a_module_has_no_shape() -> None:
    assert [unknown.key for unknown in as_meant({"modules": [{"shape": "M", "N": None}]}).unknown] == ["shape", "N"]


@pytest.mark.parametrize(("others", "meant"), [(199, "name"), (200, "")])
def test_two_hundred_misspelt_keys_are_looked_for(others: int, meant: str) -> None:
    entry = {**{f"{number:03}": 1 for number in range(others)}, "nmae": "x"}
    assert as_meant({"primary_inputs": [entry]}).unknown[-1].meant == meant


@pytest.mark.parametrize(
    ("name", "key", "near"),
    [("opi", "api", True), ("pai", "api", True), ("io", "id", False), ("di", "id", False), ("apis", "api", True)],
)
def test_one_slip_in_a_short_key(name: str, key: str, near: bool) -> None:
    assert nearly(name, [key]) == (key if near else "")


def test_a_path_as_it_is_written() -> None:
    renamed = as_meant(_with_key((), "modules", "module")).renamed
    assert tuple(as_written(("modules", 0, "id"), renamed)) == ("module", 0, "id")
