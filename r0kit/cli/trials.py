"""The self-tests of `validate` and of `lint`: the examples of the rules, and what is printed of them."""

from json import dumps

from r0kit.cli.common import CLEAN, FINDINGS
from r0kit.rulebook.trials import Trial


def check_rules(format_name: str) -> int:
    """Run the self-test, print its verdict, and return the exit status."""
    from r0kit.cli.comparing import golden_of_text  # `lint` does without
    from r0kit.validate.examples import self_test

    return print_trials(self_test(golden_of_text), format_name, "rules")


def print_trials(trials: list[Trial], format_name: str, of: str) -> int:
    """Print what examples of rules say, and return the exit status. of: what the rules are called."""
    failed = [trial for trial in trials if not trial.passed]
    if format_name == "json":
        print(_json(trials, failed), end="")
    else:
        for trial in failed:
            print(_complaint(trial))
        print(f"{'FAIL' if failed else 'PASS'}: {len(trials) - len(failed)} of {len(trials)} examples of the {of}")
    return FINDINGS if failed else CLEAN


def _json(trials: list[Trial], failed: list[Trial]) -> str:
    verdict = {
        "status": "FAIL" if failed else "PASS",
        "violations": [_complaint(trial) for trial in failed],
        "trials": [{**trial._asdict(), "passed": trial.passed} for trial in trials],
    }
    return dumps(verdict, indent=2) + "\n"


def _complaint(trial: Trial) -> str:
    raised, expected = (", ".join(rules) or "nothing" for rules in (trial.raised, trial.expected))
    return f"{trial.rule}: its {trial.example} example raises {raised}, expected {expected}"
