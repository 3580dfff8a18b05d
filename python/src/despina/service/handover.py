"""Where programs take the rows of a run's sinks, and give rows to its sources: of this start, and what the last one left."""

from __future__ import annotations

from despina.service.rows import Reader, Writer, lost
from despina.service.standing import Standing


class Handover:
    """Of one run. Thread-safe."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._readers: dict[str, Reader] = {}       # guarded by the standing's condition, as the writers
        self._writers: dict[str, Writer] = {}

    def begin(self) -> None:
        """The run was started. The caller has the standing's condition."""
        self._readers.clear()
        self._writers.clear()

    def reader(self, sink: str) -> Reader | None:
        """Of the rows of a ``collect_sink``, also of a job that has ended since the coordinator was started; None if it does not
        run.
        """
        with self._standing.changed:
            there = self._standing.there() or self._standing.before
            if there is None or not there[0].alive():
                return None
            if sink not in self._readers:
                self._readers[sink] = Reader(*there, sink, self._standing.record.starts)
            return self._readers[sink]

    def left(self, sink: str, after: str) -> tuple[bytes, str]:
        """The rows behind a place where :meth:`reader` gives none: nothing, but for a job that has ended with rows to take.

        :raise PlaceError: there were some, and they are lost with the coordinator
        """
        with self._standing.changed:
            reader, last, record = self._readers.get(sink), self._standing.status, self._standing.record
        if not record.ended:
            return b"", after
        if reader is not None:
            return reader.left(after)
        if last is None and record.starts and record.restart != "resume":
            raise lost(sink, after)     # it ended in an earlier life of the service, and nobody knows how far it was read
        collected = ((last or {}).get("collected") or {}).get(sink) or {}
        if collected.get("waiting_bytes") and not collected.get("kept"):
            raise lost(sink, after)
        return b"", after

    def writer(self, source: str) -> Writer | None:
        """For the rows of a source that programs give; None if the job does not run."""
        with self._standing.changed:
            there = self._standing.there()
            if there is None:
                return None
            if source not in self._writers:
                self._writers[source] = Writer(*there, source)
            return self._writers[source]
