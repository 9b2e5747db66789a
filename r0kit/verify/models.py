"""Goldens that are `forward` of a class: the instance, its own tensors and their values. Child process only.

Each case makes a new instance after the case's seed, so that weights are what the class itself draws: they keep the
computation sane in ways that no range of a harness knows (a fan-in, a running variance that is positive). A tensor of one
number throughout is the exception, for a weight of ones or a bias of zeros that a Module forgets would not show.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from r0kit.verify.callers import ForeignError
from r0kit.verify.inputs import make

_SPREAD = 0.25  # by how much of itself a number may differ that stands everywhere in a tensor, and zeros by how much
_HOLDERS = (torch.Tensor, torch.nn.Module, list, tuple, Mapping)  # what may be a tensor, or have some in it
_HOOKS = frozenset(vars(torch.nn.Module()))  # what every module has, and nobody's tensors are in
_MOST_NAMES = 8  # of an instance's tensors that a message lists

State = Mapping[str, torch.Tensor]


def made(module: ModuleType, owner: str, evaluation: bool) -> Any:
    """A new instance of the class `owner`, as `get_init_inputs` of its file says, in training mode or in evaluation."""
    kind: Any = module
    for name in owner.split("."):
        kind = getattr(kind, name)
    with _filled():
        positional, keywords = _arguments(kind, module)
        instance = kind(*positional, **keywords)
    if isinstance(instance, torch.nn.Module):
        instance.train(not evaluation).requires_grad_(False)
    return instance


def forward_of(instance: Any) -> Callable[..., Any]:
    """What runs an instance, hooks included, with the signature of its `forward`."""
    if not isinstance(instance, torch.nn.Module):
        found: Callable[..., Any] = instance.forward
        return found
    return functools.wraps(instance.forward)(functools.partial(torch.nn.Module.__call__, instance))


def state_of(instance: Any) -> State:
    """The tensors that an instance owns, by the names that they have as primary inputs of a contract.

    Parameters, buffers and plain attributes: `blocks.0.up.bias` is `blocks_0_up_bias`; `_w` stands behind a name that is
    one of the parameters of `forward`.
    """
    taken = inspect.signature(instance.forward).parameters
    found: dict[str, torch.Tensor] = {}
    for path, value in _tensors("", instance):
        name = path.replace(".", "_")
        while name in taken or (name in found and found[name] is not value):
            name += "_w"
        found[name] = value
    return found


def expect(state: State, tensors: Sequence[Mapping[str, Any]]) -> None:
    """ForeignError where an input that no parameter of `forward` can be is no tensor of the instance either."""
    for plan in tensors:
        if plan["owned"] and plan["name"] not in state:
            listed = ", ".join([*state][:_MOST_NAMES]) or "none"
            more = f" and {len(state) - _MOST_NAMES} more" if len(state) > _MOST_NAMES else ""
            what = f"is neither a parameter of forward nor a tensor of the golden's class, which has {listed}{more}"
            raise _misfit(plan["name"], what, "call it as the class's state_dict does, with _ for each dot")


def settle(state: State, tensors: Sequence[Mapping[str, Any]], seed: int) -> dict[str, torch.Tensor]:
    """Give an instance the values that a case wants, and return copies of those that are inputs of the contract.

    tensors: the `TensorPlan`s of the case as plain data. ForeignError where a shape is not that of the instance.
    """
    done: dict[int, torch.Tensor] = {}  # a tensor by two names is settled by the first of them
    for place, plan in enumerate(tensors):
        tensor = state.get(plan["name"])
        if tensor is not None and id(tensor) not in done:
            done[id(tensor)] = _settled(tensor, plan, seed, place)
    return {plan["name"]: done[id(state[plan["name"]])] for plan in tensors if plan["name"] in state}


def _misfit(name: str, message: str, hint: str) -> ForeignError:
    """The contract and the golden's class do not agree on the tensor `name`."""
    told = {"type": "", "message": f"{name} {message}", "memory": False, "line": 0}
    return ForeignError({"phase": "state", "name": name, "hint": hint, **told})


def _settled(tensor: torch.Tensor, plan: Mapping[str, Any], seed: int, place: int) -> torch.Tensor:
    wanted, actual = list(plan["shapes"][0]), list(tensor.shape)
    if wanted != actual:
        what = f"has shape {actual} in the golden's class, and {wanted} in this case of the contract"
        raise _misfit(plan["name"], what, "correct the shape, or what get_init_inputs returns")
    value = _own(tensor, plan, seed, place) if plan["owned"] else make(plan, seed, place)
    _store(tensor, value)
    return value.clone()


def _own(tensor: torch.Tensor, plan: Mapping[str, Any], seed: int, place: int) -> torch.Tensor:
    """The values that the class has given a tensor, in the case's dtype; disturbed where they are all the same."""
    if not tensor.is_floating_point() or not tensor.numel():
        return tensor
    value: torch.Tensor = tensor.to(getattr(torch, plan["dtype"], tensor.dtype))
    if not value.is_floating_point():
        return tensor
    noise: torch.Tensor = make({**plan, "low": -1.0, "high": 1.0, "special": None}, seed, place).to(value.dtype)
    if value.isnan().any():  # never filled: `torch.empty`
        return noise / math.sqrt(max(value.numel() // len(value), 1)) if value.dim() > 1 else noise * _SPREAD
    first = value.flatten()[0]
    if bool((value != first).any()) or not first.isfinite():
        return value
    return value + noise * _SPREAD * (first.abs() if first else 1.0)


def _store(tensor: torch.Tensor, value: torch.Tensor) -> None:
    """Overwrite a tensor; in place where that can be, so that its views follow."""
    if tensor.dtype == value.dtype and not any(stride == 0 for stride in tensor.stride()):
        tensor.copy_(value)
    else:
        tensor.data = value.clone()


def _tensors(path: str, value: Any, above: tuple[int, ...] = ()) -> Iterator[tuple[str, torch.Tensor]]:
    """(path, tensor) of all that an instance, or a list or dictionary in it, holds: its own first, then its members'."""
    if id(value) in above:
        return
    parts = [(f"{path}{name}", member) for name, member in _members(value)]
    for name, member in parts:
        if isinstance(member, torch.Tensor) and not is_lazy(member):
            yield name, member
    for name, member in parts:
        if isinstance(member, (torch.nn.Module, list, tuple, Mapping)) and not isinstance(member, torch.Size):
            yield from _tensors(f"{name}.", member, (*above, id(value)))


def _members(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value)) if any(isinstance(one, _HOLDERS) for one in value) else []
    own: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    if not isinstance(value, torch.nn.Module):
        return list(own.items())
    groups = [own.pop(group) for group in ("_parameters", "_buffers", "_modules")]
    return [
        *(part for group in groups for part in group.items()),
        *(part for part in own.items() if part[0] not in _HOOKS),
    ]


def _arguments(kind: Any, module: ModuleType) -> tuple[list[Any], dict[str, Any]]:
    """What `get_init_inputs` returns, as arguments: a list of them, a dictionary, or a list and a dictionary."""
    function = getattr(module, "get_init_inputs", None)
    given = function() if callable(function) else []
    if isinstance(given, Mapping):
        return [], dict(given)
    if not isinstance(given, (list, tuple)):
        return [] if given is None else [given], {}
    named = given[1] if len(given) == 2 and isinstance(given[0], (list, tuple)) else None
    if isinstance(named, Mapping) and named.keys() <= inspect.signature(kind).parameters.keys():
        return list(given[0]), dict(named)
    return list(given), {}


class _filled:
    """Where memory that nobody has filled holds NaN rather than whatever was there before."""

    def __enter__(self) -> None:
        self.before = (
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
        )
        torch.use_deterministic_algorithms(True, warn_only=True)

    def __exit__(self, *error: object) -> None:
        torch.use_deterministic_algorithms(self.before[0], warn_only=self.before[1])
