"""The three ways r0kit is used: a wheel in a clean environment, an editable install, scripts/ of a bare checkout.

Each builds its own environment, so they are slow: `pytest --packaging tests/packaging` runs them.
"""

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
GOLDEN = Path("tests/goldens/row_softmax/row_softmax_golden_cpu.py")
SPEC = Path("tests/goldens/row_softmax/SPEC.md")
FILLED = Path("tests/render/contracts/row_softmax.yaml")
PARTS = ("r0kit", "schemas", "templates", "scripts", "pyproject.toml", "README.md", "LICENSE")


class Environment:
    """A virtual environment of its own and an empty folder to run commands in."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "venv" / "bin"
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        venv.create(folder / "venv", with_pip=True)

    def run(self, program: str, *arguments: object, status: int = 0) -> str:
        """Standard output of a program of the environment, run from the empty folder, once it ended with `status`."""
        command = [str(self.bin / program), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.elsewhere, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == status, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def install(self, *what: object) -> None:
        self.run("python", "-m", "pip", "install", "-q", *what)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a checkout holds, without anything that was built in it."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, folder / part, **({"ignore": shutil.ignore_patterns("__pycache__")} if source.is_dir() else {}))
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, checkout]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path)


def works(environment: Environment) -> None:
    """gen, validate and render from another folder, by the command and by the console scripts of the old names."""
    golden, contract = ROOT / GOLDEN, environment.elsewhere / "module_interfaces.yaml"
    environment.run("r0kit", "gen", golden, "--spec", ROOT / SPEC, "-o", contract)
    verdict = json.loads(environment.run("r0kit", "validate", contract, "--json", status=_status(contract)))
    assert verdict["status"] == ("FAIL" if "TODO" in contract.read_text("utf-8") else "PASS")
    assert "## §0 Module 划分（R0 输出）" in environment.run("r0kit", "render", ROOT / FILLED)
    assert environment.run("r0kit", "render", ROOT / FILLED, "--format", "html").startswith("<!DOCTYPE html>")
    written = environment.run("gen_module_interfaces", golden, "--spec", ROOT / SPEC, "--op", "row_softmax")
    assert "\nop: row_softmax\n" in written
    again = json.loads(environment.run("validate_module_yaml", contract, "--json", status=_status(contract)))
    assert again == verdict


def _status(contract: Path) -> int:
    """1 while the draft has something left to decide, which validate must not let pass."""
    return int("TODO" in contract.read_text("utf-8"))


def test_wheel_holds_its_resources(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"r0kit/{path.relative_to(ROOT)}" for kind in ("schemas", "templates") for path in (ROOT / kind).rglob("*.*")
    }
    assert {name for name in wanted if not name.endswith(".pyc")} <= names
    assert not [name for name in names if name.startswith(("tests/", "scripts/", "schemas/", "templates/"))]


def test_wheel_in_a_clean_environment(wheel: Path, environment: Environment) -> None:
    environment.install(wheel)
    works(environment)
    place = environment.run("python", "-c", "import r0kit; print(r0kit.__file__)")
    assert str(environment.bin.parent) in place


def test_editable_install(checkout: Path, environment: Environment) -> None:
    environment.install("-e", checkout)
    works(environment)
    place = environment.run("python", "-c", "import r0kit; print(r0kit.__file__)")
    assert place.startswith(str(checkout))


def test_scripts_of_a_bare_checkout(checkout: Path, environment: Environment) -> None:
    environment.install("PyYAML", "Jinja2")
    script = checkout / "scripts" / "gen_module_interfaces.py"
    written = environment.run("python", script, ROOT / GOLDEN, "--spec", ROOT / SPEC, "--op", "row_softmax")
    contract = environment.elsewhere / "module_interfaces.yaml"
    contract.write_text(written, encoding="utf-8")
    check = checkout / "scripts" / "validate_module_yaml.py"
    verdict = json.loads(environment.run("python", check, contract, "--json", status=_status(contract)))
    assert verdict["status"] == ("FAIL" if _status(contract) else "PASS")
    environment.run("python", check, environment.elsewhere / "missing.yaml", status=1)
