"""One case: the golden, the stage functions one after another, and the comparison. Child process only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import torch

from r0kit.verify import callers, models
from r0kit.verify.callers import ForeignError, guarded
from r0kit.verify.compare import dtype_name, measure
from r0kit.verify.inputs import make
from r0kit.verify.policy import Limits
from r0kit.verify.underflow import torch_for_stages

GENERATED = "<stage functions>"
REFERENCE = "<golden, Step by Step>"

Values = dict[tuple[int, str], Any]


@dataclass(slots=True)
class _Stage:
    """How the outputs of one Module are computed. cumulative: from the primary inputs rather than from its own inputs."""

    function: Callable[..., Any]
    path: str
    cumulative: bool = False


class Subject:
    """What is verified, and how far the process is with it (`phase` is told)."""

    def __init__(self, phase: Callable[[str], None]) -> None:
        self.phase = phase
        self.setup: Mapping[str, Any] = {}
        self.golden = ModuleType("golden")
        self.torch = torch_for_stages()
        self.hides_changes = False
        self.own: list[ModuleType] = []
        self.generated: dict[str, ModuleType] = {}
        self.references: dict[str, ModuleType] = {}

    def load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run the golden's file, and that of hand-written stage functions where there is one."""
        self.setup = request
        self.phase("load")
        self.golden = guarded("load", lambda: callers.load_file(request["golden"]), request["golden"])
        self.own = [self.golden]
        self.hides_changes = callers.hides_changes(request["golden"])
        if request["stages_file"]:
            path = request["stages_file"]
            self.own.insert(0, guarded("stages", lambda: callers.load_file(path), path))
        if callers.golden_of(self.golden, request["calling"]) is None:
            what = f"has no function {request['calling']['qualified']} when it runs"
            raise ForeignError({"phase": "load", "type": "", "message": what, "memory": False, "line": 0})
        return {"own": [module["id"] for module in request["modules"] if self._own(module)]}

    def run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run one case. The answer says whether it passed, the largest differences, and the first failure."""
        case, declared = request["case"], request["declared"]
        self.phase("golden")
        function, owned = self._called(case)
        tensors = _inputs(case, owned)
        before = callers.versions(tensors)
        golden = self._golden(function, {name: tensors[name] for name in tensors if name not in owned}, case)
        if self.hides_changes or callers.versions(tensors) != before:
            tensors = _inputs(case, owned)  # the golden has written into its own
        self.phase("stages")
        _seed(case["seed"])
        values, failures = self._stages(tensors, case, declared)
        finals = [] if self.setup["prefix"] or failures else self._finals(golden, values)
        off = [final for final in finals if final and not final["within"]]
        if failures or off or self.setup["prefix"] or any(self._own(module) for module in self.setup["modules"]):
            self.phase("reference")
            failures += self._against_reference(tensors, case, values)
        failure = min(failures, key=lambda found: found["module"], default=None) or next(iter(off), None)
        measured = [final for final in finals if final and final["kind"] == "value"]
        return {
            "passed": failure is None,
            "failure": failure,
            "max_abs": max((final["max_abs"] for final in measured), default=0.0),
            "max_rel": max((final["max_rel"] for final in measured), default=0.0),
        }

    def _called(self, case: Mapping[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
        """What is called as the golden in a case, and the primary inputs that it owns."""
        calling, seed = self.setup["calling"], case["seed"]
        _seed(seed)
        if not calling["owner"]:
            function = callers.golden_of(self.golden, calling)
            assert function is not None
            return function, {}
        make_it = partial(models.made, self.golden, calling["owner"], self.setup["evaluation"])
        instance = guarded("golden", make_it, self.setup["golden"])
        state = models.state_of(instance)
        models.expect(state, case["tensors"])
        _seed(seed)
        return models.forward_of(instance), models.settle(state, case["tensors"], seed)

    def _golden(self, function: Callable[..., Any], tensors: Mapping[str, Any], case: Mapping[str, Any]) -> list[Any]:
        calling = self.setup["calling"]
        given = {**tensors, **{buffer["name"]: make(buffer, 0, 0) for buffer in case["buffers"]}}
        call = partial(callers.call_golden, function, calling, given, case["params"])
        return guarded("golden", call, self.setup["golden"])

    def _stages(
        self, tensors: Mapping[str, Any], case: Mapping[str, Any], declared: Mapping[str, Any]
    ) -> tuple[Values, list[dict[str, Any]]]:
        """Outputs of the Modules, until one of them has no values that the next ones could use."""
        values: Values = {(0, name): value for name, value in tensors.items()}
        failures: list[dict[str, Any]] = []
        for module in self.setup["modules"]:
            try:
                outputs = self._outputs(module, values, case)
            except ForeignError as error:
                return values, [*failures, {"module": module["id"], "kind": "raise", **error.data}]
            wanted = module["outputs"]
            if len(outputs) != len(wanted) or not all(isinstance(value, torch.Tensor) for value in outputs):
                counts = {"expected": len(wanted), "actual": len(outputs)}
                return values, [*failures, {"module": module["id"], "kind": "count", **counts}]
            for name, value in zip(wanted, outputs, strict=True):
                values[module["id"], name] = value
                failures += _undeclared(module["id"], name, value, declared[str(module["id"])][name])
        return values, failures

    def _outputs(self, module: Mapping[str, Any], values: Values, case: Mapping[str, Any]) -> list[Any]:
        own = self._own(module)
        stage = own or self._generated(module, case["variant"])
        primary = [key for key in values if key[0] == 0]
        wanted = primary if stage.cumulative else [(source, name) for source, name in module["inputs"]]
        given = {key: callers.cloned(values[key]) if own else values[key] for key in wanted}
        return guarded("stages", lambda: callers.listed(_called(stage, given, case["scalars"])), stage.path)

    def _own(self, module: Mapping[str, Any]) -> _Stage | None:
        """The function that a person wrote for a Module: alone, or for Modules 1..k."""
        for source in self.own:
            for name, cumulative in ((module["function"], False), (module["stage"], True)):
                function = getattr(source, name, None)
                if callable(function):
                    return _Stage(function, str(source.__file__), cumulative)
        return None

    def _generated(self, module: Mapping[str, Any], variant: str) -> _Stage:
        if variant not in self.generated:
            self.generated[variant] = self._ours(self.setup["variants"][variant]["stages"], GENERATED)
        return _Stage(getattr(self.generated[variant], module["function"]), GENERATED)

    def _ours(self, source: str, path: str) -> ModuleType:
        """The module of generated source."""
        module = callers.load_text(source, path)
        module.__dict__["torch"] = self.torch
        return module

    def _finals(self, golden: Sequence[Any], values: Values) -> list[dict[str, Any] | None]:
        """What was measured of each final output."""
        finals = self.setup["finals"]
        if len(golden) != len(finals) or not all(isinstance(value, torch.Tensor) for value in golden):
            module = finals[-1][0] if finals else 0
            return [
                {"module": module, "kind": "finals", "within": False, "expected": len(golden), "actual": len(finals)}
            ]
        return [
            {"module": source, "output": name, "final": True, **found}
            if (found := measure(values[source, name], value, self._limits()))
            else None
            for (source, name), value in zip(finals, golden, strict=True)
        ]

    def _against_reference(
        self, tensors: Mapping[str, Any], case: Mapping[str, Any], values: Values
    ) -> list[dict[str, Any]]:
        """Outputs that differ from what the golden's own Steps give, evaluated in one run without Modules."""
        found: list[dict[str, Any]] = []
        for (source, name), expected in self._reference(tensors, case).items():
            if (source, name) in values:
                measured = measure(values[source, name], expected, self._limits())
                if measured and not measured["within"]:
                    found.append({"module": source, "output": name, **measured})
        return found

    def _reference(self, tensors: Mapping[str, Any], case: Mapping[str, Any]) -> Values:
        text, functions = (self.setup["variants"][case["variant"]][key] for key in ("reference", "functions"))
        if case["variant"] not in self.references:
            self.references[case["variant"]] = self._ours(text, REFERENCE)
        module = self.references[case["variant"]]
        result: Values = {}
        for function in functions:
            _seed(case["seed"])
            given = [callers.cloned(value) for value in tensors.values()]
            try:
                returned = callers.listed(
                    callers.call_in_order(getattr(module, function["name"]), given, case["scalars"])
                )
            except Exception:
                continue  # no reference for these values: the final outputs decide alone
            result |= {(source, name): v for (source, name), v in zip(function["values"], returned, strict=True)}
        return result

    def _limits(self) -> Limits:
        return Limits(**self.setup["limits"])


def _seed(number: int) -> None:
    """torch.manual_seed, which takes longer than a small golden to prepare devices that nobody uses, where there are none."""
    torch.default_generator.manual_seed(number)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(number)


def _inputs(case: Mapping[str, Any], owned: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Every primary input in the contract's order: `owned` as they are, the others drawn."""
    return {
        tensor["name"]: owned[tensor["name"]] if tensor["name"] in owned else make(tensor, case["seed"], place)
        for place, tensor in enumerate(case["tensors"])
    }


def _called(stage: _Stage, given: Mapping[tuple[int, str], Any], params: Mapping[str, Any]) -> Any:
    if stage.cumulative:
        return callers.call_cumulative(stage.function, {name: value for (_, name), value in given.items()}, params)
    return callers.call_in_order(stage.function, list(given.values()), params)


def _undeclared(module: int, output: str, value: torch.Tensor, declared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """In what an output is not as the contract declares it."""
    found: list[dict[str, Any]] = []
    place = {"module": module, "output": output, "declared": True}
    sizes, dtype, actual = declared["shape"], declared["dtype"], dtype_name(value.dtype)
    if sizes is not None and not _fits(sizes, list(value.shape)):
        found.append(place | {"kind": "shape", "expected": sizes, "actual": list(value.shape)})
    if dtype and not _same_dtype(dtype, actual):
        found.append(place | {"kind": "dtype", "expected": dtype, "actual": actual})
    return found


def _fits(declared: Sequence[int | None], actual: Sequence[int]) -> bool:
    pairs = zip(declared, actual, strict=False)
    return len(declared) == len(actual) and all(d is None or d == size for d, size in pairs)


def _same_dtype(declared: str, actual: str) -> bool:
    """Whether the contract's word means the dtype; a golden that computes in float64 is declared float32."""
    means = {"float32": ("float32", "float64"), "int": ("int32", "int64", "int16", "int8")}
    return actual in means.get(declared, (declared,)) or (declared == "float8" and actual.startswith("float8"))
