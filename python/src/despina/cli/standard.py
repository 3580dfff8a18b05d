"""The standard streams of ``despina run`` for a graph with the path ``-``.

The engine cannot read or write them: they are this process's, and may be anything. So their bytes are copied from and to two
pipes, which the engine opens by their paths below /proc. A pipe holds little, so who is slow slows the job.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from despina.errors import DespinaError

if TYPE_CHECKING:
    from despina.job import Job

BLOCK_BYTES = 1 << 16
STDIN, STDOUT = 0, 1


class StandardStreams:
    """The pipes of one job.

    :ivar failure: what barred writing to standard output; None if nothing did
    """

    def __init__(self, output: bool) -> None:
        """Makes them; ``output`` says whether the job may write to standard output."""
        self._input_end, self._input = os.pipe()
        self._output, self._output_end = os.pipe()
        self._may_write = output
        self._job: Job | None = None
        self.failure: OSError | None = None

    def paths(self) -> dict[str, str]:
        """Where the engine opens its ends; none where there is no /proc."""
        ours = Path(f"/proc/{os.getpid()}/fd")
        if not ours.exists():
            return {}
        ends = {"stdin": self._input_end} | ({"stdout": self._output_end} if self._may_write else {})
        return {name: str(ours / str(end)) for name, end in ends.items()}

    @contextlib.contextmanager
    def copied(self, job: Job) -> Iterator[None]:
        """Copies what the job has use of, until the block is left and all that the job wrote has gone."""
        self._job = job
        if "stdin" in job.pipes:
            threading.Thread(target=self._copy_input, name="despina-stdin", daemon=True).start()
        writer = threading.Thread(target=self._copy_output, name="despina-stdout", daemon=True)
        if "stdout" in job.pipes:
            writer.start()
        try:
            yield
        finally:
            _end(job)
            os.close(self._output_end)      # the job has closed its own: what is in the pipe is the rest
            if writer.ident is not None:
                writer.join()
            os.close(self._output)
            os.close(self._input_end)       # nobody reads any more, and the thread above notices
            if "stdin" not in job.pipes:
                os.close(self._input)

    def _copy_input(self) -> None:
        with contextlib.suppress(OSError):  # of the job, which has ended; or there is no standard input
            while sys.stdin is not None and (block := os.read(STDIN, BLOCK_BYTES)):
                _write(self._input, block)
        os.close(self._input)

    def _copy_output(self) -> None:
        while block := os.read(self._output, BLOCK_BYTES):
            if self.failure is None:
                try:
                    _write(STDOUT, block)
                except OSError as error:
                    self.failure = error
                    assert self._job is not None
                    self._job.stop("now")


def _end(job: Job) -> None:
    """A job that still runs would be waited for, for ever: an interrupt has come where nobody waited for it."""
    with contextlib.suppress(DespinaError):     # it is gone
        if not job.counters.ended:
            job.stop()


def _write(to: int, block: bytes) -> None:
    while block:
        block = block[os.write(to, block):]
