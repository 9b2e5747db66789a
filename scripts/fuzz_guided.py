#!/usr/bin/env python3
"""The campaigns of fuzz.py guided by coverage: fuzz_guided.py contracts|goldens|specs [--count N] [--folder FOLDER]

Atheris (pip install -e '.[fuzz]') keeps each input that reaches a new branch of r0kit and changes it further. It begins
with the files of the tests and goes on with what an earlier call has kept in the folder; a failing input is left there
as crash-…, timeout-… or oom-…, which `--again FILE` reads once more.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import fuzz
import fuzz_inputs as inputs


def dictionary(scraps: inputs.Scraps, pool: inputs.Pool) -> str:
    """What may be put in, in the form of libFuzzer's dictionaries: each byte but plain ASCII as \\xNN."""
    words = sorted({word for word in (*scraps, *pool) if 0 < len(word.encode("utf-8", "surrogatepass")) <= 64})
    return "".join(f'"{_quoted(word)}"\n' for word in words)


def _quoted(word: str) -> str:
    content = word.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\x{byte:02X}" for byte in content)


def prepare(name: str, folder: Path) -> list[str]:
    """Write the dictionary and the files of the tests into the folder; returns libFuzzer's arguments for them."""
    campaign = fuzz.CAMPAIGNS[name]
    corpus, kept = campaign.corpus(), folder / f"{name}-corpus"
    kept.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(corpus):
        (kept / f"seed-{number}").write_bytes(text.encode("utf-8", "surrogatepass"))
    words = folder / f"{name}.dict"
    words.write_text(dictionary(campaign.scraps, inputs.tokens(corpus)), "ascii")
    return [str(kept), f"-dict={words}", f"-artifact_prefix={folder}/"]


def main() -> int:
    """Run a campaign until an input fails or enough are read; the process ends with libFuzzer's status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("campaign", choices=fuzz.CAMPAIGNS)
    parser.add_argument("--count", type=int, default=10_000, help="inputs to read (default 10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10, help="for one input")
    parser.add_argument("--memory", type=int, default=2048, help="MiB for the process")
    parser.add_argument("--longest", type=int, default=20_000, help="bytes of one input")
    parser.add_argument("--folder", type=Path, default=Path("fuzz"), help="what is kept (default fuzz/)")
    parser.add_argument("--again", type=Path, help="only read this input")
    options = parser.parse_args()
    judge = fuzz.CAMPAIGNS[options.campaign].judge
    if options.again:
        print(judge(options.again.read_bytes(), fuzz.NO_ORIGIN))
        return 0
    try:
        import atheris
    except ImportError:
        sys.exit("fuzz_guided.py needs atheris: pip install -e '.[fuzz]'")
    with atheris.instrument_imports(include=["r0kit"]):
        judge(b"", fuzz.NO_ORIGIN)  # imports what it uses
    limits = [f"-runs={options.count}", f"-timeout={options.seconds}", f"-rss_limit_mb={options.memory}"]
    extent = [f"-seed={options.seed}", f"-max_len={options.longest}", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *prepare(options.campaign, options.folder), *limits, *extent], _read_by(judge))
    atheris.Fuzz()
    return 0


def _read_by(judge: Callable[[bytes, int], str]) -> Callable[[bytes], None]:
    def read(content: bytes) -> None:
        judge(content, fuzz.NO_ORIGIN)

    return read


if __name__ == "__main__":
    sys.exit(main())
