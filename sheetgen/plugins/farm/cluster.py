"""Run jobs on a dask cluster: chunks of jobs as tasks, with a bounded number in flight.

The workers need the same sheetgen, and the same paths for the book's files and the output folder.
dask may run a task twice: a task only writes drafts, which the build places or removes.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import pickle
import secrets
import threading
import time
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import CancelledError
from functools import cache, partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sheetgen.books.workers import JobResult, JobResults, JobRun, JobRunner, lost_result, run_jobs
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Span
from sheetgen.diag.visible import mask_secrets
from sheetgen.diag.words import pip_hint
from sheetgen.load.designs.designs import product_stamp
from sheetgen.load.files import read_document
from sheetgen.model.books import Job
from sheetgen.plugins.farm.stores import LOCAL, hide_secrets
from sheetgen.records import frozen
from sheetgen.write import remove_file, write_draft

if TYPE_CHECKING:
    from distributed import Client, Future

_TASK_SECONDS: Final = 6.0  # A task's: long beside the scheduler's 10 ms, short beside a restart
_FIRST_CHUNK: Final = 16
_LARGEST_CHUNK: Final = 1000
_AHEAD: Final = 4  # Tasks for each worker that run or wait; this bounds the memory of the scheduler
_SETTINGS: Final = {  # of a local cluster
    # A job that ends its process is found by splitting its chunk: few retries are enough.
    "distributed.scheduler.allowed-failures": 1,
    "distributed.worker.profile.enabled": False,
}
_TRIES: Final = 3  # how often a job may lose its worker while alone: a neighbour may be guilty
_MOST_FILE: Final = 1_000_000  # Bytes of a scheduler file
_PATIENCE: Final = 20.0  # Seconds to wait for the scheduler, and for its first worker


class ClusterError(Refused):
    """The cluster cannot be used, or was lost."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(Finding(codes.NO_CLUSTER, Span("--cluster"), message, hint))


@frozen
class _ChunkResult:
    """The results of a chunk, and the seconds that it took; or why the worker cannot run it."""

    # An exception would lose its way: a client that cannot read its traceback waits for ever.
    results: tuple[JobResult, ...]
    seconds: float
    error: str = ""


@contextlib.contextmanager
def open_cluster(address: str, workers: int) -> Iterator[tuple[JobRunner, str]]:
    """Yield what runs jobs on a cluster, and the address of its dashboard."""
    with connect_cluster(address, workers) as client:
        yield partial(run_on_cluster, client), client.dashboard_link


@contextlib.contextmanager
def connect_cluster(address: str, workers: int) -> Iterator[Client]:
    """Yield a client of the cluster at `address`; or raise `ClusterError`.

    It is `tcp://host:port` of a scheduler, the path of a scheduler file, or `local`.
    """
    if find_spec("distributed") is None:
        message = "distributed is not installed"
        raise ClusterError(message, pip_hint("distributed"))
    import dask
    from distributed import Client, LocalCluster

    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(dask.config.set(_SETTINGS))
            if address == LOCAL:
                options = {"dashboard_address": "127.0.0.1:0", "silence_logs": 50}
                cluster = LocalCluster(n_workers=workers, threads_per_worker=1, **options)
                client = Client(stack.enter_context(cluster), timeout=_PATIENCE)
            else:
                where = address if "://" in address else _read_scheduler_file(Path(address))
                client = Client(where, timeout=_PATIENCE)
            stack.enter_context(client)
            client.wait_for_workers(1, timeout=_PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            why = hide_secrets(str(error), address)
            message = f"there is no cluster with workers at `{mask_secrets(address)}`: {why}"
            raise ClusterError(message, "start `dask scheduler` and `dask worker`") from error
        yield client


def _read_scheduler_file(path: Path) -> str:
    """Return the address in a scheduler file, which may come a bit later; or raise ValueError."""
    end = time.monotonic() + _PATIENCE
    while True:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            return str(json.loads(read_document(path, _MOST_FILE).value or b"")["address"])
        if time.monotonic() > end:
            raise ValueError("this is neither an address nor a scheduler file")
        time.sleep(0.1)


def run_on_cluster(client: Client, jobs: Iterator[Job], count: int, run: JobRun) -> JobResults:
    """Yield the results of jobs in order, a few chunks at a time; or raise `ClusterError`.

    A job that ends its worker becomes a finding; the others go on.
    """
    from distributed.comm.core import CommClosedError

    check_workers(client, run.drafts, run.stamp)
    window: deque[tuple[tuple[Job, ...], Future[_ChunkResult]]] = deque()
    left, pace, size = count, 0.0, _FIRST_CHUNK
    try:
        while left or window:
            workers = max(1, len(client.nthreads()))
            while left and len(window) < _AHEAD * workers:
                chunk = tuple(islice(jobs, max(1, min(size, -(-left // (2 * workers))))))
                left -= len(chunk)
                window.append((chunk, _submit(client, chunk, run)))
            for one in _collect(client, *window.popleft(), run):
                if one.results:
                    pace = one.seconds / len(one.results)
                    size = int(min(_LARGEST_CHUNK, max(1.0, _TASK_SECONDS / max(pace, 1e-6))))
                yield from one.results
    except (CancelledError, CommClosedError, OSError, TimeoutError) as error:
        message = f"the cluster was lost: {str(error) or type(error).__name__}"
        raise ClusterError(message, "start it again; the next run goes on from here") from error


def check_workers(client: Client, drafts: str, stamp: str) -> None:
    """Raise `ClusterError` unless each worker has this sheetgen and sees the drafts."""
    name = secrets.token_hex(8)
    probe = write_draft(Path(drafts), name.encode())
    try:
        answers = client.run(_describe_worker, str(probe), on_error="return")
    finally:
        remove_file(probe)
    for worker, answer in answers.items():
        if isinstance(answer, ModuleNotFoundError):
            why, hint = f"has no module `{answer.name}`", "install sheetgen there"
        elif isinstance(answer, BaseException):
            why, hint = f"cannot work: {answer}", "run `sheetgen doctor` there"
        elif answer[0] != stamp:
            why = "has another version of sheetgen, of its fonts or of WeasyPrint"
            hint = "install the same versions there"
        elif answer[1] != name:
            why, hint = f"does not see `{drafts}`", "write to a folder that all share"
        else:
            continue
        raise ClusterError(f"the worker {worker} {why}", hint)


def _describe_worker(probe: str) -> tuple[str, str]:
    """Return the stamp of a worker's sheetgen, and the content of a file that it should see."""
    return _prepare_worker(), (read_document(Path(probe), _MOST_FILE).value or b"").decode()


@cache
def _prepare_worker() -> str:
    """Prepare this process for its first task; return the stamp of its sheetgen."""
    gc.set_threshold(100_000)  # prints leave hardly any cycles
    return product_stamp()


def _submit(client: Client, chunk: tuple[Job, ...], run: JobRun) -> Future[_ChunkResult]:
    # The scheduler seldom collects its garbage, and keeps what it was sent until then.
    packed = zlib.compress(pickle.dumps(chunk), 1)  # paths shrink to a tenth at once
    return client.submit(_run_chunk, packed, run, os.getcwd(), pure=False)


_busy = threading.Lock()  # a worker with several threads runs one chunk at a time


def _run_chunk(packed: bytes, run: JobRun, folder: str) -> _ChunkResult:
    """Run jobs, pickled and compressed, in a worker; paths are relative to `folder`."""
    try:
        if _prepare_worker() != run.stamp:  # it may have joined after the check
            return _ChunkResult((), 0.0, "has another version of sheetgen")
        with _busy, contextlib.chdir(folder):
            begun = time.monotonic()
            # dask runs what a client sends: a pickle adds no danger.
            chunk: tuple[Job, ...] = pickle.loads(zlib.decompress(packed))  # noqa: S301
            return _ChunkResult(run_jobs(chunk, run), time.monotonic() - begun)
    except Exception as error:  # noqa: BLE001 - see `_ChunkResult`
        return _ChunkResult((), 0.0, f"failed: {type(error).__name__}: {error}")


def _collect(
    client: Client, chunk: tuple[Job, ...], future: Future[_ChunkResult], run: JobRun
) -> Iterator[_ChunkResult]:
    """Yield the results of a chunk in order; one whose workers died is split."""
    from distributed.scheduler import KilledWorker

    for _ in range(_TRIES):
        try:
            result = future.result()
            if result.error:
                message = f"a worker {result.error}"
                raise ClusterError(message, "run `sheetgen doctor` on the workers' machines")
            yield result
            return
        except KilledWorker:
            if len(chunk) > 1:
                break
            future = _submit(client, chunk, run)
    if len(chunk) == 1:
        yield _ChunkResult((lost_result(chunk[0]),), 0.0)
        return
    middle = len(chunk) // 2
    halves = [(part, _submit(client, part, run)) for part in (chunk[:middle], chunk[middle:])]
    for part, half in halves:
        yield from _collect(client, part, half, run)
