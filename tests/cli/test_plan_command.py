"""`r0kit plan`: the tables, the JSON, findings, exit statuses."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from r0kit.cli import app, common

CONTRACTS = Path(__file__).parents[1] / "contracts"
SOFTMAX = CONTRACTS / "row_softmax.yaml"


def plan(*arguments: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        status = common.status_of(lambda: app.run(["plan", *map(str, arguments)]))
    return status, stdout.getvalue(), stderr.getvalue()


def data(*arguments: object) -> dict[str, Any]:
    """What `--json` says, with exit status 0."""
    status, text, errors = plan(*arguments, "--json")
    assert (status, errors) == (0, "")
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_table_names_modules_tiles_and_cases() -> None:
    status, text, errors = plan(SOFTMAX, "--platform", "a2a3", "--extents", "M=256,N=1024")
    assert (status, errors) == (0, "")
    lines = text.splitlines()
    assert lines[0] == "row_softmax on a2a3, at M=256, N=1024"
    assert "Module 1 online_stats (vector)" in lines
    assert "  over [M=256, N=1024], reduces N" in lines
    assert any(line.startswith("  1  (16, 1024)") for line in lines)
    assert any(line.startswith("    several tiles with a tail: M=33, N=2049") for line in lines)


def test_json_says_the_same() -> None:
    found = data(SOFTMAX, "--platform", "a2a3", "--extents", "M=256,N=1024")
    assert (found["op"], found["platform"], found["extents"]) == ("row_softmax", "a2a3", {"M": 256, "N": 1024})
    first = found["modules"][0]["phases"][0]["candidates"][0]
    assert first["tile"] == [16, 1024]
    assert first["live_bytes"]["UB"] <= first["capacity_bytes"]["UB"]
    assert next(case["kind"] for case in found["modules"][0]["cases"]) == "aligned"


def test_extents_come_from_the_largest_shape_of_the_contract() -> None:
    assert data(SOFTMAX)["extents"] == {"M": 3, "N": 1001}
    assert data(SOFTMAX)["platform"] == "a5"


@pytest.mark.parametrize("name", sorted(path.stem for path in CONTRACTS.glob("*.yaml")))
def test_every_contract_is_planned(name: str) -> None:
    found = data(CONTRACTS / f"{name}.yaml")
    assert found["modules"]
    assert all(module["phases"] or module["notes"] for module in found["modules"])


def test_what_goes_back_to_r0_is_a_finding(tmp_path: Path) -> None:
    text = SOFTMAX.read_text("utf-8").replace("algorithm: online", "algorithm: resident")
    path = tmp_path / "contract.yaml"
    path.write_text(text.replace("bound: 1048576", "bound: unbounded"), "utf-8")
    status, _, errors = plan(path, "--platform", "a2a3", "--extents", "M=64,N=16000")
    assert status == 1
    assert "back to R0: N is traversed again" in errors
    assert "[plan.r0]" in errors


def test_an_axis_without_an_extent_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "contract.yaml"
    path.write_text(
        SOFTMAX.read_text("utf-8").replace("{M: 3, N: 1001}", "{M: 3}").replace("{M: 4, N: 128}", "{M: 4}"), "utf-8"
    )
    status, _, errors = plan(path)
    assert status == 1
    assert "axis N has no extent: name one, as in --extents N=1024" in errors


@pytest.mark.parametrize("extents", ("M", "M=", "M=x", "=4", "M=0", "M=-1", "M=" + "9" * 5000, "M=4;N=4", "2=3"))
def test_wrong_extents_are_wrong_usage(extents: str) -> None:
    status, text, errors = plan(SOFTMAX, "--extents", extents)
    assert (status, text) == (2, "")
    assert "is not of the form M=128" in errors


def test_an_unknown_axis_is_wrong_usage() -> None:
    status, _, errors = plan(SOFTMAX, "--extents", "K=4")
    assert status == 2
    assert "no axis K: there are M, N" in errors


def test_an_unknown_platform_is_wrong_usage() -> None:
    status, _, errors = plan(SOFTMAX, "--platform", "a7")
    assert status == 2
    assert "no platform 'a7'" in errors


def test_a_missing_file_is_a_finding() -> None:
    status, text, _ = plan("nowhere.yaml")
    assert (status, text) == (1, "")


def test_only_the_platform_of_the_wheel_is_simulated() -> None:
    status, text, errors = plan(SOFTMAX, "--simulate", "--platform", "a5")
    assert (status, text) == (2, "")
    assert "only a2a3 can be simulated" in errors


@pytest.mark.skipif(find_spec("pypto") is not None, reason="the compiler is installed")
def test_without_the_compiler_the_install_command_is_named() -> None:
    status, text, errors = plan(SOFTMAX, "--simulate")
    assert (status, text) == (1, "")
    assert 'pip install "r0kit[pypto]"' in errors
    assert "[plan.simulator]" in errors


def test_an_axis_with_two_extents_is_wrong_usage() -> None:
    status, text, errors = plan(SOFTMAX, "--extents", "M=4,M=5")
    assert (status, text) == (2, "")
    assert "M is 4 and 5" in errors
