"""Programs of the campaign `meanings` of fuzz.py: goldens of the tests, changed so that most still run.

Each change is one that a person might write: another operator or function, another axis, a value wrapped in one more
operation, a statement more or less, a change in place, an alias, a branch, a loop.
"""

import ast
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_OPERATORS: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_ALIKE = (  # functions that take the same arguments
    ("exp", "sigmoid", "tanh", "abs", "neg", "sqrt", "rsqrt", "square", "relu", "silu", "log1p", "floor", "sign"),
    ("sum", "mean", "amax", "amin", "logsumexp", "prod", "std", "var", "argmax", "norm"),
    ("softmax", "log_softmax", "cumsum", "flip", "softmin", "cumprod"),
    ("maximum", "minimum", "mul", "add", "sub", "div", "pow"),
    ("zeros_like", "ones_like", "empty_like", "zeros", "ones"),
    ("float", "half", "bfloat16", "double", "clone", "contiguous", "detach"),
    ("float32", "float16", "bfloat16", "float64"),
    ("triu", "tril"),
    ("unsqueeze", "squeeze"),
)
_WRAPS = (
    *("E * 2", "E - 1", "-E", "E * E", "1 / (1 + E.abs())", "torch.tanh(E)", "torch.sigmoid(E)", "E.clamp(-0.5, 0.5)"),
    *(
        "E.sum(-1, keepdim=True)",
        "E.mean(0, keepdim=True)",
        "E - E.mean(-1, keepdim=True)",
        "E - E.amax(-1, keepdim=True)",
    ),
    *(
        "E / (E.norm(dim=-1, keepdim=True) + 1)",
        "torch.softmax(E, dim=-1)",
        "E.softmax(0)",
        "E.cumsum(-1)",
        "E.cumsum(0)",
    ),
    *("E.transpose(-1, -2)", "E.flip(-1)", "E.roll(1, -1)", "E[..., :1]", "E[..., 1:]", "E[:1]", "E[..., ::2]", "E[0]"),
    *(
        "E.float()",
        "E.half().float()",
        "E.bfloat16()",
        "E.clone()",
        "E.contiguous()",
        "E.detach()",
        "E.double().float()",
    ),
    *(
        "torch.where(E > 0, E, 0.5 * E)",
        "E.masked_fill(E < 0, 0.25)",
        "(E > 0).float()",
        "E.sum()",
        "E.mean()",
        "E.amax()",
    ),
    *("E.reshape(-1).reshape(E.shape)", "E.unsqueeze(0).squeeze(0)", "E.expand_as(E)", "E.var(-1, keepdim=True)"),
    *("torch.cat([E, E], dim=-1)", "torch.stack([E, -E]).sum(0)", "E.repeat_interleave(2, -1)[..., ::2]", "E.amax(0)"),
    *("E.argmax(-1, keepdim=True).float()", "E.sort(-1)[0]", "E.topk(1, dim=-1)[0]", "E @ E.transpose(-1, -2)"),
    *("torch.maximum(E, E.mean())", "E.max(-1)[0]", "E.max(dim=-1, keepdim=True).values", "E.sum(0, keepdim=True)"),
)
_STATEMENTS = (
    *(
        "T = T + 1",
        "T += 1",
        "T *= 0.5",
        "T.mul_(2)",
        "T[..., 0] = 0",
        "T[0] = 0.5",
        "T[..., :1] *= 2",
        "T.clamp_(-1, 1)",
    ),
    *("T = T.clone()", "T[T > 1] = 1", "T = T - T.mean()", "T = U", "T = T * U", "T += U", "T, U = U, T", "T[:] = U"),
    *("U = T\nU += 1", "U = T.view(-1)\nU[0] = 1", "U = T[..., :1]\nU.zero_()", "U = T.clone()\nU += 1\nT = T + U"),
    *(
        "if T.shape[0] > 1:\n    T = T * 2",
        "if T.dim() > 2:\n    T = T - 1\nelse:\n    T = T + 1",
        "V = T\nT = T + 1\nT = T * V",
    ),
    *("for _ in range(2):\n    T = T * 0.5 + 0.1", "for i in range(T.shape[0]):\n    T[i] = T[i] * 2", "T.fill_(0.5)"),
    *("for i in range(1, T.shape[0]):\n    T[i] = T[i] + T[i - 1]", "V = torch.zeros_like(T)\nV[:] = T\nT = V - 0.5"),
    *("V = 0.0\nfor i in range(T.shape[0]):\n    V = V + T[i].sum()\nT = T + V", "V = T.sum()\nT = T / (1 + V.abs())"),
    *(
        "V = []\nfor i in range(T.shape[0]):\n    V.append(T[i] * 2)\nT = torch.stack(V)",
        "T = T.add(1)",
        "T = T.sub_(0.5)",
    ),
    *(
        "V = T.new_zeros(T.shape)\nfor i in range(T.shape[0]):\n    V[i] = T[i] + 1\nT = V",
        "V = T.mean(-1, keepdim=True)\nT = T - V",
    ),
    *(
        "def f(a, b=2):\n    return a * b\nT = f(T)",
        "T = (lambda a: a - 0.5)(T)",
        "V = {'a': T}\nV['a'] += 1\nT = V['a']",
    ),
)
_NUMBERS = (-2, -1, 0, 1, 2, 3, 0.5, 0.1, 1e-05)

Change = Callable[[ast.FunctionDef, random.Random], bool]


def reworked(text: str, dice: random.Random) -> str:
    """The golden with one to four changes; as it was where none fits."""
    for _ in range(dice.choice((1, 1, 2, 2, 3, 4))):
        text = _changed(text, dice)
    return text


def _changed(text: str, dice: random.Random) -> str:
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        return text
    function = functions[-1] if dice.random() < 0.8 else dice.choice(functions)
    any(change(function, dice) for change in dice.choices(_CHANGES, k=8))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _inside(function: ast.FunctionDef, *kinds: type[ast.AST]) -> list[Any]:
    return [node for statement in function.body for node in ast.walk(statement) if isinstance(node, kinds)]


def _operator(function: ast.FunctionDef, dice: random.Random) -> bool:
    found = [node for node in _inside(function, ast.BinOp, ast.AugAssign) if isinstance(node.op, _OPERATORS)]
    if found:
        dice.choice(found).op = dice.choice(_OPERATORS)()
    return bool(found)


def _function(function: ast.FunctionDef, dice: random.Random) -> bool:
    rows = [(node, row) for node in _inside(function, ast.Attribute) for row in _ALIKE if node.attr in row]
    if rows:
        node, row = dice.choice(rows)
        node.attr = dice.choice(row)
    return bool(rows)


def _number(function: ast.FunctionDef, dice: random.Random) -> bool:
    """Another axis, extent, start or factor; or the other of True and False."""
    found = [node for node in _inside(function, ast.Constant) if isinstance(node.value, int | float)]
    if found:
        node = dice.choice(found)
        node.value = not node.value if isinstance(node.value, bool) else dice.choice(_NUMBERS)
    return bool(found)


def _name(function: ast.FunctionDef, dice: random.Random) -> bool:
    found = [node for node in _inside(function, ast.Name) if isinstance(node.ctx, ast.Load) and node.id not in _MODULES]
    if found:
        dice.choice(found).id = dice.choice(found).id
    return bool(found)


_MODULES = ("torch", "F", "nn", "math", "range", "len", "min", "max", "int", "float")


def _wrap(function: ast.FunctionDef, dice: random.Random) -> bool:
    """A value in one more operation."""
    found = []
    for statement in function.body:
        for parent in ast.walk(statement):
            for field, value in ast.iter_fields(parent):
                read = isinstance(value, ast.Name) and isinstance(value.ctx, ast.Load) and value.id not in _MODULES
                if read or isinstance(value, ast.BinOp | ast.Call):
                    found.append((parent, field, value))
    if not found:
        return False
    parent, field, value = dice.choice(found)
    setattr(parent, field, _with(ast.parse(dice.choice(_WRAPS), mode="eval").body, {"E": value}))
    return True


class _Filled(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._values.get(node.id)
        if isinstance(value, ast.Name):
            return ast.Name(value.id, node.ctx)
        return value or node


def _with(node: Any, values: dict[str, ast.expr]) -> Any:
    return _Filled(values).visit(node)


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    inner = [node.body for node in _inside(function, ast.For, ast.If, ast.While)]
    return [function.body, *inner]


def _statement(function: ast.FunctionDef, dice: random.Random) -> bool:
    """One more statement behind one that gives a name a value."""
    places = [(block, at, names) for block in _blocks(function) for at, names in _assigned(block)]
    places += [(function.body, -1, [argument.arg for argument in function.args.args])]
    block, at, names = dice.choice(places)
    others = [name for _, _, some in places for name in some]
    values: dict[str, ast.expr] = {"T": ast.Name(dice.choice(names or others)), "U": ast.Name(dice.choice(others))}
    fresh = ast.parse(dice.choice(_STATEMENTS)).body
    first = at + 1 if at >= 0 else int(isinstance(block[0], ast.Expr))
    block[first:first] = [_with(statement, values) for statement in fresh]
    return True


def _assigned(block: Sequence[ast.stmt]) -> Iterable[tuple[int, list[str]]]:
    for at, statement in enumerate(block):
        if isinstance(statement, ast.Assign):
            names = [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            yield at, names


def _order(function: ast.FunctionDef, dice: random.Random) -> bool:
    """A statement left out, doubled, or one further down."""
    blocks = [block for block in _blocks(function) if len(block) > 2]
    if not blocks:
        return False
    block = dice.choice(blocks)
    at = dice.randrange(len(block) - 1)
    fresh = dice.choice(([], [block[at], block[at]], [block[at + 1], block[at]]))
    block[at : at + (2 if fresh and fresh[0] is block[at + 1] else 1)] = fresh
    return True


def _result(function: ast.FunctionDef, dice: random.Random) -> bool:
    """One more result, or the results in another order."""
    returns = [node for node in function.body if isinstance(node, ast.Return) and node.value is not None]
    names = [name for _, some in _assigned(function.body) for name in some]
    if not returns or not names:
        return False
    value = returns[0].value
    results = list(value.elts) if isinstance(value, ast.Tuple) else [value]
    results.insert(dice.randint(0, len(results)), ast.Name(dice.choice(names)))
    returns[0].value = ast.Tuple(results, ast.Load())
    return True


def _in_place(function: ast.FunctionDef, dice: random.Random) -> bool:
    """`x = x + y` as `x += y`, or the other way round: what shares memory with x is the difference."""
    found: list[tuple[list[ast.stmt], int, ast.stmt]] = []
    for block in _blocks(function):
        for at, one in enumerate(block):
            match one:
                case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(left), op, right)) if name == left:
                    found.append((block, at, ast.AugAssign(ast.Name(name, ast.Store()), op, right)))
                case ast.AugAssign(ast.Name(name), op, right):
                    both = ast.BinOp(ast.Name(name, ast.Load()), op, right)
                    found.append((block, at, ast.Assign([ast.Name(name, ast.Store())], both)))
    if found:
        block, at, fresh = dice.choice(found)
        block[at] = fresh
    return bool(found)


_CHANGES: tuple[Change, ...] = (
    *(_operator, _function, _number, _name, _wrap, _wrap, _wrap, _statement, _statement, _statement),
    *(_order, _result, _in_place, _in_place),
)
