"""How findings call the parts and values of a contract. A value is named, never printed at length."""

from typing import Any

from r0kit.contract.path import Path

# What a value of the contract must be.
A_TEXT, A_NAME, AN_INTEGER, A_FLAG, A_LIST = "text", "a name", "an integer", "true or false", "a list"

_LONGEST = 60  # characters of a text that a message repeats
_DEEPEST = 150  # characters of a path


def spell(path: Path) -> str:
    """`modules[1].inputs[0].source` for ("modules", 1, "inputs", 0, "source"); "the contract" for the root."""
    spelled = "".join(
        f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{shown(step)}]" for step in path
    )
    spelled = spelled.removeprefix(".") or "the contract"
    return spelled if len(spelled) <= _DEEPEST else f"...{spelled[3 - _DEEPEST :]}"


def shown(value: Any) -> str:
    """A value as it can stand in a message: text in quotes, cut where it is long; collections by their kind alone."""
    if isinstance(value, str):
        return repr(_cut(value))
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    if value is None:
        return "empty"
    return str(value).lower() if isinstance(value, bool) else _cut(str(value))


def described(value: Any) -> str:
    """`shown`, with the kind of value: "the text 'no'", "the number 1.5", "a list"."""
    if isinstance(value, str):
        return f"the text {shown(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {shown(value)}"
    return shown(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
