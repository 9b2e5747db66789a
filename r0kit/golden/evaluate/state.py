"""The state of a golden that is a `nn.Module`: the tensors that its instance owns, each an input of the Program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from r0kit.golden.builder import Builder
from r0kit.golden.dims import Shape
from r0kit.golden.ops.layers import BY_PATH, weights
from r0kit.golden.program import Input, Kind
from r0kit.golden.values import (
    DictValue,
    LayerValue,
    ObjectValue,
    SequenceValue,
    TensorValue,
    Value,
)

INSTANCE = "%instance"  # an attribute that tells an instance from a class; only reading knows it

_STATISTICS = frozenset(("running_mean", "running_var"))
_PARAMETER, _BUFFER, _OTHER = range(3)  # the order in which torch would list them; what it does not list comes last


@dataclass(slots=True)
class State:
    """training: the mode of every module. making: whether `__init__` is being read, where tensors come to be owned.

    owned: by provisional name, what torch would call each of them: parameter, buffer or neither. containers: lists and
    dictionaries that are modules themselves, by identity. members: path in the module -> provisional name, in torch's
    order.
    """

    training: bool = True
    making: bool = False
    owned: dict[str, int] = field(default_factory=dict)
    containers: dict[int, Value] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)

    def parameter(self, builder: Builder, value: Value) -> Value:
        """`nn.Parameter(value)`."""
        return self._own(builder, value.shape, value.dtype, _PARAMETER) if isinstance(value, TensorValue) else value

    def buffer(self, builder: Builder, value: Value) -> Value:
        """What `register_buffer("name", value)` keeps."""
        return self._own(builder, value.shape, value.dtype, _BUFFER) if isinstance(value, TensorValue) else value

    def layer(self, builder: Builder, path: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> LayerValue:
        """The layer `path(*args, **kwargs)` with weights of its own."""
        held: dict[str, Value] = {
            one.name: self._own(builder, one.shape, one.dtype, _BUFFER if one.name in _STATISTICS else _PARAMETER)
            for one in weights(builder, path, args, kwargs)
        }
        return LayerValue(
            path, tuple(args), {**kwargs, "weights": DictValue(held)} if path in BY_PATH else dict(kwargs)
        )

    def container(self, value: Value) -> Value:
        """A list or dictionary that is a module: torch lists what it holds."""
        self.containers[id(value)] = value
        return value

    def _own(self, builder: Builder, shape: Shape, dtype: str, kind: int) -> TensorValue:
        name = f"%w{len(self.owned)}"
        self.owned[name] = kind
        return builder.input(name, shape, dtype)

    # What an instance owns

    def settle(self, builder: Builder, instance: Value) -> None:
        """Name what `instance` owns by its paths; tensors of random numbers that it keeps are owned too."""
        self._keep_random(builder, instance)
        found = [(path, value.ref, listed) for path, value, listed in self._tensors("", instance, True, set())]
        known = [(path, ref, self.owned[ref] if listed else _OTHER) for path, ref, listed in found if ref in self.owned]
        named: set[str] = set()
        for path, ref, _ in sorted(known, key=lambda one: one[2]):
            if ref not in named:
                named.add(ref)
                self.members[path] = ref
        for ref in self.owned:
            if ref not in named:  # kept in a place without a path, such as a function
                self.members[f"unnamed.{ref.removeprefix('%')}"] = ref

    def _tensors(
        self, path: str, value: Value, listed: bool, seen: set[int]
    ) -> Iterator[tuple[str, TensorValue, bool]]:
        """(path, tensor, whether torch lists what is there) of all tensors: own ones first, then those of members."""
        if id(value) in seen:
            return
        seen.add(id(value))
        parts = list(_members(value))
        for name, member in parts:
            if isinstance(member, TensorValue):
                yield path + name, member, listed
        for name, member in parts:
            inside = listed and (not isinstance(member, SequenceValue | DictValue) or id(member) in self.containers)
            yield from self._tensors(f"{path}{name}.", member, inside, seen)

    def _keep_random(self, builder: Builder, instance: Value) -> None:
        """Tensors beside parameters and buffers stay Steps where numbers alone make them; others come as inputs."""
        random = _random(builder)
        kept: dict[str, TensorValue] = {}
        for items in _places(instance, set()):
            for name, member in items:
                if isinstance(member, TensorValue) and member.ref in random:
                    if member.ref not in kept:
                        kept[member.ref] = self._own(builder, member.shape, member.dtype, _OTHER)
                    items.put(name, kept[member.ref])

    def inputs(self, builder: Builder, taken: Collection[str]) -> dict[str, Input]:
        """Each owned tensor by provisional name, as the input that it is; `taken` are the names of other inputs."""
        found: dict[str, Input] = {}
        for path, ref in self.members.items():
            name = path.replace(".", "_")
            while name in taken or any(one.name == name for one in found.values()):
                name += "_w"
            value = builder.inputs[ref]
            found[ref] = Input(name, value.shape, value.dtype, path=path)
        return found


class _Place:
    """The members of an object, list or dictionary, to be read and replaced."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        return iter(list(_members(self.value)))

    def put(self, name: str, member: Value) -> None:
        if isinstance(self.value, SequenceValue):
            self.value.items[int(name)] = member
        elif isinstance(self.value, DictValue):
            self.value.items[next(key for key in self.value.items if str(key) == name)] = member
        elif isinstance(self.value, ObjectValue):
            self.value.attributes[name] = member


def _places(value: Value, seen: set[int]) -> Iterator[_Place]:
    if id(value) in seen:
        return
    seen.add(id(value))
    yield _Place(value)
    for _, member in _members(value):
        yield from _places(member, seen)


def _members(value: Value) -> Iterable[tuple[str, Value]]:
    """What a module or container holds, by name."""
    match value:
        case ObjectValue(attributes=attributes) if INSTANCE in attributes:
            return [(name, member) for name, member in attributes.items() if not name.startswith("%")]
        case LayerValue(kwargs={"weights": DictValue(items=items)}):
            return list(items.items())
        case SequenceValue(items=items):
            return [(str(place), member) for place, member in enumerate(items)]
        case DictValue(items=items):
            return [(str(name), member) for name, member in items.items()]
    return ()


def _random(builder: Builder) -> set[str]:
    """Values that random numbers, or tensors that are not filled, go into."""
    found: set[str] = set()
    for step in builder.steps:
        if step.kind is Kind.RANDOM or step.op == "empty" or any(name in found for name in step.tensors):
            found.add(step.target)
    return found
