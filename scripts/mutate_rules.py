#!/usr/bin/env python3
"""Mutation testing of the rules: mutate_rules.py [MODULE...] [--line N]

`mutators` says what is changed, `mutant_trials` how it is put to the test. A mutant lives when the tests of the rules still
pass with it. Those that live and may are listed with the reason in mutants_explained.json; the exit status is 1 where
another one lives, or where an explanation no longer fits.
"""

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from mutant_trials import Mutant, Trials, lives, mutants, run_pytest  # noqa: E402

EXPLAINED = ROOT / "scripts" / "mutants_explained.json"

_CASES = (
    *("tests/validate/test_rule_cases.py", "tests/validate/test_rule_branches.py", "tests/validate/test_rules.py"),
    *("tests/validate/test_one_slip.py", "tests/validate/test_records.py", "tests/validate/test_conformance.py"),
)
_GOLDEN = ("tests/validate/test_golden_rules.py",)
_READER = ("tests/contract/test_read.py",)
_SCHEMA = ("tests/validate/test_schema.py",)
_FIX = ("tests/validate/test_fix.py",)
_MANY = ("tests/validate/test_hostile.py::test_what_nobody_reads_is_left_out_with_a_word_about_it",)
# A module of the package -> the tests that judge its mutants, the quickest first.
MODULES: dict[str, tuple[str, ...]] = {
    "validate": ("tests/cli/test_validate.py", *_CASES[:4]),
    "validate.rules": (*_CASES, *_GOLDEN),
    "validate.document": _CASES,
    "validate.misshapen": _CASES,
    "validate.placeholders": _CASES,
    "validate.odd_keys": (*_CASES, *_READER),
    "validate.module_hints": (*_CASES, *_FIX),
    "validate.modules": (*_CASES, *_FIX),
    "validate.tensors": _CASES,
    "validate.wiring": _CASES,
    "validate.sources": _CASES,
    "validate.tensor_hints": _CASES,
    "validate.misspelt": _CASES,
    "validate.intended": _CASES,
    "validate.usage": _CASES,
    "validate.records": _CASES,
    "validate.dashes": _CASES,
    "validate.subject": (*_CASES, *_GOLDEN, "tests/validate/test_interface.py"),
    "validate.golden": (*_GOLDEN, *_CASES),
    "validate.interface": ("tests/validate/test_interface.py", *_GOLDEN),
    "validate.slices": ("tests/validate/test_slices.py", *_GOLDEN),
    "validate.fix": _FIX,
    "validate.order": _FIX,
    "contract.structure": ("tests/contract/test_structure.py", *_CASES, *_READER, *_SCHEMA),
    "contract.shape": _CASES,
    "contract.shape_hints": _CASES,
    "contract.remedies": ("tests/contract/test_remedies.py", *_CASES, *_READER, *_SCHEMA),
    "contract.wire": _CASES,
    "contract.likeness": ("tests/contract/test_wording.py", *_CASES, "tests/contract/test_unparsed.py"),
    "contract.wording": ("tests/contract/test_wording.py", *_CASES),
    "contract.meant": ("tests/contract/test_meant.py", *_CASES),
    "contract.slips": ("tests/contract/test_slips.py", "tests/contract/test_unparsed.py", *_READER),
    "contract.unparsed": ("tests/contract/test_unparsed.py", *_READER),
    "contract.read": (*_READER, *_CASES),
    "contract.scalars": (*_READER, *_CASES),
    "contract.pure": _READER,
    "contract.places": (*_READER, *_CASES),
    "contract.typed": ("tests/contract/test_typed.py", *_GOLDEN),
    "contract.blocks": ("tests/contract/test_blocks.py", *_FIX),
    "source": ("tests/test_source.py", *_READER),
    "source.refused": ("tests/test_source.py", *_READER),
    "rulebook": ("tests/validate/test_rules.py", "tests/cli/test_validate.py", *_MANY),
    "rulebook.pages": ("tests/validate/test_rules.py",),
    "rulebook.trials": ("tests/validate/test_rules.py", "tests/cli/test_validate.py"),
    "finding": ("tests/test_finding.py", *_CASES[:3], "tests/cli/test_validate.py"),
}


class Explanation(NamedTuple):
    """Why a mutant may live: a change within a function ("" outside of all), in the words of the mutators."""

    module: str
    where: str
    what: str
    why: str


def main() -> int:
    """Print the score of each module, and the survivors with the reasons for which they may live."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", choices=[[], *MODULES], metavar="MODULE", help=", ".join(MODULES))
    parser.add_argument("--line", type=int, help="only the mutants of this line")
    options = parser.parse_args()
    os.chdir(ROOT)
    chosen = [mutant for module in options.modules or MODULES for mutant in mutants(module)]
    chosen = [mutant for mutant in chosen if options.line in (None, mutant.line)]
    if not chosen:
        parser.error("nothing can be changed there")
    with tempfile.TemporaryDirectory(prefix="m") as cache:
        judged = _judged(chosen, cache)
    if judged is None:
        return 1
    alive = [mutant for mutant, noticed in zip(chosen, judged, strict=True) if not noticed]
    return told(chosen, alive, explanations() if options.line is None else [])


def explanations() -> list[Explanation]:
    """The mutants that may live."""
    return [Explanation(**record) for record in json.loads(EXPLAINED.read_text("utf-8"))]


def _judged(chosen: Sequence[Mutant], cache: str) -> list[bool] | None:
    """Whether each mutant is noticed; None where tests fail without any change."""
    from hypothesis import Phase, settings

    settings.register_profile("mutants", derandomize=True, database=None, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")  # the same inputs each time, and no search for smaller ones
    trials = Trials(chosen, MODULES, cache, _tell)
    tests = dict.fromkeys(test for mutant in chosen for test in MODULES[mutant.module])
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = run_pytest(tests, cache, trials)
    if status or trials.failing:
        print(said.getvalue(), "the tests fail without any change:", *trials.failing, sep="\n")
        return None
    for index, mutant in enumerate(chosen):
        if trials.judged[index] is None:
            trials.judged[index] = not lives(mutant, MODULES[mutant.module], cache)
            _tell(mutant, trials.judged[index])
    return list(map(bool, trials.judged))


def _tell(mutant: Mutant, noticed: bool | None) -> None:
    if noticed is False:
        print(f"alive: {_called(mutant)}", file=sys.__stderr__, flush=True)


def told(chosen: Iterable[Mutant], alive: Iterable[Mutant], explained: Iterable[Explanation]) -> int:
    """Print what has become of the mutants; the exit status."""
    reasons = {(each.module, each.where, each.what): each.why for each in explained}
    total = Counter(mutant.module for mutant in chosen)
    left = Counter(mutant.module for mutant in alive)
    unexplained = [mutant for mutant in alive if _key(mutant) not in reasons]
    for mutant in alive:
        if _key(mutant) in reasons:
            print(f"{_called(mutant)}: {reasons[_key(mutant)]}")
    for mutant in unexplained:
        print(f"NOT NOTICED: {_called(mutant)}")
    stale = [key for key in reasons if key[0] in total and key not in set(map(_key, alive))]
    for module, where, what in stale:
        print(f"NOT ALIVE, BUT EXPLAINED: {module} ({where}): {what}")
    for module, count in total.items():
        print(f"{module}: {count - left[module]} of {count} mutants are noticed")
    print(f"{total.total() - left.total()} of {total.total()}; {len(unexplained)} of the others have no explanation")
    return 1 if unexplained or stale else 0


def _key(mutant: Mutant) -> tuple[str, str, str]:
    return mutant.module, mutant.change.place.where, mutant.change.what


def _called(mutant: Mutant) -> str:
    return f"{mutant.module}:{mutant.line} ({mutant.change.place.where}): {mutant.change.what}"


if __name__ == "__main__":
    sys.exit(main())
