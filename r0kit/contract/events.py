"""Parser events of a YAML text: libyaml's parser where PyYAML has it, else PyYAML's own, with the same results."""

from collections.abc import Callable, Iterator
from typing import Any

Event = Any  # an event of `yaml.events`, and
Mark = Any  # its marks: PyYAML has two classes of them without a common base


try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    FAST: Callable[[str], Any] = CParser
except ImportError:
    from r0kit.contract.pure import PureParser

    FAST = PureParser


def events_of(text: str) -> Iterator[Event]:
    """The events of `text`, each as soon as it is known. Raises yaml.MarkedYAMLError where the text is no YAML."""
    return iter(FAST(text).get_event, None)
