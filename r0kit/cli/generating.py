"""What `r0kit gen` and the script `gen_module_interfaces` share: golden and SPEC -> the text of a contract."""

import os
import sys
from dataclasses import dataclass

from r0kit.cli.common import CLEAN, show
from r0kit.cli.output import RULE, write_text
from r0kit.contract.skeleton import skeleton
from r0kit.contract.write import data_text
from r0kit.finding import Finding, InputError, Severity
from r0kit.golden.agree import disagreements
from r0kit.golden.signature import read_interface
from r0kit.source import refusal
from r0kit.spec import Spec, read_spec

SPEC_NAME = "SPEC.md"


@dataclass(frozen=True, slots=True)
class Generation:
    """What `gen` is asked to do. design: the document that the contract will be rendered into, as the script takes it."""

    golden: str
    spec: str | None = None
    op: str | None = None
    design: str | None = None
    output: str | None = None

    def run(self) -> int:
        """Write the contract to standard output or to the file `output`, what is to know to standard error.

        Raises InputError, with nothing written, where golden or SPEC cannot be read or contradict themselves.
        """
        if self.output is not None:
            _refuse_stray_link(self.output)
        text, findings = self._contract()
        show(findings)
        if self.output is None:
            print(text, end="")
        else:
            write_text(self.output, text)
        return CLEAN

    def _contract(self) -> tuple[str, tuple[Finding, ...]]:
        """The text of the contract, and all findings that are no errors."""
        spec, said = self._spec()
        golden = read_interface(self.golden, self.op, spec)
        drafted = skeleton(golden, spec)
        said += golden.findings
        said += tuple(disagreements(golden, spec)) if spec is not None else ()
        return data_text(drafted.data, drafted.comments), (*said, *drafted.findings)

    def _spec(self) -> tuple[Spec | None, tuple[Finding, ...]]:
        """The SPEC that was named, else the one beside the golden, and what is wrong with it short of an error."""
        path = self.spec if self.spec is not None else _beside(self.golden)
        if path is None:
            return None, ()
        spec, findings = read_spec(path)
        if any(finding.severity is Severity.ERROR for finding in findings):
            raise InputError(findings)
        return spec, findings


def _beside(golden: str) -> str | None:
    """SPEC.md in the golden's folder, with a word about it; None where there is none."""
    path = os.path.join(os.path.dirname(golden), SPEC_NAME)
    if not os.path.isfile(path):
        return None
    print(f"r0kit gen: reading {path}, which stands beside the golden (--spec names another)", file=sys.stderr)
    return path


def _refuse_stray_link(path: str) -> None:
    """A link that leads out of its folder is no place for a contract: whoever follows it expects another file there."""
    folder = os.path.realpath(os.path.dirname(path) or ".")
    target = os.path.realpath(path)
    if os.path.islink(path) and os.path.dirname(target) != folder:
        hint = "name that file itself, or remove the link"
        raise refusal(path, RULE, f"is a link to {target}, in another folder", hint)
