"""The words of the graph file as Python classes. Made from graphs/graph.schema.json by tools/generate_operators.py.

Every field has the file's name (``as`` and ``from`` are ``as_`` and ``from_``); what is not given is left out of the file.
Where a list of texts is meant, one text alone may be given; where a text is meant, a ``Path``, and in ``options`` a boolean or a
number.
"""

# ruff: noqa: D212

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import ClassVar, Literal, TypedDict

from despina.builder import UNSET, Operator, Param, Port, Unset, Variant, param
from despina.values import listed, texts

Expression = str | Sequence[str]
"""Spark SQL text: a string, or lines of one."""


class Parameter(Variant):
    """
    A value that the command gives; `${name}` in a string stands for it, `$${` for a plain `${`.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param default: What holds when it is not given; default: none: it must be given
    """

    def __init__(
        self, *,
        doc: str | Unset = UNSET,
        default: str | Unset = UNSET,
    ) -> None:
        super().__init__(doc=doc, default=default)


class Settings(Variant):
    """
    What holds for the whole graph.

    :param time_zone: The time zone of expressions and of text without one; default "UTC"
    :param ansi: Spark's ANSI mode: an overflow or a bad cast is an error, not NULL; default true
    :param buckets: Key buckets of state; fixed for a graph's life; default 256
    :param buffer: Of the links that do not say otherwise; default {}
    :param compression: Of the links that do not say otherwise; default {"type": "adaptive"}
    :param queue_target_ms: Queued data is to be worked off within this; default 100
    :param max_packet_bytes: A longer packet is an error; default: 16777216; an eighth of the smallest resource's
        memory if that is less, and less where many operators follow each other in it
    :param batch_scheduling: false: a task is woken per packet (for experiments); default true
    :param object_reuse: false: an object per packet (for experiments); default true
    """

    def __init__(
        self, *,
        time_zone: str | Unset = UNSET,
        ansi: bool | Param | Unset = UNSET,
        buckets: int | Param | Unset = UNSET,
        buffer: Buffer | Unset = UNSET,
        compression: Compression | Unset = UNSET,
        queue_target_ms: int | Param | Unset = UNSET,
        max_packet_bytes: int | Param | Unset = UNSET,
        batch_scheduling: bool | Param | Unset = UNSET,
        object_reuse: bool | Param | Unset = UNSET,
    ) -> None:
        super().__init__(time_zone=time_zone, ansi=ansi, buckets=buckets, buffer=buffer, compression=compression,
            queue_target_ms=queue_target_ms, max_packet_bytes=max_packet_bytes, batch_scheduling=batch_scheduling,
            object_reuse=object_reuse)


class Buffer(Variant):
    """
    When the packets of a link leave.

    :param capacity_bytes: A segment leaves when it holds so many bytes; default 65536
    :param flush_after_ms: And when its first packet is so old; default 1
    :param mode: Whether part-filled segments may leave early; default "adaptive"; ``adaptive`` a part-filled
        segment leaves at once while the far side has nothing left to do; ``timed`` full or timed out, never earlier
        (NEPTUNE's)
    """

    def __init__(
        self, *,
        capacity_bytes: int | Param | Unset = UNSET,
        flush_after_ms: int | Param | Unset = UNSET,
        mode: Literal["adaptive", "timed"] | Param | Unset = UNSET,
    ) -> None:
        super().__init__(capacity_bytes=capacity_bytes, flush_after_ms=flush_after_ms, mode=mode)


class AdaptiveCompression(Variant):
    """LZ4 while the socket holds the channel up and packets get through faster that way."""

    TYPE: ClassVar[str] = "adaptive"

    def __init__(self) -> None:
        super().__init__()


class EntropyCompression(Variant):
    """
    LZ4 where the sampled entropy is low (NEPTUNE's rule).

    :param below_bits: Entropy in bits per byte under which to compress; default 6.0
    """

    TYPE: ClassVar[str] = "entropy"

    def __init__(
        self, *,
        below_bits: float | Param | Unset = UNSET,
    ) -> None:
        super().__init__(below_bits=below_bits)


class AlwaysCompression(Variant):
    """LZ4 always."""

    TYPE: ClassVar[str] = "always"

    def __init__(self) -> None:
        super().__init__()


class NeverCompression(Variant):
    """No compression."""

    TYPE: ClassVar[str] = "never"

    def __init__(self) -> None:
        super().__init__()


class SelectRows(Variant):
    """
    Rows of expressions.

    :param select: `expr AS name` over the columns `id` (0, 1, 2 …) and `seed`
    """

    TYPE: ClassVar[str] = "select"

    def __init__(
        self, *,
        select: str | Sequence[Expression],
    ) -> None:
        super().__init__(select=listed(select))


class PacketsRows(Variant):
    """
    Relay packets: columns `sequence BIGINT, due TIMESTAMP, payload BINARY`.

    :param packet_bytes: Bytes of one packet; 16 of them are sequence and due time
    :param content: What the payload holds; default "random"; ``random`` cut from a block of random bytes: does not
        compress; ``constant`` always the same bytes
    """

    TYPE: ClassVar[str] = "packets"

    def __init__(
        self, *,
        packet_bytes: int | Param,
        content: Literal["random", "constant"] | Param | Unset = UNSET,
    ) -> None:
        super().__init__(packet_bytes=packet_bytes, content=content)


class ConstantShape(Variant):
    """Always `rate_per_s`."""

    TYPE: ClassVar[str] = "constant"

    def __init__(self) -> None:
        super().__init__()


class SineShape(Variant):
    """
    From low to high and back.

    :param period_ms: Milliseconds from one low to the next
    :param low_per_s: The lowest rate
    :param high_per_s: The highest rate
    """

    TYPE: ClassVar[str] = "sine"

    def __init__(
        self, *,
        period_ms: int | Param,
        low_per_s: float | Param,
        high_per_s: float | Param,
    ) -> None:
        super().__init__(period_ms=period_ms, low_per_s=low_per_s, high_per_s=high_per_s)


class RateStep(Variant):
    """
    One rate for some time.

    :param for_ms: How long
    :param rate_per_s: The rate
    """

    def __init__(
        self, *,
        for_ms: int | Param,
        rate_per_s: float | Param,
    ) -> None:
        super().__init__(for_ms=for_ms, rate_per_s=rate_per_s)


class StepShape(Variant):
    """
    One rate after the other; the last one stays.

    :param steps: The steps
    """

    TYPE: ClassVar[str] = "step"

    def __init__(
        self, *,
        steps: Sequence[RateStep],
    ) -> None:
        super().__init__(steps=steps)


class EventTime(Variant):
    """
    Which column is the stream's event time. Event order is (event time, `order_by`, arrival).

    :param column: A TIMESTAMP column
    :param max_delay_ms: How far behind the greatest event time a packet may be without being late; default 0
    :param order_by: Columns that break ties; default: none
    :param idle_after_ms: A source silent for so long holds nobody up; default: never
    """

    def __init__(
        self, *,
        column: str,
        max_delay_ms: int | Param | Unset = UNSET,
        order_by: str | Sequence[str] | Unset = UNSET,
        idle_after_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(column=column, max_delay_ms=max_delay_ms, order_by=listed(order_by),
            idle_after_ms=idle_after_ms)


class FailOnError(Variant):
    """The job fails."""

    TYPE: ClassVar[str] = "fail"

    def __init__(self) -> None:
        super().__init__()


class SkipOnError(Variant):
    """The record is counted and dropped."""

    TYPE: ClassVar[str] = "skip"

    def __init__(self) -> None:
        super().__init__()


class DeadLetterOnError(Variant):
    """
    The record is counted and leaves by port `errors`, as `record`, with the `reason`. How a reason is worded is not
    part of what is equal on the engine and on Spark.
    """

    TYPE: ClassVar[str] = "dead_letter"

    def __init__(self) -> None:
        super().__init__()


class GeneratorSource(Operator):
    """
    Makes packets: rows of expressions, or relay packets for measuring.

    :param rows: What it makes
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param seed: Another seed, other random rows; default 1
    :param count: How many, all instances together; default: without end
    :param rate_per_s: Packets per second, all instances together; default: flat out
    :param shape: How the rate changes with time; default {"type": "constant"}
    :param event_time: Event time of the stream at `out`; default: none
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "generator_source"

    def __init__(
        self, id: str, /, *,
        rows: Rows,
        doc: str | Unset = UNSET,
        seed: int | Param | Unset = UNSET,
        count: int | Param | Unset = UNSET,
        rate_per_s: float | Param | Unset = UNSET,
        shape: Shape | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, rows=rows, seed=seed, count=count, rate_per_s=rate_per_s, shape=shape,
            event_time=event_time, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class AsFastAsPossibleReplay(Variant):
    """No waiting."""

    TYPE: ClassVar[str] = "as_fast_as_possible"

    def __init__(self) -> None:
        super().__init__()


class EventTimeReplay(Variant):
    """
    By the records' event times.

    :param speed: So many times as fast as they happened; default 1
    """

    TYPE: ClassVar[str] = "event_time"

    def __init__(
        self, *,
        speed: float | Param | Unset = UNSET,
    ) -> None:
        super().__init__(speed=speed)


class FileSource(Operator):
    """
    Reads files. Each instance reads its share of the files: with `event_time` merged by it, so that no file makes
    another one's packets late, else in path order. As many files are open at once as overlap in time (the process's
    limit on open files must allow that), and take 16 MB of an instance's memory, and 8 KB more for each beyond some
    200.

    :param path: A file, a folder or a glob, or a `file:` URI of one (only there `%20` is a space); .gz is unpacked,
        other packed files (.bz2, .zst, .lz4, .snappy, .deflate, .xz, .zip) fail the job on the engine, as does a
        pipe, a device or a socket; in a folder or a glob those are passed over. `/dev/stdin`, `/dev/fd` and the
        like are refused: they would be the engine's
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` one JSON object per
        line; ``text`` one column per line: `value STRING`
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param options: Spark's options of that format, by Spark's names. Every record is one line: `multiLine` and
        `wholetext` are refused, as are the encodings UTF-16 and UTF-32, flags that are neither true nor false, and
        options that the format has not. Another value that Spark refuses fails the job. With `header` each csv
        file's first line must have the schema's names, in its order and whatever their case, and else fails the
        job: to find columns by name see `columns_by`, to take them by their place alone write `"enforceSchema":
        "true"`. `mode` and `columnNameOfCorruptRecord` say nothing: `on_error` does. A json array is a record per
        element, and if one of them is bad, all are; default: none
    :param schema: Columns as Spark DDL. Where a bad csv record fails the job, those that only `project` operators
        could read, and none does, are not parsed: what is wrong there goes unseen; default: `value STRING`, for
        text only
    :param columns_by: Where in a csv line the schema's columns are. By name needs the option `header`. Files may
        have different headers. Columns without a name of the schema are left out, a name that a header lacks or has
        twice fails the job, and a line with another number of columns than its header is a bad record; default
        "place"; ``place`` are a line's first ones, in order; ``name`` are where the header of their file has their
        names, in any order and whatever their case
    :param columns: How many columns every csv line must have; another number makes a bad record; default: the
        schema's count, or more under `ignore`
    :param extra_columns: What the columns of a csv line beyond the schema's are. Fields of a json record beyond the
        schema are always left out, as Spark does; default "error"; ``error`` are a bad record; ``ignore`` are left
        out
    :param follow: true: goes on reading as files grow, in turns; a .gz is read once. Twice a second the path is
        looked at again. New files are read from their beginning. A file is known by its inode: renamed to a name
        that the path matches it is followed on, and not read again; where its name is another file's, it is read to
        its end, and the other one from its beginning once that has bytes. What has been renamed is told on standard
        error. A copy is a new file, and so is a packed one: let no name that a rotation packs or copies to match.
        With `parallelism` above 1, neither let the names match that it renames to; default false
    :param on_truncate: What to do when a followed file is cut short or written anew. That it was shows when it is
        shorter than what was read, or the last 256 bytes read are no longer there; default "fail"; ``fail`` the job
        fails; ``restart`` it is read again from its beginning, and that is told on standard error
    :param replay: The pace; default {"type": "as_fast_as_possible"}
    :param preload: true: everything is parsed before the first packet leaves; default false
    :param repeat: How often the files are read; 0 without end; default 1
    :param event_time: Event time of the stream at `out`; default: none
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "file_source"

    def __init__(
        self, id: str, /, *,
        path: str | PathLike[str],
        format: Literal["csv", "json", "text"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | Unset = UNSET,
        columns_by: Literal["place", "name"] | Param | Unset = UNSET,
        columns: int | Param | Unset = UNSET,
        extra_columns: Literal["error", "ignore"] | Param | Unset = UNSET,
        follow: bool | Param | Unset = UNSET,
        on_truncate: Literal["fail", "restart"] | Param | Unset = UNSET,
        replay: Replay | Unset = UNSET,
        preload: bool | Param | Unset = UNSET,
        repeat: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, format=format, options=texts(options), schema=schema,
            columns_by=columns_by, columns=columns, extra_columns=extra_columns, follow=follow, on_truncate=on_truncate,
            replay=replay, preload=preload, repeat=repeat, event_time=event_time, parallelism=parallelism,
            on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class DataSchedule(Variant):
    """Whenever there is input."""

    TYPE: ClassVar[str] = "data"

    def __init__(self) -> None:
        super().__init__()


class PeriodicSchedule(Variant):
    """
    At fixed times; also at the end.

    :param every_ms: Milliseconds between two runs
    """

    TYPE: ClassVar[str] = "periodic"

    def __init__(
        self, *,
        every_ms: int | Param,
    ) -> None:
        super().__init__(every_ms=every_ms)


class CountSchedule(Variant):
    """
    When so many packets wait; also when the inbox is at its high watermark, and at the end.

    :param packets: How many
    """

    TYPE: ClassVar[str] = "count"

    def __init__(
        self, *,
        packets: int | Param,
    ) -> None:
        super().__init__(packets=packets)


class AnySchedule(Variant):
    """
    As soon as one of several schedules would run it.

    :param of: The schedules
    """

    TYPE: ClassVar[str] = "any"

    def __init__(
        self, *,
        of: Sequence[Schedule],
    ) -> None:
        super().__init__(of=of)


class FileSink(Operator):
    """
    Writes files, always whole lines, bytes as Spark would write them.

    :param path: A folder, or its `file:` URI; a file if `single_file`. A pipe, a device or a socket fails the job
        on the engine. It may not be, hold or lie in what a `file_source` of the graph reads, nor be where its glob
        can match
    :param format: How records are written; ``csv`` separated values, as Spark writes them; ``json`` one JSON object
        per line; ``text`` one STRING column, one line each
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param options: Spark's options of that format, by Spark's names; `compression` other than none is refused, as
        are flags that are neither true nor false, and options that the format has not; default: none
    :param single_file: true: `path` is the one file; needs parallelism 1; default false
    :param if_exists: What to do when output is there already; default "error"; ``error`` the job fails before it
        writes; ``replace`` the first output of this job that can be seen takes its place, and that of rows which
        earlier jobs left uncommitted; a job that fails before leaves all as it was
    :param roll_every_ms: On the engine: shows what it has as a file of its own, or at the end of the single file,
        when its first row is so old. What was shown stays, however the job ends. 0: when the job has ended well or
        was stopped; default: 60000 where the input has no end, else 0
    :param roll_bytes: The same when it has so many bytes; 0: any number; default: 0
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "file_sink"

    def __init__(
        self, id: str, /, *,
        path: str | PathLike[str],
        format: Literal["csv", "json", "text"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        single_file: bool | Param | Unset = UNSET,
        if_exists: Literal["error", "replace"] | Param | Unset = UNSET,
        roll_every_ms: int | Param | Unset = UNSET,
        roll_bytes: int | Param | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, format=format, options=texts(options), single_file=single_file,
            if_exists=if_exists, roll_every_ms=roll_every_ms, roll_bytes=roll_bytes, parallelism=parallelism,
            on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class CollectSink(Operator):
    """
    Hands the packets to Python.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "collect_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, parallelism=parallelism, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ConsoleSink(Operator):
    """
    Prints the first 10000 packets of each instance, values cut to 40 characters, and counts the others; on Spark
    the first 1000, whole.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "console_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, parallelism=parallelism, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class DiscardSink(Operator):
    """
    Counts the packets and drops them.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param verify: What is verified first. Where several instances shared packets out on their way, nothing is known
        of their sequence. What is verified is also timed packet by packet, by each one's `due`: the report's
        `packet_latency_ms`; default "none"; ``none`` nothing; ``sampled`` relay packets' sequence, and every 16th
        payload; ``all`` relay packets' sequence and payload
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "discard_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        verify: Literal["none", "sampled", "all"] | Param | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, verify=verify, parallelism=parallelism, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class SleepStep(Variant):
    """
    One sleep for some time.

    :param for_ms: How long
    :param sleep_ms: Sleep per packet
    """

    def __init__(
        self, *,
        for_ms: int | Param,
        sleep_ms: float | Param,
    ) -> None:
        super().__init__(for_ms=for_ms, sleep_ms=sleep_ms)


class Relay(Operator):
    """
    Passes each packet on.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param sleep_ms: Sleeps so long per packet; default 0
    :param work_us: Is busy so long per packet; default 0
    :param steps: Sleeps that change with time, in place of `sleep_ms`; the last one stays; default: none
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "relay"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        sleep_ms: float | Param | Unset = UNSET,
        work_us: float | Param | Unset = UNSET,
        steps: Sequence[SleepStep] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, sleep_ms=sleep_ms, work_us=work_us, steps=steps, event_time=event_time,
            parallelism=parallelism, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Project(Operator):
    """
    A row of expressions per packet.

    :param select: `expr AS name`, a column, or `*`
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "project"

    def __init__(
        self, id: str, /, *,
        select: str | Sequence[Expression],
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, select=listed(select), event_time=event_time, parallelism=parallelism,
            on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Filter(Operator):
    """
    Packets that meet a condition leave by `out`, the others by `rejected`.

    :param where: The condition; NULL counts as false
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "filter"

    def __init__(
        self, id: str, /, *,
        where: Expression,
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, where=where, event_time=event_time, parallelism=parallelism, on_error=on_error,
            schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def rejected(self) -> Port:
        """The port ``rejected``."""
        return self.port("rejected")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Explode(Operator):
    """
    One packet per element of an array: the packet's columns, then the element. None for an empty array or NULL.

    :param of: The array
    :param as_: Name of the element's column
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "explode"

    def __init__(
        self, id: str, /, *,
        of: Expression,
        as_: str,
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, of=of, as_=as_, event_time=event_time, parallelism=parallelism, on_error=on_error,
            schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Union(Operator):
    """
    Several streams with equal columns into one, in no order.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "union"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, event_time=event_time, parallelism=parallelism, on_error=on_error,
            schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class State(Variant):
    """
    One value that the fold keeps per group. All of a group's together are at most `max_packet_bytes` long.

    :param initial: Its value before the group's first packet; may use that packet's columns
    :param next: Its value after a packet, of the same type; a bare state name is the value before
    """

    def __init__(
        self, *,
        initial: Expression,
        next: Expression,
    ) -> None:
        super().__init__(initial=initial, next=next)


class Scan(Operator):
    """
    A fold in event order. In `next`, `emit_when` and `select` a bare state name is its value before this packet; in
    `emit_when` and `select`, `next.name` is the value after it.

    :param state: What the fold keeps; all `next` are computed together
    :param select: The row: `expr AS name`, a column, a state, or `*` for the packet's columns
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param group_by: Key: a fold per distinct value. Without it there is one task, and on Spark one partition;
        default: one group
    :param emit_when: Whether this packet gives a row; default "true"
    :param emit_at_end: true: at the end of the input one more row per group, in the order in which the groups came.
        In it `name` and `next.name` both are the final state, the packet's columns are those of the group's last
        packet in event order, and `emit_when` is not asked. No watermark speaks of these rows, so the stream at
        `out` has no event time. `stop` without `--flush` gives none; default false
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "scan"

    def __init__(
        self, id: str, /, *,
        state: Mapping[str, State],
        select: str | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: str | Sequence[Expression] | Unset = UNSET,
        emit_when: Expression | Unset = UNSET,
        emit_at_end: bool | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), state=state, emit_when=emit_when,
            select=listed(select), emit_at_end=emit_at_end, event_time=event_time, parallelism=parallelism,
            on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def late(self) -> Port:
        """The port ``late``."""
        return self.port("late")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class TumblingWindow(Variant):
    """
    [start, end) of fixed size, one after the other, by event time.

    :param size_ms: Length in milliseconds
    :param offset_ms: Moves the borders, which else are multiples of the size since 1970-01-01T00:00Z; default 0
    """

    TYPE: ClassVar[str] = "tumbling"

    def __init__(
        self, *,
        size_ms: int | Param,
        offset_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(size_ms=size_ms, offset_ms=offset_ms)


class SlidingWindow(Variant):
    """
    [start, end) of fixed size, a new one each slide, by event time.

    :param size_ms: Length in milliseconds
    :param slide_ms: From one start to the next; at most the size
    :param offset_ms: Moves the borders; default 0
    """

    TYPE: ClassVar[str] = "sliding"

    def __init__(
        self, *,
        size_ms: int | Param,
        slide_ms: int | Param,
        offset_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(size_ms=size_ms, slide_ms=slide_ms, offset_ms=offset_ms)


class TrailingWindow(Variant):
    """
    One row per packet when the watermark passes it, over its group's packets in [t - size, t], both ends in, peers
    included. `select` may mix the packet's columns with aggregates.

    :param size_ms: Length in milliseconds
    """

    TYPE: ClassVar[str] = "trailing"

    def __init__(
        self, *,
        size_ms: int | Param,
    ) -> None:
        super().__init__(size_ms=size_ms)


class Aggregate(Operator):
    """
    Aggregates over windows, or over everything.

    :param select: Spark's aggregates, the group's columns, and `window.start`, `window.end` and `window_time` (end
        - 1 µs) of a tumbling or sliding window
    :param doc: For people: shown wherever the graph is drawn; default: none
    :param group_by: Key: expressions; `expr AS name` gives the key a name. Without it there is one task, and a row
        per packet is made in one partition on Spark; default: one group
    :param window: Over which packets; default: everything
    :param emit: Without a window: when rows leave; default: final where there is no window; ``final`` a row per
        group at the end of the stream; ``each`` a row per packet, in event order, over all up to it
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "aggregate"

    def __init__(
        self, id: str, /, *,
        select: str | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: str | Sequence[Expression] | Unset = UNSET,
        window: Window | Unset = UNSET,
        emit: Literal["final", "each"] | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), window=window, emit=emit, select=listed(select),
            event_time=event_time, parallelism=parallelism, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def late(self) -> Port:
        """The port ``late``."""
        return self.port("late")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class AsOf(Variant):
    """
    The greatest right packet in event order at or before the left one, not consumed.

    :param max_age_ms: No match if the right packet is older than this; default: any age
    :param strict: true: only right packets with an earlier event time; default false
    """

    def __init__(
        self, *,
        max_age_ms: int | Param | Unset = UNSET,
        strict: bool | Param | Unset = UNSET,
    ) -> None:
        super().__init__(max_age_ms=max_age_ms, strict=strict)


class BetweenMs(Variant):
    """
    Bounds of right time less left time, both in.

    :param from_: The least
    :param to: The greatest
    """

    def __init__(
        self, *,
        from_: int | Param,
        to: int | Param,
    ) -> None:
        super().__init__(from_=from_, to=to)


class Join(Operator):
    """
    Pairs of left and right packets. Exactly one of `as_of` and `between_ms`.

    :param doc: For people: shown wherever the graph is drawn; default: none
    :param how: What becomes of packets without a match; default "inner"; ``inner`` pairs only; ``left`` left
        packets without a match too
    :param on: Condition over `left.x` and `right.x`; with `as_of` equalities joined by AND; default: every pair
    :param as_of: The latest right packet as of the left one; default: not an as-of join
    :param between_ms: How far apart in event time; default: not an interval join
    :param select: The row; needed where names collide; default: all columns of both
    :param event_time: Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources
        set it anew; default: the input's, where its column survives
    :param parallelism: How many instances; default 1
    :param on_error: What becomes of a record that cannot be processed; default {"type": "fail"}
    :param schedule: When it runs; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "join"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        how: Literal["inner", "left"] | Param | Unset = UNSET,
        on: Expression | Unset = UNSET,
        as_of: AsOf | Unset = UNSET,
        between_ms: BetweenMs | Unset = UNSET,
        select: str | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, how=how, on=on, as_of=as_of, between_ms=between_ms, select=listed(select),
            event_time=event_time, parallelism=parallelism, on_error=on_error, schedule=schedule)

    @property
    def left(self) -> Port:
        """The port ``left``."""
        return self.port("left")

    @property
    def right(self) -> Port:
        """The port ``right``."""
        return self.port("right")

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def late(self) -> Port:
        """The port ``late``."""
        return self.port("late")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ForwardPartition(Variant):
    """Instance i to instance i; parallelism must be equal."""

    TYPE: ClassVar[str] = "forward"

    def __init__(self) -> None:
        super().__init__()


class RoundRobinPartition(Variant):
    """Segment by segment to the next instance."""

    TYPE: ClassVar[str] = "round_robin"

    def __init__(self) -> None:
        super().__init__()


class HashPartition(Variant):
    """
    Equal keys to the same instance.

    :param by: The key: expressions over the sender's columns
    """

    TYPE: ClassVar[str] = "hash"

    def __init__(
        self, *,
        by: str | Sequence[Expression],
    ) -> None:
        super().__init__(by=listed(by))


class LeastLoadedPartition(Variant):
    """Segment by segment to the instance with the least queued."""

    TYPE: ClassVar[str] = "least_loaded"

    def __init__(self) -> None:
        super().__init__()


class BroadcastPartition(Variant):
    """Every packet to every instance."""

    TYPE: ClassVar[str] = "broadcast"

    def __init__(self) -> None:
        super().__init__()


class CustomPartition(Variant):
    """
    The user's own class; the deployment must allow it, and it must be on the class path: `DESPINA_CLASS_PATH` names
    its jar or folder.

    :param class_: Its full name. It implements `ToIntFunction<Packet>` (a hash per packet) and has a constructor
        without parameters
    """

    TYPE: ClassVar[str] = "custom"

    def __init__(
        self, *,
        class_: str,
    ) -> None:
        super().__init__(class_=class_)


class LinkOptions(TypedDict, total=False):
    """What a link may say beside its ends."""

    doc: str
    """For people: shown wherever the graph is drawn."""
    partition: Partition
    """Which instance a packet goes to. From one task to one task it is always forward."""
    buffer: Buffer
    """When packets leave."""
    compression: Compression
    """Whether bytes on the network are compressed."""
    fuse: bool | Param
    """false: the two operators run as tasks of their own."""


Compression = AdaptiveCompression | EntropyCompression | AlwaysCompression | NeverCompression

Rows = SelectRows | PacketsRows

Shape = ConstantShape | SineShape | StepShape

OnError = FailOnError | SkipOnError | DeadLetterOnError

Replay = AsFastAsPossibleReplay | EventTimeReplay

Schedule = DataSchedule | PeriodicSchedule | CountSchedule | AnySchedule

Window = TumblingWindow | SlidingWindow | TrailingWindow

Partition = (
    ForwardPartition | RoundRobinPartition | HashPartition | LeastLoadedPartition | BroadcastPartition | CustomPartition
)

__all__ = [
    "AdaptiveCompression", "Aggregate", "AlwaysCompression", "AnySchedule", "AsFastAsPossibleReplay", "AsOf",
    "BetweenMs", "BroadcastPartition", "Buffer", "CollectSink", "Compression", "ConsoleSink", "ConstantShape",
    "CountSchedule", "CustomPartition", "DataSchedule", "DeadLetterOnError", "DiscardSink", "EntropyCompression",
    "EventTime", "EventTimeReplay", "Explode", "Expression", "FailOnError", "FileSink", "FileSource", "Filter",
    "ForwardPartition", "GeneratorSource", "HashPartition", "Join", "LeastLoadedPartition", "LinkOptions",
    "NeverCompression", "OnError", "PacketsRows", "Parameter", "Partition", "PeriodicSchedule", "Project", "RateStep",
    "Relay", "Replay", "RoundRobinPartition", "Rows", "Scan", "Schedule", "SelectRows", "Settings", "Shape",
    "SineShape", "SkipOnError", "SleepStep", "SlidingWindow", "State", "StepShape", "TrailingWindow", "TumblingWindow",
    "Union", "Window", "param",
]
