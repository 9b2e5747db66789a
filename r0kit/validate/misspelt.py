"""Keys that are misspelt: which rule says so, and how."""

from collections.abc import Iterable, Iterator

from r0kit.contract.meant import Unknown
from r0kit.contract.path import KEY
from r0kit.contract.structure import CONTRACT, FINAL_OUTPUT, MODULE, VERIFICATION
from r0kit.contract.wording import shown, spell
from r0kit.finding import Fault

# Who says that a key is missing which need not be there for the structure alone.
_OWNERS = (
    (CONTRACT, ("primary_inputs",), "rule1"),
    (CONTRACT, ("final_outputs",), "rule3"),
    (FINAL_OUTPUT, ("name", "source"), "rule3"),
    (MODULE, ("section",), "rule9"),
    (CONTRACT, ("composition_verification",), "rule14"),
    (VERIFICATION, ("atol", "rtol", "seeds", "shapes"), "rule14"),
)


def owner(slip: Unknown) -> str:
    """The rule that says of a misspelt key that it is missing; rule18 where it may be."""
    if slip.meant in slip.record.required:
        return "rule0"
    owners = (rule for record, keys, rule in _OWNERS if record is slip.record and slip.meant in keys)
    return next(owners, "rule18")


def faults_of(unknown: Iterable[Unknown], rule: str) -> Iterator[Fault]:
    """The faults of misspelt keys of which it is up to `rule` to say that they are missing."""
    for slip in unknown:
        if owner(slip) == rule:
            message = f"{spell(slip.path)} has no `{slip.meant}`, but a key {shown(slip.key)}"
            yield Fault((*slip.path, slip.key, KEY), message, slip.hint)
