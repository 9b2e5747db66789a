"""`nn.Module` and its containers: what their constructors keep, how they are called, and the methods that `__init__` uses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from r0kit.golden.builder import OperationError
from r0kit.golden.evaluate import names
from r0kit.golden.evaluate.attributes import LAYER, inherited, library_of
from r0kit.golden.evaluate.run import Run
from r0kit.golden.evaluate.scope import Scope
from r0kit.golden.evaluate.state import INSTANCE
from r0kit.golden.ops.layer_table import REFUSED
from r0kit.golden.ops.layers import BY_PATH
from r0kit.golden.values import (
    NONE,
    DictValue,
    FunctionValue,
    LayerValue,
    ObjectValue,
    SequenceValue,
    SuperValue,
    TensorValue,
    UnknownValue,
    Value,
    constant,
)

SEQUENTIAL = "torch.nn.Sequential"
_PLACES = "%places"  # of an object that is a Sequential: the names of its members, in order
Arguments = Sequence[Value]
Keywords = Mapping[str, Value]
Caller = Callable[[Run, Arguments, Keywords, ast.AST], Value]


# Sequential


def sequential(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """`nn.Sequential(a, b)`, `nn.Sequential(OrderedDict(...))`."""
    made = ObjectValue("Sequential", {INSTANCE: UnknownValue("the object itself"), _PLACES: SequenceValue([])})
    _fill(run, made, args)
    return made


def _fill(run: Run, instance: ObjectValue, args: Arguments) -> None:
    named = args[0] if len(args) == 1 and isinstance(args[0], DictValue) else None
    pairs = named.items.items() if named is not None else ((str(place), value) for place, value in enumerate(args))
    run.journal.put(instance.attributes, _PLACES, SequenceValue([]))
    for name, value in pairs:
        set_member(run, instance, str(name), value)


def set_member(run: Run, instance: ObjectValue, name: str, value: Value) -> None:
    """An attribute of an instance; a module that a Sequential gets this way is called last."""
    places = instance.attributes.get(_PLACES)
    new = name not in instance.attributes and isinstance(value, LayerValue | ObjectValue)
    run.journal.put(instance.attributes, name, value)
    if new and isinstance(places, SequenceValue):
        run.journal.edit(places.items, lambda: places.items.append(constant(name)))


def members(run: Run, value: Value) -> list[Value] | None:
    """The modules of a Sequential in order; None of anything else."""
    places = value.attributes.get(_PLACES) if isinstance(value, ObjectValue) else None
    if not isinstance(places, SequenceValue) or not isinstance(value, ObjectValue):
        return None
    return [value.attributes[run.builder.fold(place, "a name")] for place in places.items]


def call_members(run: Run, modules: Sequence[Value], args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """Each module of a Sequential on what the one before gives."""
    if len(args) != 1 or kwargs:
        return run.unsupported(node, "a Sequential takes one input", "call it with one tensor")
    value = args[0]
    for module in modules:
        value = run.call(module, [value], {}, node)
    return value


# Other containers, and tensors that are owned


def _module_list(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    given = args[0] if args else SequenceValue([])
    if not isinstance(given, SequenceValue):
        given = SequenceValue(members(run, given) or [run.unsupported(node, "which modules these are is not known")])
    return run.state.container(SequenceValue(list(given.items), is_list=True))


def _module_dict(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    given = args[0] if args else DictValue()
    if isinstance(given, SequenceValue):
        pairs = [pair.items for pair in given.items if isinstance(pair, SequenceValue)]
        given = DictValue({run.builder.fold(name, "a name"): value for name, value in pairs})
    if not isinstance(given, DictValue):
        return run.unsupported(node, "which modules these are is not known")
    return run.state.container(DictValue(dict(given.items)))


def _parameter_list(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    made = _module_list(run, args, kwargs, node)
    if isinstance(made, SequenceValue):
        made.items[:] = [_owned(run, item) for item in made.items]
    return made


def _parameter_dict(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    made = _module_dict(run, args, kwargs, node)
    if isinstance(made, DictValue):
        made.items.update({name: _owned(run, item) for name, item in made.items.items()})
    return made


def _owned(run: Run, value: Value) -> Value:
    owned = isinstance(value, TensorValue) and value.ref in run.state.owned
    return value if owned or not run.state.making else run.state.parameter(run.builder, value)


def _parameter(run: Run, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    value = args[0] if args else kwargs.get("data", NONE)
    return run.state.parameter(run.builder, value) if run.state.making else value


CONSTRUCTORS: dict[str, Caller] = {
    SEQUENTIAL: sequential,
    "torch.nn.ModuleList": _module_list,
    "torch.nn.ModuleDict": _module_dict,
    "torch.nn.ParameterList": _parameter_list,
    "torch.nn.ParameterDict": _parameter_dict,
    "torch.nn.Parameter": _parameter,
    "torch.nn.parameter.Parameter": _parameter,
}


# `super()` and what it begins


def super_call(run: Run, node: ast.Call, scope: Scope) -> Value:
    """`super()` or `super(Class, self)` in a method of a class of the file."""
    owner = names.lookup(run, "__class__", scope)
    if node.args:
        owner = run.value(node.args[0], scope)
    first = _first_parameter(run)
    instance = run.value(node.args[1], scope) if len(node.args) > 1 else names.lookup(run, first, scope)
    if isinstance(owner, ObjectValue) and isinstance(instance, ObjectValue):
        return SuperValue(instance, owner)
    return run.unsupported(node, "`super()` is read in methods of a class of the file alone")


def _first_parameter(run: Run) -> str:
    function = run.calls[-1] if run.calls else None
    given = function.args if isinstance(function, ast.FunctionDef | ast.Lambda) else None
    listed = [*given.posonlyargs, *given.args] if given is not None else []
    return listed[0].arg if listed else ""


def begin(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """`super().__init__(...)` of a class that derives from one of a library: a layer or a container keeps its arguments."""
    if isinstance(base, SuperValue):
        begin_as(run, base.instance, library_of(base.owner), args, kwargs, node)
    return NONE


def begin_as(run: Run, instance: ObjectValue, path: str, args: Arguments, kwargs: Keywords, node: ast.AST) -> None:
    """What the constructor of the library class `path` does to an instance."""
    if path == SEQUENTIAL:
        _fill(run, instance, args)
    elif path in BY_PATH or path.rpartition(".")[2] in REFUSED:
        layer = layer_of(run, path, args, kwargs)
        run.journal.put(instance.attributes, LAYER, layer)
        held = layer.kwargs.get("weights")
        for name, value in held.items.items() if isinstance(held, DictValue) else ():
            run.journal.put(instance.attributes, str(name), value)
    elif path in CONSTRUCTORS:
        run.unsupported(node, f"a class that derives from {path.removeprefix('torch.')} is not read", "keep one in it")


def layer_of(run: Run, path: str, args: Arguments, kwargs: Keywords) -> LayerValue:
    """A layer of torch; while the golden's module is made, with weights of its own."""
    return (
        run.state.layer(run.builder, path, args, kwargs)
        if run.state.making
        else LayerValue(path, tuple(args), dict(kwargs))
    )


# Methods of modules


def _register(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    """register_buffer, register_parameter, add_module: an attribute by name."""
    given = [*args, *(kwargs[name] for name in ("name", "tensor", "param", "module") if name in kwargs)]
    if len(given) < 2 or not isinstance(base, ObjectValue):
        return run.unsupported(node, "a registration has a name and a value")
    set_member(run, base, str(run.builder.fold(given[0], "the name of what is registered")), given[1])
    return NONE


def _register_buffer(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    given = [*args, *(kwargs[name] for name in ("name", "tensor") if name in kwargs)]
    value = given[1] if len(given) > 1 else UnknownValue("a buffer without a value")
    if run.state.making:
        value = run.state.buffer(run.builder, value)
    return _register(run, base, [*given[:1], value], {}, node)


def _itself(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return base


def _nothing(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return NONE


def _append(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    held = members(run, base)
    if held is None or not isinstance(base, ObjectValue):
        return run.unsupported(node, "`append` of a module that is no Sequential")
    set_member(run, base, str(len(held)), args[0])
    return base


def _modules(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    return SequenceValue([*_all_modules(base, set())], is_list=True)


def _children(run: Run, base: Value, args: Arguments, kwargs: Keywords, node: ast.AST) -> Value:
    held = base.attributes.values() if isinstance(base, ObjectValue) else ()
    return SequenceValue([one for one in held if isinstance(one, LayerValue | ObjectValue)], is_list=True)


def _all_modules(base: Value, seen: set[int]) -> Iterator[Value]:
    """Each once, as torch lists them."""
    if id(base) in seen:
        return
    seen.add(id(base))
    if isinstance(base, SequenceValue | DictValue):
        inside = base.items if isinstance(base, SequenceValue) else list(base.items.values())
        for one in inside:
            yield from _all_modules(one, seen)
    elif isinstance(base, LayerValue):
        yield base
    elif isinstance(base, ObjectValue):
        yield base
        for name, one in base.attributes.items():
            if not name.startswith("%"):
                yield from _all_modules(one, seen)


METHODS: dict[str, Callable[..., Value]] = {
    "register_buffer": _register_buffer,
    "register_parameter": _register,
    "add_module": _register,
    "register_module": _register,
    "append": _append,
    "modules": _modules,
    "children": _children,
    **dict.fromkeys(("apply", "to", "float", "cpu", "cuda", "requires_grad_"), _itself),
    "reset_parameters": _nothing,
}


# Weights that `__init__` sets: they are inputs, whatever it puts there


def sets_weight(run: Run, value: Value, method: str) -> bool:
    """Whether `value.method(...)` changes, while the module is made, a tensor that comes as an input anyway."""
    return run.state.making and method.endswith("_") and isinstance(value, TensorValue) and value.ref in run.state.owned


def initialised(run: Run, path: str, args: Arguments) -> Value | None:
    """`nn.init.*` while the module is made: the tensor, whose numbers nobody reads; None for any other call."""
    if not run.state.making or not path.startswith("torch.nn.init.") or not args:
        return None
    return args[0]


# The golden's own module


def instance_of(run: Run, owner: ast.ClassDef) -> Value:
    """The module whose `forward` the golden is, made as `Model(*get_init_inputs())` makes it."""
    try:
        return _made(run, owner)
    except OperationError as error:  # of a constructor that is called without a statement of the file
        return run.unsupported(owner, f"`{owner.name}`: {error.message}", error.hint or _INIT_HINT, "golden.init")


def _made(run: Run, owner: ast.ClassDef) -> Value:
    made_by = run.module.find(owner.name)
    if not isinstance(made_by, ObjectValue) or inherited(made_by, "forward") is None:
        return UnknownValue(f"`{owner.name}` is made in a place that is not read")
    args, kwargs = _init_arguments(run, made_by)
    missing = _missing(made_by, len(args), kwargs)
    if missing:
        return run.unsupported(owner, f"nothing says what `{missing}` of `{owner.name}` is", _INIT_HINT, "golden.init")
    run.state.making = True
    instance: Value = UnknownValue("it could not be made")
    try:
        instance = run.call(made_by, args, kwargs, owner)
    finally:
        run.state.making = False
        run.state.settle(run.builder, instance)
    run.storage.forget(run.state.owned)
    return instance


_INIT_HINT = "let get_init_inputs() return the arguments of __init__, or give them defaults"


def _init_arguments(run: Run, made_by: ObjectValue) -> tuple[list[Value], dict[str, Value]]:
    """What `get_init_inputs()` returns: a list of arguments, or such a list and a dictionary of keywords."""
    function = run.module.find("get_init_inputs")
    if not isinstance(function, FunctionValue):
        return [], {}
    given = run.call(function, [], {}, function.node)
    items = given.items if isinstance(given, SequenceValue) else [] if isinstance(given, DictValue) else None
    if items is None:
        run.unsupported(
            function.node, "what get_init_inputs returns is not known", "let it return a list", "golden.init"
        )
    named = given if isinstance(given, DictValue) else items[1] if items and len(items) == 2 else None
    first = items[0] if items else SequenceValue([])
    if isinstance(named, DictValue) and isinstance(first, SequenceValue) and named.items.keys() <= _takes(made_by):
        return list(first.items), {str(name): value for name, value in named.items.items()}
    return list(items or ()), {}


def _init_of(made_by: ObjectValue) -> ast.arguments | None:
    init = inherited(made_by, "__init__")
    return init.node.args if isinstance(init, FunctionValue) else None


def _takes(made_by: ObjectValue) -> set[str]:
    """Names of the parameters of `__init__`."""
    given = _init_of(made_by)
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)} if given is not None else set()


def _missing(made_by: ObjectValue, count: int, named: Keywords) -> str:
    """A parameter of `__init__` that has no value; "" where there is none."""
    given = _init_of(made_by)
    if given is None:
        return ""
    positional = [one.arg for one in (*given.posonlyargs, *given.args)]
    needed = positional[1 + count : len(positional) - len(given.defaults)]
    needed += [one.arg for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return next((name for name in needed if name not in named), "")
