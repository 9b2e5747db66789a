"""Parser events of a YAML text: libyaml's parser where PyYAML has it, else PyYAML's own, with the same results."""

from collections.abc import Callable, Iterator
from typing import Any

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

Event = Any  # an event of `yaml.events`, and
Mark = Any  # its marks: PyYAML has two classes of them without a common base


class PureParser(Reader, Scanner, Parser):
    """PyYAML's own parser, which differs from libyaml's in what files do have: for it, tabs separate nothing."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        """Skip blanks and comments; tabs too, but where they would indent."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: Mark) -> Any:
        """The blanks within a plain scalar, tabs among them; those at the ends of its lines do not count."""
        first_line = self.line
        blanks: Any = super().scan_plain_spaces(indent, start_mark)
        while self.peek() == "\t":
            line = self.line
            if line > first_line and self.column < indent:
                raise ScannerError(None, None, "found a tab character that violates indentation", self.get_mark())
            self.forward()
            more: Any = super().scan_plain_spaces(indent, start_mark)
            if self.line > line > first_line:  # a line with nothing but tabs is an empty one
                blanks = ["\n" * (self.line - first_line - 1)]
            elif self.line > line:
                blanks = more
            elif line == first_line:
                blanks = [*blanks, "\t", *more]
        return blanks


try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    FAST: Callable[[str], Any] = CParser
except ImportError:
    FAST = PureParser


def events_of(text: str) -> Iterator[Event]:
    """The events of `text`, each as soon as it is known. Raises yaml.MarkedYAMLError where the text is no YAML."""
    return iter(FAST(text).get_event, None)
