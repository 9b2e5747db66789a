"""The p0 cases of a SPEC: `p0_cases` of a machine contract, and `p0_shapes` of front matter or prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from r0kit.spec.dimension import contradicted, readable, solve, symbols, value
from r0kit.spec.dtypes import canonical
from r0kit.spec.model import Case, Sizes, TensorSpec
from r0kit.spec.node import Node
from r0kit.spec.reader import Reader, parameter

_DTYPE_KEYS = ("dtypes", "input_dtypes", "output_dtypes")
_Lists = dict[str, tuple[Sizes, ...]]


def cases(reader: Reader, root: Node, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]) -> tuple[Case, ...]:
    """The entries of `p0_cases`; names that are left out are counted."""
    entries = enumerate(reader.entries(root.get("p0_cases"), "p0_cases"))
    return tuple(_case(reader, entry, index, inputs, outputs) for index, entry in entries)


def bare_cases(reader: Reader, root: Node, inputs: Sequence[TensorSpec]) -> tuple[Case, ...]:
    """Cases of `p0_shapes`: {x: [4, 128]} or {M: 4, N: 128} per case; or shapes alone, where the inputs leave one way."""
    node = root.get("p0_shapes")
    entries = reader.entries(node, "p0_shapes")
    if node is None or not entries:
        return ()
    if all(isinstance(entry.value, dict) for entry in entries):
        return tuple(_shaped(reader, entry, index, inputs) for index, entry in enumerate(entries))
    readings = [[_named(reader, row, inputs) for row in rows] for rows in _readings(entries, inputs)]
    fitting = [shapes for shapes in readings if _fits(shapes, inputs)]
    if not fitting:
        message, hint = (
            "p0_shapes does not say which input has which shape",
            "write one {input: [extents]} per case",
        )
        reader.note("p0-shapes", message, node.place, hint, error=False)
        return ()
    maps = fitting[0]
    return tuple(Case(f"p0_{n + 1}", input_shapes=shapes, place=node.place) for n, shapes in enumerate(maps))


def _shaped(reader: Reader, node: Node, index: int, inputs: Sequence[TensorSpec]) -> Case:
    """A case that gives shapes to inputs, extents to symbols, or both; a number that is no symbol's is a parameter's."""
    where = f"p0_shapes[{index}]"
    dimensions = [dimension for tensor in inputs for dimension in tensor.shape or () if readable(dimension)]
    known = {symbol for dimension in dimensions for symbol in symbols(dimension)}
    owners = {tensor.name for tensor in inputs}
    numbers = {k: e for k, e in node.items() if k not in owners and isinstance(e.value, int | float | bool | str)}
    shapes, _ = _sizes(reader, Node({k: e for k, e in node.items() if k not in numbers}, node.place), inputs, where)
    extents = {key: reader.extent(entry, f"{key} in {where}") for key, entry in numbers.items() if key in known}
    bindings = {str(key): extent for key, extent in extents.items() if extent is not None}
    params = {str(key): parameter(entry) for key, entry in numbers.items() if key not in known}
    if bindings:
        given = [pair for t in inputs for pair in zip(t.shape or (), shapes.get(t.name, ()), strict=False)]
        others = [tensor for tensor in inputs if tensor.name not in shapes]
        shapes.update(_shapes_of(reader, node, others, {**solve(given), **bindings}, where))
    return Case(f"p0_{index + 1}", params=params, input_shapes=shapes, place=node.place)


def _shapes_of(
    reader: Reader, node: Node, inputs: Sequence[TensorSpec], bindings: Mapping[str, int], where: str
) -> dict[str, Sizes]:
    """Shapes of the inputs whose symbols all have extents; of the others it is said what is missing."""
    shapes: dict[str, Sizes] = {}
    for tensor in (each for each in inputs if each.shape is not None and not each.any_rank):
        dimensions = [dimension for dimension in tensor.shape or () if readable(dimension)]
        extents = [value(dimension, bindings) or 0 for dimension in dimensions]
        missing = [symbol for dimension in dimensions for symbol in symbols(dimension) if symbol not in bindings]
        if missing:
            message = f"{where} gives no extent to {missing[0]}, which the shape of {tensor.name} has"
            reader.note("p0-shapes", message, node.place, f"add `{missing[0]}: ...` to it", error=False)
        elif min(extents, default=1) < 1:
            message = f"{where} leaves {tensor.name} a dimension of {min(extents)}"
            reader.note("p0-shapes", message, node.place, "an extent is 1 at least", error=False)
        elif not tensor.is_list and len(extents) == len(tensor.shape or ()):
            shapes[tensor.name] = tuple(extents)
    return shapes


def _case(reader: Reader, node: Node, index: int, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]) -> Case:
    fallback = f"p0_{index + 1}"
    if not isinstance(node.value, dict):
        reader.wrong(f"p0_cases[{index}]", node, "a mapping with name, params, input_shapes and output_shapes")
        return Case(fallback, place=node.place)
    name = reader.text(node, "name") or fallback
    input_shapes, input_lists = _sizes(reader, node.get("input_shapes"), inputs, f"input_shapes of {name}")
    output_shapes, output_lists = _sizes(reader, node.get("output_shapes"), outputs, f"output_shapes of {name}")
    params = reader.mapping(node.get("params"), f"params of {name}", "a mapping of names to values")
    special = reader.mapping(node.get("input_special_values"), f"input_special_values of {name}", "a mapping")
    return Case(
        name=name,
        params={key: parameter(entry) for key, entry in params.items()},
        input_shapes=input_shapes,
        output_shapes=output_shapes,
        input_lists=input_lists,
        output_lists=output_lists,
        dtypes=_dtypes(reader, node, name),
        input_special_values={key: entry.plain() for key, entry in special.items()},
        place=node.place,
    )


def _sizes(
    reader: Reader, node: Node | None, tensors: Sequence[TensorSpec], where: str
) -> tuple[dict[str, Sizes], _Lists]:
    """Extents of the tensors, and of the members of lists of tensors. What cannot be read is left out, and reported."""
    shapes: dict[str, Sizes] = {}
    lists: _Lists = {}
    listed = {tensor.name for tensor in tensors if tensor.is_list}
    for name, entry in reader.mapping(node, where, "a mapping of tensor names to lists of integers").items():
        owner = f"{name} in {where}"
        if name in listed:
            members = [_extents(reader, member, owner) for member in reader.entries(entry, owner)]
            lists[name] = tuple(member for member in members if member is not None)
        else:
            sizes = _extents(reader, entry, owner)
            shapes.update({name: sizes} if sizes is not None else {})
    return shapes, lists


def _extents(reader: Reader, node: Node, owner: str) -> Sizes | None:
    if not isinstance(node.value, list):
        reader.wrong(owner, node, "a list of integers: the extents of that tensor, such as [4, 128]")
        return None
    sizes = [reader.extent(entry, f"an extent of {owner}") for entry in node.value]
    known = tuple(size for size in sizes if size is not None)
    return known if len(known) == len(sizes) else None


def _dtypes(reader: Reader, node: Node, name: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for key in _DTYPE_KEYS:
        entries = reader.mapping(node.get(key), f"{key} of {name}", "a mapping of tensor names to dtypes")
        texts = {tensor: entry.text for tensor, entry in entries.items() if reader.is_text(entry, "a dtype")}
        found.update({tensor: canonical(text) for tensor, text in texts.items()})
    return found


def _readings(entries: list[Node], inputs: Sequence[TensorSpec]) -> list[list[list[Node]]]:
    """The ways to read bare shapes, each as rows of one shape per input, the last inputs perhaps left out.

    Nested lists are rows. Flat ones are one row for all inputs, or cases of the first input.
    """
    if not inputs or not all(isinstance(entry.value, list) for entry in entries):
        return []
    nested = [any(isinstance(member.value, list) for member in entry.value) for entry in entries]
    if all(nested):
        rows = [list(entry.value) for entry in entries]
        return [rows] if all(len(row) == len(inputs) for row in rows) else []
    if any(nested):
        return []
    column = [[entry] for entry in entries]
    return [column] if len(inputs) == 1 else [[entries], column] if len(inputs) == len(entries) else [column]


def _fits(shapes: Sequence[dict[str, Sizes]], inputs: Sequence[TensorSpec]) -> bool:
    """Whether every case has the ranks of the inputs, and one extent for each of their symbols."""
    for case in shapes:
        pairs = [
            (tensor.shape, case[tensor.name]) for tensor in inputs if tensor.name in case and tensor.shape is not None
        ]
        if any(len(shape) != len(sizes) for shape, sizes in pairs):
            return False
        if contradicted([pair for shape, sizes in pairs for pair in zip(shape, sizes, strict=True)]):
            return False
    return True


def _named(reader: Reader, row: list[Node], inputs: Sequence[TensorSpec]) -> dict[str, Sizes]:
    sizes = {tensor.name: _extents(reader, node, tensor.name) for tensor, node in zip(inputs, row, strict=False)}
    return {name: extents for name, extents in sizes.items() if extents is not None}
