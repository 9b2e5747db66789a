"""The main job by hand, for every shared operator: skeleton, filled in by a person, validated, rendered."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from r0kit.cli import app, common

HERE = Path(__file__).parent
CONTRACTS = sorted((HERE / "contracts").glob("*.yaml"))
ROOT = HERE.parent


def r0kit(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    status = common.status_of(lambda: app.run(list(map(str, arguments))))
    return status, capsys.readouterr().out


def differing(skeleton: Any, filled: Any, path: str = "") -> list[str]:
    """Places where the filled contract does not say what the skeleton was certain of."""
    if skeleton == "TODO" or skeleton == filled:
        return []
    if isinstance(skeleton, dict) and isinstance(filled, dict):
        return [found for key in skeleton for found in differing(skeleton[key], filled.get(key), f"{path}.{key}")]
    if isinstance(skeleton, list) and isinstance(filled, list) and len(skeleton) <= len(filled):
        pairs = enumerate(zip(skeleton, filled, strict=False))
        return [found for index, pair in pairs for found in differing(*pair, f"{path}[{index}]")]
    return [f"{path}: {skeleton!r} became {filled!r}"]


def test_no_operator_is_left_out() -> None:
    assert len(CONTRACTS) == 10


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda path: path.stem)
def test_from_skeleton_to_section_0(contract: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    op = contract.stem
    folder = HERE / "goldens" / op
    golden = next(folder.glob("*_golden*.py"))
    status, text = r0kit(capsys, "gen", golden, "--spec", folder / "SPEC.md", "--op", op, "--skeleton")
    assert status == 0
    skeleton, filled = yaml.safe_load(text), yaml.safe_load(contract.read_text(encoding="utf-8"))
    assert differing(skeleton, filled) == []

    status, text = r0kit(capsys, "validate", "--json", contract)
    verdict = json.loads(text)
    assert (status, verdict["status"], verdict["violations"], verdict["warnings"]) == (0, "PASS", [], [])

    design = tmp_path / "DESIGN.md"
    assert r0kit(capsys, "render", contract, "--design", design, "--in-place")[0] == 0
    first = design.read_bytes()
    assert r0kit(capsys, "render", contract, "--design", design, "--in-place")[0] == 0
    assert design.read_bytes() == first
    assert r0kit(capsys, "render", contract, "--design", design, "--check") == (0, "")
    assert all(module["name"] in first.decode() for module in filled["modules"])


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda path: path.stem)
def test_sections_are_those_of_the_labels(contract: Path) -> None:
    labels = json.loads((HERE / "goldens" / contract.stem / "labels.json").read_text(encoding="utf-8"))
    filled = yaml.safe_load(contract.read_text(encoding="utf-8"))
    assert [module["section"] for module in filled["modules"]] in labels["sections"]["auto"]
    assert filled["is_fusion"] == labels["is_fusion"]


def test_the_skeleton_fails_until_it_is_filled_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = tmp_path / "module_interfaces.yaml"
    golden = HERE / "goldens" / "silu" / "silu_golden.py"
    assert r0kit(capsys, "gen", golden, "--skeleton", "-o", draft) == (0, "")
    status, text = r0kit(capsys, "validate", "--json", draft)
    assert (status, json.loads(text)["status"]) == (1, "FAIL")
    assert any(violation.startswith("rule11") for violation in json.loads(text)["violations"])
