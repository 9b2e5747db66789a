"""What `r0kit gen` and the script `gen_module_interfaces` share: golden and SPEC -> the text of a contract."""

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from r0kit.cli.common import CLEAN, show
from r0kit.cli.output import refuse_inputs, refuse_stray_link, write_text
from r0kit.cli.settings import settled
from r0kit.contract.draft import draft, explanation, with_todos
from r0kit.contract.read import read
from r0kit.contract.skeleton import TODO, Skeleton, skeleton
from r0kit.contract.update import update
from r0kit.contract.write import data_text
from r0kit.finding import Finding, InputError, Location, Severity
from r0kit.golden import read_program
from r0kit.golden.agree import disagreements
from r0kit.golden.filegiven import with_inputs_of_file
from r0kit.golden.inputs import with_shapes_of_cases
from r0kit.golden.signature import GoldenFunction, Style, read_interface
from r0kit.partition import Strategy, partition
from r0kit.partition.pins import NO_PINS, read_pins
from r0kit.platform import load
from r0kit.spec import Spec, in_eval, read_spec

SPEC_NAME = "SPEC.md"


class Drawn(NamedTuple):
    """A contract as plain data with the comments of its TODOs, what was found, and what was decided in a few lines."""

    drafted: Skeleton
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generation:
    """What `gen` is asked to do. design: the document that the contract will be rendered into, as the script takes it.

    only_skeleton: leave Modules to a person; old: a contract whose hand-written parts stay; pins: a file of decisions.
    strategy, platform: None takes what the project has settled. eval_mode: read an nn.Module in eval mode.
    """

    golden: str
    spec: str | None = None
    op: str | None = None
    design: str | None = None
    output: str | None = None
    only_skeleton: bool = False
    strategy: Strategy | None = None
    platform: str | None = None
    old: str | None = None
    pins: str | None = None
    eval_mode: bool = False

    def run(self) -> int:
        """Write the contract to standard output or to the file `output`, what is to know to standard error.

        Raises InputError, with nothing written, where golden, SPEC, the old contract or the pins cannot be read or
        contradict themselves.
        """
        if self.output is not None:
            refuse_stray_link(self.output)
            read = (self.golden, self.spec, _spec_beside(self.golden), self.design, self.pins)
            refuse_inputs(self.output, read, "name the contract's own file, module_interfaces.yaml")
        text, findings, lines = self._contract()
        show(tuple(dict.fromkeys(findings)))  # signature and draft are both read against SPEC
        for line in (*lines, *self._standing(text)):
            print(f"r0kit gen: {line}", file=sys.stderr)
        if self.output is None:
            print(text, end="")
        else:
            write_text(self.output, text)
        return CLEAN

    def _standing(self, text: str) -> tuple[str, ...]:
        """How section 0 of the document stands to the contract `text`, where there is such a document."""
        if self.design is None or not os.path.lexists(self.design):
            return ()
        from r0kit.cli.designing import standing  # the only part that renders

        return (standing(text, self.design),)

    def _contract(self) -> tuple[str, tuple[Finding, ...], tuple[str, ...]]:
        """The text of the contract, all findings that are no errors, and what was decided."""
        old = read(self.old) if self.old is not None else None
        spec, said = self._spec()
        golden = read_interface(self.golden, self.op, spec)
        said += (*golden.findings, *_unspeakable(golden))
        if spec is not None and golden.style is not Style.MODEL:  # of a Model the Program knows more inputs
            said += tuple(disagreements(golden, spec))
        golden, spec = self._completed(golden, spec)
        drawn = self._drawn(golden, spec)
        drafted = drawn.drafted
        said += drafted.findings
        if old is None:
            return data_text(drafted.data, drafted.comments), said, drawn.lines
        joined = update(drafted.data, old, drafted.comments)
        return joined.text, (*said, *joined.findings), drawn.lines

    def _completed(self, golden: GoldenFunction, spec: Spec | None) -> tuple[GoldenFunction, Spec | None]:
        """Golden and SPEC with what the golden's file itself says of its inputs, and the mode that is asked for."""
        whole = with_inputs_of_file(golden, in_eval(spec, self.golden) if self.eval_mode else spec)
        if spec is None and not whole.inputs and whole.training:
            return golden, None
        return read_interface(self.golden, self.op, whole), whole

    def _drawn(self, golden: GoldenFunction, spec: Spec | None) -> Drawn:
        """The contract with its Modules, or only what the signature says where that is asked for or all there is."""
        bare = skeleton(golden, spec)
        if self.only_skeleton:
            return Drawn(bare)
        if _shapeless(bare) and spec is not None and spec.p0_cases:
            spec = with_shapes_of_cases(spec, read_program(self.golden, spec, golden.op))
            bare = skeleton(golden, spec)
        if shapeless := _shapeless(bare):
            return Drawn(bare._replace(findings=(*bare.findings, _without_shapes(golden, shapeless))))
        program = read_program(self.golden, spec, golden.op)
        _refuse_errors(program.findings)
        pins = read_pins(self.pins) if self.pins is not None else NO_PINS
        strategy, platform = self._settled()
        divided = partition(program, spec, strategy, load(platform), pins)
        contract, findings = draft(divided, spec)
        data, comments = with_todos(contract, divided, spec)
        todos = sum(line.count(TODO) for line in data_text(data).splitlines())
        return Drawn(Skeleton(data, comments, findings), tuple(explanation(contract, divided, todos)))

    def _settled(self) -> tuple[Strategy, str]:
        """Strategy and platform: as asked for, or as the project has settled, or else by default."""
        if self.strategy is not None and self.platform is not None:
            return self.strategy, self.platform
        own = settled()
        return self.strategy or Strategy(own.get("strategy", "auto")), self.platform or own.get("platform", "")

    def _spec(self) -> tuple[Spec | None, tuple[Finding, ...]]:
        """The SPEC that was named, else the one beside the golden, and what is wrong with it short of an error."""
        path = self.spec if self.spec is not None else _beside(self.golden)
        if path is None:
            return None, ()
        spec, findings = read_spec(path)
        if any(finding.severity is Severity.ERROR for finding in findings):
            raise InputError(findings)
        return spec, findings


def _refuse_errors(findings: Iterable[Finding]) -> None:
    """A golden that could not be read to its end makes no contract."""
    if any(finding.severity is Severity.ERROR for finding in findings):
        raise InputError(findings)


def _unspeakable(golden: GoldenFunction) -> tuple[Finding, ...]:
    """A warning where no function can be called after the operator: `stages` and `verify` need some."""
    if f"{golden.op}_module_1".isidentifier():
        return ()
    usable = re.sub(r"\W", "_", golden.op)
    usable = usable if usable.isidentifier() else f"op_{usable}"
    place = Location(golden.path, golden.node.lineno, golden.node.col_offset + 1)
    message = f"the operator {golden.op!r} is no Python name, so stages and verify can write no function for it"
    return (Finding("gen.op-name", Severity.WARNING, message, place, f"name it by one: --op {usable}"),)


def _shapeless(bare: Skeleton) -> list[str]:
    """Inputs whose shape is not known."""
    return [tensor["name"] for tensor in bare.data["primary_inputs"] if tensor["shape"] == TODO]


def _without_shapes(golden: GoldenFunction, names: list[str]) -> Finding:
    place = Location(golden.path, golden.node.lineno, golden.node.col_offset + 1)
    message = f"Modules are left to you: no SPEC states the shape of {', '.join(names)}"
    hint = "write a SPEC.md with the shapes of all inputs, and name it with --spec"
    return Finding("gen.shapes", Severity.WARNING, message, place, hint)


def _beside(golden: str) -> str | None:
    """SPEC.md in the golden's folder, with a word about it; None where there is none."""
    path = _spec_beside(golden)
    if not os.path.isfile(path):
        return None
    print(f"r0kit gen: reading {path}, which stands beside the golden (--spec names another)", file=sys.stderr)
    return path


def _spec_beside(golden: str) -> str:
    return os.path.join(os.path.dirname(golden), SPEC_NAME)
