"""Every pitfall against the compiler: the bad example is refused, or wrong, or (where that is the claim) as good."""

from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from wheel.judge import NEEDS_WHEEL, Job, Verdict, judge

from r0kit.lint import JUDGED, PITFALLS
from r0kit.lint.fix import FIXES, fixed_text

pytestmark = [NEEDS_WHEEL, pytest.mark.wheel]


class Proof(NamedTuple):
    """reference: what torch computes; bad: what becomes of the bad example, and the words in which it is refused."""

    reference: str
    bad: Literal["refused", "wrong", "same"]
    words: str = ""
    values: dict[str, str] = {}  # noqa: RUF012 (never changed)
    tolerance: float = 1e-4
    bad_reference: str = ""


_POSITIVE = {"pred": "torch.rand(64, 64) + 0.1", "target": "torch.rand(64, 64) + 0.1"}
_TRIPLET = "F.triplet_margin_loss(a, p, n, margin=1.0, reduction='none').unsqueeze(1)"

# P01, P06, P25 and P31 hold no longer, and their bad examples are as good; P26 takes a minute and is proven with --long.
PROOFS: dict[str, Proof] = {
    "P01": Proof("1 - x", "same"),
    "P02": Proof("2.0 ** x", "refused", "TypeError"),
    "P03": Proof("x + 1", "refused", "TypeError"),
    "P04": Proof("x.clamp(min=-0.5)", "refused", "AttributeError"),
    "P05": Proof("x.clamp(0, 1)", "refused", "has no attribute 'clamp'"),
    "P06": Proof("x + 0.25", "same"),
    "P07": Proof("x / 64", "same"),
    "P08": Proof("a.T @ b", "refused", "FC3000", tolerance=0.05),
    "P09": Proof(_TRIPLET, "wrong", tolerance=1e-3),
    "P10": Proof("x + 1", "refused", "Run pass failed"),
    "P11": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-2),
    "P12": Proof("x.sum(1, keepdim=True)", "refused", "Run pass failed", tolerance=1e-2),
    "P13": Proof("x + 1", "same"),
    "P14": Proof("a @ b + a", "refused", "F21004", tolerance=1e-3),
    "P15": Proof("torch.sigmoid(x)", "same"),
    "P16": Proof("x + 1", "same"),
    "P17": Proof("((x * x).sum(1, keepdim=True) + 1e-6).sqrt().sum(0, keepdim=True)", "same", tolerance=0.05),
    "P18": Proof("F.elu(x, alpha=0.5)", "wrong"),
    "P19": Proof("x.var(1, unbiased=False, keepdim=True).sqrt()", "wrong"),
    "P20": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-3),
    "P21": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-3),
    "P22": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-3),
    "P23": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-3),
    "P24": Proof("x.abs()", "refused", "pto"),
    "P25": Proof("a @ b + c", "same", tolerance=1e-3),
    "P26": Proof("x + 1", "same"),
    "P27": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-3),
    "P28": Proof("F.huber_loss(pred, target, delta=2.0, reduction='none')", "wrong"),
    "P29": Proof("F.kl_div(torch.log(pred), target, reduction='none')", "wrong", values=_POSITIVE),
    "P30": Proof("x.sum(1, keepdim=True)", "same", tolerance=1e-2, bad_reference="x.sum((1, 2))"),
    "P31": Proof("x + 1", "same"),
}
_SLOW = ("P26",)
_JUDGED = [rule for rule in PITFALLS if rule.id in PROOFS]


def test_every_pitfall_but_that_of_unreadable_files_is_judged() -> None:
    assert {rule.id for rule in PITFALLS} - PROOFS.keys() == {"P00"}


@pytest.fixture(scope="module")
def verdicts(
    tmp_path_factory: pytest.TempPathFactory, wheel_cache: Path, long_mode: bool
) -> dict[tuple[str, str], Verdict]:
    """The verdict on the good and the bad example of each pitfall; all in one child process."""
    jobs: dict[tuple[str, str], Job] = {}
    for rule in _JUDGED:
        proof = PROOFS[rule.id]
        bad = proof.bad_reference or proof.reference
        jobs[rule.id, "good"] = Job(rule.good, proof.reference, proof.values)
        if rule.id in FIXES:
            jobs[rule.id, "fixed"] = Job(fixed_text(rule.bad, version=JUDGED).text, bad, proof.values)
        if long_mode or rule.id not in _SLOW:
            jobs[rule.id, "bad"] = Job(rule.bad, bad, proof.values)
    return dict(zip(jobs, judge(list(jobs.values()), tmp_path_factory.mktemp("judge"), wheel_cache), strict=True))


@pytest.mark.parametrize("code", PROOFS)
def test_the_good_example_computes_what_torch_does(code: str, verdicts: dict[tuple[str, str], Verdict]) -> None:
    verdict = verdicts[code, "good"]
    assert verdict.right(PROOFS[code].tolerance), verdict


@pytest.mark.parametrize("code", [pytest.param(c, marks=pytest.mark.long if c in _SLOW else ()) for c in PROOFS])
def test_the_bad_example(code: str, verdicts: dict[tuple[str, str], Verdict]) -> None:
    proof, verdict = PROOFS[code], verdicts[code, "bad"]
    if proof.bad == "refused":
        assert not verdict.compiled and proof.words in verdict.said, verdict
    elif proof.bad == "wrong":
        assert verdict.compiled and verdict.difference > 100 * proof.tolerance, verdict
    else:
        assert verdict.right(proof.tolerance), verdict


@pytest.mark.parametrize("code", FIXES)
def test_the_bad_example_is_right_once_it_is_fixed(code: str, verdicts: dict[tuple[str, str], Verdict]) -> None:
    assert verdicts[code, "fixed"].right(PROOFS[code].tolerance), verdicts[code, "fixed"]
