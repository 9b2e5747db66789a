"""What every command shares: exit statuses, streams that survive any locale, errors that end without a traceback."""

import gc
import os
import sys
from collections.abc import Callable
from typing import NoReturn, TextIO

from r0kit.finding import Finding, InputError, Report

CLEAN, FINDINGS, USAGE, INTERNAL = 0, 1, 2, 3
INTERRUPTED = 130  # as a shell reports Ctrl-C


def leave(body: Callable[[], int | None], brief: bool = False) -> NoReturn:
    """Run `body` and end the process with the status that it returns (None: 0) or that its error stands for.

    brief: the run takes a fraction of a second. Then nothing is collected on the way and the interpreter is not taken
    down at the end, which together would cost a seventh of that.
    """
    if brief:
        gc.disable()
    collect_rarely()
    _stand_in()
    for stream in (sys.stdout, sys.stderr):
        _survive_locale(stream)
    status = status_of(body)
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except OSError as error:
        status = _lost_output(error)
    if brief:
        os._exit(status)
    sys.exit(status)


def collect_rarely() -> None:
    """Look for cycles a hundred times less often: a golden's Steps are many objects that stay, and looking through all of
    them again and again takes a third of the time to read 20,000."""
    gc.set_threshold(100_000, 20, 50)


def status_of(body: Callable[[], int | None]) -> int:
    """Exit status of `body`. An unreadable input is shown on standard error (1), and so is a defect of r0kit (3)."""
    try:
        return body() or CLEAN
    except InputError as error:
        show(error.findings)
        return FINDINGS
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        return _lost_output(error)
    except MemoryError:
        print("r0kit: error: there is not enough memory", file=sys.stderr)
        return FINDINGS
    except ModuleNotFoundError as error:
        if (error.name or "r0kit").split(".")[0] == "r0kit":
            print(_internal(error), file=sys.stderr)
            return INTERNAL
        print(f"r0kit: error: the Python package {error.name} is missing; install it with pip", file=sys.stderr)
        return FINDINGS
    except Exception as error:
        print(_internal(error), file=sys.stderr)
        return INTERNAL


def show(findings: tuple[Finding, ...]) -> None:
    """Print findings to standard error, each with its hint."""
    from r0kit.report.text import finding_blocks  # most runs have none

    for block in finding_blocks(Report("", findings)):
        print(block, end="", file=sys.stderr)


def _stand_in() -> None:
    """What goes to a stream that the caller has closed (`>&-`) is lost: never an error, and never on the other stream."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, it stays open


def _survive_locale(stream: TextIO) -> None:
    """A terminal keeps its encoding and files and pipes get UTF-8; what it cannot show is escaped, never an error."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:  # replaced by something that is not a text file, as test runners do
        return
    if stream.isatty():
        reconfigure(errors="backslashreplace")
    else:
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _lost_output(error: OSError) -> int:
    """Status after an output could not be written; a reader that has gone away (`| head`) is nothing to report."""
    if not isinstance(error, BrokenPipeError):
        what = error.strerror or str(error)
        print(f"r0kit: error: {error.filename}: {what}" if error.filename else f"r0kit: error: {what}", file=sys.stderr)
    if sys.stdout is sys.__stdout__ and sys.stdout is not None:
        # What is still buffered cannot be written; without this the interpreter complains about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FINDINGS


def _internal(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
    return (
        f"r0kit: internal error: {type(error).__name__}: {error}{where}\n"
        "This is a defect of r0kit, not of your files; please report it with the command line and the input."
    )
