"""How the golden of a file is called: by what name, with which arguments, and where its results are."""

from __future__ import annotations

import ast
from dataclasses import asdict, dataclass
from typing import Any

from r0kit.golden.candidates import is_static
from r0kit.golden.signature import GoldenFunction, Style, read_interface
from r0kit.spec import Spec


@dataclass(frozen=True, slots=True)
class Calling:
    """The interface of a golden.

    name, qualified: of the function in its file, without and with the classes around it.
    arguments: (name, how it is passed as `golden.signature.Passing` says, the dict or variadic parameter that it is in).
    stored: parameters that it writes into, which are its results where it returns nothing.
    owner: the class whose `forward` it is, "" where it is a function.
    """

    name: str
    qualified: str
    arguments: tuple[tuple[str, str, str], ...]
    stored: tuple[str, ...]
    owner: str = ""

    def owns(self, name: str) -> bool:
        """Whether a primary input of this name can only be a tensor of the class: `forward` has no such parameter."""
        return bool(self.owner) and name not in {argument for argument, _, _ in self.arguments}

    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)


def calling_of(golden: str, op: str, spec: Spec | None) -> Calling:
    """The interface of the golden of `op` in the file `golden`. InputError where there is none."""
    found = read_interface(golden, op, spec)
    arguments = tuple((one.name, one.passing.value, one.key_of) for one in found.parameters)
    stored = tuple(one.name for one in found.parameters if one.written)
    return Calling(found.name, found.qualified, arguments, stored, _owner(found))


def _owner(found: GoldenFunction) -> str:
    if found.style is not Style.MODEL or (isinstance(found.node, ast.FunctionDef) and is_static(found.node)):
        return ""
    return found.qualified.rpartition(".")[0]
