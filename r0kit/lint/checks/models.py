"""What stands around the kernels: factories, the class ModelNew, asserts, remarks of the task."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from r0kit.finding import Fault
from r0kit.lint.subject import Subject
from r0kit.lint.trace.model import Kernel

_DIMS = ("dim", "axis", "reduce_dim", "reduction_dim")
_CHANGE = re.compile(r"change to (the )?desired", re.IGNORECASE)


def scalar_arguments(subject: Subject) -> Iterator[Fault]:
    """A number among the parameters of a kernel."""
    for kernel in subject.kernels:
        for argument in kernel.node.args.args:
            value = kernel.params[argument.arg]
            if value.is_scalar and argument.arg not in _DIMS:
                yield Fault(argument, f"the scalar {argument.arg} is an argument of the kernel")


def run_time_dim(subject: Subject) -> Iterator[Fault]:
    """A parameter `dim` of a kernel, in a file whose calls all give it the same number."""
    for kernel in subject.kernels:
        names = [argument.arg for argument in (*kernel.node.args.args, *kernel.node.args.kwonlyargs)]
        for index, argument in enumerate((*kernel.node.args.args, *kernel.node.args.kwonlyargs)):
            if argument.arg in _DIMS and not kernel.params[argument.arg].is_tensor:
                given = set(_given(subject, kernel.name, index, names[index]))
                if len(given) == 1 and None not in given:
                    yield Fault(argument, f"every call gives {argument.arg} the value {given.pop()}")


def _given(subject: Subject, function: str, index: int, name: str) -> Iterator[int | None]:
    """What the calls of `function` give a parameter; None for anything but a number."""
    for node in subject.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            keyword = next((k.value for k in node.keywords if k.arg == name), None)
            argument = keyword or (node.args[index] if index < len(node.args) else None)
            yield _integer(argument)


def _integer(node: ast.expr | None) -> int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    return sign * node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def separate_extents(subject: Subject) -> Iterator[Fault]:
    """Parameters N and M of a factory of which only the product is read."""
    for kernel in subject.kernels:
        factory = next((scope for scope in reversed(kernel.outer) if isinstance(scope, ast.FunctionDef)), None)
        if factory is None:
            continue
        names = {argument.arg for argument in factory.args.args}
        products = Counter(pair for node in ast.walk(factory) if (pair := _product(node)) and set(pair) <= names)
        for pair, count in products.items():
            reads = [sum(_reads(node, name) for node in ast.walk(factory)) for name in pair]
            if reads == [count, count]:
                place = next(argument for argument in factory.args.args if argument.arg == pair[0])
                yield Fault(place, f"{pair[0]} and {pair[1]} are read as {pair[0]} * {pair[1]} alone")


def _product(node: ast.AST) -> tuple[str, str] | None:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return None
    left, right = node.left, node.right
    if not isinstance(left, ast.Name) or not isinstance(right, ast.Name) or left.id == right.id:
        return None
    return left.id, right.id


def _reads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def needless_assert(subject: Subject) -> Iterator[Fault]:
    """assert n % tile == 0 in a file where no loop and no view needs it."""
    if not any(kernel.tiles for kernel in subject.kernels) or any(_cuts_blocks(kernel) for kernel in subject.kernels):
        return
    sizes = {size for kernel in subject.kernels for tile in kernel.tiles for size in tile.sizes or ()}
    for node in subject.nodes:
        if isinstance(node, ast.Assert) and _is_divisibility(node.test, sizes):
            yield Fault(node, "the extent need not be a multiple of the tile: automatic tiles handle the rest")


def _cuts_blocks(kernel: Kernel) -> bool:
    return kernel.loops or not kernel.whole or any(op.name in ("view", "slice") for op in kernel.ops)


def _is_divisibility(test: ast.expr, sizes: set[int | None]) -> bool:
    """`n % tile == 0`, with a divisor that is called a tile or is the size of one."""
    if (
        not isinstance(test, ast.Compare)
        or not isinstance(test.left, ast.BinOp)
        or not isinstance(test.left.op, ast.Mod)
    ):
        return False
    zero = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value == 0
    equal = len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    divisor = test.left.right
    return zero and equal and ("tile" in ast.unparse(divisor).lower() or (_integer(divisor) or 0) in sizes)


def model_signature(subject: Subject) -> Iterator[Fault]:
    """ModelNew.__init__ beside that of Model; without Model, parameters that are shapes."""
    classes = subject.classes()
    new = _initializer(classes.get("ModelNew"))
    if new is None or not subject.kernels:
        return
    old = _initializer(classes.get("Model"))
    if "Model" in classes:
        wanted, given = _parameters(old), _parameters(new)
        if wanted != given:
            shown = ", ".join(name for name, _ in wanted) or "nothing"
            yield Fault(
                new, f"Model.__init__ takes {shown}, ModelNew.__init__ {', '.join(n for n, _ in given) or 'nothing'}"
            )
        return
    for argument in new.args.args[1:]:
        if "shape" in argument.arg.lower():
            yield Fault(argument, f"ModelNew.__init__ takes {argument.arg}, which forward can read from its inputs")


def _initializer(node: ast.ClassDef | None) -> ast.FunctionDef | None:
    functions = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)] if node is not None else []
    return next((function for function in functions if function.name == "__init__"), None)


def _parameters(node: ast.FunctionDef | None) -> list[tuple[str, str]]:
    """Names and defaults of the parameters after self."""
    if node is None:
        return []
    arguments = [*node.args.posonlyargs, *node.args.args][1:]
    defaults = [""] * (len(arguments) - len(node.args.defaults)) + [ast.unparse(d) for d in node.args.defaults]
    return list(zip((argument.arg for argument in arguments), defaults[-len(arguments) :], strict=False))


def many_dims(subject: Subject) -> Iterator[Fault]:
    """`if dim == 0: ... elif dim == 1:` in a kernel or around it, where the task is one of fixed shapes."""
    if any(_CHANGE.search(comment.text) for comment in subject.comments):
        return
    yield from _branches(subject)


def _branches(subject: Subject) -> Iterator[Fault]:
    """Once for each function around kernels, or kernel, that compares a dim with two numbers or more."""
    places: dict[int, ast.AST] = {id(kernel.node): kernel.node for kernel in subject.kernels}
    if _is_static(subject):
        places = {
            id(node): node for node in (kernel.outer[0] if kernel.outer else kernel.node for kernel in subject.kernels)
        }
        new = subject.classes().get("ModelNew")
        places.update({id(new): new} if new is not None else {})
    for place in places.values():
        tests = [node.test for node in ast.walk(place) if isinstance(node, ast.If)]
        compared = [(test, found) for test in tests if (found := _dim_compared(test)) is not None]
        values = sorted({value for _, (_, value) in compared})
        if len(values) > 1 and len({name for _, (name, _) in compared}) == 1:
            yield Fault(compared[0][0], f"there is a branch for each of dim = {', '.join(map(str, values))}")


def _is_static(subject: Subject) -> bool:
    """Whether the file is one task: it has a model, or the inputs of one."""
    functions = {node.name for node in subject.tree.body if isinstance(node, ast.FunctionDef)}
    return bool({"Model", "ModelNew"} & subject.classes().keys() or {"get_inputs", "get_init_inputs"} & functions)


def _dim_compared(test: ast.expr) -> tuple[str, int] | None:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return None
    name = test.left.id if isinstance(test.left, ast.Name) else getattr(test.left, "attr", "")
    value = _integer(test.comparators[0])
    return (name, value) if name in _DIMS and value is not None else None


def desired_comment(subject: Subject) -> Iterator[Fault]:
    """The remark "Example, change to desired ..." beside a kernel for many dims."""
    remarks = [comment.place for comment in subject.comments if _CHANGE.search(comment.text)]
    if remarks and any(_branches(subject)):
        yield Fault(remarks[0], "the remark belongs to the collection of tasks; this file has a branch for every dim")


def squeezed_afterwards(subject: Subject) -> Iterator[Fault]:
    """What a kernel stored with keepdim=True is squeezed by whoever called it."""
    kept = {kernel.name for kernel in subject.kernels if _stores_kept(kernel)}
    kept |= {scope.name for kernel in subject.kernels if _stores_kept(kernel) for scope in kernel.outer}
    kernels = _bound(subject, kept)
    for function in (node for node in subject.nodes if kept and isinstance(node, ast.FunctionDef)):
        written = set(_written(function, kernels))
        for node in ast.walk(function) if written else ():
            called = node.func if isinstance(node, ast.Call) else None
            squeezes = isinstance(called, ast.Attribute) and called.attr == "squeeze"
            base = called.value if squeezes and isinstance(called, ast.Attribute) else None
            if isinstance(base, ast.Name) and base.id in written:
                yield Fault(node, f"{base.id} is reduced with keepdim=True and squeezed afterwards")


def _stores_kept(kernel: Kernel) -> bool:
    """Whether what the kernel stores comes straight from a reduction that keeps its axis."""
    for _, value, _ in kernel.stores:
        op = value.op
        keep = op.arg(2, "keepdim") if op is not None and op.name in ("sum", "amax", "amin", "prod") else None
        if keep is not None and keep.number == 1:
            return True
    return False


def _bound(subject: Subject, makers: set[str]) -> set[str]:
    """Names and attributes that the results of these functions are bound to, and the functions themselves."""
    found = set(makers)
    for node in subject.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _called(node.value) in makers:
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            found |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
    return found


def _written(function: ast.FunctionDef, kernels: set[str]) -> Iterator[str]:
    """Names that are the last argument of a call of one of these kernels."""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Call)
            and _called(node) in kernels
            and node.args
            and isinstance(node.args[-1], ast.Name)
        ):
            yield node.args[-1].id


def _called(node: ast.Call) -> str:
    func = node.func.func if isinstance(node.func, ast.Call) else node.func
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
