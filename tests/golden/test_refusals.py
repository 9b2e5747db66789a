"""Every operation with arguments that do not fit: it says what is wrong, and never breaks off.

The cases of test_operations, one argument of each replaced: a tensor by one of another rank or dtype, a number by
something that is none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("torch")

from r0kit.golden.builder import OperationError
from tests.golden.oracle import INPUTS, Reader
from tests.golden.test_operations import BY_ROW, Group

TENSORS = ("z", "r", "x", "t", "q", "vol", "i", "m", "[x, t]")
NUMBERS = ("0", "-1", "2.5", "None", "'s'", "()", "(0, 0)", "10**30", "1.5e308*10")
OTHERS = [ast.parse(text, mode="eval").body for text in (*TENSORS, *NUMBERS)]
REPLACED = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.UnaryOp)


@BY_ROW
def test_no_argument_breaks_it(group: Group) -> None:
    for text in group.firsts:
        for written in replaced(text):
            with suppress(OperationError):
                read(written)


def read(written: str) -> None:
    reader = Reader()
    try:
        reader.read(ast.parse(written, mode="eval").body)
    except OperationError as error:
        assert error.message.isprintable()
        raise
    except Exception as error:
        raise AssertionError(f"{written}: {type(error).__name__}: {error}") from error


def replaced(text: str) -> Iterator[str]:
    """The call with one argument after the other replaced by each of OTHERS."""
    tree = ast.parse(text, mode="eval").body
    for container, key in list(places(tree)):
        old = get(container, key)
        for other in OTHERS:
            put(container, key, other)
            yield ast.unparse(tree)
        put(container, key, old)


def places(tree: ast.expr) -> Iterator[tuple[Any, Any]]:
    """Where arguments of the calls stand, those of methods of numbers left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) != "float":
            arguments = [(node.args, number) for number in range(len(node.args))]
            arguments += [(keyword, "value") for keyword in node.keywords]
            yield from (place for place in arguments if may_change(get(*place)))


def may_change(node: ast.expr) -> bool:
    return isinstance(node, REPLACED) and not (isinstance(node, ast.Name) and node.id not in INPUTS)


def get(container: Any, key: Any) -> Any:
    return container[key] if isinstance(container, list) else getattr(container, key)


def put(container: Any, key: Any, value: ast.expr) -> None:
    if isinstance(container, list):
        container[key] = value
    else:
        setattr(container, key, value)
