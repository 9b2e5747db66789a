"""YAML front matter with the line and column of every value. The pure parser: its errors are Python's, and it is small."""

from __future__ import annotations

import yaml

from r0kit.spec.model import Place
from r0kit.spec.node import DEEPEST, MOST, Node, unreadable

RULE = "spec.yaml"
LONGEST = 256 << 10  # characters of front matter; more is no front matter


def parse_yaml(text: str, path: str, first: Place) -> Node:
    """The one YAML value of `text`, whose first line is that of `first` in `path`. InputError where it is malformed."""
    if len(text) > LONGEST:
        raise unreadable(path, RULE, f"the front matter has more than {LONGEST >> 10} KiB", first, "close it with ---")
    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
        return _Converter(path, first).node(document, 0) if document else Node({}, first)
    except yaml.MarkedYAMLError as error:
        raise _malformed(error, path, first) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        what = "is nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise unreadable(
            path, RULE, f"the front matter is not YAML: {what}", first, "check it with a YAML linter"
        ) from None


class _Converter:
    """yaml.Node -> Node, with a bound on depth and size, since aliases may expand without bound."""

    def __init__(self, path: str, first: Place) -> None:
        self.path, self.first = path, first
        self.count = 0
        self.constructor = yaml.SafeLoader("")

    def node(self, node: yaml.Node, depth: int) -> Node:
        place = _place(node.start_mark, self.first)
        self.count += 1
        if depth > DEEPEST or self.count > MOST:
            what = f"more than {DEEPEST} levels" if depth > DEEPEST else f"more than {MOST} values"
            raise unreadable(self.path, RULE, f"the front matter expands to {what}", place, "write it without aliases")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, place, depth)
        if isinstance(node, yaml.SequenceNode):
            return Node([self.node(entry, depth + 1) for entry in node.value], place)
        return (
            Node(self.scalar(node), place, str(node.value)) if isinstance(node, yaml.ScalarNode) else Node(None, place)
        )

    def mapping(self, node: yaml.MappingNode, place: Place, depth: int) -> Node:
        entries: dict[str, Node] = {}
        repeated: list[tuple[str, Place]] = []
        for key, value in node.value:
            name = str(key.value)  # as written: `no` and `1` are names here
            if name in entries:
                repeated.append((name, _place(key.start_mark, self.first)))
            entries.setdefault(name, self.node(value, depth + 1))
        return Node(entries, place, repeated=tuple(repeated))

    def scalar(self, node: yaml.ScalarNode) -> object:
        """Numbers, truth values and null as such; everything else (dates, binary) stays the text that it is."""
        if not node.tag.endswith((":int", ":float", ":bool", ":null")):
            return node.value
        try:
            return self.constructor.construct_object(node)
        except ValueError as error:
            place = _place(node.start_mark, self.first)
            message = f"{node.value[:40]!r} is no number: {str(error).splitlines()[0][:80]}"
            raise unreadable(self.path, RULE, message, place, "write a number of usual size") from None


def _place(mark: yaml.Mark, first: Place) -> Place:
    return Place(first.line + mark.line, mark.column + 1)


def _malformed(error: yaml.MarkedYAMLError, path: str, first: Place) -> Exception:
    place = _place(error.problem_mark, first) if error.problem_mark else first
    what = " ".join(filter(None, (error.context, error.problem)))
    return unreadable(
        path, RULE, f"the front matter is not YAML: {what} (line {place.line})", place, "indent with spaces"
    )
