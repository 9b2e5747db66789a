"""What `r0kit diff` writes, against reviewed outputs: a softmax designed otherwise, a renewed one, and hostile values."""

from collections.abc import Callable
from pathlib import Path

import pytest
from reviewed import Expected

from r0kit.contract.read import read
from r0kit.contract.typed import contract_of
from r0kit.diff import Change, as_json, as_markdown, as_text, compare
from r0kit.finding import Location
from r0kit.render.escape import code, plain

CONTRACTS = Path(__file__).parents[1] / "render" / "contracts"
PAIRS = {
    "redesigned": ("row_softmax", "softmax3"),
    "hostile": ("hostile", "row_softmax"),
    "older": ("older", "attention"),
    "same": ("attention", "attention"),
}


def written(pair: str, write: Callable[..., str], **more: object) -> str:
    old, new = (read(str(CONTRACTS / f"{name}.yaml")) for name in PAIRS[pair])
    difference = compare(contract_of(old), contract_of(new))
    places = [side.locate({c.at for c in difference.changes if c.gone == gone}) for gone, side in enumerate((new, old))]

    def place(change: Change) -> Location:
        location = places[change.gone][change.at]
        return location._replace(path=Path(location.path).name)

    if write is as_json:
        return as_json(difference, "old.yaml", "new.yaml", place)
    return write(difference, place, **more)


@pytest.mark.parametrize("pair", PAIRS)
def test_text(pair: str, expected: Expected) -> None:
    expected(f"{pair}.txt", written(pair, as_text, show=plain))


@pytest.mark.parametrize("pair", PAIRS)
def test_markdown(pair: str, expected: Expected) -> None:
    expected(f"{pair}.md", written(pair, as_markdown, show=code))


@pytest.mark.parametrize("pair", PAIRS)
def test_json(pair: str, expected: Expected) -> None:
    expected(f"{pair}.json", written(pair, as_json))
