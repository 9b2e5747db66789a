#!/usr/bin/env python3
"""Campaigns of mutated inputs: fuzz.py contracts|goldens|specs [--count N] [--folder FOLDER]

Each input is a file of the tests, changed at random; what it is depends on the seed and its number alone. A worker reads
one after another and is watched: a traceback, an assertion, more than --seconds or more than --memory is a failure, and
its input is kept in the folder. The folder remembers how far the campaign has come, so that the next call goes on.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import sys
import time
import traceback
from collections.abc import Callable
from ctypes import c_double, c_longlong
from pathlib import Path
from typing import Any, NamedTuple

import fuzz_goldens as goldens
import fuzz_inputs as inputs
import fuzz_meanings as meanings

sys.path.insert(0, str(inputs.ROOT))


NO_ORIGIN = -1  # of an input that began as no file of the tests: no SPEC stands beside it


class Campaign(NamedTuple):
    """corpus: the texts that are mutated; scraps: what may be put in.

    judge: reads an input, which text of the corpus it began as (NO_ORIGIN: none), says how it ended, raises if it fails.
    """

    corpus: Callable[[], inputs.Corpus]
    scraps: inputs.Scraps
    judge: Callable[[bytes, int], str]
    change: inputs.Mutator = inputs.mutated


class Watch(NamedTuple):
    """What worker and watcher share: the number of the input that is being read, and the worker's time when it began."""

    number: Any
    since: Any


Outcome = tuple[int, dict[str, int], str]  # number of the next input, how many ended how, what failed ("": nothing)


def judge_contract(content: bytes, origin: int) -> str:
    """Validate; every finding has a place and a hint, every format writes the report, and fixing twice is fixing once."""
    from r0kit.contract.read import parse
    from r0kit.finding import InputError, Report
    from r0kit.report import FORMATS, Style
    from r0kit.source import decode
    from r0kit.validate import RULES, validate_document
    from r0kit.validate.fix import Fixed, fixed

    try:
        text = decode(content, "c.yaml", "rule0")
        document = parse(text, "c.yaml")
        report = validate_document(document)
        ended = "wrong" if report.failed else "right"
        if len(content) % 4 == 0:
            once = fixed(text, "c.yaml").text
            assert fixed(once, "c.yaml") == Fixed(once)
    except InputError as error:
        report, ended = Report("c.yaml", error.findings), "unreadable"
    for finding in report.findings:
        assert finding.hint and finding.message.isprintable() and finding.location.line >= 0, finding
        assert not report.text or finding.location.line <= report.text.count("\n") + 1, finding
    for row in list(FORMATS.values())[: None if len(content) % 10 == 0 else 1]:  # all of them for some of the inputs
        assert row.write([report], Style(rules=RULES)).endswith("\n"), row.name
    return ended


def judge_spec(content: bytes, origin: int) -> str:
    """Read; every finding has a place and a message."""
    from r0kit.finding import InputError
    from r0kit.source import decode
    from r0kit.spec.read import parse_spec

    try:
        _, findings = parse_spec(decode(content, "SPEC.md", "spec.read"), "SPEC.md")
    except InputError as error:
        findings = error.findings
    assert all(finding.message and finding.location.line >= 0 for finding in findings)
    return "findings" if findings else "clean"


CAMPAIGNS = {
    "contracts": Campaign(inputs.contracts, inputs.CONTRACT_SCRAPS, judge_contract),
    "goldens": Campaign(inputs.goldens, inputs.GOLDEN_SCRAPS, goldens.judge),
    "specs": Campaign(inputs.specs, inputs.SPEC_SCRAPS, judge_spec),
    "meanings": Campaign(meanings.goldens, (), meanings.judge, meanings.programs),
}


class Source:
    """The inputs of a campaign by their numbers."""

    def __init__(self, campaign: Campaign, seed: int) -> None:
        self.corpus = campaign.corpus()
        self._pool, self._scraps, self._seed = inputs.tokens(self.corpus), campaign.scraps, seed
        self._change = campaign.change

    def input(self, number: int) -> tuple[bytes, int]:
        """Input `number`, and which text of the corpus it began as."""
        return self._change(self.corpus, self._pool, self._scraps, random.Random(f"{self._seed}/{number}"))


def work(campaign: Campaign, source: Source, span: range, memory: int, watch: Watch, results: Any) -> None:
    """Read the inputs of `span`; send the outcome."""
    campaign.judge(source.corpus[0].encode(), 0)  # loads what it imports
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (memory << 20),) * 2)
    counts: dict[str, int] = {}
    for number in span:
        content, origin = source.input(number)
        watch.number.value, watch.since.value = number, time.process_time()
        try:
            ended = campaign.judge(content, origin)
        except BaseException:
            results.put((number + 1, counts, traceback.format_exc()))
            return
        counts[ended] = counts.get(ended, 0) + 1
    results.put((span.stop, counts, ""))


class Patience:
    """How long a worker has been reading its input: its processor time, or a tenth of the time on the clock."""

    def __init__(self, pid: int, number: Any) -> None:
        self._stat, self._number = Path(f"/proc/{pid}/stat"), number
        self._seen, self._since = -1, 0.0

    def spent(self, start: float) -> float:
        """Seconds since its processor time was `start`; a machine that is busy elsewhere makes no input slow."""
        if self._number.value != self._seen:
            self._seen, self._since = self._number.value, time.monotonic()
        fields = self._stat.read_text().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return max(used - start, (time.monotonic() - self._since) / 10)


def watched(campaign: Campaign, source: Source, span: range, seconds: float, memory: int) -> Outcome:
    """What one worker came to."""
    context = multiprocessing.get_context("fork")
    number: Any = context.Value(c_longlong, span.start, lock=False)
    since: Any = context.Value(c_double, 0.0, lock=False)
    results = context.SimpleQueue()
    worker = context.Process(target=work, args=(campaign, source, span, memory, Watch(number, since), results))
    worker.start()
    slept = Patience(worker.pid or 0, number)
    while worker.is_alive():
        worker.join(0.2)
        if since.value and worker.is_alive() and slept.spent(since.value) > seconds:
            worker.kill()
            worker.join()
            return number.value + 1, {}, f"more than {seconds} s"
    if results.empty():
        return number.value + 1, {}, f"the worker ended with {worker.exitcode}"
    outcome: Outcome = results.get()
    return outcome


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Go on with a campaign until it has read --count inputs; returns its state."""
    campaign = CAMPAIGNS[options.campaign]
    source = Source(campaign, options.seed)
    record = options.folder / f"{options.campaign}-{options.seed}.json"
    state: dict[str, Any] = {"next": 0, "seconds": 0.0, "ended": {}, "failures": {}}
    if record.exists():
        state = json.loads(record.read_text("utf-8"))
    while state["next"] < options.count:
        span = range(state["next"], min(state["next"] + options.chunk, options.count))
        start = time.monotonic()
        state["next"], counts, failure = watched(campaign, source, span, options.seconds, options.memory)
        state["seconds"] += time.monotonic() - start
        for ended, count in counts.items():
            state["ended"][ended] = state["ended"].get(ended, 0) + count
        if failure:
            number = state["next"] - 1
            state["failures"][str(number)] = failure
            record.with_name(f"{record.stem}-{number}.input").write_bytes(source.input(number)[0])
            print(f"input {number}: {failure.strip().splitlines()[-1]}", flush=True)
        record.write_text(json.dumps(state, indent=1), "utf-8")
    return state


def main() -> int:
    """Run a campaign and print its tally; 1 where an input failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--count", type=int, default=10_000, help="inputs to have read at the end (default 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=2_000, help="inputs per worker process")
    parser.add_argument("--seconds", type=float, default=10.0, help="for one input")
    parser.add_argument("--memory", type=int, default=1024, help="MiB for one worker beyond what it starts with")
    parser.add_argument("--folder", type=Path, default=Path("fuzz"), help="state and failing inputs (default fuzz/)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    state = run(options)
    ended = ", ".join(f"{count} {how}" for how, count in sorted(state["ended"].items()))
    rate = state["next"] / max(state["seconds"], 1e-9)
    failures = len(state["failures"])
    print(f"{options.campaign}: {state['next']} inputs ({ended}), {failures} failures, {rate:.0f} a second")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
