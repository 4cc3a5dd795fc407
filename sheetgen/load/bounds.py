"""Work on strangers' files in a child process with bounded memory and processor time.

Libraries unpack and parse such files in C, where no check of ours can stop them: a file of two
kilobytes may unpack to gigabytes. The operating system stops the child instead.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, NoReturn, TypeVar

SECONDS: Final = 8
"""Processor time that a file may take."""

MEGABYTES: Final = 768
"""Memory that a file may take, beside that of the program."""

_T = TypeVar("_T")
_OUT_OF_MEMORY: Final = 77
"""The exit status of a child that had no memory left, not even to say so."""


class Exceeded(Exception):
    """A file that takes more than it may; the message names the bound."""


def bounded(job: Callable[[], _T], megabytes: int = MEGABYTES) -> _T:
    """Return what `job` returns, or raise what it raises; it runs in a child process.

    A system that cannot fork or has no limits (Windows) runs it in this process, unbounded.

    Args:
        job: Its result is pickled. `except Exception` around libraries has to let
            `out_of_memory` errors pass.
        megabytes: Memory that it may take beside that of this process.

    Raises:
        Exceeded: The child took more than `SECONDS` or `megabytes`, or crashed.
    """
    if not hasattr(os, "fork"):
        return job()
    reader, writer = os.pipe()
    child = _fork()
    if child == 0:
        os.close(reader)
        _run(job, writer, megabytes)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as pipe:
            answer = _answer(pipe)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if status or answer is None:
        raise Exceeded(_reason(os.waitstatus_to_exitcode(status), megabytes))
    value, error = answer
    if error is not None:
        raise error
    done: _T = value
    return done


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that no memory is left, or may come from that.

    Libraries turn a failed allocation into errors of their own. A buffer that grows by doubling
    fails with about a third of the bound in use.
    """
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return True
    return _peak() > _near


def _fork() -> int:
    with warnings.catch_warnings():  # of threads: the child uses none of theirs
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _answer(pipe: IO[bytes]) -> tuple[Any, BaseException | None] | None:
    """Return the result and the error that a child sent; None if it died before."""
    try:
        answer: tuple[Any, BaseException | None] = pickle.load(pipe)  # noqa: S301 - our own child
    except (EOFError, pickle.UnpicklingError):
        return None
    return answer


def _run(job: Callable[[], Any], writer: int, megabytes: int) -> NoReturn:
    """Do the job in the child, send what came of it, and end."""
    status = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries in C write what they die of
        _limit(megabytes)
        with os.fdopen(writer, "wb") as pipe:
            try:
                answer: tuple[Any, BaseException | None] = job(), None
            except Exception as error:  # noqa: BLE001 - raised again in the parent
                if out_of_memory(error):
                    raise MemoryError from None
                answer = None, error
            pickle.dump(answer, pipe, protocol=5)
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


_near = math.inf
"""Memory in use, in bytes, from which on a failed allocation is likely; set in a child."""


def _limit(megabytes: int) -> None:
    import resource

    global _near
    _near = _peak() + megabytes * 1_000_000 / 4
    bounds = {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_CPU: (SECONDS, SECONDS + 1),
        resource.RLIMIT_AS: (_used() + megabytes * 1_000_000,) * 2,
    }
    for kind, wanted in bounds.items():
        already = [most for most in resource.getrlimit(kind) if most != resource.RLIM_INFINITY]
        try:
            resource.setrlimit(kind, (min([wanted[0], *already]), min([wanted[1], *already])))
        except (OSError, ValueError):  # macOS refuses some of them
            continue


def _used() -> int:
    """Return the address space of this process in bytes; 0 where it is not told."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _peak() -> int:
    """Return the most memory in use that this process has had, in bytes; 0 where not told."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(text.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return 0


def _reason(status: int, megabytes: int) -> str:
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"reading it takes more than {SECONDS} s of processor time"
    if status in (_OUT_OF_MEMORY, -signal.SIGABRT):  # C++ aborts where it cannot allocate
        return f"reading it takes more than {megabytes} MB of memory"
    return f"the library that reads it crashed (status {status}): it is nested too deep, or damaged"
