"""How many arguments Python's functions and methods take by position; who writes more or fewer is told."""

from __future__ import annotations

from r0kit.golden.builder import OperationError

MANY = 1 << 16

# (fewest, most) -> functions by their paths, methods behind the kind of what they belong to.
_TAKEN: dict[tuple[int, int], str] = {
    (
        1,
        1,
    ): "builtins.len builtins.reversed builtins.sorted builtins.any builtins.all builtins.callable torch.is_tensor "
    "torch.is_floating_point copy.copy math.prod numpy.prod list.append list.add list.extend",
    (1, 2): "builtins.enumerate builtins.sum builtins.next copy.deepcopy dict.get dict.setdefault dict.pop",
    (0, 1): "builtins.list builtins.tuple builtins.set builtins.dict builtins.bool builtins.float list.pop dict.update",
    (0, 2): "builtins.int",
    (1, 3): "builtins.range builtins.slice builtins.type list.index",
    (2, 2): "builtins.divmod builtins.filter builtins.isinstance builtins.hasattr typing.cast list.insert",
    (2, 3): "builtins.pow builtins.getattr functools.reduce",
    (3, 3): "builtins.setattr",
    (1, MANY): "builtins.min builtins.max builtins.map functools.partial",
    (0, 0): "list.clear list.reverse list.copy list.numel dict.items dict.keys dict.values dict.copy",
}
ARITY = {name: bounds for bounds, names in _TAKEN.items() for name in names.split()}


def check(name: str, count: int) -> None:
    """OperationError where `name` does not take `count` arguments by position."""
    fewest, most = ARITY.get(name, (0, MANY))
    if not fewest <= count <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} or more" if most == MANY else f"{fewest} to {most}"
        short = name.rpartition(".")[2]
        raise OperationError(f"`{short}` takes {wanted} arguments by position, not {count}", "call it as Python does")
