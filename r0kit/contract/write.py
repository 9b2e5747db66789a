"""Contract -> the text of `module_interfaces.yaml`, through the template of the same name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from r0kit import resources
from r0kit.contract.layout import Layout
from r0kit.contract.model import Contract
from r0kit.contract.path import Path
from r0kit.contract.plain import plain

TEMPLATE = "module_interfaces.yaml.j2"


def contract_text(contract: Contract, comments: Mapping[Path, str] | None = None) -> str:
    """The file of a contract. comments: as for `data_text`."""
    return data_text(plain(contract), comments)


def data_text(data: Mapping[str, Any], comments: Mapping[Path, str] | None = None) -> str:
    """The file of a contract given as plain data, of which any part may be missing, or be "TODO".

    comments: by the path of the value that each is about, without "#".
    """
    page = _Page(data, Layout(comments or {}))
    return _template().render(pair=page.pair, others=page.others)


@cache
def _template() -> Template:
    return Environment(undefined=StrictUndefined).from_string(resources.text("templates", TEMPLATE))


class _Page:
    """What the template calls: each top-level key once."""

    def __init__(self, data: Mapping[str, Any], layout: Layout) -> None:
        self.data, self.layout = data, layout
        self.written: set[str] = set()

    def pair(self, key: str, open: bool = False, order: Sequence[str] = ()) -> str:
        """The record `key`; open: one entry a line, even where one line would do; order: of the keys of its records."""
        self.written.add(key)
        if key not in self.data:
            return ""
        return self.layout.pair(key, self.data[key], (key,), 0, order, open)

    def others(self) -> str:
        """Keys that the template does not name, in the order of the contract."""
        return "".join(self.pair(key) for key in self.data if key not in self.written)
