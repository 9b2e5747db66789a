"""Parser events of a YAML text: libyaml's parser where PyYAML has it, else PyYAML's own, with the same results."""

from collections.abc import Callable, Iterator
from typing import Any

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

Event = Any  # an event of `yaml.events`, and
Mark = Any  # its marks: PyYAML has two classes of them without a common base


class PureParser(Reader, Scanner, Parser):
    """PyYAML's parser, which differs from libyaml's in one thing that files have: it refuses tabs between tokens."""

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


try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    FAST: Callable[[str], Any] = CParser
except ImportError:
    FAST = PureParser


def events_of(text: str) -> Iterator[Event]:
    """The events of `text`, each as soon as it is known. Raises yaml.MarkedYAMLError where the text is no YAML."""
    return iter(FAST(text).get_event, None)
