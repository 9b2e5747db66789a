"""Prose of a SPEC -> the same keys as its machine forms: `atol: 1e-3` lines, an operator's name, tables of tensors.

Only lines that say one thing are read (a list item, a bold label, a table row); sentences are left to people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from r0kit.spec.dtypes import canonical, known
from r0kit.spec.model import Place
from r0kit.spec.node import Node
from r0kit.spec.prose_extents import Extents, topic_of
from r0kit.spec.table import Cell, cells_of

_NUMBER = r"[-+]?(?:\d+\*\*-?\d+|\d+\^\{?-?\d+\}?|\d*\.?\d+(?:[eE][-+]?\d+)?|nan|inf)"
_HEAD = r"(?:精度|容差|容忍度|误差|tolerances?|precision|accuracy)[\w ]{0,12}[*_`]*[:：]"  # `精度要求：atol: 1e-3`
_LABEL = re.compile(
    rf"(?:^|[,，;；、|（(]|(?<=\d)\s|{_HEAD})[\s>*+\-_`\"']*(atol|rtol)[\s*_`\"']*(?:[:=：|]|<=|≤)[\s*_`]*({_NUMBER})(?![\w.])",
    re.I,
)
_NAME = re.compile(
    r"^[\s>*+-]*[*_`]*(op_name|op name|operator|算子名称|算子名)[*_`]*\s*[:：=]\s*[*_`]*([A-Za-z_]\w*)", re.I
)
_LONGEST = 2000  # characters; a longer line is no statement of one thing
_IDENTIFIER = re.compile(r"[^\W\d]\w*")

# What heads a column, in lower case and without emphasis. The first match of a row counts.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "name": (
        "name",
        "变量",
        "变量名",
        "参数",
        "参数名",
        "名称",
        "张量",
        "tensor",
        "input",
        "inputs",
        "输入",
        "output",
        "输出",
    ),
    "shape": ("shape", "形状", "维度", "shapes"),
    "dtype": ("dtype", "数据类型", "类型", "type", "dtypes", "data type"),
    "default": ("default", "默认值", "缺省值", "默认"),
    "direction": ("direction", "方向", "输入/输出", "in/out", "i/o"),
}
_INPUT, _OUTPUT = (
    re.compile(r"输入|入参|\binputs?\b", re.I),
    re.compile(r"输出|出参|返回|\b(?:outputs?|returns?)\b", re.I),
)
_OUT_MARK = re.compile(r"输出|\bout(put)?s?\b", re.I)
_SCALARS = ("scalar", "标量", "0-d", "0d")


@dataclass(slots=True)
class _Found:
    """What the prose says so far, as entries of the keys of a machine contract."""

    scalars: dict[str, Node] = field(default_factory=dict)
    inputs: dict[str, Node] = field(default_factory=dict)
    outputs: dict[str, Node] = field(default_factory=dict)
    both: dict[str, Node] = field(default_factory=dict)  # below a heading that speaks of inputs and outputs
    defaults: dict[str, Node] = field(default_factory=dict)
    extents: Extents = field(default_factory=Extents)
    repeated: list[tuple[str, Place]] = field(default_factory=list)
    sideless: list[Place] = field(default_factory=list)

    def add(self, side: str, name: Node, tensor: Node) -> None:
        """Another row of inputs or outputs; of two rows about one tensor the first counts."""
        rows = {"inputs": self.inputs, "outputs": self.outputs, "both": self.both}[side]
        before = rows.setdefault(name.text, tensor)
        if before.plain() != tensor.plain():
            self.repeated.append((name.text, name.place))

    def settle(self) -> None:
        """The one table below "inputs and outputs" lists one of the two, where another table lists the other."""
        if len(self.sideless) != 1 or bool(self.inputs) == bool(self.outputs):
            return
        stated, missing = (self.inputs, self.outputs) if self.inputs else (self.outputs, self.inputs)
        if self.both and self.both.keys().isdisjoint(stated):
            missing.update(self.both)
            self.sideless.clear()

    def dtype_of(self, name: str) -> Node | None:
        """That of a tensor that an earlier row lists."""
        row = self.inputs.get(name) or self.outputs.get(name) or self.both.get(name)
        return row.get("dtype") if row else None


def read_prose(lines: Sequence[str]) -> tuple[Node, tuple[Place, ...], tuple[Place, ...]]:
    """The mapping that `lines` (of the whole file, other forms blanked) state; empty where they state nothing.

    Beside it the tables of tensors that are not read, because nothing says whether they list inputs or outputs; and the
    lines that have extents below a heading that speaks of cases, and are no case.
    """
    found = _Found()
    subject = ""  # the last line that says whether inputs or outputs follow
    topic = ""  # whether the last such line speaks of p0 cases or of ranges
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if len(line) > _LONGEST:
            continue
        if "|" in line and number < len(lines) and _is_rule(lines[number]):
            number = _table(lines, number - 1, subject, topic, found)
        else:
            _labels(line, number, found)
            subject = _subject(line) or subject
            heading = topic_of(line) if _heads(line) else ""
            if heading or line.startswith("#"):
                topic = heading
            else:
                found.extents.add_line(topic, line, number)
    found.settle()
    entries = dict(found.scalars)
    entries |= found.extents.entries()
    for key, rows in (("inputs", found.inputs), ("outputs", found.outputs)):
        if rows:
            entries[key] = Node(list(rows.values()), next(iter(rows.values())).place)
    if found.defaults:
        entries["default_params"] = Node(found.defaults, next(iter(found.defaults.values())).place)
    return (
        Node(entries, Place(1, 1), repeated=tuple(found.repeated)),
        tuple(found.sideless),
        tuple(found.extents.unread),
    )


def _is_rule(line: str) -> bool:
    """Whether it is the line of dashes below the header of a table."""
    return "-" in line and set(line) <= set("|:- \t")


def _labels(line: str, number: int, found: _Found) -> None:
    for match in _LABEL.finditer(line):
        place = Place(number, match.start(2) + 1)
        found.scalars.setdefault(match.group(1).lower(), Node(match.group(2), place, match.group(2)))
    name = _NAME.match(line)
    if name:
        found.scalars.setdefault("op_name", Node(name.group(2), Place(number, name.start(2) + 1), name.group(2)))


def _heads(line: str) -> bool:
    """Whether it is a heading, a bold line, or a line that ends in a colon."""
    bare = line.strip()
    return bare.startswith(("#", "**", "__")) or bare.endswith((":", "："))


def _subject(line: str) -> str:
    """ "inputs" or "outputs" where a heading, a bold line or a line that ends in a colon speaks of just one of them."""
    bare = line.strip()
    if not _heads(bare):
        return ""
    inside, outside = bool(_INPUT.search(bare)), bool(_OUTPUT.search(bare))
    if inside != outside:
        return "inputs" if inside else "outputs"
    return "both" if inside or bare.startswith("#") else ""


def _table(lines: Sequence[str], start: int, subject: str, topic: str, found: _Found) -> int:
    """Read the table whose header is line index `start`; index of the first line after it."""
    titles = [re.sub(r"[*_`]", "", cell.text).strip() for cell in cells_of(lines[start], start + 1)]
    columns = _columns([title.lower() for title in titles])
    side = subject if subject in ("inputs", "outputs") else _titled(titles, columns) or subject
    end = start + 2
    while end < len(lines) and "|" in lines[end]:
        cells = cells_of(lines[end], end + 1)
        _labels(lines[end], end + 1, found)
        if columns and _row({kind: cells[at] for kind, at in columns.items() if at < len(cells)}, side, found):
            found.sideless += [Place(start + 1, 1)] if Place(start + 1, 1) not in found.sideless[-1:] else []
        if not columns:
            found.extents.add_row(topic, titles, cells)
        end += 1
    return end


def _columns(titles: list[str]) -> dict[str, int]:
    """Which column holds what; empty for a table that is not about tensors or parameters."""
    columns: dict[str, int] = {}
    for kind, names in _COLUMNS.items():
        for at, title in enumerate(titles):
            if title in names and at not in columns.values():
                columns.setdefault(kind, at)
    return columns if "name" in columns and ({"shape", "default"} & set(columns)) else {}


def _titled(titles: list[str], columns: dict[str, int]) -> str:
    """The side that the title of the name column speaks of ("输入", "Output")."""
    title = titles[columns["name"]] if columns else ""
    return "inputs" if _INPUT.fullmatch(title) else "outputs" if _OUTPUT.fullmatch(title) else ""


def _row(cells: dict[str, Cell], side: str, found: _Found) -> bool:
    """Read a row; whether it is that of a tensor of which nothing says on which side it is."""
    name, shape, default = _identifier(cells.get("name")), _shape(cells.get("shape")), _default(cells.get("default"))
    if "direction" in cells:
        side = "outputs" if _OUT_MARK.search(cells["direction"].text) else "inputs"
    if name is None:
        return False
    if shape is not None and side:
        dtype = _dtype(cells.get("dtype"), found)
        node = Node({"name": name, "shape": shape} | ({"dtype": dtype} if dtype else {}), name.place)
        found.add(side, name, node)
    elif shape is None and default is not None and side != "outputs":
        found.defaults.setdefault(name.text, default)
    return shape is not None and side in ("", "both")


def _identifier(cell: Cell | None) -> Node | None:
    match = _IDENTIFIER.search(cell.text) if cell else None
    if match is None or cell is None:
        return None
    return Node(match.group(), Place(cell.place.line, cell.place.column + match.start()), match.group())


def _shape(cell: Cell | None) -> Node | None:
    if cell is None:
        return None
    bare = cell.text.replace("`", "").replace("\\", "").strip()
    match = re.search(r"[\[(][^\[\]()]*(?:\([^()]*\)[^\[\]()]*)*[\])]", bare)
    if match:
        return Node(match.group(), cell.place, match.group())
    return Node("[]", cell.place, "[]") if bare.lower() in _SCALARS else None


def _dtype(cell: Cell | None, found: _Found) -> Node | None:
    """The dtypes that a cell names, or that of another tensor that it refers to ("same as x")."""
    words = re.findall(r"[A-Za-z_][\w.]*", cell.text.replace("`", "")) if cell else []
    nodes = [Node(word, cell.place, word) for word in words if cell and known(canonical(word))]
    if not nodes:
        return next(filter(None, map(found.dtype_of, words)), None)
    return nodes[0] if len(nodes) == 1 else Node(nodes, nodes[0].place)


def _default(cell: Cell | None) -> Node | None:
    written = cell.text.replace("`", "").strip() if cell else ""
    if cell is None or written in ("", "-", "—", "无", "N/A", "必填"):
        return None
    literals = {"true": True, "false": False, "none": None, "null": None}
    if written.lower() in literals:
        return Node(literals[written.lower()], cell.place, written)
    if re.fullmatch(r"[-+]?\d{1,18}", written):
        return Node(int(written), cell.place, written)
    if re.fullmatch(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d{1,3})?", written):
        return Node(float(written), cell.place, written)
    quoted = re.fullmatch(r"(['\"])(.*)\1", written)
    return Node(quoted.group(2), cell.place, quoted.group(2)) if quoted else None
