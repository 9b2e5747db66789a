"""The shape that every entry of a contract must have: one table, and the check of plain data against it.

The table names every key that means something. Keys whose values another rule judges (a dtype, a shape, a tolerance)
are ANY here. `schemas/module_interfaces.schema.json` says the same for editors, and a test holds the two together.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeGuard

from r0kit.contract.path import Path
from r0kit.contract.wording import A_FLAG, A_LIST, A_NAME, A_TEXT, AN_INTEGER, spell
from r0kit.finding import Fault

SCHEMA_VERSION = 1

MAX_FAULTS = 10_000


class Leaf(NamedTuple):
    """A value without parts: `what` it must be, the class that nearly all of them have, and the question in full."""

    what: str
    usual: type
    accepts: Callable[[Any], bool]


class Record(NamedTuple):
    """A mapping: the keys it may have, and those it must have. An open one may have others too."""

    fields: Mapping[str, "Kind | None"]
    required: tuple[str, ...] = ()
    is_open: bool = False
    example: str = ""  # how an entry is written; @ stands for its name


class Listing(NamedTuple):
    """A list of entries of one kind, at least `least` of them."""

    of: "Kind | None"
    least: int = 0


Kind = Leaf | Record | Listing
ANY = None


def is_integer(value: Any) -> TypeGuard[int | float]:
    """Whether JSON Schema calls it an integer: 3 and 3.0 are, true is not."""
    return value.__class__ is int or (value.__class__ is float and value.is_integer())


TEXT = Leaf(A_TEXT, str, lambda value: isinstance(value, str))
NAME = Leaf(A_NAME, str, lambda value: isinstance(value, str) and value != "")
SOURCE = Leaf("primary or module_<j>", str, lambda value: isinstance(value, str))
INTEGER = Leaf(AN_INTEGER, int, is_integer)
TRUTH = Leaf(A_FLAG, bool, lambda value: isinstance(value, bool))
VERSION = Leaf(f"{SCHEMA_VERSION}, the one version there is", object, lambda value: is_integer(value) and value == 1)

FREE = Record({}, is_open=True)
TENSOR = Record(
    {"name": NAME, "shape": ANY, "dtype": ANY}, ("name",), example='{name: @, shape: "[M, N]", dtype: float32}'
)
INPUT = Record(
    {"name": NAME, "source": SOURCE, "shape": ANY, "dtype": ANY},
    ("name", "source"),
    example="{name: @, source: primary}, or the module_<j> that it comes from",
)
FINAL_OUTPUT = Record(
    {"name": NAME, "source": SOURCE, "shape": ANY, "dtype": ANY}, example="{name: @, source: module_<j>}"
)
MODULE = Record(
    {
        "id": INTEGER,
        "name": TEXT,
        "description": TEXT,
        "section": ANY,
        "golden_steps": Listing(TEXT),
        "inputs": Listing(INPUT),
        "outputs": Listing(TENSOR),
        "golden_stage_fn": TEXT,
        "boundary": Listing(FREE),
        "traversal": FREE,
        "handoff": Listing(FREE),
        "api": Listing(FREE),
        "source_lines": Listing(INTEGER),
    },
    ("id", "inputs", "outputs"),
)
SYMBOL = Record({"name": NAME, "origin": ANY, "line": ANY}, ("name",), is_open=True)
VERIFICATION = Record({"atol": ANY, "rtol": ANY, "policy": ANY, "seeds": ANY, "shapes": ANY})
CONTRACT = Record(
    {
        "schema_version": VERSION,
        "op": NAME,
        "module_count": INTEGER,
        "has_cross_core": TRUTH,
        "is_fusion": TRUTH,
        "primary_inputs": Listing(TENSOR),
        "modules": Listing(MODULE, least=1),
        "final_outputs": Listing(FINAL_OUTPUT),
        "composition_verification": VERIFICATION,
        "params": FREE,
        "symbols": Listing(SYMBOL),
        "reduction": Listing(FREE),
        "dimensions": Listing(FREE),
        "wrapper": Listing(ANY),
    },
    ("op", "module_count", "modules"),
)


def structure_faults(data: Any) -> list[Fault]:
    """Where `data` is not shaped like a contract. None hides another, but after MAX_FAULTS nobody reads on."""
    if data is None:
        return [Fault((), "the file is empty: there is no contract in it", "write one with `r0kit gen`")]
    faults: list[Fault] = []
    _check(CONTRACT, data, (), faults)
    return faults


def _check(kind: Kind | None, value: Any, path: Path, faults: list[Fault]) -> None:
    if kind.__class__ is Record:
        _check_record(kind, value, path, faults)
    elif kind.__class__ is Listing:
        _check_listing(kind, value, path, faults)
    elif kind.__class__ is Leaf and not kind.accepts(value):
        faults.append(_wrong(path, kind.what, value))


def _check_record(kind: Record, value: Any, path: Path, faults: list[Fault]) -> None:
    if value.__class__ is not dict:
        what = "a mapping" if path else "a mapping with op, module_count and modules"
        faults.append(_wrong(path, what, value, kind.example))
        return
    for key in kind.required:
        if key not in value:
            faults.append(Fault((*path, key), f"{spell(path)} has no `{key}`", f"add `{key}:`"))
    fields = kind.fields
    for key, child in value.items():
        field = fields.get(key)
        if field.__class__ is Leaf:
            if (child.__class__ is not field.usual or child == "") and not field.accepts(child):
                faults.append(_wrong((*path, key), field.what, child))
        elif field is not None:
            _check(field, child, (*path, key), faults)


def _check_listing(kind: Listing, value: Any, path: Path, faults: list[Fault]) -> None:
    if value.__class__ is not list:
        faults.append(_wrong(path, A_LIST, value))
        return
    if len(value) < kind.least:
        faults.append(Fault(path, f"{spell(path)} is empty: at least {kind.least} is needed", "add an entry"))
    if kind.of is not None:
        for index, child in enumerate(value):
            _check(kind.of, child, (*path, index), faults)
            if len(faults) >= MAX_FAULTS:
                break


def has_unknown(data: Any) -> bool:
    """Whether a key of a contract means nothing where it stands."""
    return not _is_known(CONTRACT, data)


def _is_known(kind: Kind | None, value: Any) -> bool:
    if kind.__class__ is Record and value.__class__ is dict:
        return kind.is_open or (
            value.keys() <= kind.fields.keys()
            and all(
                _is_known(field, value[key])
                for key, field in kind.fields.items()
                if key in value and field is not None and field.__class__ is not Leaf
            )
        )
    if kind.__class__ is Listing and value.__class__ is list and kind.of.__class__ is Record:
        return kind.of.is_open or all(_is_known(kind.of, entry) for entry in value)
    return True


def _wrong(path: Path, what: str, value: Any, example: str = "") -> Fault:
    from r0kit.contract.remedies import wrong  # most contracts are shaped as they must be

    return wrong(path, what, value, example)
