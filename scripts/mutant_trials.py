"""Mutants put to the test, each in a process of its own; no file is changed.

The tests are loaded once. A change in the body of a function replaces that function's code in a copy of the process, which
runs the tests that call the function, the quickest first. Any other change, of a table for example, takes effect when its
module is loaded: for those the package and the tests are loaded anew, with the mutant in place of its module.
"""

import ast
import gc
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import mutators
import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 60  # seconds of processor time that tests may take; what takes longer is noticed, too
MOST_MEMORY = 2 << 30  # bytes, for mutants that collect without end


class Mutant(NamedTuple):
    """A module of the package with one change."""

    module: str
    tree: ast.Module
    change: mutators.Change

    @property
    def line(self) -> int:
        """The line that is changed."""
        node = self.change.place.node
        return getattr(node, "lineno", 0) or getattr(getattr(node, "target", None), "lineno", 0)

    def code(self) -> CodeType:
        """The module as it is to be run."""
        with self.change.made():
            return compile(self.tree, source_of(self.module), "exec")


def source_of(module: str) -> str:
    """The file of a module of the package."""
    stem = ROOT / "r0kit" / module.replace(".", "/")
    return str(stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py"))


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module of the package."""
    tree = ast.parse(Path(source_of(module)).read_text("utf-8"))
    return (Mutant(module, tree, change) for change in mutators.changes(tree))


def noticed(run: Callable[[], bool], seconds: int = LONGEST) -> bool:
    """Whether `run` says so, fails or does not end, in a process of its own."""
    child = os.fork()
    if not child:
        _confine(seconds)
        status = 1
        try:
            status = int(run())
        finally:
            os._exit(status)
    deadline = (
        time.monotonic() + 20 * seconds
    )  # for what waits without end; other processes may take most of the machine
    pause = 0.001
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status != 0
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _confine(seconds: int) -> None:
    """Let this process write nothing to the terminal, and end it where it takes too much."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_AS: MOST_MEMORY, resource.RLIMIT_CPU: seconds}
    for kind, most in limits.items():
        resource.setrlimit(kind, (most, most))


class Called(NamedTuple):
    """What a test costs (seconds), and the functions that it calls: file and first line."""

    cost: float
    functions: frozenset[tuple[str, int]]


class Trials:
    """A plugin of pytest that runs mutants instead of the tests that it has collected.

    judged: what becomes of each mutant, in order: True where it is noticed, None where this cannot be found out here.
    """

    def __init__(
        self,
        mutants: Sequence[Mutant],
        tests: Mapping[str, Sequence[str]],
        cache: str,
        tell: Callable[[Mutant, bool | None], None],
    ) -> None:
        self._mutants, self._tests, self._cache, self._tell = mutants, tests, cache, tell
        self._items: dict[str, pytest.Item] = {}
        self._called: dict[str, Called] = {}
        self._killers: dict[tuple[str, str], list[str]] = {}
        self._failed = False
        self.judged: list[bool | None] = []
        self.failing: list[str] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Every mutant, after a look at what the tests do without any."""
        self._items = {item.nodeid: item for item in session.items}
        self._called = self._observed({source_of(mutant.module) for mutant in self._mutants})
        if not self.failing:
            gc.freeze()
            for mutant in self._mutants:
                self.judged.append(self._judged(mutant))
                self._tell(mutant, self.judged[-1])
        return True

    def _observed(self, files: set[str]) -> dict[str, Called]:
        """What the tests call in these files, found out in another process."""
        answer = f"{self._cache}/called.json"
        noticed(lambda: bool(_write(answer, [self._observe(name, files) for name in self._items])), 20 * LONGEST)
        with open(answer, encoding="utf-8") as file:
            found = json.load(file)
        self.failing = [name for name, _, _, failed in found if failed]
        return {name: Called(cost, frozenset(map(tuple, functions))) for name, cost, functions, _ in found}

    def _observe(self, name: str, files: set[str]) -> tuple[str, float, list[tuple[str, int]], bool]:
        seen: set[CodeType] = set()

        def look(frame: FrameType, *_: Any) -> None:
            seen.add(frame.f_code)

        self._failed = False
        began = time.process_time()
        sys.setprofile(lambda frame, event, _: look(frame) if event == "call" else None)
        failed = self._fails(name)
        sys.setprofile(None)
        called = [(code.co_filename, code.co_firstlineno) for code in seen if code.co_filename in files]
        return name, time.process_time() - began, called, failed

    def _judged(self, mutant: Mutant) -> bool | None:
        place = mutant.change.place
        live = _live(mutant.module, place.where) if place.function is not None else None
        code = _code_of(mutant, place) if live is not None else None
        names = self._calling(mutant, place)
        if live is None or code is None or code.co_freevars != live.__code__.co_freevars or not names:
            return None
        return self._noticed(live, code, (mutant.module, place.where), names)

    def _noticed(self, live: FunctionType, code: CodeType, function: tuple[str, str], names: list[str]) -> bool:
        killers = self._killers.setdefault(function, [])
        names.sort(key=lambda name: (-killers.count(name), self._called[name].cost))
        answer = f"{self._cache}/killer.json"

        def run() -> bool:
            live.__code__ = code
            killer = next(filter(self._fails, names), None)
            if killer is not None:
                _write(answer, killer)
            return killer is not None

        if os.path.exists(answer):
            os.remove(answer)
        found = noticed(run, 5 + 2 * int(sum(self._called[name].cost for name in names)))
        if os.path.exists(answer):
            with open(answer, encoding="utf-8") as file:
                killers.append(json.load(file))
        return found

    def _calling(self, mutant: Mutant, place: mutators.Place) -> list[str]:
        """The tests of the mutant's module that call the function it changes."""
        if place.function is None:
            return []
        path, first, last = source_of(mutant.module), *_span(place.function)
        mine = self._tests[mutant.module]
        return [
            name
            for name, called in self._called.items()
            if name.startswith(tuple(mine))
            and any(file == path and first <= line <= last for file, line in called.functions)
        ]

    def _fails(self, name: str) -> bool:
        item = self._items[name]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self._failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep whether anything has failed."""
        self._failed = self._failed or report.failed


def _write(path: str, value: Any) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def _span(function: mutators.Function) -> tuple[int, int]:
    return min(node.lineno for node in (function, *function.decorator_list)), function.end_lineno or 0


def _live(module: str, where: str) -> FunctionType | None:
    """The function that the tests call; None where it is not a plain one."""
    found: Any = sys.modules.get(f"r0kit.{module}")
    for name in where.split("."):
        found = vars(found).get(name) if found is not None else None
    found = found.fget if isinstance(found, property) else found
    return found if isinstance(found, FunctionType) else None


def _code_of(mutant: Mutant, place: mutators.Place) -> CodeType | None:
    """The code of the changed function within that of its module."""
    assert place.function is not None
    code: CodeType | None = mutant.code()
    for name in place.where.split("."):
        inner = [part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name] if code else []
        code = inner[0] if len(inner) == 1 else None
    return code


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant where its module is imported."""

    def __init__(self, mutant: Mutant) -> None:
        self._name, self._path, self._code = f"r0kit.{mutant.module}", source_of(mutant.module), mutant.code()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The mutant for the name of its module, nothing for all others."""
        if name != self._name:
            return None
        is_package = self._path.endswith("__init__.py")
        spec = importlib.machinery.ModuleSpec(name, self, origin=self._path, is_package=is_package)
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(self._path)]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        module.__file__ = self._path
        exec(self._code, module.__dict__)


def lives(mutant: Mutant | None, tests: Iterable[str], cache: str) -> bool:
    """Whether the tests pass with the mutant (None: with the package as it is), package and tests being loaded anew."""
    return not noticed(lambda: _loaded_anew(mutant, tests, cache))


def _loaded_anew(mutant: Mutant | None, tests: Iterable[str], cache: str) -> bool:
    sys.dont_write_bytecode, sys.pycache_prefix = False, cache  # compiled once for all of them
    _forget()
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    return any(run_pytest([test], cache) for test in tests)


def _forget() -> None:
    """Whatever the process that forked this one has loaded of the project is to be loaded again, mutant included."""
    tests = f"{ROOT / 'tests'}{os.sep}"
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "r0kit" or (getattr(module, "__file__", None) or "").startswith(tests):
            del sys.modules[name]


def run_pytest(tests: Iterable[str], cache: str, *plugins: object) -> int:
    """pytest's exit status for these tests."""
    # plain: where r0kit is installed, pytest rewrites its modules as those of a plugin, and would load no mutant
    plain = ("--assert=plain", "-p", "no:cacheprovider", "-p", "no:r0kit.plugin", f"--basetemp={cache}/t")
    return int(pytest.main(["-x", "-q", "-s", f"--rootdir={ROOT}", *plain, *tests], plugins=list(plugins)))
