"""What the scalars of a contract mean: YAML 1.1 as `yaml.safe_load` has it, but for dates, which stay text."""

from typing import Any

from yaml.constructor import SafeConstructor
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from r0kit.contract.wording import shown

MAX_DIGITS = 1_000

TAG = "tag:yaml.org,2002:"
SCALAR_TAGS = frozenset(TAG + name for name in ("str", "int", "float", "bool", "null"))

# The plain key `<<` stands for the entries of the mappings that are its value. It is known by identity: a parser makes a
# new string of each scalar, so that a quoted "<<" is another one.
MERGE = str(b"<<", "ascii")

NOT_TEXT = frozenset(Resolver.yaml_implicit_resolvers)  # first characters of the plain scalars that may not be text

_RESOLVER: Any = Resolver()
_CONSTRUCTOR = SafeConstructor()


class PlainScalars(dict[str, Any]):
    """Values of plain scalars by their text; each text is looked at once. Indexing raises ValueError as `tagged` does."""

    def __missing__(self, text: str) -> Any:
        tag = _RESOLVER.resolve(ScalarNode, text, (True, False))
        value = self[text] = MERGE if tag == TAG + "merge" else tagged(tag, text)
        return value


def tagged(tag: str, text: str) -> Any:
    """The value of `text` as a scalar of the type `tag`. ValueError where it is none, or a number without end."""
    if tag not in SCALAR_TAGS or tag == TAG + "str":  # dates and `=` stay text
        return text
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} characters")
    try:
        return SafeConstructor.yaml_constructors[tag](_CONSTRUCTOR, ScalarNode(tag, text))
    except (ValueError, KeyError, IndexError, OverflowError):
        raise ValueError(f"{shown(text)} is no {tag.removeprefix(TAG)}") from None
