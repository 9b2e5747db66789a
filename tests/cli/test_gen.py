"""`r0kit gen` and the script of the same task: what goes where, and what no input may do."""

import io
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from r0kit.cli import app, common, comparing

ROOT = Path(__file__).parents[2]
GOLDENS = ROOT / "tests" / "goldens"
SHARED = ("attention", "huber_loss", "layer_norm", "linear_logsumexp", "masked_mean_pool", "matmul_bias_gelu",
          "quant_matmul", "router_softmax", "row_softmax", "silu")  # fmt: skip


class Run(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def command(*arguments: object) -> Run:
    """`r0kit gen` in this process; the suite of tests/cli/test_main.py holds the process around it."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        status = common.status_of(lambda: app.run(["gen", *map(str, arguments)]))
    return Run(status, stdout.getvalue(), stderr.getvalue())


def script(*arguments: object, cwd: Path) -> Run:
    """The script of the original name, from a checkout that is not installed."""
    words = [sys.executable, str(ROOT / "scripts" / "gen_module_interfaces.py"), *map(str, arguments)]
    run = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", cwd=cwd)
    return Run(run.returncode, run.stdout, run.stderr)


def golden_of(op: str) -> Path:
    return next((GOLDENS / op).glob("*_golden*.py"))


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """A golden without a SPEC beside it."""
    path = tmp_path / "f_golden_cpu.py"
    path.write_text("def f_golden_cpu(x, w, eps=1e-5):\n    y = x * w + eps\n    return y\n", encoding="utf-8")
    return path


SPEC = """```json machine-contract
{"op_name": "f", "inputs": [{"name": "x", "shape": ["M"], "dtype": "float16"},
                            {"name": "w", "shape": ["M"], "dtype": "float16"}],
 "outputs": [{"name": "y", "shape": ["M"], "dtype": "float16"}],
 "tolerance": {"atol": 1e-5, "rtol": 0},
 "p0_cases": [{"name": "p0", "input_shapes": {"x": [4], "w": [4]}, "output_shapes": {"y": [4]}}]}
```
"""


@pytest.mark.parametrize("op", SHARED)
def test_what_is_certain_is_written(op: str) -> None:
    run = command(golden_of(op), "--spec", GOLDENS / op / "SPEC.md", "--op", op, "--skeleton")
    assert (run.returncode, run.stderr.count(": error:")) == (0, 0)
    data = yaml.safe_load(run.stdout)
    machine = yaml.safe_load((GOLDENS / op / "SPEC.md").read_text(encoding="utf-8").split("```")[1].split("\n", 1)[1])
    assert [entry["name"] for entry in data["primary_inputs"]] == [entry["name"] for entry in machine["inputs"]]
    assert [entry["dtype"] for entry in data["primary_inputs"]] == [entry["dtype"] for entry in machine["inputs"]]
    assert [entry["shape"] for entry in data["primary_inputs"]] == [
        f"[{', '.join(map(str, entry['shape']))}]" for entry in machine["inputs"]
    ]
    assert [entry["name"] for entry in data["final_outputs"]] == [entry["name"] for entry in machine["outputs"]]
    check = data["composition_verification"]
    assert (check["atol"], check["rtol"]) == (machine["tolerance"]["atol"], machine["tolerance"]["rtol"])
    assert check["seeds"] == [42, 123, 456]
    assert len(check["shapes"]) == len(machine["p0_cases"])
    for tensor in machine["inputs"]:
        for case, binding in zip(machine["p0_cases"], check["shapes"], strict=True):
            assert [binding[name] for name in tensor["shape"]] == case["input_shapes"][tensor["name"]]
    assert (data["schema_version"], data["op"], data["module_count"]) == (1, op, "TODO")


def test_without_a_spec_everything_else_is_todo(operator: Path) -> None:
    run = command(operator, "--skeleton")
    assert (run.returncode, run.stderr) == (0, "")
    data = yaml.safe_load(run.stdout)
    assert data["primary_inputs"] == [{"name": name, "shape": "TODO", "dtype": "TODO"} for name in ("x", "w")]
    assert data["composition_verification"] == {
        "atol": "TODO",
        "rtol": "TODO",
        "seeds": [42, 123, 456],
        "shapes": "TODO",
    }
    assert data["final_outputs"] == [{"name": "y", "source": "TODO"}]


def test_every_todo_has_a_comment(operator: Path) -> None:
    lines = command(operator).stdout.split("\n")
    for number, line in enumerate(lines):
        if "TODO" in line:
            assert "#" in line or lines[number - 1].lstrip().startswith("#") or line.strip() == "atol: TODO", line


def test_the_spec_beside_the_golden_is_read_and_named(operator: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (operator.parent / "SPEC.md").write_text(SPEC, encoding="utf-8")
    monkeypatch.chdir(operator.parent)
    run = command(operator.name)
    assert run.returncode == 0
    assert yaml.safe_load(run.stdout)["composition_verification"]["atol"] == 1e-05
    assert run.stderr.startswith("r0kit gen: reading SPEC.md, which stands beside the golden (--spec names another)\n")


def test_what_spec_and_golden_disagree_about_is_told(operator: Path) -> None:
    spec = operator.parent / "S.md"
    spec.write_text(SPEC.replace('"name": "w"', '"name": "weight"').replace('"w":', '"weight":'), encoding="utf-8")
    run = command(operator, "--spec", spec)
    assert run.returncode == 0
    assert "SPEC has the input weight (line 3), which is no parameter of f_golden_cpu" in run.stderr
    assert "SPEC has no input w, which f_golden_cpu needs" in run.stderr
    assert yaml.safe_load(run.stdout)["primary_inputs"][1] == {"name": "w", "shape": "TODO", "dtype": "TODO"}


@pytest.mark.parametrize("op", ["no", "1e3", "a: b", "行缩放", 'it\'s "x"', "a\nb", "-", "~", "#", "{x}", "TODO"])
def test_any_operator_name_survives(operator: Path, op: str) -> None:
    run = command(operator, "--op", op)
    assert run.returncode == 0
    data = yaml.safe_load(run.stdout)
    assert (data["op"], data["modules"][0]["golden_stage_fn"]) == (op, f"{op}_golden_stage1")


# Bad input: a message that names the file, what is wrong and what to do; status 1; nothing on standard output.


def refused(run: Run, path: object, message: str) -> None:
    assert (run.returncode, run.stdout) == (1, "")
    assert "Traceback" not in run.stderr
    assert f"{path}" in run.stderr
    assert message in run.stderr
    assert "hint: " in run.stderr


BAD_GOLDENS: list[tuple[bytes, str]] = [
    (b"", "no golden function: the file defines none [golden.none]"),
    (b"\x7fELF\0\0", "is a binary file"),
    ("def f_golden(x): return x".encode("utf-16"), "is encoded as UTF-16"),
    (b"op: softmax\nmodules: [\n", "not Python"),
    (b"def f_golden(x):\n    return (x\n", "f_golden_cpu.py:2:12: error: not Python: '(' was never closed"),
    (b"x = 1\n", "no golden function"),
    (b"def a_golden(x):\n    return x\ndef b_golden(x):\n    return x\n", "several functions may be the golden"),
    (b"def f_golden(x):\n    return " + b"-" * 100_000 + b"x", "nested too deeply"),
]
BAD_SPECS: list[tuple[bytes, str]] = [
    (b"", "is empty [spec.empty]"),
    (b"\0\1\2", "is a binary file"),
    (SPEC.encode("utf-16"), "is encoded as UTF-16"),
    (SPEC.replace('"x": [4]', '"x": [4, 4]').encode(), "S.md:6:52: error: p0 gives x the shape [4, 4], but SPEC declares [M]"),
    (SPEC.replace('"w": [4]', '"w": [5]').encode(), "gives dimension 0 of w the extent 5, but M is 4 by x"),
    (SPEC.replace('"y": [4]', '"y": [3]').encode(), "gives dimension 0 of y the extent 3"),
    (SPEC.replace("1e-5", "NaN").encode(), "NaN is no number in JSON"),
    (SPEC.replace("1e-5", '"nan"').encode(), "atol is 'nan', not a finite number"),
    (SPEC.replace("1e-5", "9" * 10_000).encode(), "a number of 10000 characters"),
    (SPEC.replace('{"op_name"', "[" * 10_000).encode(), "nested more than 64 levels deep"),
    (b"---\na:\n\t- b\n---\n", "the front matter is not YAML"),
    (b"---\na: 1\n--- \nb: [\n---\n" + SPEC.replace("}", "", 1).encode(), "is not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD_GOLDENS)
def test_bad_goldens(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "f_golden_cpu.py"
    path.write_bytes(content.replace(b"_golden(", b"_golden_cpu(") if b"several" not in message.encode() else content)
    refused(command(path), path, message)


@pytest.mark.parametrize(("content", "message"), BAD_SPECS)
def test_bad_specs(operator: Path, content: bytes, message: str) -> None:
    path = operator.parent / "S.md"
    path.write_bytes(content)
    refused(command(operator, "--spec", path), path, message)


def test_what_is_no_file(operator: Path) -> None:
    folder = operator.parent
    refused(command(folder / "missing.py"), folder / "missing.py", "does not exist")
    refused(command(folder), folder, "is a folder, not a file")
    refused(command(operator, "--spec", folder / "missing.md"), folder / "missing.md", "does not exist")
    refused(command(operator, "--spec", folder), folder, "is a folder, not a file")
    os.mkfifo(folder / "pipe")
    refused(command(folder / "pipe"), folder / "pipe", "is a named pipe")


def test_a_byte_order_mark_is_no_harm(operator: Path) -> None:
    spec = operator.parent / "SPEC.md"
    spec.write_bytes(b"\xef\xbb\xbf" + SPEC.replace("\n", "\r\n").encode())
    operator.write_bytes(b"\xef\xbb\xbf" + operator.read_bytes())
    run = command(operator)
    assert run.returncode == 0
    assert yaml.safe_load(run.stdout)["primary_inputs"][0] == {"name": "x", "shape": "[M]", "dtype": "float16"}


@pytest.mark.parametrize("arguments", [[], ["a.py", "b.py"], ["a.py", "--no-such"], ["a.py", "--op", ""]])
def test_wrong_usage(arguments: list[str]) -> None:
    run = command(*arguments)
    assert (run.returncode, run.stdout) == (2, "")


# -o


def test_output_to_a_file(operator: Path) -> None:
    target = operator.parent / "module_interfaces.yaml"
    target.write_text("old")
    target.chmod(0o640)
    run = command(operator, "-o", target)
    assert (run.returncode, run.stdout) == (0, "")
    assert target.read_text(encoding="utf-8") == command(operator).stdout
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in operator.parent.iterdir()) == ["f_golden_cpu.py", "module_interfaces.yaml"]


def test_a_failing_gen_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "module_interfaces.yaml"
    target.write_text("old")
    refused(command(tmp_path / "missing.py", "-o", target), "missing.py", "does not exist")
    assert target.read_text() == "old"


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A stand-in for a disk that is full: writing beyond `size` bytes fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_failing_write_leaves_the_old_file(operator: Path) -> None:
    target = operator.parent / "module_interfaces.yaml"
    target.write_text("old")
    with files_of_at_most(50):
        run = command(operator, "-o", target)
    refused(run, target, "cannot be written: file too large")
    assert target.read_text() == "old"
    assert sorted(path.name for path in operator.parent.iterdir()) == ["f_golden_cpu.py", "module_interfaces.yaml"]


def test_a_full_device() -> None:
    refused(command(golden_of("silu"), "-o", "/dev/full"), "/dev/full", "no space left on device")


def test_places_that_cannot_be_written(operator: Path) -> None:
    folder = operator.parent
    refused(command(operator, "-o", folder), folder, "is a folder")
    refused(command(operator, "-o", folder / "no" / "where.yaml"), folder / "no" / "where.yaml", "no such file")
    refused(command(operator, "-o", operator / "x.yaml"), operator / "x.yaml", "not a directory")


def test_inputs_are_not_overwritten(operator: Path) -> None:
    before = operator.read_bytes()
    refused(command(operator, "-o", operator), operator, "is one of the files that are read")
    refused(
        command(operator, "-o", operator.parent / "." / operator.name), operator, "is one of the files that are read"
    )
    spec = operator.parent / "S.md"
    spec.write_text(SPEC, encoding="utf-8")
    refused(command(operator, "--spec", spec, "-o", spec), spec, "is one of the files that are read")
    beside = spec.rename(spec.with_name("SPEC.md"))
    refused(command(operator, "-o", beside), beside, "is one of the files that are read")
    assert (operator.read_bytes(), beside.read_text(encoding="utf-8")) == (before, SPEC)


def test_links(operator: Path) -> None:
    inside, outside = operator.parent / "real.yaml", operator.parent / "other" / "real.yaml"
    outside.parent.mkdir()
    outside.write_text("old")
    link = operator.parent / "link.yaml"
    link.symlink_to(outside)
    refused(command(operator, "-o", link), link, "is a link to")
    assert outside.read_text() == "old"
    link.unlink()
    inside.write_text("old")
    link.symlink_to(inside.name)
    assert command(operator, "-o", link).returncode == 0
    assert link.is_symlink()
    assert inside.read_text(encoding="utf-8").startswith("schema_version: 1\n")


@contextmanager
def nobody() -> Iterator[None]:
    """Without root's right to write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, target = Path(name), Path(name) / "module_interfaces.yaml"
        golden = shutil.copy(golden_of("silu"), folder)
        target.write_text("old")
        assert command(golden).returncode == 0  # imports what is needed before rights are dropped
        folder.chmod(0o555)
        with nobody():
            run = command(golden, "-o", target)
        folder.chmod(0o755)
        refused(run, target, "cannot be written: permission denied")
        assert target.read_text() == "old"


# --design


def test_how_section_0_stands_is_told(tmp_path: Path) -> None:
    golden, design, contract = golden_of("row_softmax"), tmp_path / "DESIGN.md", tmp_path / "module_interfaces.yaml"

    def said(*options: object) -> str:
        run = command(golden, "--design", design, "-o", contract, *options)
        assert run.returncode == 0
        return "\n".join(line for line in run.stderr.split("\n") if "section 0" in line)

    assert said() == ""
    assert not design.exists()
    design.write_text("# row_softmax\n\nwords\n", encoding="utf-8")
    assert f"section 0 of {design} is behind this contract; r0kit render" in said()
    assert design.read_text(encoding="utf-8") == "# row_softmax\n\nwords\n"
    assert common.status_of(lambda: app.run(["render", str(contract), "--design", str(design), "--in-place"])) == 0
    assert f"section 0 of {design} is in step with this contract" in said()
    assert f"section 0 of {design} waits for a contract without TODO" in said("--skeleton")
    design.write_bytes(b"\xff\xfe")
    assert f"section 0 of {design} cannot be compared: {design} is encoded as UTF-16" in said()


# The script of old


def test_the_original_command_line_in_a_bare_checkout(tmp_path: Path) -> None:
    folder = GOLDENS / "row_softmax"
    arguments = (folder / "row_softmax_golden_cpu.py", "--spec", folder / "SPEC.md", "--op", "row_softmax")
    run = script(*arguments, "--design", tmp_path / "DESIGN.md", cwd=tmp_path)
    assert run == command(*arguments)
    assert list(tmp_path.iterdir()) == []
    refused(script("missing.py", cwd=tmp_path), "missing.py", "does not exist")


def test_a_library_that_is_missing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def body() -> int:
        raise ModuleNotFoundError("No module named 'jinja2'", name="jinja2")

    assert common.status_of(body) == 1
    assert capsys.readouterr().err == "r0kit: error: the Python package jinja2 is missing; install it with pip\n"


MODEL = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.bn = nn.BatchNorm1d(d)

    def forward(self, x):
        return torch.relu(self.bn(x))


batch, d = 6, 4


def get_inputs():
    return [torch.rand(batch, d)]


def get_init_inputs():
    return [d]
"""


@pytest.mark.parametrize(("options", "statistics"), [((), []), (("--eval",), ["bn_running_mean", "bn_running_var"])])
def test_a_module_without_spec_has_modules_and_its_weights_as_inputs(
    tmp_path: Path, options: tuple[str, ...], statistics: list[str]
) -> None:
    path = tmp_path / "op_golden.py"
    path.write_text(MODEL, encoding="utf-8")
    run = command(path, *options)
    contract = yaml.safe_load(run.stdout)
    assert run.returncode == 0
    assert [one["name"] for one in contract["primary_inputs"]] == ["x", "bn_weight", "bn_bias", *statistics]
    assert contract["primary_inputs"][0]["shape"] == "[batch, 4]"
    assert contract["composition_verification"]["shapes"] == [{"batch": 6}]
    assert contract["modules"][0]["section"] == "vector"
    assert "Warning" not in run.stderr and "warning" not in run.stderr
    (tmp_path / "m.yaml").write_text(run.stdout.replace(": TODO", ": 0.001"), encoding="utf-8")
    report = comparing.report(str(tmp_path / "m.yaml"), str(path))
    assert [one.message for one in report.findings] == []
