"""DESIGN.md and a contract: the document with its section 0 up to date, and whether it already is."""

import os

from r0kit.contract.model import Contract
from r0kit.contract.read import parse
from r0kit.contract.typed import contract_of
from r0kit.finding import InputError
from r0kit.render import Lang, new_design, update
from r0kit.source import decode, read_bytes

RULE = "render.design"
_MARK = "\ufeff".encode()


def updated(old: bytes, contract: Contract, design: str, lang: Lang | None) -> bytes:
    """The document `old`, read from the file `design`, with section 0 of `contract`; a new one where it is empty."""
    text = decode(old, design, RULE)
    mark = _MARK if old.startswith(_MARK) else b""
    new = update(text, contract, lang, design) if text else new_design(contract, lang or Lang.ZH)
    return mark + new.encode("utf-8")


def standing(contract_text: str, design: str) -> str:
    """How section 0 of the file `design` stands to a contract that has just been written: a sentence; "" without a file."""
    if not os.path.lexists(design):
        return ""
    try:
        contract = contract_of(parse(contract_text, "the contract"))
    except InputError:
        return f"section 0 of {design} waits for a contract without TODO"
    try:
        old = read_bytes(design, RULE)
        behind = updated(old, contract, design, None) != old
    except InputError as error:
        return f"section 0 of {design} cannot be compared: {error}"
    if not behind:
        return f"section 0 of {design} is in step with this contract"
    return f"section 0 of {design} is behind this contract; r0kit render FILE --design {design} --in-place brings it up"
