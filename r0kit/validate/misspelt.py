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


def by_owner(unknown: Iterable[Unknown]) -> dict[str, list[Unknown]]:
    """The keys that mean nothing, by the rule that says so."""
    owned: dict[str, list[Unknown]] = {}
    for slip in unknown:
        owned.setdefault(_owner(slip) if slip.meant else "rule18", []).append(slip)
    return owned


def _owner(slip: Unknown) -> str:
    """The rule that says of a misspelt key that it is missing; rule18 where it may be."""
    if slip.meant in slip.record.required:
        return "rule0"
    owners = (rule for record, keys, rule in _OWNERS if record is slip.record and slip.meant in keys)
    return next(owners, "rule18")


def faults_of(misspelt: Iterable[Unknown]) -> Iterator[Fault]:
    """The faults of misspelt keys that must not be missing."""
    for slip in misspelt:
        message = f"{spell(slip.path)} has no `{slip.meant}`, but a key {shown(slip.key)}"
        yield Fault((*slip.path, slip.key, KEY), message, slip.hint)
