"""Prepared contract -> Verdict: the child is asked for one case after another, and its answers become findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import TracebackType
from typing import Any

from r0kit.contract.read import Document
from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.spec import Spec
from r0kit.verify.cases import CasePlan
from r0kit.verify.prepare import Prepared, Wanted, prepare
from r0kit.verify.session import ChildError, Ended, Resources, Session, TimedOut
from r0kit.verify.verdict import Check, Failure, Status, Verdict
from r0kit.verify.wording import ending, failure_of, raised

Progress = Callable[[int, int, str], None]  # cases done, cases in all, the name of the one that begins

ALL, USUAL = Wanted(), Resources()
_MOST_FINDINGS = 20  # errors that are listed; a contract that is wrong everywhere needs no more


def in_silence(done: int, total: int, name: str) -> None:
    """The progress that nobody wants to hear of."""


class Halted(Exception):
    """The child has ended, or was ended: no further case can be run. `failure` is that of the case it ended in."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.summary)


class Runner:
    """Runs the cases of one contract in one child process. Use it as a context.

    session: a process that has been started already, and that ends with the Runner.
    """

    def __init__(self, prepared: Prepared, resources: Resources, session: Session | None = None) -> None:
        self.prepared, self.resources = prepared, resources
        self._started = session is not None
        self._session = session or Session(resources)

    def __enter__(self) -> Runner:
        """Start the process and run the golden's file. InputError where that fails, or where there is no torch."""
        if not _has_torch():
            hint = 'install it with: pip install "r0kit[verify]"'
            raise _refusal(
                self.prepared.golden, "verify.torch", "verification needs torch, which is not installed", hint
            )
        if not self._started:
            self._session.__enter__()
        try:
            self._start()
        except BaseException:
            self._session.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    @property
    def printed(self) -> tuple[int, str]:
        """How many bytes foreign code has written to standard output, and how they begin."""
        return self._session.printed.size, self._session.printed.beginning

    def check(self, case: CasePlan) -> Check:
        """Run one case. Halted where the process did not survive it."""
        try:
            answer = self._session.ask(self.prepared.request(case))
        except ChildError as error:
            raise Halted(ending(self.prepared, case, error, self.resources)) from None
        if answer["event"] == "error":
            failure = raised(self.prepared, case, answer, self.resources)
            if case.derived:
                return Check(case, Status.SKIP, reason=failure.detail)
            return Check(case, Status.FAIL, failure=failure)
        failed = failure_of(self.prepared, case, answer["failure"]) if answer["failure"] else None
        status = Status.FAIL if failed else Status.PASS
        return Check(case, status, answer["max_abs"], answer["max_rel"], failed)

    def _start(self) -> None:
        try:
            self._session.start()
        except ChildError as error:
            hint = "check that `import torch` works with this interpreter"
            raise _refusal(
                self.prepared.golden, "verify.start", f"torch cannot be started: {_last(error)}", hint
            ) from None
        try:
            answer = self._session.ask(self.prepared.setup)
        except (TimedOut, Ended) as error:
            what = f"the golden {error.message} when its file is loaded"
            raise _refusal(
                self.prepared.golden, "verify.golden-load", what, "see that importing the file does nothing"
            ) from None
        if answer["event"] == "error":
            raise InputError([_load_error(self.prepared, answer)])


def verify(
    document: Document,
    golden: str,
    spec: Spec | None,
    wanted: Wanted = ALL,
    resources: Resources = USUAL,
    progress: Progress = in_silence,
) -> Verdict:
    """Run every case of a contract. What is wrong, the golden's misbehaviour included, is in the verdict's findings."""
    with _torch_starting(resources) as session:
        try:
            prepared = prepare(document, golden, spec, wanted)
        except InputError as error:
            return Verdict("", document.path, golden, 0, 0, findings=error.findings, text=document.text)
        checks, findings = _run(prepared, resources, progress, session)
    return _verdict(prepared, wanted, checks, findings)


@contextmanager
def _torch_starting(resources: Resources) -> Iterator[Session | None]:
    """The child process, which starts torch while this one reads the golden; None where there is no torch to start."""
    if not _has_torch():
        yield None
        return
    with Session(resources) as session:
        yield session


def _has_torch() -> bool:
    return find_spec("torch") is not None


def _verdict(prepared: Prepared, wanted: Wanted, checks: tuple[Check, ...], findings: tuple[Finding, ...]) -> Verdict:
    contract, document = prepared.contract, prepared.document
    count = len(contract.modules)
    return Verdict(
        contract.op,
        document.path,
        prepared.golden,
        count,
        wanted.up_to or count,
        len(prepared.cases),
        checks,
        (*prepared.findings, *findings),
        document.text,
    )


def _run(
    prepared: Prepared, resources: Resources, progress: Progress, session: Session | None
) -> tuple[tuple[Check, ...], tuple[Finding, ...]]:
    if not prepared.cases:
        return (), ()
    checks: list[Check] = []
    printed = (0, "")
    try:
        with Runner(prepared, resources, session) as runner:
            for number, case in enumerate(prepared.cases):
                progress(number, len(prepared.cases), case.id)
                try:
                    checks.append(runner.check(case))
                except Halted as halt:
                    checks.append(Check(case, Status.FAIL, failure=halt.failure))
                    break
        printed = runner.printed
    except InputError as error:
        return tuple(checks), error.findings
    found = _findings(prepared, checks)
    misbehaved = any(finding.rule.startswith("verify.golden-") for finding in found)
    return tuple(checks), found if misbehaved else (*found, *_printed(prepared, *printed))


def _findings(prepared: Prepared, checks: list[Check]) -> tuple[Finding, ...]:
    """One finding for each way of failing, with its first case and how many more there are."""
    ways: dict[tuple[Any, ...], list[Check]] = {}
    for check in checks:
        if check.failure:
            failure = check.failure
            ways.setdefault((failure.module, failure.output, failure.rule), []).append(check)
    return tuple(_finding(prepared, same) for same in list(ways.values())[:_MOST_FINDINGS])


def _finding(prepared: Prepared, same: list[Check]) -> Finding:
    failure = same[0].failure
    assert failure is not None
    more = f"; so do {len(same) - 1} other cases" if len(same) > 1 else ""
    message = f"{failure.detail} (case {same[0].case.id}{more})"
    return Finding(failure.rule, Severity.ERROR, message, _place(prepared, failure), failure.hint)


def _place(prepared: Prepared, failure: Failure) -> Location:
    """The output in the contract, the Module where it has no such output, a primary input, else the golden."""
    for index, module in enumerate(prepared.contract.modules):
        if module.id == failure.module:
            names = [output.name for output in module.outputs]
            position = (names.index(failure.output),) if failure.output in names else ()
            path = ("modules", index, "outputs", *position) if position else ("modules", index)
            return prepared.document.locate([path])[path]
    for index, tensor in enumerate(prepared.contract.primary_inputs):
        if failure.module is None and tensor.name == failure.output:
            return prepared.document.locate([("primary_inputs", index)])["primary_inputs", index]
    return Location(prepared.golden, failure.line)


def _printed(prepared: Prepared, size: int, beginning: str) -> tuple[Finding, ...]:
    if not size:
        return ()
    first = beginning.strip().splitlines()[:1]
    what = (
        f"the golden writes to standard output: {size} bytes, beginning {first[0][:60]!r}"
        if first
        else (f"the golden writes to standard output: {size} bytes")
    )
    hint = "take the print out: a reference that talks spoils the output of whatever calls it"
    return (Finding("verify.golden-prints", Severity.ERROR, what, Location(prepared.golden), hint),)


def _load_error(prepared: Prepared, answer: Mapping[str, Any]) -> Finding:
    path = prepared.setup["stages_file"] if answer["phase"] == "stages" else prepared.golden
    kind = f"raises {answer['type']} when it is loaded: " if answer["type"] else ""
    what = f"{path} {kind}{answer['message']}"
    return Finding("verify.golden-load", Severity.ERROR, what, Location(path, answer["line"]), "make it import cleanly")


def _refusal(path: str, rule: str, what: str, hint: str) -> InputError:
    return InputError([Finding(rule, Severity.ERROR, what, Location(path), hint)])


def _last(error: ChildError) -> str:
    lines = error.errors.strip().splitlines()
    return lines[-1][:200] if lines else error.message
