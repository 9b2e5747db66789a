"""Compiles kernels with the pypto wheel, each in a process of its own with limits, and compares them with torch.

Run as a script: `child.py CALCULATOR FOLDER LIMIT`. FOLDER holds `jobs.json`; one `N.json` per job appears in it.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pypto
import torch
from pypto import pypto_impl
from pypto._utils import BuildOnlineManager
from pypto.frontend.parser import entry

MEMORY = 24 << 30  # bytes of address space; the simulator maps far more than it uses


def load_calculator(folder: Path) -> None:
    """The library that computes values on the CPU, built into `folder` once: pypto builds it anew in each process."""
    library = folder / "install" / "lib" / "libtile_fwk_calculator.so"
    manager = BuildOnlineManager()
    if not library.exists():
        _build(manager, folder)
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    manager.calculator_loaded = True


def compute_on_given_data() -> None:
    """Let the wheel compute on the very tensors of a call.

    pypto 0.2.0 copies them with a function that does nothing without a device, and so computes on zeros, which it then
    writes over the inputs: a reference that is computed from them afterwards agrees with nearly every kernel.
    """
    entry.JitCallableWrapper._setup_verify_data = staticmethod(_use_as_they_are)
    pypto.set_verify_options(enable_pass_verify=True, pass_verify_pass_filter=[])


def _use_as_they_are(tensors: Any) -> None:
    pypto_impl.SetVerifyData(entry._pto_to_tensor_data(tensors), [], [])


def _build(manager: Any, folder: Path) -> None:
    found = manager._TorchContext()
    context = manager._CMakeContext.CompileContext(src_dir=Path(manager.pkg_lib_dir, "calculator"), tmp_dir=folder)
    context.cfg_cmd_ext = (
        f"-DPY3_MOD_TORCH_VERSION={found.torch_version} -DPY3_MOD_TORCH_ROOT_PATH={found.torch_root_dir}"
        f" -DPY3_MOD_TORCH_C_GLIBCXX_USE_CXX11_ABI={found.torch_c_use_cxx11_abi}"
    )
    context.build_job_num = 2
    manager._CMakeContext().compile(context)


def judged(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What became of one kernel: its largest difference from the reference, or what the compiler said."""
    file = folder / "kernel.py"
    file.write_text(job["source"], "utf-8")
    try:
        difference = _difference(job, file)
    except Exception as error:
        said = "".join(traceback.format_exception_only(error))
        return {"compiled": False, "said": said}
    return {"compiled": True, "said": "", "difference": difference}


def _difference(job: dict[str, Any], file: Path) -> float:
    """Largest |kernel - reference|; infinity where one is not a number and the other is."""
    kernel = _module(file).kernel
    tensors = _tensors(kernel, job.get("values", {}))
    given = {name: tensor.clone() for name, tensor in tensors.items()}
    kernel(*tensors.values())
    if not job.get("reference"):
        return 0.0
    *inputs, output = tensors
    assert all(torch.equal(tensors[name], given[name]) for name in inputs), "the kernel has overwritten an input"
    wanted = eval(job["reference"], {"torch": torch, "F": torch.nn.functional, **given})
    return _largest(tensors[output], wanted)


def _largest(real: torch.Tensor, wanted: torch.Tensor) -> float:
    if wanted.shape != real.shape or not torch.equal(wanted.isnan(), real.isnan()):
        return float("inf")
    return float((wanted.to(real.dtype) - real).abs().nan_to_num(0.0).max())


def _module(file: Path) -> ModuleType:
    spec = spec_from_file_location("kernel_under_test", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _tensors(kernel: Any, values: dict[str, str]) -> dict[str, torch.Tensor]:
    """One tensor per parameter, of the annotated shape and dtype; `values` are expressions for those that matter."""
    torch.manual_seed(0)
    annotations = {name: a for name, a in kernel._original_func.__annotations__.items() if isinstance(a, pypto.Tensor)}
    dtypes = {pypto.DT_FP32: torch.float32, pypto.DT_FP16: torch.float16, pypto.DT_BF16: torch.bfloat16}
    return {
        name: eval(values[name], {"torch": torch})
        if name in values
        else torch.randn(tuple(a.shape)).to(dtypes[a.dtype])
        for name, a in annotations.items()
    }


def run_apart(job: dict[str, Any], folder: Path, limit: float) -> dict[str, Any]:
    """`judged` in a process of its own that has `limit` seconds; a crash and a timeout are verdicts as well."""
    folder.mkdir()
    verdict = folder / "verdict.json"
    process = os.fork()
    if not process:
        _limited(job, folder, verdict, limit)
    end = time.monotonic() + limit
    while not (ended := os.waitpid(process, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.killpg(process, signal.SIGKILL)
            ended = os.waitpid(process, 0)
            break
        time.sleep(0.05)
    if verdict.exists():
        result: dict[str, Any] = json.loads(verdict.read_text("utf-8"))
        return result
    return {"compiled": False, "said": f"no verdict: {_end(ended[1])}"}


def _end(status: int) -> str:
    """How a process ended: the name of the signal, or its exit status."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def _limited(job: dict[str, Any], folder: Path, verdict: Path, limit: float) -> None:
    os.setpgid(0, 0)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with open("output.txt", "w", encoding="utf-8") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        result = judged(job, folder)
    verdict.with_suffix(".new").write_text(json.dumps(result), "utf-8")
    verdict.with_suffix(".new").rename(verdict)
    os._exit(0)


def main() -> None:
    calculator, folder, limit = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    torch.set_num_threads(1)
    jobs = json.loads((folder / "jobs.json").read_text("utf-8"))
    if any(job.get("reference") for job in jobs):
        load_calculator(calculator)
        compute_on_given_data()
    for number, job in enumerate(jobs):
        result = run_apart(job, folder / str(number), limit)
        (folder / f"{number}.json").write_text(json.dumps(result), "utf-8")


if __name__ == "__main__":
    main()
