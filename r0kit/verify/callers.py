"""Calling foreign code: how its functions are found and called, and what their errors say. Child process only."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType, TracebackType
from typing import Any, TypeVar

import torch

_OUT_OF_MEMORY = ("can't allocate memory", "out of memory", "std::bad_alloc", "Cannot allocate memory")
_Result = TypeVar("_Result")


class ForeignError(Exception):
    """Foreign code raised; `data` says what, and at which line of its file."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        super().__init__(data["message"])


def guarded(phase: str, body: Callable[[], _Result], path: str = "") -> _Result:
    """The result of `body`. ForeignError where it raises anything at all; the line is the innermost one in `path`."""
    try:
        return body()
    except ForeignError:
        raise
    except BaseException as error:
        message = " ".join(str(error).split())[:300]
        full = isinstance(error, MemoryError) or any(sign in str(error) for sign in _OUT_OF_MEMORY)
        data = {"phase": phase, "type": type(error).__name__, "message": message, "memory": full}
        raise ForeignError(data | {"line": _line(error.__traceback__, path)}) from None


def load_file(path: str) -> ModuleType:
    """The module in the Python file `path`, executed; what lies beside it can be imported by it."""
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    with open(path, encoding="utf-8-sig") as file:
        return load_text(file.read(), path)


def load_text(source: str, path: str) -> ModuleType:
    """The module that `source` is, executed; tracebacks call it `path`."""
    name = os.path.splitext(os.path.basename(path))[0] or "module"
    module = ModuleType(name)
    module.__file__ = path
    sys.modules.setdefault(name, module)  # dataclasses and pickle look modules up by name
    exec(compile(source, path, "exec"), module.__dict__)
    return module


def golden_of(module: ModuleType, calling: Mapping[str, Any]) -> Callable[..., Any] | None:
    """The golden's function in its module; None where it is not there when the file has run."""
    for path in (calling["qualified"],) if calling["owner"] else (calling["name"], calling["qualified"]):
        found: Any = module
        for name in path.split("."):
            found = getattr(found, name, None)
        if callable(found):
            result: Callable[..., Any] = found
            return result
    return None


def call_golden(
    function: Callable[..., Any], calling: Mapping[str, Any], tensors: Mapping[str, Any], params: Mapping[str, Any]
) -> list[Any]:
    """Its results: the tensors that it returns, else those that it has stored into its arguments."""
    given = {**params, **tensors}
    signature = inspect.signature(function).parameters
    method = bool(calling["owner"])  # hooks of a module see only what is passed by position
    in_order = method or any(passing == "variadic" for _, passing, _ in calling["arguments"])
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    mappings: dict[str, dict[str, Any]] = {}  # dict parameters, in which the golden may put another tensor under a key
    for name, passing, owner in calling["arguments"]:
        if name not in given:
            in_order = in_order and not method
            continue
        value = _as_wanted(given[name], signature.get(name))
        if passing == "key" and owner in signature and signature[owner].kind is not inspect.Parameter.VAR_KEYWORD:
            keywords[owner] = mappings.setdefault(owner, {})
            mappings[owner][name] = value
        elif passing in ("positional", "variadic") or (in_order and passing == "any"):
            positional.append(value)
        else:
            keywords[name] = value
    returned = [value for value in listed(function(*positional, **keywords)) if isinstance(value, torch.Tensor)]
    left = {name: value for mapping in (given, *mappings.values()) for name, value in mapping.items()}
    return returned or [left[name] for name in calling["stored"] if name in left]


def call_by_name(function: Callable[..., Any], tensors: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
    """Call a stage function by the names of its parameters, whose values must be among the tensors and scalars."""
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    given = {**params, **tensors}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given and parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(given[name])
        elif name in given:
            keywords[name] = _as_wanted(given[name], parameter)
    return function(*positional, **keywords)


def call_in_order(function: Callable[..., Any], tensors: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Call a stage function: tensors in the contract's order, then the scalars that it names."""
    names = inspect.signature(function).parameters
    scalars = {n: _as_wanted(value, names[n]) for n, value in params.items() if n in names}
    return function(*tensors, **scalars)


def call_cumulative(function: Callable[..., Any], tensors: Mapping[str, Any], params: Mapping[str, Any]) -> Any:
    """Call a `golden_stage_fn`: by the names of the primary inputs where it uses them, else in their order."""
    names = inspect.signature(function).parameters.keys()
    if names <= {*tensors, *params}:
        return call_by_name(function, tensors, params)
    return call_in_order(function, list(tensors.values()), params)


def listed(result: Any) -> list[Any]:
    """What a function returned as a flat list of values."""
    return list(_flat(result))


def versions(tensors: Mapping[str, Any]) -> list[int]:
    """How often each tensor has been written to; copying every input instead would cost as much as a small golden."""
    return [member._version for value in tensors.values() for member in (value if isinstance(value, list) else [value])]


def hides_changes(path: str) -> bool:
    """Whether the file has ways to write into a tensor that torch does not count."""
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    return any(way in text for way in (".numpy(", ".data", "__array", "from_dlpack", "ctypes"))


def cloned(value: Any) -> Any:
    """A copy that the callee may write into."""
    return [member.clone() for member in value] if isinstance(value, list) else value.clone()


def _flat(result: Any) -> Iterator[Any]:
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, Mapping):
        for value in result.values():
            yield from _flat(value)
    elif isinstance(result, (tuple, list)):
        for value in result:
            yield from _flat(value)
    else:
        yield result


def _as_wanted(value: Any, parameter: inspect.Parameter | None) -> Any:
    """A dtype that SPEC writes as text, as a dtype."""
    if isinstance(value, str) and parameter is not None and isinstance(parameter.default, torch.dtype):
        return getattr(torch, value, value)
    return value


def _line(trace: TracebackType | None, path: str) -> int:
    found = 0
    while trace is not None:
        if path and trace.tb_frame.f_code.co_filename == path:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
