"""The parser of a PyYAML that has no libyaml."""

from typing import Any

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError


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

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> Any:
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
