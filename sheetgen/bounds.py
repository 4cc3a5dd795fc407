"""Process untrusted files in a child process with limits on memory and processor time.

Libraries decompress and parse such files in C, where no check of ours can stop them: a file of
two kilobytes may expand to gigabytes. The operating system stops the child instead.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

SECONDS: Final = 8  # processor time of a file up to a megabyte, and of each page of a larger one
SECONDS_PER_MEGABYTE: Final = 10  # for each further megabyte; a page of a form has 17 kB
MOST_SECONDS: Final = 300  # processor time that a file of any size may take
MEGABYTES: Final = 768  # memory that a file may take, beside that of the program
_PARENT_CHECK: Final = 0.5  # seconds between two checks whether the parent process lives

_T = TypeVar("_T")
_OUT_OF_MEMORY: Final = 77  # Exit status of a child that ran out of memory.
_near = math.inf  # bytes from which on a failed allocation is likely; set in a child
_before = 0  # address space before the first block that failed; 0 if none did
_garbage = False  # a block failed that took much: cycles may hold it
_MUCH: Final = 64_000_000  # bytes
_allowed: int | None = None  # what the shell allowed before a child had bounds of ours


class BoundExceeded(Exception):
    """A file exceeds a limit that the message names; each time if it is a `limit` of ours."""

    def __init__(self, message: str, *, limit: bool = False) -> None:
        super().__init__(message)
        self.limit = limit


def run_bounded(
    job: Callable[[], _T],
    megabytes: int = MEGABYTES,
    seconds: int = SECONDS,
    *,
    page_seconds: int = 0,
    what: str = "reading it",
) -> _T:
    """Return what `job` returns, or raise what it raises; it runs in a child process.

    On systems without `fork` (Windows, a browser) it runs in this process, without limits. Its
    result is pickled. `except Exception` around libraries has to call `pass_memory_error`.

    It may take `megabytes` more than this process, `seconds` of processor time, and `page_seconds`
    (`SECONDS` if 0) between two calls of `begin_next_page`. If it exceeds a limit, crashes, or
    cannot be started, `BoundExceeded` says so of `what` it does.
    """
    bounded = _near < math.inf  # in a child
    if bounded or not hasattr(os, "fork") or sys.platform == "emscripten":
        return job()
    page_seconds = min(seconds, page_seconds or SECONDS)
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    scratch = ""  # a child that is stopped leaves its temporary files
    with contextlib.suppress(OSError):  # no folder for temporary files, or it is full
        scratch = tempfile.mkdtemp(prefix="sheetgen-")
    try:
        child, reader = _start(job, scratch, megabytes, (page_seconds, seconds + 1))
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            with os.fdopen(reader, "rb") as pipe:
                answer = pipe.read()
        except BaseException:
            os.kill(child, signal.SIGKILL)
            raise
        finally:
            status, used = 0, 0.0
            with contextlib.suppress(ChildProcessError):  # SIGCHLD is ignored: it is unknown
                _, code, usage = os.wait4(child, 0)
                status = os.waitstatus_to_exitcode(code)  # negative for a signal
                used = usage.ru_utime + usage.ru_stime
    finally:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    if status:
        limits = megabytes, (page_seconds, seconds)
        reason = _reason(status, used, limits, what)
        raise BoundExceeded(reason, limit="takes more than" in reason)
    try:
        value, error = pickle.loads(answer)  # noqa: S301 - our own child
    except (EOFError, pickle.UnpicklingError):
        raise BoundExceeded(_reason(1, used, (megabytes, (0, 0)), what)) from None
    if error is not None:
        raise error
    result: _T = value
    return result


def seconds_for(size: int) -> int:
    """Return the processor time that a file of `size` bytes may take."""
    return min(SECONDS + max(0, size // 1_000_000 - 1) * SECONDS_PER_MEGABYTE, MOST_SECONDS)


@contextlib.contextmanager
def limit_memory() -> Iterator[None]:
    """Let this process take only so much more memory in the block; then it gets `MemoryError`."""
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    bounds = (_bound(MEGABYTES), before, most)
    with contextlib.suppress(OSError, ValueError):  # macOS refuses it
        soft = min(bound for bound in bounds if bound != resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_AS, (soft, most))
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (before, most))


@contextlib.contextmanager
def limit_block(seconds: int, what: str) -> Iterator[None]:
    """Bound memory and processor time of a block in this process; or raise `BoundExceeded`.

    Code in C is stopped once it returns. Time is bounded in the main thread only, where Python
    handles signals.
    """
    expired = BoundExceeded(f"{what} takes more than {seconds} s of processor time")

    def stop(*_: object) -> NoReturn:
        raise expired

    def report(lost: Any) -> None:  # in a finaliser it is lost; it is raised again in a second
        if lost.exc_value is not expired:
            usual_report(lost)

    global _before, _garbage
    usual_report = sys.unraisablehook
    main = threading.current_thread() is threading.main_thread()
    timed = main and hasattr(signal, "setitimer") and _near == math.inf
    usual = signal.signal(signal.SIGPROF, stop) if timed else None
    try:
        with limit_memory():
            used = _used()
            if timed:  # again each second: a library may catch the first
                sys.unraisablehook = report
                signal.setitimer(signal.ITIMER_PROF, seconds, 1)
            yield
    except Exception as error:
        if _used() > used + _MUCH:
            _before, _garbage = _before or used, True
        cause: BaseException | None = error
        while cause is not None:  # a library may have raised it while it handled ours
            if cause is expired:
                raise expired from None
            if isinstance(cause, MemoryError | SystemError):  # C code that cannot allocate
                raise BoundExceeded(over_memory(what, MEGABYTES)) from None
            cause = cause.__cause__ or cause.__context__
        raise
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, usual)
            sys.unraisablehook = usual_report


def over_memory(what: str, megabytes: int) -> str:
    """Return the message that something takes too much memory: more than we or the shell allow."""
    allowed = shell_limit("AS") if _near == math.inf else _allowed
    if allowed is None or allowed >= _used() + megabytes * 1_000_000:
        return f"{what} takes more than {megabytes} MB of memory"
    return f"{what} needs more memory than `ulimit -v` allows, {allowed // 1_000_000} MB"


def shell_limit(name: str) -> int | None:
    """Return the limit that the shell set for this process: `AS` (bytes) or `CPU` (seconds)."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[0]
    return None if limit == resource.RLIM_INFINITY else limit


def begin_next_page() -> None:
    """Extend the time limit of a child by that of another page."""
    if _near < math.inf:
        import resource

        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        wanted = int(time.process_time()) + 1 + SECONDS
        soft = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, most))


def exit_with_parent(parent: int) -> None:
    """End this process when its parent ends; otherwise it might wait for work for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK)
        os._exit(1)

    if hasattr(os, "getppid") and os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def pass_memory_error(error: BaseException) -> None:
    """Raise a `MemoryError` if `error` reports one, or may conceal one.

    Libraries turn a failed allocation into errors of their own. A buffer that grows by doubling
    fails with about a third of the bound in use.
    """
    if isinstance(error, MemoryError) or "bad_alloc" in str(error) or _peak() > _near:
        raise MemoryError from None


def _start(
    job: Callable[[], Any], scratch: str, megabytes: int, seconds: tuple[int, int]
) -> tuple[int, int]:
    """Start the child; return its process id and the end of the pipe that it answers through."""
    parent = os.getpid()
    ends: tuple[int, ...] = ()
    _bound(megabytes)  # collects garbage once, not in each child
    try:
        ends = reader, writer = os.pipe()
        with warnings.catch_warnings():  # about threads: the child uses none
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            os.close(reader)  # or it could write for ever to a pipe that only it reads
            exit_with_parent(parent)
            tempfile.tempdir = scratch or None
            _run(job, writer, megabytes, seconds)
    except OSError as error:
        for end in ends:
            os.close(end)
        raise BoundExceeded(f"no process can be started to read it: {error.strerror}") from None
    finally:
        if os.getpid() != parent:  # the child never returns to the caller, whatever happens
            os._exit(1)
    os.close(writer)
    return child, reader


def _run(job: Callable[[], Any], writer: int, megabytes: int, seconds: tuple[int, int]) -> NoReturn:
    """Run the job in the child, send its result, and exit: buffers are copies of the parent's."""
    global _near, _allowed
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        import fcntl
        import resource

        # The pipe has the number of a standard stream if the program was started without them.
        writer = fcntl.fcntl(writer, fcntl.F_DUPFD_CLOEXEC, 3)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(null, stream)
        _allowed = shell_limit("AS")
        _near = _peak() + megabytes * 1_000_000 / 4
        bounds = {
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_CPU: seconds,
            resource.RLIMIT_AS: (_bound(megabytes),) * 2,
        }
        for kind, wanted in bounds.items():
            already = [most for most in resource.getrlimit(kind) if most != resource.RLIM_INFINITY]
            try:
                resource.setrlimit(kind, (min([wanted[0], *already]), min([wanted[1], *already])))
            except (OSError, ValueError):  # macOS refuses some of them
                continue
        with os.fdopen(writer, "wb") as pipe:
            try:
                answer: tuple[Any, BaseException | None] = job(), None
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001 - raised again in the parent
                answer = None, error
            pickle.dump(answer, pipe, protocol=5)
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _bound(megabytes: int) -> int:
    """Return the address space up to which this process may take `megabytes` more.

    What failed blocks took is free, but the allocator keeps some of it in the address space: a
    quarter of the bound at most, so that a process that grew since has enough left.
    """
    global _garbage
    if _garbage:
        gc.collect()
        _garbage = False
    used, more = _used(), megabytes * 1_000_000
    return used + more - (min(used - _before, more // 4) if _before else 0)


def _used() -> int:
    """Return the address space of this process in bytes; 0 if unknown."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _peak() -> int:
    """Return the peak memory of this process in bytes; 0 if unknown."""
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(text.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return 0


def _reason(status: int, used: float, limits: tuple[int, tuple[int, int]], what: str) -> str:
    megabytes, (page_seconds, seconds) = limits
    if status == -signal.SIGXCPU or (status == -signal.SIGKILL and used >= seconds):
        limit = seconds if used >= seconds else page_seconds
        if (allowed := shell_limit("CPU")) is not None and allowed < limit:
            return f"{what} needs more processor time than `ulimit -t` allows, {allowed} s"
        return f"{what} takes more than {limit} s of processor time"
    if status == -signal.SIGKILL:
        return f"the system ended the process of {what}: memory may have run short"
    # C++ aborts where it cannot allocate, GLib traps; others crash.
    short = "ulimit" in over_memory(what, megabytes)
    if short or status in (_OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGTRAP):
        return over_memory(what, megabytes)
    return f"a library crashed while {what} (status {status}): it is nested too deep, or damaged"
