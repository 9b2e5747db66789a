"""pytest plugin: `pytest --r0kit FOLDER` verifies every contract in FOLDER, with one test item for each Module and case.

pytest-xdist then spreads a repository of operators over cores and machines, and `--junitxml` reports it to CI. Each
pytest process starts one child process per contract that it has items of, in which torch and the golden run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from r0kit.verify import CasePlan, Check, Prepared, Runner

_FOLDERS = pytest.StashKey[list[Path]]()
_ALONE = pytest.StashKey[bool]()
_RUNNING = pytest.StashKey["_Running"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--r0kit FOLDER`, the time limit of a case, and the mode of goldens that are classes."""
    group = parser.getgroup("r0kit", "r0kit: verify Module contracts")
    group.addoption(
        "--r0kit",
        action="append",
        default=[],
        metavar="PATH",
        help="verify every module_interfaces.yaml in this folder (or this contract) against the golden beside it",
    )
    group.addoption("--r0kit-timeout", type=float, default=60.0, metavar="S", help="seconds that one case may take")
    group.addoption("--r0kit-eval", action="store_true", help="goldens that are classes run in evaluation mode")


def pytest_configure(config: pytest.Config) -> None:
    """Collect the contracts too; and nothing else, where nothing else is named."""
    folders = [Path(path).resolve() for path in config.getoption("--r0kit")]
    config.stash[_FOLDERS] = folders
    config.stash[_RUNNING] = _Running(config)
    named = config.args_source is pytest.Config.ArgsSource.ARGS and not _is_worker(config)
    config.stash[_ALONE] = bool(folders) and not named
    if folders and not _is_worker(config):
        config.args[:] = [*(config.args if named else ()), *map(str, folders)]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Python files in the folders of `--r0kit` are not what was asked for."""
    if config.stash[_ALONE] and collection_path.is_file() and not _is_contract(collection_path, config):
        return True
    return None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A contract as a collection of Modules and cases."""
    if _is_contract(file_path, parent.config):
        return _Contract.from_parent(parent, path=file_path)
    return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the child process."""
    session.config.stash[_RUNNING].close()


def _is_worker(config: pytest.Config) -> bool:
    """Whether this is a process of pytest-xdist."""
    return hasattr(config, "workerinput")


def _is_contract(path: Path, config: pytest.Config) -> bool:
    folders = config.stash[_FOLDERS]
    if path in folders:
        return path.is_file()
    return path.name == "module_interfaces.yaml" and any(folder in path.parents for folder in folders)


class _Wrong(Exception):
    """What is wrong, in words; shown without a traceback."""


class _Contract(pytest.File):
    """One contract: an item for what is wrong without running it, then one for each case and Module."""

    def collect(self) -> Iterable[pytest.Item]:
        from r0kit.contract.read import read
        from r0kit.finding import InputError, Severity
        from r0kit.verify import Wanted, golden_beside, prepare, spec_beside

        wanted = Wanted(evaluation=self.config.getoption("--r0kit-eval"))
        try:
            golden = golden_beside(str(self.path))
            prepared = prepare(read(str(self.path)), golden, spec_beside(golden), wanted)
        except InputError as error:
            yield _Statement.from_parent(self, name="contract", wrong=_said(error.findings))
            return
        errors = [finding for finding in prepared.findings if finding.severity is Severity.ERROR]
        yield _Statement.from_parent(self, name="contract", wrong=_said(errors))
        for case in prepared.cases:
            for module in prepared.contract.modules:
                yield _ModuleItem.from_parent(
                    self, name=f"module_{module.id}[{case.id}]", prepared=prepared, case=case, module=module.id
                )


class _Item(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Only what is wrong, where the plugin says so itself."""
        if isinstance(excinfo.value, _Wrong):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, None, self.name


class _Statement(_Item):
    """What is wrong with a contract as it stands; "" where nothing is."""

    def __init__(self, *, wrong: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.wrong = wrong

    def runtest(self) -> None:
        if self.wrong:
            raise _Wrong(self.wrong)


class _ModuleItem(_Item):
    """One Module in one case."""

    def __init__(self, *, prepared: Prepared, case: CasePlan, module: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.prepared, self.case, self.module = prepared, case, module

    def runtest(self) -> None:
        """Fails where this Module is the first one that is off; those behind it are skipped."""
        check = self.config.stash[_RUNNING].check(self.prepared, self.case)
        failure = check.failure
        if failure is None:
            if check.reason:
                pytest.skip(check.reason)
            return
        to_blame = failure.module or self.prepared.contract.modules[0].id
        if self.module == to_blame:
            raise _Wrong(f"{failure.detail} [{failure.rule}]\nhint: {failure.hint}")
        if self.module > to_blame:
            pytest.skip(failure.summary)


class _Running:
    """The child process of the contract whose items run now, and what it has said about its cases."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.prepared: Prepared | None = None
        self.runner: Runner | None = None
        self.checks: dict[str, Check] = {}
        self.ended = ""

    def check(self, prepared: Prepared, case: CasePlan) -> Check:
        """How the case ended; it runs when the first of its Modules asks."""
        if prepared is not self.prepared:
            self.close()
            self.prepared = prepared
        if case.id not in self.checks:
            self.checks[case.id] = self._run(prepared, case)
        return self.checks[case.id]

    def close(self) -> None:
        """End the process."""
        if self.runner is not None:
            self.runner.__exit__(None, None, None)
        self.prepared, self.runner, self.checks, self.ended = None, None, {}, ""

    def _run(self, prepared: Prepared, case: CasePlan) -> Check:
        from r0kit.finding import InputError
        from r0kit.verify import Check, Halted, Status

        if self.ended:
            pytest.skip(self.ended)
        try:
            if self.runner is None:
                self.runner = self._started(prepared)
            check = self.runner.check(case)
        except Halted as halt:
            self.ended = f"not run: in case {case.id} {halt.failure.summary}"
            return Check(case, Status.FAIL, failure=halt.failure)
        except InputError as error:
            self.ended = "not run: the golden could not be started"
            raise _Wrong(_said(error.findings)) from None
        size, beginning = self.runner.printed
        if size:
            raise _Wrong(f"the golden writes to standard output: {beginning[:60]!r}")
        return check

    def _started(self, prepared: Prepared) -> Runner:
        from r0kit.verify import Resources, Runner

        threads = 1 if _is_worker(self.config) else 0  # the other processes have the other cores
        return Runner(prepared, Resources(self.config.getoption("--r0kit-timeout"), threads=threads)).__enter__()


def _said(findings: Iterable[Any]) -> str:
    return "\n".join(_lines(findings))


def _lines(findings: Iterable[Any]) -> Iterator[str]:
    for finding in findings:
        place = finding.location
        where = f"{place.path}:{place.line}:{place.column}: " if place.line else f"{place.path}: "
        yield f"{where}{finding.message} [{finding.rule}]"
        if finding.hint:
            yield f"  hint: {finding.hint}"
