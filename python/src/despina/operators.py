"""The words of the graph file as Python classes. Made from graphs/graph.schema.json by tools/generate_operators.py.

Every field has the file's name (``as`` and ``from`` are ``as_`` and ``from_``); what is not given is left out of the file.
Where a list of texts is meant, one text alone may be given; where a text is meant, a ``Path``, and in ``options`` a boolean or a
number. Where Spark SQL is meant, a ``Column`` of PySpark's may be given, and a ``StructType`` where a schema is.
"""

# ruff: noqa: D212

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, TypedDict

from despina.builder import UNSET, Operator, Param, Port, Unset, Variant, param
from despina.values import listed, texts

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructType

Expression: TypeAlias = "str | Column | Sequence[str]"
"""Spark SQL: a string, lines of one, or a Column of PySpark's."""


class Parameter(Variant):
    """
    A value that is given from outside: of a graph when it is run, of a part where it is used. `${name}` in a string
    stands for it.

    :param doc: For people. Drawings show it; default: none
    :param default: Its value if none is given; default: none: it must be given
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

    :param time_zone: The time zone of expressions, and of times in text that name none; default "UTC"
    :param ansi: Spark's ANSI mode: an overflow or a bad cast is an error, not NULL; default true
    :param buckets: Into how many buckets the keys of state are sorted; default 256
    :param balance: Whether buckets of keys move by themselves to other instances of their operator; see
        docs/control.md; default {"type": "never"}
    :param buffer: For links that have none of their own; default {}
    :param compression: For links that have none of their own; default {"type": "adaptive"}
    :param queue_target_ms: How long a packet may wait in a queue. The engine keeps queues as short as that needs;
        default 100
    :param guarantee: What must hold when the job has a state folder, a part of it is lost, and it goes on: a graph
        with an operator that promises less is refused. docs/recovery.md says what each operator promises; default
        "none"; ``none`` any; ``at_least_once`` no row is lost; ``exactly_once`` each row comes out once
    :param max_packet_bytes: A longer packet is an error; a record of a server or a socket that would be one is a
        bad record; default: 16777216; an eighth of the smallest resource's memory if that is less, and less where
        many operators follow each other in it
    :param batch_scheduling: false: a task is woken per packet (for experiments); default true
    :param object_reuse: false: an object per packet (for experiments); default true
    """

    def __init__(
        self, *,
        time_zone: str | Unset = UNSET,
        ansi: bool | Param | Unset = UNSET,
        buckets: int | Param | Unset = UNSET,
        balance: Balance | Unset = UNSET,
        buffer: Buffer | Unset = UNSET,
        compression: Compression | Unset = UNSET,
        queue_target_ms: int | Param | Unset = UNSET,
        guarantee: Literal["none", "at_least_once", "exactly_once"] | Param | Unset = UNSET,
        max_packet_bytes: int | Param | Unset = UNSET,
        batch_scheduling: bool | Param | Unset = UNSET,
        object_reuse: bool | Param | Unset = UNSET,
    ) -> None:
        super().__init__(time_zone=time_zone, ansi=ansi, buckets=buckets, balance=balance, buffer=buffer,
            compression=compression, queue_target_ms=queue_target_ms, guarantee=guarantee,
            max_packet_bytes=max_packet_bytes, batch_scheduling=batch_scheduling, object_reuse=object_reuse)


class NeverBalance(Variant):
    """They stay where they are, but for `despina move`."""

    TYPE: ClassVar[str] = "never"

    def __init__(self) -> None:
        super().__init__()


class LoadBalance(Variant):
    """
    They move to instances that have less to do, if that is worth it and was so twice in a row.

    :param every_ms: How often it is looked at; default 10000
    :param worth: How much of a thread's time a move must take from the busiest instance; default 0.1
    """

    TYPE: ClassVar[str] = "load"

    def __init__(
        self, *,
        every_ms: int | Param | Unset = UNSET,
        worth: float | Param | Unset = UNSET,
    ) -> None:
        super().__init__(every_ms=every_ms, worth=worth)


class Buffer(Variant):
    """
    When the packets of a link leave: packets travel together, in segments.

    :param capacity_bytes: A segment leaves when it holds so many bytes; default 65536
    :param flush_after_ms: It leaves when its first packet is so old, too; default 1
    :param mode: When a segment may leave before that; default "adaptive"; ``adaptive`` as soon as the receiver has
        nothing else to do; ``timed`` never, as in NEPTUNE
    """

    def __init__(
        self, *,
        capacity_bytes: int | Param | Unset = UNSET,
        flush_after_ms: int | Param | Unset = UNSET,
        mode: Literal["adaptive", "timed"] | Param | Unset = UNSET,
    ) -> None:
        super().__init__(capacity_bytes=capacity_bytes, flush_after_ms=flush_after_ms, mode=mode)


class AdaptiveCompression(Variant):
    """LZ4, while packets get through the network faster that way."""

    TYPE: ClassVar[str] = "adaptive"

    def __init__(self) -> None:
        super().__init__()


class EntropyCompression(Variant):
    """
    LZ4, where samples have a low entropy, as in NEPTUNE.

    :param below_bits: Bits per byte below which it compresses; default 6.0
    """

    TYPE: ClassVar[str] = "entropy"

    def __init__(
        self, *,
        below_bits: float | Param | Unset = UNSET,
    ) -> None:
        super().__init__(below_bits=below_bits)


class AlwaysCompression(Variant):
    """LZ4."""

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
        select: Expression | Sequence[Expression],
    ) -> None:
        super().__init__(select=listed(select))


class PacketsRows(Variant):
    """
    Relay packets, for measuring: columns `sequence BIGINT, due TIMESTAMP, payload BINARY`.

    :param packet_bytes: Size of one packet; 16 bytes of it are its sequence number and due time
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
    The rate swings between a low and a high one.

    :param period_ms: From one low to the next
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
    A rate, and how long it lasts.

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
    Which column says when something happened; see docs/reference/time.md.

    :param column: A TIMESTAMP column
    :param max_delay_ms: How far a packet may be behind the greatest event time before it is late; default 0
    :param order_by: Which columns decide the order of packets with the same event time; default: none
    :param idle_after_ms: A source that has been silent for so long holds up no operator behind it. With `per`: a
        device that has been silent for so long ends what it has begun; default: never
    :param advance: For a source that may be silent with nobody beside it to wait for: its watermark goes on with
        the wall clock, so windows close without a next packet; see silent sources in docs/reference/time.md. Not
        with `per`; default: its packets alone move its watermark
    :param per: Columns whose values have a clock each, such as `["device"]`; see time per key in
        docs/reference/time.md; default: one clock for all
    """

    def __init__(
        self, *,
        column: str,
        max_delay_ms: int | Param | Unset = UNSET,
        order_by: str | Sequence[str] | Unset = UNSET,
        idle_after_ms: int | Param | Unset = UNSET,
        advance: Advance | Unset = UNSET,
        per: str | Sequence[str] | Unset = UNSET,
    ) -> None:
        super().__init__(column=column, max_delay_ms=max_delay_ms, order_by=listed(order_by),
            idle_after_ms=idle_after_ms, advance=advance, per=listed(per))


class Advance(Variant):
    """
    How the watermark of a silent source goes on.

    :param after_ms: How long nothing has come before it does: longer than the pauses of a source that works
    :param by: What moves it; default "clock"; ``clock`` as far as the wall clock goes beyond `after_ms`
    """

    def __init__(
        self, *,
        after_ms: int | Param,
        by: Literal["clock"] | Param | Unset = UNSET,
    ) -> None:
        super().__init__(after_ms=after_ms, by=by)


class FailOnError(Variant):
    """The job fails."""

    TYPE: ClassVar[str] = "fail"

    def __init__(self) -> None:
        super().__init__()


class SkipOnError(Variant):
    """The record is dropped and counted. On the engine the closing lines show the first one."""

    TYPE: ClassVar[str] = "skip"

    def __init__(self) -> None:
        super().__init__()


class DeadLetterOnError(Variant):
    """The record leaves by port `errors` and is counted. Its `reason` may be worded otherwise on Spark."""

    TYPE: ClassVar[str] = "dead_letter"

    def __init__(self) -> None:
        super().__init__()


class GeneratorSource(Operator):
    """
    Makes packets: rows of expressions, or packets for measuring.

    :param rows: What it makes
    :param doc: For people. Drawings show it; default: none
    :param seed: The value of column `seed`, and where random payloads begin; default 1
    :param count: How many packets all instances make together; default: without end
    :param rate_per_s: How many packets all instances make together in a second; default: as fast as it can
    :param shape: How the rate changes with time; default {"type": "constant"}
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
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
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, rows=rows, seed=seed, count=count, rate_per_s=rate_per_s, shape=shape,
            event_time=event_time, accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class AsFastAsPossibleReplay(Variant):
    """Without waiting."""

    TYPE: ClassVar[str] = "as_fast_as_possible"

    def __init__(self) -> None:
        super().__init__()


class EventTimeReplay(Variant):
    """
    Records leave at the pace of their event times.

    :param speed: 2 is twice as fast as it happened; default 1
    """

    TYPE: ClassVar[str] = "event_time"

    def __init__(
        self, *,
        speed: float | Param | Unset = UNSET,
    ) -> None:
        super().__init__(speed=speed)


class FileSource(Operator):
    """
    Reads files. Each instance reads its share of them. With `event_time` it merges its files by event time, so that
    no file makes the packets of another one late. Without, it reads them in the order of their paths. It opens as
    many files at once as overlap in time: the process's limit on open files must allow that. Open files take 16 MB
    of an instance's memory, and 8 KB more for each file beyond some 200.

    :param path: A file, a folder, a glob, or a `file:` URI of one (only in a URI does `%20` mean a space), or a URI
        of one of Hadoop's file systems, as `s3a://bucket/in/*.csv`: options whose names begin with `fs.` configure
        it. `-` is the standard input of `despina run`: once in a graph, without a deployment; the source ends where
        it ends. Packed files are unpacked by the ending of their names, as Spark does, in upper or lower case: .gz,
        .bz2, .zst, .deflate, .lz4, .snappy (the last three as Hadoop writes them). A file that is damaged or cut
        short fails the job. .xz, .zip, .br, .lzo and .7z fail the job on the engine, and so does a pipe, a device
        or a socket; in a folder or a glob, pipes, devices and sockets are passed over. Globs are Hadoop's; a folder
        `day=2024-03-01` in what the path names gives its files the column `day` of the schema: [which files are
        read](../files.md#which-files-are-read). `/dev/stdin`, `/dev/fd` and the like are refused, since the
        engine's own would be read
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` one JSON object per
        line; ``text`` one column per line: `value STRING`; ``parquet`` columns, found by their names in upper or
        lower case; ``avro`` container files, docs/formats.md; ``protobuf`` messages behind their lengths,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md; ``influx`` InfluxDB's line protocol: tags
        and fields by their names, docs/sockets.md; ``raw`` each file is a row, packed or not: `value BINARY`
    :param doc: For people. Drawings show it; default: none
    :param options: Spark's options for the format, under Spark's names. A record is one line: `multiLine`,
        `wholetext` and the encodings UTF-16 and UTF-32 are refused. So are flags that are neither true nor false,
        and options that the format does not have. Any other value that Spark refuses fails the job. With `header`,
        the first line of each csv file must have the schema's names in the schema's order, in upper or lower case;
        if not, the job fails. `columns_by` finds columns by their names instead. `"enforceSchema": "true"` takes
        them by their place alone. `mode` and `columnNameOfCorruptRecord` have no effect: use `on_error`. Each
        element of a json array is a record. If one element is bad, all are; default: none
    :param schema: The columns, as Spark DDL. A column may have a default, a literal: `celsius DOUBLE DEFAULT 20.0`.
        That is what it is in rows that a program gives (`inputs`) and in json records that leave it out; one that
        is null stays NULL. So it is in a parquet file that lacks it. If only `project` operators could read a csv
        column and none does, the source does not parse it, and finds no mistake in it; under `on_error` `fail`
        only. A column without default that a parquet file lacks is NULL; one of another type, which Spark would not
        read as this one, fails the job; columns that nobody reads are not read from the file. A column that a
        folder names, as `day=2024-03-01` does, comes from there, and the file has the others; so format text may
        have more columns than its one; default: `value STRING`, for text only
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param columns_by: Where in a csv line the schema's columns are. `name` needs the option `header`; files may
        have different headers. Columns that the schema does not name are left out. A name that a header lacks or
        has twice fails the job. A line with more or fewer columns than its header is a bad record; but a separator
        at a line's end, behind which nothing stands, is left out; default "place"; ``place`` are a line's first
        ones, in order; ``name`` are where the header of their file has their names, in any order, in upper or lower
        case
    :param columns: How many columns every csv line must have; another number makes a bad record; default: the
        schema's count without the columns that folders give, or more under `ignore`
    :param extra_columns: What the columns of a csv line beyond the schema's are. Fields of a json record beyond the
        schema are always left out, as Spark does; default "error"; ``error`` are a bad record; ``ignore`` are left
        out
    :param follow: true: the source does not end. It reads on as files grow, and takes up files that come later. On
        Linux it reads a line of a file of this machine as soon as the line is written, elsewhere within 50 ms. It
        looks for new files when the folder changes, and twice a second. It reads them from their beginning. Packed
        files and those of parquet, avro, protobuf and xml do not grow, so each is read once. Such a file must be
        whole when it gets a name that the path matches: write it under another name, and rename it. It knows a file
        by its inode. If a file is renamed to a name that the path matches, the source continues with it, and does
        not read it again. If another file takes over a name (rotation), the source reads the old file to its end,
        and begins the new one when that has bytes. It says both on standard error. A copy is a new file, packed or
        not: the path must not match the names under which a rotation copies or packs. With `parallelism` above 1 it
        must not match the names to which a rotation renames, either; default false
    :param on_truncate: What to do when a followed file is cut short or written again. The source notices it when
        the file is shorter than what it has read, or when the last 256 bytes that it read are no longer there;
        default "fail"; ``fail`` the job fails; ``restart`` the source reads it again from its beginning, and says
        so on standard error
    :param replay: At what pace records leave; default {"type": "as_fast_as_possible"}
    :param preload: true: all records are read into memory before the first one leaves; default false
    :param repeat: How often the files are read; 0 without end; default 1
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "file_source"

    def __init__(
        self, id: str, /, *,
        path: str | PathLike[str],
        format: Literal["csv", "json", "text", "parquet", "avro", "protobuf", "xml", "influx", "raw"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        columns_by: Literal["place", "name"] | Param | Unset = UNSET,
        columns: int | Param | Unset = UNSET,
        extra_columns: Literal["error", "ignore"] | Param | Unset = UNSET,
        follow: bool | Param | Unset = UNSET,
        on_truncate: Literal["fail", "restart"] | Param | Unset = UNSET,
        replay: Replay | Unset = UNSET,
        preload: bool | Param | Unset = UNSET,
        repeat: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, format=format, options=texts(options), schema=schema,
            timestamp_unit=timestamp_unit, columns_by=columns_by, columns=columns, extra_columns=extra_columns,
            follow=follow, on_truncate=on_truncate, replay=replay, preload=preload, repeat=repeat,
            event_time=event_time, accept=accept, parallelism=parallelism, on_error=on_error)

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
    At fixed times, and at the end.

    :param every_ms: The time between two runs
    """

    TYPE: ClassVar[str] = "periodic"

    def __init__(
        self, *,
        every_ms: int | Param,
    ) -> None:
        super().__init__(every_ms=every_ms)


class CountSchedule(Variant):
    """
    When so many packets wait, when the queue is full, and at the end.

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
    As soon as one of several schedules says so.

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

    :param path: A folder, or a file if `single_file` is true. It may be a URI: `file:`, or one of Hadoop's file
        systems, as `hdfs://host/folder` or `s3a://bucket/folder`; see docs/files.md. `-` is the standard output of
        `despina run`: once in a graph, without a deployment. Rows are then written as they come, a slow reader
        slows the job, and everything else that the command says goes to standard error. A pipe, a device or a
        socket fails the job on the engine. The path must not be, contain or lie in what a `file_source` of the
        graph reads, nor match its glob
    :param format: How records are written; ``csv`` separated values, as Spark writes them; ``json`` one JSON object
        per line; ``text`` one STRING column, one line each; ``parquet`` columns, packed by `compression`: snappy by
        default, as on Spark; ``avro`` container files, packed likewise; ``protobuf`` messages behind their lengths,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md; ``influx`` InfluxDB's line protocol: tags
        and fields by their names, docs/sockets.md
    :param doc: For people. Drawings show it; default: none
    :param options: Spark's options for the format, under Spark's names. Flags that are neither true nor false are
        refused, and so are options that the format does not have. `compression` is none, gzip, bzip2, deflate, lz4
        or snappy, and on the engine also zstd; for parquet it is none, snappy, gzip, zstd or lz4_raw, and for avro,
        whose default is snappy, uncompressed, snappy, deflate, bzip2, xz or zstandard. The files' names end as
        Spark's do. `parquet.block.size` is how many bytes a sink keeps in memory and writes as a group of rows: 16
        MB on the engine, 128 MB on Spark. Options whose names begin with `fs.` configure the file system; default:
        none
    :param single_file: true: `path` is the one file; needs parallelism 1. Not for parquet, avro and xml, to whose
        files nothing can be added, nor on the engine for another file system; default false
    :param if_exists: What to do if there is output already; default "error"; ``error`` the job fails before it
        writes; ``replace`` the first output of this job replaces it, and what earlier jobs left uncommitted; a job
        that fails before that leaves everything as it was
    :param roll_every_ms: On the engine: the sink shows its rows, as a file of their own or at the end of the single
        file, when the first of them is this old. What it has shown stays, however the job ends. 0: it shows them
        when the job has ended well or was stopped; default: 60000 where the input has no end, else 0
    :param roll_bytes: The sink also shows its rows when they have this many bytes, before they are packed; 0: any
        number; default: 0
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "file_sink"

    def __init__(
        self, id: str, /, *,
        path: str | PathLike[str],
        format: Literal["csv", "json", "text", "parquet", "avro", "protobuf", "xml", "influx"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        single_file: bool | Param | Unset = UNSET,
        if_exists: Literal["error", "replace"] | Param | Unset = UNSET,
        roll_every_ms: int | Param | Unset = UNSET,
        roll_bytes: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, format=format, options=texts(options), single_file=single_file,
            if_exists=if_exists, roll_every_ms=roll_every_ms, roll_bytes=roll_bytes, mode=mode, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Tls(Variant):
    """
    TLS on every connection. The files are PEM.

    :param certificate: Its own certificate, and those between it and the authority's
    :param key: The key of the certificate: PKCS#8, without a password
    :param trust: Certificates of authorities: each client must show a certificate that one of them has signed;
        default: none is asked of clients
    """

    def __init__(
        self, *,
        certificate: str,
        key: str,
        trust: str | Unset = UNSET,
    ) -> None:
        super().__init__(certificate=certificate, key=key, trust=trust)


class TcpSource(Operator):
    """
    Listens on a port, and reads the records that clients send; docs/sockets.md says more. It ends when the job is
    stopped. What it has received by then is still processed. While the graph is busy it reads nothing, so clients
    wait. A socket cannot be read again: if a job that keeps no state fails, what was received and had not left the
    graph is lost. A job that keeps its state has it in a log. A record that is too long, or that a broken
    connection cut off, is a bad record; `reason` names the client and the record's number. If a client sends so
    much of a record without its end that no memory is left, that is a bad record too, and the client is
    disconnected. Under `on_error: fail` any client's bad record fails the job.

    :param port: 0: any port that is free. The job says on standard error which one it is
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` a JSON object, or an
        array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param host: The address of this machine to listen on; `0.0.0.0` for all of them. Without `tls`, everybody who
        reaches the port can send rows; default "127.0.0.1"
    :param options: Spark's options for the format, as those of a `file_source`. With `header`, each connection
        begins with a header; a client whose header does not fit the schema is sent away. `lineSep` is refused;
        default: none
    :param schema: The columns of a record, as Spark DDL. Each may be NULL. A column may have a default, a literal:
        `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in json
        records that leave it out; one that is null stays NULL; default: `value STRING` for text; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param framing: Where a record ends. The text that a client sends behind its last line end is a record when it
        closes the connection; default "lines"; ``lines`` each ends with LF or CR LF; ``length_prefixed`` each
        follows its length: four bytes, the highest first
    :param max_clients: Further clients are sent away. The process's limit on open files must allow so many; default
        1000
    :param max_record_bytes: A longer record is a bad record. With `length_prefixed` its client is sent away;
        default 65536
    :param buffer_bytes: How much may wait for the source: beyond it, no socket is read. Unfinished records of all
        clients may take as much again. Twice this is counted as the source's state; default 4194304
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param idle_timeout_ms: A client that is silent for so long is sent away; 0: never. A client whose machine can
        no longer be reached is noticed within 15 s on Linux anyway; default 0
    :param tls: The files for TLS; default: no TLS
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "tcp_source"

    def __init__(
        self, id: str, /, *,
        port: int | Param,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        host: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        framing: Literal["lines", "length_prefixed"] | Param | Unset = UNSET,
        max_clients: int | Param | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        idle_timeout_ms: int | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, host=host, port=port, format=format, options=texts(options), schema=schema,
            timestamp_unit=timestamp_unit, framing=framing, max_clients=max_clients, max_record_bytes=max_record_bytes,
            buffer_bytes=buffer_bytes, spool_bytes=spool_bytes, idle_timeout_ms=idle_timeout_ms, tls=tls,
            event_time=event_time, accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class TcpSink(Operator):
    """
    Connects to a program, and sends it each row; docs/sockets.md says more. Each instance has its own connection. A
    peer that does not read slows the job. If the connection breaks, the sink makes a new one, and writes the rows
    of the failed write again, up to 64 KB. The peer may get these rows twice, and the first connection may end
    within a row. Rows that the system had taken and the peer had not read are lost, since TCP does not report them.
    In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`). So each row
    arrives exactly once while the connection holds; across a break it may be lost or come twice.

    :param host: The peer's name or address
    :param port: The peer's port
    :param format: How records are written; ``csv`` separated values, as Spark writes them; ``json`` a JSON object;
        ``text`` one STRING column; ``raw`` one BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags
        and fields by their names, docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf``
        messages that a descriptor file describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param options: Spark's options for the format, as those of a `file_sink`. `lineSep` is refused; default: none
    :param framing: Where a record ends; default "lines"; ``lines`` each ends with LF or CR LF; ``length_prefixed``
        each follows its length: four bytes, the highest first
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param retry_for_ms: How long it tries again while its peer is away or fails; then the job fails. It waits 25 to
        50 ms at first, twice as long each time, at most 10 s; default 10000
    :param write_timeout_ms: A peer that takes nothing for so long counts as gone; 0: never, it may be slow. That
        the machine of a peer has vanished is noticed without it: on Linux within 30 s of the first row that it does
        not get, or some minutes if it had stopped reading before; elsewhere after some 15 minutes; default 0
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "tcp_sink"

    def __init__(
        self, id: str, /, *,
        host: str,
        port: int | Param,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        framing: Literal["lines", "length_prefixed"] | Param | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        write_timeout_ms: int | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, host=host, port=port, format=format, options=texts(options), framing=framing,
            delivery=delivery, spool_bytes=spool_bytes, retry_for_ms=retry_for_ms, write_timeout_ms=write_timeout_ms,
            tls=tls, mode=mode, accept=accept, parallelism=parallelism, most_instances=most_instances,
            on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class HttpSource(Operator):
    """
    Listens on a port, and takes the rows that clients POST: csv, lines of text, JSON objects line by line, or a
    JSON array of them; docs/sockets.md says more. It answers 200 and `{"rows": 2, "bad": 0}` when the rows are in
    the graph. In a job that keeps its state they are then on the disk too; else they are lost if the job fails
    before they leave it. In such a job a request with an `Idempotency-Key` of the last 4,096 is answered again and
    not taken again; 422 says that another request had its key. A bad record goes to `on_error`. Under `fail` the
    request is refused with 400 and the record's error; none of its rows is taken, and the job goes on. 429 with
    `Retry-After` says that the graph is busy, 401 that the token is wrong, 413 that the body is too large, 503 that
    the job is being stopped. The source ends when the job is stopped. Requests that have arrived by then are
    answered.

    :param port: 0: any port that is free. The job says on standard error which one it is
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` one JSON object per
        line; ``text`` one column per line: `value STRING`; ``influx`` InfluxDB's line protocol: tags and fields by
        their names, docs/sockets.md
    :param doc: For people. Drawings show it; default: none
    :param host: The address of this machine to listen on; `0.0.0.0` for all of them. Without `tls`, everybody who
        reaches the port can send rows; default "127.0.0.1"
    :param path: The path of the URL; default "/"
    :param options: Spark's options for the format, as those of a `file_source`. With `header`, each connection
        begins with a header; a client whose header does not fit the schema is sent away. `lineSep` is refused;
        default: none
    :param schema: The columns of a record, as Spark DDL. Each may be NULL. A column may have a default, a literal:
        `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in json
        records that leave it out; one that is null stays NULL; default: `value STRING` for text; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param token_env: The environment variable that holds the token, in the process that hosts the operator. Each
        request must bring it: `Authorization: Bearer …`. Without `tls` it travels in the clear; default: everybody
        may come
    :param token_file: In its place, the file that holds the token; default: everybody may come
    :param max_clients: Further clients are sent away. The process's limit on open files must allow so many; default
        1000
    :param max_body_bytes: A longer body is refused with 413; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, no socket is read. Unfinished records of all
        clients may take as much again. Twice this is counted as the source's state; default 4194304
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param idle_timeout_ms: A client that is silent for so long is sent away; 0: never. A client whose machine can
        no longer be reached is noticed within 15 s on Linux anyway; default 0
    :param tls: The files for TLS; default: no TLS
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "http_source"

    def __init__(
        self, id: str, /, *,
        port: int | Param,
        format: Literal["csv", "json", "text", "influx"] | Param,
        doc: str | Unset = UNSET,
        host: str | Unset = UNSET,
        path: str | PathLike[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        max_clients: int | Param | Unset = UNSET,
        max_body_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        idle_timeout_ms: int | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, host=host, port=port, path=path, format=format, options=texts(options),
            schema=schema, timestamp_unit=timestamp_unit, token_env=token_env, token_file=token_file,
            max_clients=max_clients, max_body_bytes=max_body_bytes, buffer_bytes=buffer_bytes, spool_bytes=spool_bytes,
            idle_timeout_ms=idle_timeout_ms, tls=tls, event_time=event_time, accept=accept, parallelism=parallelism,
            on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class HttpSink(Operator):
    """
    Posts rows in batches, one request after the other, and waits for each answer; docs/sockets.md says more. A slow
    peer slows the job. If no answer comes, and after 408, 429 and 5xx, it sends the batch again, with waits that
    double, or as long as the header `Retry-After` says. So each row arrives at least once, and in order. After 409
    to a batch that it has sent before, on which the peer may still work, it does so for `timeout_ms`. A batch that
    is sent again has the same `Idempotency-Key`, by which the peer can tell that it has the batch already. In a job
    that keeps its state, rows wait in a log until their epoch is complete (`delivery`). Batches then have the same
    rows and the same keys whenever the epoch is sent again, also by the next process. After any other answer that
    is not 2xx, the batch's rows go to `on_error`, with the answer as the reason. Redirections are not followed.

    :param url: `http://…` or `https://…`, without a user or a password
    :param format: How records are written; ``csv`` separated values, as Spark writes them; ``json`` one JSON object
        per line; ``text`` one STRING column, one line each; ``influx`` InfluxDB's line protocol: tags and fields by
        their names, docs/sockets.md
    :param doc: For people. Drawings show it; default: none
    :param options: Spark's options for the format, as those of a `file_sink`. `lineSep` is refused; default: none
    :param body: What a body is. With the option `header`, each body of csv has one; default "lines"; ``lines`` a
        row each; ``array`` one JSON array of the rows
    :param headers: Headers of every request; default: none
    :param headers_env: Headers whose value is a secret: the environment variable that holds it, in the process that
        hosts the operator; default: none
    :param token_env: The environment variable that holds a token, which goes into `Authorization: Bearer …`;
        default: no token
    :param token_file: In its place, the file that holds the token; default: no token
    :param batch_rows: A request leaves when it has so many rows; default 1000
    :param batch_bytes: It leaves when it has so many bytes, too; default 1048576
    :param flush_after_ms: It leaves when its first row has waited so long, too; default 100
    :param timeout_ms: How long it waits for an answer; default 30000
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param retry_for_ms: How long it tries again while its peer is away or fails; then the job fails. It waits 25 to
        50 ms at first, twice as long each time, at most 10 s; default 10000
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "http_sink"

    def __init__(
        self, id: str, /, *,
        url: str,
        format: Literal["csv", "json", "text", "influx"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        body: Literal["lines", "array"] | Param | Unset = UNSET,
        headers: Mapping[str, str | bool | float] | Unset = UNSET,
        headers_env: Mapping[str, str | bool | float] | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        batch_rows: int | Param | Unset = UNSET,
        batch_bytes: int | Param | Unset = UNSET,
        flush_after_ms: int | Param | Unset = UNSET,
        timeout_ms: int | Param | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, url=url, format=format, options=texts(options), body=body, headers=texts(headers),
            headers_env=texts(headers_env), token_env=token_env, token_file=token_file, batch_rows=batch_rows,
            batch_bytes=batch_bytes, flush_after_ms=flush_after_ms, timeout_ms=timeout_ms, delivery=delivery,
            spool_bytes=spool_bytes, retry_for_ms=retry_for_ms, tls=tls, mode=mode, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Cursor(Variant):
    """
    The column that grows from record to record, as a number or a time does.

    :param column: A column of numbers, TIMESTAMP, DATE or STRING. Its values come from the member of that name in
        each record
    :param parameter: The parameter of the URL's query that gets the greatest value so far. The server gives the
        records behind that value, or also those that have it; default: the URL stays as it is
    :param start: The first value of that parameter; default: none: everything is asked for
    :param order: In what order the server gives records; default "any"; ``any`` all pages of a poll are gathered,
        and their records sorted; ``ascending`` records come in the order of the cursor, page by page; one that goes
        back is a bad record
    """

    def __init__(
        self, *,
        column: str,
        parameter: str | Unset = UNSET,
        start: str | Unset = UNSET,
        order: Literal["any", "ascending"] | Param | Unset = UNSET,
    ) -> None:
        super().__init__(column=column, parameter=parameter, start=start, order=order)


class Oauth2(Variant):
    """
    OAuth 2.0's client credentials: a token server gives a token. A new one is asked for when nine tenths of its
    life are over, and when the server answers 401.

    :param token_url: The token server's URL
    :param client_id: Who asks there
    :param client_secret_env: The environment variable that holds the client's secret; default: none
    :param client_secret_file: In its place, the file that holds it; default: none
    :param form: What else is posted to it: `{"scope": "read"}`; default: none
    """

    def __init__(
        self, *,
        token_url: str,
        client_id: str,
        client_secret_env: str | Unset = UNSET,
        client_secret_file: str | Unset = UNSET,
        form: Mapping[str, str | bool | float] | Unset = UNSET,
    ) -> None:
        super().__init__(token_url=token_url, client_id=client_id, client_secret_env=client_secret_env,
            client_secret_file=client_secret_file, form=texts(form))


class HttpPollSource(Operator):
    """
    Asks a server for a URL again and again, and takes the records of its answers; docs/asking.md says more. With
    `cursor` each record is given once, whatever the server repeats. The greatest value is in the job's snapshots,
    so that the job goes on there. Without it each answer gives all its records. It follows pages, by the header
    `Link` with `rel="next"` or by `next`. The next one is asked for when the graph has room. A server that gives
    `ETag` or `Last-Modified` is asked whether something has changed. After no answer, 408, 429 and 5xx it asks
    again, with waits that double, or as long as `Retry-After` says. Any other answer that is not 2xx fails the job.
    Redirections and pages are followed within the host of `url` alone. `reason` of a bad record names the URL and
    the record's place in the answer.

    :param url: `http://…` or `https://…`, without a user or a password
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` one JSON object per
        line; ``text`` one column per line: `value STRING`; ``influx`` InfluxDB's line protocol: tags and fields by
        their names, docs/sockets.md
    :param doc: For people. Drawings show it; default: none
    :param every_ms: The time from the beginning of one poll to that of the next; default 60000
    :param stop_at: Whether it ends; default "never"; ``never`` it asks until the job is stopped; ``end`` it ends
        when it has read one poll, with all its pages
    :param records: For json, where in an answer the records are: a JSON pointer, as `/data/stations`. An array
        there has a record for each element; anything else is one record; default: the answer itself
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record, as Spark DDL. Each may be NULL. A column may have a default, a literal:
        `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in json
        records that leave it out; one that is null stays NULL; default: `value STRING` for text; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param skip_lines: For the other formats: so many lines at the beginning of each answer are passed over, as a
        header of csv; default 0
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `url`, STRING: the page's URL, without secrets. `time`, TIMESTAMP: when the answer came. It may be
        the event time; default: none
    :param cursor: How it knows what is new; default: none
    :param next: For json, where in an answer the next page's URL is: a JSON pointer, as `/links/next`, outside of
        the records; default: only the header `Link` says it
    :param max_answer_bytes: A longer answer fails the job. With a `cursor` whose `order` is any, all pages of a
        poll together; default 8388608
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, no page is asked for. Three times this is
        counted as the source's state; default 8388608
    :param headers: Headers of every request; default: none
    :param headers_env: Headers whose value is a secret: the environment variable that holds it, in the process that
        hosts the operator; default: none
    :param parameters_env: Parameters of the URL's query whose value is a secret: the environment variable that
        holds it, in the process that hosts the operator; default: none
    :param token_env: The environment variable that holds a token, which goes into `Authorization: Bearer …`;
        default: no token
    :param token_file: In its place, the file that holds the token; default: no token
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param oauth2: How a token is got; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param timeout_ms: How long it waits for an answer, and for each further part of it; default 30000
    :param retry_for_ms: How long it asks again while the server is away or fails; then the job fails. It waits 25
        to 50 ms at first, twice as long each time, at most 10 s, or as long as `Retry-After` says; default 600000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "http_poll_source"

    def __init__(
        self, id: str, /, *,
        url: str,
        format: Literal["csv", "json", "text", "influx"] | Param,
        doc: str | Unset = UNSET,
        every_ms: int | Param | Unset = UNSET,
        stop_at: Literal["never", "end"] | Param | Unset = UNSET,
        records: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        skip_lines: int | Param | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        cursor: Cursor | Unset = UNSET,
        next: str | Unset = UNSET,
        max_answer_bytes: int | Param | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        headers: Mapping[str, str | bool | float] | Unset = UNSET,
        headers_env: Mapping[str, str | bool | float] | Unset = UNSET,
        parameters_env: Mapping[str, str | bool | float] | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        oauth2: Oauth2 | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        timeout_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, url=url, every_ms=every_ms, stop_at=stop_at, format=format, records=records,
            options=texts(options), schema=schema, timestamp_unit=timestamp_unit, skip_lines=skip_lines,
            metadata=texts(metadata), cursor=cursor, next=next, max_answer_bytes=max_answer_bytes,
            max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, headers=texts(headers),
            headers_env=texts(headers_env), parameters_env=texts(parameters_env), token_env=token_env,
            token_file=token_file, user=user, user_env=user_env, password_env=password_env, password_file=password_file,
            oauth2=oauth2, tls=tls, timeout_ms=timeout_ms, retry_for_ms=retry_for_ms, event_time=event_time,
            accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class LineId(Variant):
    """
    What tells lines of json apart.

    :param column: A column; its values come from the member of that name in each line, a text or a number
    :param parameter: The parameter of the URL's query that gets the last id when it connects again. The server then
        gives what follows; default: the URL stays as it is
    """

    def __init__(
        self, *,
        column: str,
        parameter: str | Unset = UNSET,
    ) -> None:
        super().__init__(column=column, parameter=parameter)


class HttpStreamSource(Operator):
    """
    Asks a server for one long answer, and takes its records as they come; docs/asking.md says more. When the answer
    breaks off, ends or stalls, it connects again, and tells the server the last record's id: by `Last-Event-ID` for
    events, by `line_id` for lines. The id is in the job's snapshots. Records with one of the last 1,000 ids, which
    servers repeat, are left out. While the graph has no room, the answer is not read. Empty lines and comments keep
    the connection alive, and are no records. An event or a line that breaks off is none either. After no answer,
    408, 429 and 5xx it asks again, with waits that double, or as long as `Retry-After` says. Any other answer that
    is not 2xx fails the job. `reason` of a bad record names the URL and the record's number since the job was
    started.

    :param url: `http://…` or `https://…`, without a user or a password
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` one JSON object per
        line; ``text`` one column per line: `value STRING`; ``influx`` InfluxDB's line protocol: tags and fields by
        their names, docs/sockets.md
    :param doc: For people. Drawings show it; default: none
    :param framing: What a record is; default "lines"; ``lines`` each ends with LF or CR LF; ``events`` server-sent
        events: what `data` has
    :param stop_at: Whether it ends; default "never"; ``never`` it connects again until the job is stopped; ``end``
        it ends when an answer has come to its end
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record, as Spark DDL. Each may be NULL. A column may have a default, a literal:
        `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in json
        records that leave it out; one that is null stays NULL; default: `value STRING` for text; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `url`, STRING: the URL, without secrets. `time`, TIMESTAMP: when the record came. It may be the event
        time. `id`, STRING: the event's id, or that of the event before it that had one; the line's. `event`,
        STRING: what kind of event it is, if it says so; default: none
    :param line_id: For lines of json, what tells them apart; default: none
    :param stall_ms: When nothing has come for so long, not even an empty line, it connects again; 0: never; default
        90000
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Three times this is counted
        as the source's state: the library reads ahead; default 8388608
    :param headers: Headers of every request; default: none
    :param headers_env: Headers whose value is a secret: the environment variable that holds it, in the process that
        hosts the operator; default: none
    :param parameters_env: Parameters of the URL's query whose value is a secret: the environment variable that
        holds it, in the process that hosts the operator; default: none
    :param token_env: The environment variable that holds a token, which goes into `Authorization: Bearer …`;
        default: no token
    :param token_file: In its place, the file that holds the token; default: no token
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param oauth2: How a token is got; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param timeout_ms: How long it waits for an answer, and for each further part of it; default 30000
    :param retry_for_ms: How long it asks again while the server is away or fails; then the job fails. It waits 25
        to 50 ms at first, twice as long each time, at most 10 s, or as long as `Retry-After` says; default 600000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "http_stream_source"

    def __init__(
        self, id: str, /, *,
        url: str,
        format: Literal["csv", "json", "text", "influx"] | Param,
        doc: str | Unset = UNSET,
        framing: Literal["lines", "events"] | Param | Unset = UNSET,
        stop_at: Literal["never", "end"] | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        line_id: LineId | Unset = UNSET,
        stall_ms: int | Param | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        headers: Mapping[str, str | bool | float] | Unset = UNSET,
        headers_env: Mapping[str, str | bool | float] | Unset = UNSET,
        parameters_env: Mapping[str, str | bool | float] | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        oauth2: Oauth2 | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        timeout_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, url=url, framing=framing, stop_at=stop_at, format=format, options=texts(options),
            schema=schema, timestamp_unit=timestamp_unit, metadata=texts(metadata), line_id=line_id, stall_ms=stall_ms,
            max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, headers=texts(headers),
            headers_env=texts(headers_env), parameters_env=texts(parameters_env), token_env=token_env,
            token_file=token_file, user=user, user_env=user_env, password_env=password_env, password_file=password_file,
            oauth2=oauth2, tls=tls, timeout_ms=timeout_ms, retry_for_ms=retry_for_ms, event_time=event_time,
            accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class WebsocketSource(Operator):
    """
    Takes messages of WebSockets: it listens on a `port`, or connects to a `url`. Each message, text or binary, is a
    record; an empty message is none. With format json a message may be an array of rows. docs/sockets.md says more.
    As with a `tcp_source`: it ends when the job is stopped, rows in the graph are lost if the job fails, and bad
    records go to `on_error`. A peer whose message is too long is disconnected. Beside `buffer_bytes`, each peer may
    take `max_record_bytes` for a frame that has come in part. With `url`, it sends the texts of `send` when it has
    connected. When the connection breaks it connects again; what the peer sends meanwhile is lost. An answer of 3xx
    or 4xx other than 408 and 429 fails the job.

    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` a JSON object, or an
        array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param port: 0: any port that is free. The job says on standard error which one it is; default: it needs `url`
    :param url: Where it connects to: `ws://…` or `wss://…`, without a user or a password; default: it listens on
        `port`
    :param host: The address of this machine to listen on; `0.0.0.0` for all of them. Without `tls`, everybody who
        reaches the port can send rows; default "127.0.0.1"
    :param path: The path of the URL; default "/"
    :param options: Spark's options for the format, as those of a `file_source`. With `header`, each connection
        begins with a header; a client whose header does not fit the schema is sent away. `lineSep` is refused;
        default: none
    :param schema: The columns of a record, as Spark DDL. Each may be NULL. A column may have a default, a literal:
        `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in json
        records that leave it out; one that is null stays NULL; default: `value STRING` for text; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param token_env: The environment variable that holds the token, in the process that hosts the operator. Each
        request must bring it: `Authorization: Bearer …`. Without `tls` it travels in the clear; default: everybody
        may come
    :param token_file: In its place, the file that holds the token; default: everybody may come
    :param send: With `url`: texts that are sent, in this order, each time that it has connected, as a subscription;
        default: nothing
    :param max_clients: Further clients are sent away. The process's limit on open files must allow so many; default
        1000
    :param max_record_bytes: A longer message is a bad record, and its peer is disconnected; default 65536
    :param buffer_bytes: How much may wait for the source: beyond it, no socket is read. Unfinished records of all
        clients may take as much again. Twice this is counted as the source's state; default 4194304
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param idle_timeout_ms: A client that is silent for so long is sent away; 0: never. A client whose machine can
        no longer be reached is noticed within 15 s on Linux anyway; default 0
    :param retry_for_ms: How long it asks again while the server is away or fails; then the job fails. It waits 25
        to 50 ms at first, twice as long each time, at most 10 s, or as long as `Retry-After` says; default 600000
    :param tls: The files for TLS; default: no TLS with `port`; with `url` it says `wss://`
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "websocket_source"

    def __init__(
        self, id: str, /, *,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        port: int | Param | Unset = UNSET,
        url: str | Unset = UNSET,
        host: str | Unset = UNSET,
        path: str | PathLike[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        send: str | Sequence[str] | Unset = UNSET,
        max_clients: int | Param | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        idle_timeout_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, port=port, url=url, host=host, path=path, format=format, options=texts(options),
            schema=schema, timestamp_unit=timestamp_unit, token_env=token_env, token_file=token_file, send=listed(send),
            max_clients=max_clients, max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes,
            spool_bytes=spool_bytes, idle_timeout_ms=idle_timeout_ms, retry_for_ms=retry_for_ms, tls=tls,
            event_time=event_time, accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class WebsocketSink(Operator):
    """
    Connects to a program over a WebSocket, and sends it each row as a message: a text, or binary in formats that
    are none; docs/sockets.md says more. Each instance has its own connection. A peer that does not read slows the
    job. If the connection breaks, the sink makes a new one, and sends the failed message again. Messages that the
    system had taken and the peer had not read are lost, as with a `tcp_sink`. In a job that keeps its state, rows
    wait in a log until their epoch is complete (`delivery`). The option `header` of csv has no effect.

    :param url: `ws://…` or `wss://…`, without a user or a password
    :param format: How records are written; ``csv`` separated values, as Spark writes them; ``json`` a JSON object;
        ``text`` one STRING column; ``raw`` one BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags
        and fields by their names, docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf``
        messages that a descriptor file describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param options: Spark's options for the format, as those of a `file_sink`. `lineSep` is refused; default: none
    :param token_env: The environment variable that holds a token, which goes into `Authorization: Bearer …`, in the
        process that hosts the operator; default: no token
    :param token_file: In its place, the file that holds the token; default: no token
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param retry_for_ms: How long it tries again while its peer is away or fails; then the job fails. It waits 25 to
        50 ms at first, twice as long each time, at most 10 s; default 10000
    :param write_timeout_ms: A peer that takes nothing for so long counts as gone; 0: never, it may be slow. That
        the machine of a peer has vanished is noticed without it: on Linux within 30 s of the first row that it does
        not get, or some minutes if it had stopped reading before; elsewhere after some 15 minutes; default 0
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "websocket_sink"

    def __init__(
        self, id: str, /, *,
        url: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        write_timeout_ms: int | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, url=url, format=format, options=texts(options), token_env=token_env,
            token_file=token_file, delivery=delivery, spool_bytes=spool_bytes, retry_for_ms=retry_for_ms,
            write_timeout_ms=write_timeout_ms, tls=tls, mode=mode, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class EarliestStart(Variant):
    """At the first record that is there."""

    TYPE: ClassVar[str] = "earliest"

    def __init__(self) -> None:
        super().__init__()


class LatestStart(Variant):
    """Behind the last record that is there."""

    TYPE: ClassVar[str] = "latest"

    def __init__(self) -> None:
        super().__init__()


class TimestampStart(Variant):
    """
    At the first record that is as late.

    :param at: The instant: `2026-11-28T18:00:00Z`
    """

    TYPE: ClassVar[str] = "timestamp"

    def __init__(
        self, *,
        at: str,
    ) -> None:
        super().__init__(at=at)


class Registry(Variant):
    """
    A schema registry, by the REST calls of Confluent's. Each record of avro or protobuf begins with the number of
    its schema. A schema is fetched when its number comes first. While the registry is away, the records wait. A
    record whose schema the registry does not have, or that cannot be read as the columns, is a bad one. A record of
    protobuf is of the message `messageName` of `options`, or else of the first of its schema.

    :param url: `http://…` or `https://…`, without a user or a password
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param token_env: In place of user and password, the environment variable that holds a token, which goes into
        `Authorization: Bearer …`; default: no token
    :param token_file: In its place, the file that holds the token; default: no token
    :param trust: For `https`, certificates of the authorities that are believed, in PEM; default: the authorities
        that Java knows
    """

    def __init__(
        self, *,
        url: str,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        trust: str | Unset = UNSET,
    ) -> None:
        super().__init__(url=url, user=user, user_env=user_env, password_env=password_env, password_file=password_file,
            token_env=token_env, token_file=token_file, trust=trust)


class Sasl(Variant):
    """
    A login by user and password. Without `tls` both travel in the clear, but for SCRAM's password.

    :param mechanism: How the broker wants the password; default "scram_sha_512"; ``plain`` PLAIN; ``scram_sha_256``
        SCRAM-SHA-256; ``scram_sha_512`` SCRAM-SHA-512; ``oauthbearer`` OAUTHBEARER: by a token of an OAuth server,
        which gives it to a client with credentials: `user` is the client's id, and the password its secret
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param token_url: For `oauthbearer`: where the OAuth server gives tokens. Of one with `https` it believes the
        certificates that Java knows; by `http` the secret travels in the clear; default: none
    :param scope: For `oauthbearer`: the scope that is asked for; default: none
    """

    def __init__(
        self, *,
        mechanism: Literal["plain", "scram_sha_256", "scram_sha_512", "oauthbearer"] | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        token_url: str | Unset = UNSET,
        scope: str | Unset = UNSET,
    ) -> None:
        super().__init__(mechanism=mechanism, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, token_url=token_url, scope=scope)


class KafkaSource(Operator):
    """
    Reads topics of Kafka; docs/kafka.md says more. Its client comes with `pip install 'despina[kafka]'`. It belongs
    to no consumer group. Partitions are dealt to its instances, and their offsets are in the job's snapshots, so
    that each record is taken once. Where it begins is turned into offsets when the job first starts. Partitions
    that a topic gets later are read from their first record. Watermarks are made partition by partition, and the
    least counts. A partition that has had no record is not waited for; one that has fallen silent is, unless
    `event_time` has `idle_after_ms`. While the graph is busy, nothing is read. While brokers are away, it waits.
    `reason` of a bad record names its topic, partition and offset: `orders/3@4711`.

    :param bootstrap_servers: Some of the cluster's brokers: `host:port`, with commas between them. The others are
        found by them
    :param topics: The topics. Each must be there when the job starts
    :param format: How a record's value is written; ``csv`` separated values, Spark's rules; ``json`` a JSON object,
        or an array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param start: Where a job begins that does not go on from a state folder; default {"type": "earliest"}
    :param stop_at: Whether it ends; default "never"; ``never`` it waits for more; ``end`` it ends when it has read
        to where each partition ended when it was started
    :param on_gap: What it does when the topic no longer has the records that it is to go on with; default "fail";
        ``fail`` the job fails, and says which offsets are missing; ``skip`` it goes on behind the gap, and warns
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record's value, as Spark DDL. Each may be NULL. A column may have a default, a
        literal: `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in
        json records that leave it out; one that is null stays NULL; default: `value STRING` for text, `value
        BINARY` for raw; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param registry: The registry that has the schemas of the records; default: none
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `topic`, STRING: the record's topic. `key`, BINARY: its key; NULL if it has none. `CAST(k AS STRING)`
        makes text of it. `partition`, INT: its partition. `offset`, BIGINT: its offset. `time`, TIMESTAMP: its
        time: when it was made, or when the broker got it, as its topic says. It may be the event time. `headers`,
        ARRAY<STRUCT<key: STRING NOT NULL, value: BINARY>>: its headers. `tombstone`, BOOLEAN: whether it has no
        value, which says that its key is deleted. Without this column such a record is a bad one; with it, a row
        whose other columns of the value are NULL; default: none
    :param group: A consumer group, for those who watch the brokers: when an epoch is complete, its offsets are
        written there. They are never read back; default: none
    :param refresh_ms: How often it looks whether a topic has more partitions; default 60000
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Three times this is counted
        as the source's state: the library reads ahead; default 8388608
    :param connect_ms: How long the job waits at its start for the brokers to answer; then it fails. Later it waits
        as long as they are away; default 15000
    :param sasl: The login; default: no login
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param properties: Further settings of Kafka's consumer, by Kafka's names, such as `fetch.max.wait.ms`. What
        fields of the operator say is refused here; default: none
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "kafka_source"

    def __init__(
        self, id: str, /, *,
        bootstrap_servers: str,
        topics: str | Sequence[str],
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        start: Start | Unset = UNSET,
        stop_at: Literal["never", "end"] | Param | Unset = UNSET,
        on_gap: Literal["fail", "skip"] | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        group: str | Unset = UNSET,
        refresh_ms: int | Param | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        sasl: Sasl | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        properties: Mapping[str, str | bool | float] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, bootstrap_servers=bootstrap_servers, topics=listed(topics), start=start,
            stop_at=stop_at, on_gap=on_gap, format=format, options=texts(options), schema=schema,
            timestamp_unit=timestamp_unit, registry=registry, metadata=texts(metadata), group=group,
            refresh_ms=refresh_ms, max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, connect_ms=connect_ms,
            sasl=sasl, tls=tls, properties=texts(properties), event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class KafkaSink(Operator):
    """
    Writes each row as a record of Kafka; docs/kafka.md says more. Its client comes with `pip install
    'despina[kafka]'`. In a job that keeps its state, rows wait in a log until their epoch is complete. Then they
    are written in one transaction, with a marker of the epoch in the topic `markers`. So each row is there once,
    for consumers that read `read_committed`. With `delivery` at_least_once, and in a job without state, rows are
    written at once. Rows with equal keys go to one partition, in order, from one instance of the sink. A record
    that the broker does not take, as one that is too large, goes to `on_error`. Brokers that are slow, or away for
    less than `retry_for_ms`, slow the job.

    :param bootstrap_servers: Some of the cluster's brokers: `host:port`, with commas between them. The others are
        found by them
    :param format: How a record's value is written. A NULL of text or raw is a record without a value; ``csv``
        separated values, as Spark writes them; ``json`` a JSON object; ``text`` one STRING column; ``raw`` one
        BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags and fields by their names,
        docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file
        describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param topic: The topic. It must be there when the job starts; default: `topic_by`
    :param topic_by: In its place, the topic of each row. A row with NULL is a bad record; default: `topic`
    :param key: The record's key, STRING or BINARY; default: none
    :param headers: The record's headers, each STRING or BINARY; default: none
    :param value: The columns that make the value. The others may still be read by the fields above; default: all
    :param options: Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused;
        default: none
    :param registry: The registry that has the schema of the records; default: none
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param markers: The topic for the markers of epochs. The sink makes it, compacted, if it is not there; default
        "despina_epochs"
    :param retry_for_ms: How long it tries to get a record to a broker; then the job fails; default 120000
    :param buffer_bytes: How much may be on its way to the brokers. It is counted as the sink's state; default
        33554432
    :param connect_ms: How long the job waits at its start for the brokers to answer; then it fails. Later it waits
        as long as they are away; default 15000
    :param sasl: The login; default: no login
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param properties: Further settings of Kafka's producer, by Kafka's names, such as `compression.type`. What
        fields of the operator say is refused here; default: none
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "kafka_sink"

    def __init__(
        self, id: str, /, *,
        bootstrap_servers: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        topic: str | Unset = UNSET,
        topic_by: Expression | Unset = UNSET,
        key: Expression | Unset = UNSET,
        headers: Mapping[str, Expression] | Unset = UNSET,
        value: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        markers: str | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        sasl: Sasl | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        properties: Mapping[str, str | bool | float] | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, bootstrap_servers=bootstrap_servers, topic=topic, topic_by=topic_by, key=key,
            headers=headers, value=listed(value), format=format, options=texts(options), registry=registry,
            delivery=delivery, spool_bytes=spool_bytes, markers=markers, retry_for_ms=retry_for_ms,
            buffer_bytes=buffer_bytes, connect_ms=connect_ms, sasl=sasl, tls=tls, properties=texts(properties),
            mode=mode, accept=accept, parallelism=parallelism, most_instances=most_instances, on_error=on_error,
            schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class MqttSource(Operator):
    """
    Reads topics of an MQTT broker; docs/mqtt.md says more. Its client comes with `pip install 'despina[mqtt]'`. The
    broker keeps a session for it. So it gets what was sent while it was away, if the job keeps its state or has a
    `client_id`. In a job that keeps its state a message is acknowledged when it is on the disk, and what has come
    is read from there after a failure. Else it is acknowledged when its rows are in the graph. A message that the
    broker sends again is not taken again, where that can be told: by its packet number and its content, among the
    last 4,096. While the graph is busy, nothing is read, and the broker keeps what comes. While the broker is away,
    the source waits. `reason` of a bad record names its topic. The source ends when the job is stopped.

    :param broker: Where it is: `mqtt://host:1883`, or `mqtts://host:8883` for TLS. No user and no password belong
        here
    :param topics: The topics, as filters: `+` is any level, `#` at the end any rest. A level `{line}` is any level
        too, and what stands there is the column `line`, a STRING behind all others; NULL where another filter fits
        the topic
    :param format: How a record's value is written; ``csv`` separated values, Spark's rules; ``json`` a JSON object,
        or an array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param qos: The quality of service; default "1"; ``0`` a message is sent once, and may be lost on the way; ``1``
        it is sent until it is acknowledged, and may come twice
    :param version: The version of MQTT; default "5"; ``3.1.1`` what every broker speaks; ``5`` has user properties
        and reason codes, and the client says how much it takes at once
    :param client_id: Under which name the broker knows it. With `parallelism`, the number of the instance is behind
        it. No two clients of a broker may have one name; default: the folder of the job's state decides; another
        one for each run without state
    :param group: Shares the topics with all clients of that group: each message goes to one of them. With
        `parallelism` it is needed. Retained messages do not come then; default: none
    :param session_expiry_ms: How long the broker keeps the session of a source that is away. For 3.1.1 the broker
        decides; default 86400000
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record's value, as Spark DDL. Each may be NULL. A column may have a default, a
        literal: `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in
        json records that leave it out; one that is null stays NULL; default: `value STRING` for text, `value
        BINARY` for raw; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param registry: The registry that has the schemas of the records; default: none
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `topic`, STRING: the message's topic. `qos`, INT: with which quality of service it came. `retained`,
        BOOLEAN: whether the broker had kept it, and it came because the source subscribed: it may have come before.
        `duplicate`, BOOLEAN: whether the broker says that it may have sent it before. `user_properties`,
        ARRAY<STRUCT<key: STRING NOT NULL, value: BINARY>>: its user properties, of MQTT 5. `arrived`, TIMESTAMP:
        when it came, by the clock of the source's machine. It may be the event time; default: none
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Twice this is counted as the
        source's state; default 8388608
    :param max_in_flight: How many messages the broker may send before the first of them is acknowledged. For 3.1.1
        the broker decides; default 4000
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param keep_alive_ms: A peer that is silent for longer counts as gone. Whole seconds; default 60000
    :param connect_ms: How long the job waits at its start for the broker; then it fails. Later it waits as long as
        the broker is away; default 5000
    :param retry_for_ms: How long it tries again when a server that has let it in refuses its login, as one that
        begins anew may; then the job fails. For one that does not answer it waits as long as it takes; default
        120000
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "mqtt_source"

    def __init__(
        self, id: str, /, *,
        broker: str,
        topics: str | Sequence[str],
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        qos: Literal["0", "1"] | Param | Unset = UNSET,
        version: Literal["3.1.1", "5"] | Param | Unset = UNSET,
        client_id: str | Unset = UNSET,
        group: str | Unset = UNSET,
        session_expiry_ms: int | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        max_in_flight: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        keep_alive_ms: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, broker=broker, topics=listed(topics), qos=qos, version=version,
            client_id=client_id, group=group, session_expiry_ms=session_expiry_ms, format=format,
            options=texts(options), schema=schema, timestamp_unit=timestamp_unit, registry=registry,
            metadata=texts(metadata), max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes,
            max_in_flight=max_in_flight, spool_bytes=spool_bytes, keep_alive_ms=keep_alive_ms, connect_ms=connect_ms,
            retry_for_ms=retry_for_ms, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, tls=tls, event_time=event_time, accept=accept, parallelism=parallelism,
            on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class MqttSink(Operator):
    """
    Publishes each row as a message of MQTT; docs/mqtt.md says more. Its client comes with `pip install
    'despina[mqtt]'`. In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`).
    After a loss those that were on their way are sent again. With `version` 5 each message has the user property
    `despina-id`, which is then the same, so that a reader can tell. With `qos` 1 a message is sent until the broker
    has acknowledged it, so each row arrives at least once; with `qos` 0 it may be lost. Messages of one instance
    leave in order. What the broker refuses, as it can in version 5, goes to `on_error`; so does a row whose topic
    is none. A quota that is used up fails the job. A broker that is slow, or away for less than `retry_for_ms`,
    slows the job.

    :param broker: Where it is: `mqtt://host:1883`, or `mqtts://host:8883` for TLS. No user and no password belong
        here
    :param format: How a record's value is written. A NULL of text or raw is a record without a value; ``csv``
        separated values, as Spark writes them; ``json`` a JSON object; ``text`` one STRING column; ``raw`` one
        BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags and fields by their names,
        docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file
        describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param topic: The topic. `{device}` in it is what the column `device` has; default: `topic_by`
    :param topic_by: In its place, the topic of each row. A row with NULL is a bad record; default: `topic`
    :param qos: The quality of service; default "1"; ``0`` a message is sent once, and may be lost on the way; ``1``
        it is sent until it is acknowledged, and may come twice
    :param retain: Whether the broker keeps the last message of each topic for those who subscribe later. One
        without a value makes it forget that; default false
    :param version: The version of MQTT; default "5"; ``3.1.1`` what every broker speaks; ``5`` has user properties
        and reason codes, and the client says how much it takes at once
    :param client_id: Under which name the broker knows it. With `parallelism`, the number of the instance is behind
        it; default: another one for each run
    :param user_properties: User properties of each message, of MQTT 5, each a STRING. A NULL is left out; default:
        none
    :param value: The columns that make the value. The others may still be read by the fields above; default: all
    :param options: Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused;
        default: none
    :param registry: The registry that has the schema of the records; default: none
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param retry_for_ms: How long the broker may take no message; then the job fails; default 120000
    :param max_in_flight: How many messages may be on their way before the first of them is acknowledged. A broker
        of version 5 may want fewer; default 1000
    :param buffer_bytes: How much may be on its way to the broker. It is counted as the sink's state; default
        8388608
    :param keep_alive_ms: A peer that is silent for longer counts as gone. Whole seconds; default 60000
    :param connect_ms: How long the job waits at its start for the broker; then it fails. Later it waits as long as
        the broker is away; default 5000
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "mqtt_sink"

    def __init__(
        self, id: str, /, *,
        broker: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        topic: str | Unset = UNSET,
        topic_by: Expression | Unset = UNSET,
        qos: Literal["0", "1"] | Param | Unset = UNSET,
        retain: bool | Param | Unset = UNSET,
        version: Literal["3.1.1", "5"] | Param | Unset = UNSET,
        client_id: str | Unset = UNSET,
        user_properties: Mapping[str, Expression] | Unset = UNSET,
        value: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        max_in_flight: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        keep_alive_ms: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, broker=broker, topic=topic, topic_by=topic_by, qos=qos, retain=retain,
            version=version, client_id=client_id, user_properties=user_properties, value=listed(value), format=format,
            options=texts(options), registry=registry, delivery=delivery, spool_bytes=spool_bytes,
            retry_for_ms=retry_for_ms, max_in_flight=max_in_flight, buffer_bytes=buffer_bytes,
            keep_alive_ms=keep_alive_ms, connect_ms=connect_ms, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, tls=tls, mode=mode, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class NatsSource(Operator):
    """
    Reads a stream of NATS JetStream, or listens to a subject; docs/nats.md says more. Its client comes with `pip
    install 'despina[nats]'`. Of a `stream` it acknowledges nothing, and leaves no durable consumer. The number of
    the message that comes next is in the job's snapshots, so that each message is taken once. Where it begins is
    turned into a number when the job first starts. A stream has one order, so one instance reads it: `parallelism`
    is 1. While the graph is busy, nothing is read of a stream. While servers are away, it waits. Without `stream`
    it gets what is published to `subject` while it listens. What comes while it is away, or faster than the graph
    takes it, is lost; the second is counted. It ends when the job is stopped. `reason` of a bad record names its
    stream and number: `readings@4711`; without a stream its subject.

    :param servers: The cluster's servers, or some of them: `nats://host:4222`, with commas between several;
        `tls://host:4222` for TLS. No user and no password belong here
    :param format: How a record's value is written; ``csv`` separated values, Spark's rules; ``json`` a JSON object,
        or an array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param stream: The stream of JetStream. It must be there when the job starts; default: none: it listens to
        `subject`
    :param subject: Only messages of this subject are read: `*` is any token, `>` at the end any rest; default: all
        of the stream
    :param group: Without `stream`: shares the subject with all of that group, so that each message goes to one of
        them. With `parallelism` it is needed; default: none
    :param start: Where a job begins that does not go on from a state folder; default {"type": "earliest"}
    :param stop_at: Whether it ends; default "never"; ``never`` it waits for more; ``end`` it ends when it has read
        to where the stream ended when it was started
    :param on_gap: What it does when the stream no longer has the messages that it is to go on with; default "fail";
        ``fail`` the job fails, and says which numbers are missing; ``skip`` it goes on behind the gap, and warns
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record's value, as Spark DDL. Each may be NULL. A column may have a default, a
        literal: `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in
        json records that leave it out; one that is null stays NULL; default: `value STRING` for text, `value
        BINARY` for raw; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param registry: The registry that has the schemas of the records; default: none
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `subject`, STRING: the message's subject. `sequence`, BIGINT: its number in the `stream`. `time`,
        TIMESTAMP: when the `stream` got it; without one when it came, by the clock of the source's machine. It may
        be the event time. `headers`, ARRAY<STRUCT<key: STRING NOT NULL, value: BINARY>>: its headers; default: none
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Three times this is counted
        as the source's state: the library reads ahead; default 8388608
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param connect_ms: How long the job waits at its start for the servers to answer; then it fails. Later it waits
        as long as they are away; default 5000
    :param retry_for_ms: How long it tries again when a server that has let it in refuses its login, as one that
        begins anew may; then the job fails. For one that does not answer it waits as long as it takes; default
        120000
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param token_env: The variable of the resource's environment that holds a token, in place of a user and a
        password; default: none
    :param token_file: The file on the resource's machine that holds it; default: none
    :param credentials_env: The variable of the resource's environment that holds what is in a credentials file
        (`.creds`: a JWT, and the seed of its key), or the seed of an NKey alone; default: none
    :param credentials_file: The file on the resource's machine that holds it; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "nats_source"

    def __init__(
        self, id: str, /, *,
        servers: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        stream: str | Unset = UNSET,
        subject: str | Unset = UNSET,
        group: str | Unset = UNSET,
        start: Start | Unset = UNSET,
        stop_at: Literal["never", "end"] | Param | Unset = UNSET,
        on_gap: Literal["fail", "skip"] | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        credentials_env: str | Unset = UNSET,
        credentials_file: str | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, servers=servers, stream=stream, subject=subject, group=group, start=start,
            stop_at=stop_at, on_gap=on_gap, format=format, options=texts(options), schema=schema,
            timestamp_unit=timestamp_unit, registry=registry, metadata=texts(metadata),
            max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, spool_bytes=spool_bytes,
            connect_ms=connect_ms, retry_for_ms=retry_for_ms, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, token_env=token_env, token_file=token_file, credentials_env=credentials_env,
            credentials_file=credentials_file, tls=tls, event_time=event_time, accept=accept, parallelism=parallelism,
            on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class NatsSink(Operator):
    """
    Writes each row as a message of NATS; docs/nats.md says more. Its client comes with `pip install
    'despina[nats]'`. With `stream`, JetStream acknowledges each message. In a job that keeps its state, rows wait
    in a log until their epoch is complete, and are written between two marks in the stream `markers`. After a break
    the sink reads which of them are there, and writes the others. So each row is there once. With `delivery`
    at_least_once, and in a job without state, rows are written at once. Without `stream`, messages go to those who
    listen at that moment, and may be lost on the way. Messages of one instance leave in order. A message that the
    stream or the server does not take, as one that is too large, goes to `on_error`; so does a row whose subject is
    none. Servers that are slow, or away for less than `retry_for_ms`, slow the job.

    :param servers: The cluster's servers, or some of them: `nats://host:4222`, with commas between several;
        `tls://host:4222` for TLS. No user and no password belong here
    :param format: How a record's value is written. A NULL of text or raw is a record without a value; ``csv``
        separated values, as Spark writes them; ``json`` a JSON object; ``text`` one STRING column; ``raw`` one
        BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags and fields by their names,
        docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file
        describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param stream: The stream of JetStream that takes the messages. It must be there when the job starts; default:
        none: plain subjects
    :param subject: The subject. `{device}` in it is what the column `device` has; default: `subject_by`
    :param subject_by: In its place, the subject of each row. A row with NULL is a bad record; default: `subject`
    :param headers: Headers of each message, each STRING or BINARY, of ASCII. A NULL is left out; default: none
    :param value: The columns that make the value. The others may still be read by the fields above; default: all
    :param options: Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused;
        default: none
    :param registry: The registry that has the schema of the records; default: none
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param markers: The stream for the marks of epochs. The sink makes it if it is not there; default
        "despina_epochs"
    :param retry_for_ms: How long servers may take no message; then the job fails; default 120000
    :param max_in_flight: How many messages may be on their way before the first of them is acknowledged; default
        4000
    :param buffer_bytes: How much may be on its way to the servers. It is counted as the sink's state; default
        8388608
    :param connect_ms: How long the job waits at its start for the servers to answer; then it fails. Later it waits
        as long as they are away; default 5000
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param token_env: The variable of the resource's environment that holds a token, in place of a user and a
        password; default: none
    :param token_file: The file on the resource's machine that holds it; default: none
    :param credentials_env: The variable of the resource's environment that holds what is in a credentials file
        (`.creds`: a JWT, and the seed of its key), or the seed of an NKey alone; default: none
    :param credentials_file: The file on the resource's machine that holds it; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "nats_sink"

    def __init__(
        self, id: str, /, *,
        servers: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        stream: str | Unset = UNSET,
        subject: str | Unset = UNSET,
        subject_by: Expression | Unset = UNSET,
        headers: Mapping[str, Expression] | Unset = UNSET,
        value: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        markers: str | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        max_in_flight: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        credentials_env: str | Unset = UNSET,
        credentials_file: str | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, servers=servers, stream=stream, subject=subject, subject_by=subject_by,
            headers=headers, value=listed(value), format=format, options=texts(options), registry=registry,
            delivery=delivery, spool_bytes=spool_bytes, markers=markers, retry_for_ms=retry_for_ms,
            max_in_flight=max_in_flight, buffer_bytes=buffer_bytes, connect_ms=connect_ms, mode=mode, user=user,
            user_env=user_env, password_env=password_env, password_file=password_file, token_env=token_env,
            token_file=token_file, credentials_env=credentials_env, credentials_file=credentials_file, tls=tls,
            accept=accept, parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ZeromqSource(Operator):
    """
    Takes messages of ZeroMQ's sockets; docs/zeromq.md says more. Its library comes with `pip install
    'despina[zeromq]'`. A message has one frame, its value, or two: a topic and the value. One of more is a bad
    record. Nobody is told what has come, so what is on its way when a process is killed is lost. What has come to a
    job that keeps its state is in a log, and is taken once. While the graph is busy, nothing is taken of those who
    `push`, and they wait. Publishers do not wait: what comes then is dropped, and a warning counts it. Peers may
    come and go. It ends when the job is stopped. `reason` of a bad record names the topic.

    :param endpoint: The peer: `tcp://host:5555`, with commas between several. With `bind` the address of this
        machine to listen on, such as `tcp://127.0.0.1:5555`
    :param socket: The kind of socket; ``pull`` takes what peers push; of several instances, or jobs, each takes a
        share; ``sub`` takes what peers publish
    :param format: How a record's value is written; ``csv`` separated values, Spark's rules; ``json`` a JSON object,
        or an array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param bind: true: peers connect to this socket. Without keys, everybody who reaches the port can; default false
    :param topics: Of `sub`: what a topic begins with that is taken. A message of one frame has its own beginning as
        its topic; default: all
    :param retry_for_ms: How long it tries again when a peer ends each connection at once, as one with other keys,
        or with a socket of another kind; then the job fails. For one that is not there it waits as long as it
        takes; default 120000
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record's value, as Spark DDL. Each may be NULL. A column may have a default, a
        literal: `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in
        json records that leave it out; one that is null stays NULL; default: `value STRING` for text, `value
        BINARY` for raw; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param registry: The registry that has the schemas of the records; default: none
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `topic`, STRING: the first of two frames; NULL for a message of one. `time`, TIMESTAMP: when it came,
        by the clock of the source's machine. It may be the event time; default: none
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Three times this is counted
        as the source's state: the library reads ahead; default 8388608
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param high_water_mark: How many messages ZeroMQ keeps for each peer. Their bytes are not known: 1 KB for each
        is counted as the operator's state; default 1000
    :param server_key: The public key of the peer that is bound, 40 characters of Z85: messages are encrypted
        (CURVE), and go to no other peer; default: no keys
    :param client_keys: With `bind`, the public keys of the peers that may come; default: all that know this
        socket's public key
    :param secret_key_env: The variable of the resource's environment that holds this socket's own secret key. With
        `bind` it alone makes the socket one with keys; default: no keys
    :param secret_key_file: The file on the resource's machine that holds it; default: no keys
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "zeromq_source"

    def __init__(
        self, id: str, /, *,
        endpoint: str,
        socket: Literal["pull", "sub"] | Param,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        bind: bool | Param | Unset = UNSET,
        topics: str | Sequence[str] | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        high_water_mark: int | Param | Unset = UNSET,
        server_key: str | Unset = UNSET,
        client_keys: str | Sequence[str] | Unset = UNSET,
        secret_key_env: str | Unset = UNSET,
        secret_key_file: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, endpoint=endpoint, bind=bind, socket=socket, topics=listed(topics),
            retry_for_ms=retry_for_ms, format=format, options=texts(options), schema=schema,
            timestamp_unit=timestamp_unit, registry=registry, metadata=texts(metadata),
            max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, spool_bytes=spool_bytes,
            high_water_mark=high_water_mark, server_key=server_key, client_keys=listed(client_keys),
            secret_key_env=secret_key_env, secret_key_file=secret_key_file, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ZeromqSink(Operator):
    """
    Sends each row as a message of ZeroMQ; docs/zeromq.md says more. Its library comes with `pip install
    'despina[zeromq]'`. With `topic` or `topic_by` a message has two frames, the topic and the row; else one. Peers
    acknowledge nothing: a message has left when there is room for it in the queue of a peer. What is in it when a
    process is killed is lost. Rows of one instance leave in order. Each message that is pushed goes to one peer;
    what is published goes to all that have subscribed by then. While no peer has room, the job waits; a publisher
    does so with `when_full` wait.

    :param endpoint: The peer: `tcp://host:5555`, with commas between several. With `bind` the address of this
        machine to listen on, such as `tcp://127.0.0.1:5555`
    :param socket: The kind of socket; ``push`` each message goes to one of the peers that pull, in turn; ``pub``
        each goes to all peers that have subscribed to its topic
    :param format: How a record's value is written. A NULL of text or raw is a record without a value; ``csv``
        separated values, as Spark writes them; ``json`` a JSON object; ``text`` one STRING column; ``raw`` one
        BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags and fields by their names,
        docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file
        describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param bind: true: peers connect to this socket. Without keys, everybody who reaches the port can; default false
    :param topic: The topic. `{device}` in it is what the column `device` has; default: none
    :param topic_by: In its place, the topic of each row. A row with NULL is a bad record; default: `topic`
    :param when_full: Of `pub`: what happens when the queue of a subscriber is full (`high_water_mark`); default
        "drop"; ``drop`` that one misses the message, and a warning counts it; ``wait`` all wait for it
    :param value: The columns that make the value. The others may still be read by the fields above; default: all
    :param options: Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused;
        default: none
    :param registry: The registry that has the schema of the records; default: none
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param retry_for_ms: How long the job waits while no peer takes a message; then it fails; default 120000
    :param linger_ms: How long a job that ends, stops or fails waits for its peers to take what is in their queues.
        What they have not taken then is lost, and a warning says so. 0: it does not wait, and tells of nothing;
        default 10000
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param high_water_mark: How many messages ZeroMQ keeps for each peer. Their bytes are not known: 1 KB for each
        is counted as the operator's state; default 1000
    :param server_key: The public key of the peer that is bound, 40 characters of Z85: messages are encrypted
        (CURVE), and go to no other peer; default: no keys
    :param client_keys: With `bind`, the public keys of the peers that may come; default: all that know this
        socket's public key
    :param secret_key_env: The variable of the resource's environment that holds this socket's own secret key. With
        `bind` it alone makes the socket one with keys; default: no keys
    :param secret_key_file: The file on the resource's machine that holds it; default: no keys
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "zeromq_sink"

    def __init__(
        self, id: str, /, *,
        endpoint: str,
        socket: Literal["push", "pub"] | Param,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        bind: bool | Param | Unset = UNSET,
        topic: str | Unset = UNSET,
        topic_by: Expression | Unset = UNSET,
        when_full: Literal["drop", "wait"] | Param | Unset = UNSET,
        value: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        linger_ms: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        high_water_mark: int | Param | Unset = UNSET,
        server_key: str | Unset = UNSET,
        client_keys: str | Sequence[str] | Unset = UNSET,
        secret_key_env: str | Unset = UNSET,
        secret_key_file: str | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, endpoint=endpoint, bind=bind, socket=socket, topic=topic, topic_by=topic_by,
            when_full=when_full, value=listed(value), format=format, options=texts(options), registry=registry,
            delivery=delivery, spool_bytes=spool_bytes, retry_for_ms=retry_for_ms, linger_ms=linger_ms, mode=mode,
            high_water_mark=high_water_mark, server_key=server_key, client_keys=listed(client_keys),
            secret_key_env=secret_key_env, secret_key_file=secret_key_file, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class RedisSource(Operator):
    """
    Reads streams of Redis; docs/redis.md says more. Its client comes with `pip install 'despina[redis]'`. It needs
    no group, and leaves nothing at the server. The id of the last entry of each stream is in the job's snapshots,
    so that each entry is taken once. Where it begins is turned into an id when the job first starts. A stream that
    is not there yet is waited for. A stream has one order, so one instance reads it: `parallelism` is 1. While the
    graph is busy, nothing is read. While the server is away, it waits. `reason` of a bad record names its stream
    and id: `readings@1700000000000-0`.

    :param server: The server: `redis://host:6379`, with `/1` behind it for the database 1; `rediss://host:6379` for
        TLS. No user and no password belong here
    :param streams: The keys of the streams
    :param format: How a record's value is written; ``csv`` separated values, Spark's rules; ``json`` a JSON object,
        or an array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param field: Which field of an entry has the record; default "value"
    :param start: Where a job begins that does not go on from a state folder; default {"type": "earliest"}
    :param stop_at: Whether it ends; default "never"; ``never`` it waits for more; ``end`` it ends when it has read
        to where the streams ended when it was started
    :param on_gap: What it does when a stream was trimmed past the place where it is to go on. A server before 7.0
        does not tell; default "fail"; ``fail`` the job fails, and says which ids; ``skip`` it goes on behind the
        gap, and warns
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record's value, as Spark DDL. Each may be NULL. A column may have a default, a
        literal: `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in
        json records that leave it out; one that is null stays NULL; default: `value STRING` for text, `value
        BINARY` for raw; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param registry: The registry that has the schemas of the records; default: none
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `stream`, STRING: the stream's name. `id`, STRING: the entry's id in its stream: `1700000000000-0`.
        `time`, TIMESTAMP: the instant in its id: when the server got it, unless who added it chose the id. It may
        be the event time. `fields`, ARRAY<STRUCT<key: STRING NOT NULL, value: BINARY>>: its other fields; default:
        none
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Three times this is counted
        as the source's state: the library reads ahead; default 8388608
    :param connect_ms: How long the job waits at its start for the server to answer; then it fails. Later it waits
        longer; default 5000
    :param retry_for_ms: How long it tries again when a server that has let it in refuses its login, as one that
        begins anew may; then the job fails. For one that does not answer it waits as long as it takes; default
        120000
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "redis_source"

    def __init__(
        self, id: str, /, *,
        server: str,
        streams: str | Sequence[str],
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        field: str | Unset = UNSET,
        start: Start | Unset = UNSET,
        stop_at: Literal["never", "end"] | Param | Unset = UNSET,
        on_gap: Literal["fail", "skip"] | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, server=server, streams=listed(streams), field=field, start=start, stop_at=stop_at,
            on_gap=on_gap, format=format, options=texts(options), schema=schema, timestamp_unit=timestamp_unit,
            registry=registry, metadata=texts(metadata), max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes,
            connect_ms=connect_ms, retry_for_ms=retry_for_ms, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, tls=tls, event_time=event_time, accept=accept, parallelism=parallelism,
            on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class RedisSink(Operator):
    """
    Adds each row to a stream of Redis; docs/redis.md says more. Its client comes with `pip install
    'despina[redis]'`. In a job that keeps its state, rows wait in a log until their epoch is complete. Then they
    are written in pieces of some rows, each at once with a mark that says how far the epoch is. So each row is
    there once, as long as the server keeps what it acknowledges. With `delivery` at_least_once, and in a job
    without state, rows are written at once. Entries of one instance are in order. A row whose key is no stream goes
    to `on_error`; so does one without a value and fields. A server that is slow, full, or away for less than
    `retry_for_ms`, slows the job.

    :param server: The server: `redis://host:6379`, with `/1` behind it for the database 1; `rediss://host:6379` for
        TLS. No user and no password belong here
    :param format: How a record's value is written. A NULL of text or raw is a record without a value; ``csv``
        separated values, as Spark writes them; ``json`` a JSON object; ``text`` one STRING column; ``raw`` one
        BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags and fields by their names,
        docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file
        describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param stream: The key of the stream. `{device}` in it is what the column `device` has. It is made if it is not
        there; default: `stream_by`
    :param stream_by: In its place, the stream of each row. A row with NULL is a bad record; default: `stream`
    :param field: Which field of an entry has the record; default "value"
    :param fields: More fields of each entry, each STRING or BINARY. A NULL is left out; default: none
    :param value: The columns that make the value. The others may still be read by the fields above; default: all
    :param options: Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused;
        default: none
    :param registry: The registry that has the schema of the records; default: none
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param max_length: How many entries a stream keeps, roughly: older ones are dropped (`MAXLEN ~`); default: none
    :param markers: With what the keys for marks of epochs begin; default "despina_epochs"
    :param retry_for_ms: How long the server may take nothing; then the job fails; default 120000
    :param buffer_bytes: How much may be on its way to the server. It is counted as the sink's state; default
        8388608
    :param connect_ms: How long the job waits at its start for the server to answer; then it fails. Later it waits
        longer; default 5000
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param tls: The files for TLS; `{}` for TLS without any; default: no TLS
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "redis_sink"

    def __init__(
        self, id: str, /, *,
        server: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        stream: str | Unset = UNSET,
        stream_by: Expression | Unset = UNSET,
        field: str | Unset = UNSET,
        fields: Mapping[str, Expression] | Unset = UNSET,
        value: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        registry: Registry | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        max_length: int | Param | Unset = UNSET,
        markers: str | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, server=server, stream=stream, stream_by=stream_by, field=field, fields=fields,
            value=listed(value), format=format, options=texts(options), registry=registry, delivery=delivery,
            spool_bytes=spool_bytes, max_length=max_length, markers=markers, retry_for_ms=retry_for_ms,
            buffer_bytes=buffer_bytes, connect_ms=connect_ms, mode=mode, user=user, user_env=user_env,
            password_env=password_env, password_file=password_file, tls=tls, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class OpcuaSource(Operator):
    """
    Watches nodes of an OPC UA server: each change is a row; docs/opcua.md says more. Its client comes with `pip
    install 'despina[opcua]'`. When it begins, the value that each node has comes first. Then come changes, as many
    as the server notices (`sampling_ms`), in a row for each node. A connection that breaks loses nothing for
    `keep_ms`: the source takes its subscription over, and asks for messages again that it has not got. What the
    server could not keep is told and counted. What changes while the job is away is lost, but for what the server
    has in its `history`. In a job that keeps its state, what has come is on the disk. While the graph is busy,
    nothing is asked for, and values wait in the server's queues (`queue_size`). A value with a bad status is a row
    too, mostly of NULL: `"metadata": {"good": "good"}` tells them apart. `reason` of a bad record names its node.
    The source ends when the job is stopped.

    :param server: Where it is: `opc.tcp://host:4840/path`; without a port 4840. No user and no password belong here
    :param nodes: Ids (`ns=2;s=Pump.Speed`, or with the namespace's own name `nsu=urn:plant;s=Pump.Speed`, which
        stays when numbers change), and paths of browse names from the Objects folder:
        `/Plant/{line}/*/Temperature`. In a path `*` is any characters of a level, `**` any number of levels, and
        `{line}` a level, which becomes the column `line`, a STRING behind all others. A path means all variables
        there
    :param doc: For people. Drawings show it; default: none
    :param schema: One column, for the values. STRING takes values of any kind, as JSON but for texts; ARRAY<…>
        arrays, BINARY byte strings. A value of another kind is a bad record; default: `value DOUBLE`
    :param metadata: What is beside the value, and the column that each becomes, behind those of the value, in this
        order: `node`, STRING: the id of its node, as `nodes` has it, or as the server does. `path`, STRING: the
        path by which its node was found; NULL for one that is named by its id. `status`, STRING: the name of its
        status code: `Good`, `Bad_SensorFailure`. `good`, BOOLEAN: whether the status is good. `time`, TIMESTAMP:
        when it was measured: `source_time`, else `server_time`, else `arrived`. It may be the event time.
        `source_time`, TIMESTAMP: the time that the device gave it. `server_time`, TIMESTAMP: the time at which the
        server had it. `arrived`, TIMESTAMP: when it came, by the clock of the source's machine. `overflow`,
        BOOLEAN: whether the server has dropped values before it, for the node's queue was full; default: none
    :param sampling_ms: How often the server looks at a node. 0 is as often as it can; default: as `publish_ms`
    :param publish_ms: How often it sends what has changed; default 500
    :param queue_size: How many values of a node wait at the server. When there are more, it drops the oldest;
        default 100
    :param trigger: What is a change; default "value"; ``value`` another value or status; ``time`` another time of
        the source, too: a device that measures the same again
    :param deadband: Numbers that differ from the last one by no more are not sent. All nodes must be numbers;
        default: none
    :param deadband_percent: The same, in percent of the range that the node names (EURange); default: none
    :param keep_ms: How long the server keeps the subscription while nobody asks: as long as a break, or a busy
        graph, may last. Servers may allow less, which is told; default 120000
    :param history: Whether what is missed is read from the server's history, of all nodes in the order of time:
        while a job that keeps its state is away, and when the server has ended the subscription. Nodes without a
        history are told at the start; default false
    :param history_from: With `history`: the instant from which on all is read that the server has:
        `2026-11-28T18:00:00Z`. A job that goes on from its state does so of nodes of which it has had nothing;
        default: the first value that comes
    :param history_to: With `history_from`: the instant before which the values were measured. The source ends
        there; default: it goes on with what changes
    :param browse_ms: How often it looks for nodes that have come since; default 60000
    :param security: The security policy. The last two need a certificate of the source's own, and one to believe
        (`tls`); default "none"; ``none`` everybody can read and change what is sent; ``basic256sha256``
        Basic256Sha256; ``aes128_sha256_rsaoaep`` Aes128_Sha256_RsaOaep
    :param security_mode: What the policy is used for; default "sign_and_encrypt"; ``sign_and_encrypt`` nobody else
        can read it, or change it; ``sign`` nobody else can change it
    :param tls: The files; default: none
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is asked for. Twice this is counted as
        the source's state; default 8388608
    :param spool_bytes: Of a job that keeps its state: how much of what has come, and is in no complete epoch, may
        be on the disk. Beyond it, nothing more is taken; default 1073741824
    :param connect_ms: How long the job waits at its start for a server that is not there, and for each answer. Then
        it fails; once it has been in touch, it waits longer; default 5000
    :param retry_for_ms: How long it tries again when a server that has let it in refuses its login, as one that
        begins anew may; then the job fails. For one that does not answer it waits as long as it takes; default
        120000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "opcua_source"

    def __init__(
        self, id: str, /, *,
        server: str,
        nodes: str | Sequence[str],
        doc: str | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        metadata: Mapping[str, str | bool | float] | Unset = UNSET,
        sampling_ms: int | Param | Unset = UNSET,
        publish_ms: int | Param | Unset = UNSET,
        queue_size: int | Param | Unset = UNSET,
        trigger: Literal["value", "time"] | Param | Unset = UNSET,
        deadband: float | Param | Unset = UNSET,
        deadband_percent: float | Param | Unset = UNSET,
        keep_ms: int | Param | Unset = UNSET,
        history: bool | Param | Unset = UNSET,
        history_from: str | Unset = UNSET,
        history_to: str | Unset = UNSET,
        browse_ms: int | Param | Unset = UNSET,
        security: Literal["none", "basic256sha256", "aes128_sha256_rsaoaep"] | Param | Unset = UNSET,
        security_mode: Literal["sign_and_encrypt", "sign"] | Param | Unset = UNSET,
        tls: Tls | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        connect_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, server=server, nodes=listed(nodes), schema=schema, metadata=texts(metadata),
            sampling_ms=sampling_ms, publish_ms=publish_ms, queue_size=queue_size, trigger=trigger, deadband=deadband,
            deadband_percent=deadband_percent, keep_ms=keep_ms, history=history, history_from=history_from,
            history_to=history_to, browse_ms=browse_ms, security=security, security_mode=security_mode, tls=tls,
            user=user, user_env=user_env, password_env=password_env, password_file=password_file,
            max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, spool_bytes=spool_bytes,
            connect_ms=connect_ms, retry_for_ms=retry_for_ms, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class DeltaSource(Operator):
    """
    Reads rows of a Delta table, in a folder of this machine or in a store; docs/delta.md says more. Its library
    comes with `pip install 'despina[delta]'`. It reads one version, whole, and ends. With `follow` it does not end:
    it goes on with the rows that later versions add. The version and the place in its files are in the job's
    snapshots, so each row is taken once. Rows come version by version, and within one file by file, the oldest
    first. One instance reads: `parallelism` is 1. Deletion vectors are heeded, and columns that are renamed by
    `name` are found. A table that its library cannot read is refused in words.

    :param path: The table's folder, of this machine or of a store: `s3a://bucket/folder`
    :param schema: The columns to read, as Spark DDL. They are found by their names, in upper or lower case, and
        must have these types. Each may be NULL
    :param doc: For people. Drawings show it; default: none
    :param version: Which version is read first; default: the newest when the job first starts
    :param follow: true: the source does not end, and reads what later versions add; default false
    :param only_new: With `follow`: true: rows of the first version itself are left out; default false
    :param on_change: With `follow`: what it does about a version that removes or changes rows of earlier ones, by
        DELETE, UPDATE, MERGE or an overwriting writer. One that only writes the same rows into other files, as
        OPTIMIZE does, has nothing to read; default "fail"; ``fail`` the job fails, and says which version; ``skip``
        the version is passed over, with rows that it adds, and a line on standard error says so
    :param poll_ms: With `follow`: how long it waits before it looks for a version; default 1000
    :param retry_for_ms: How long it tries again while the table cannot be read; then the job fails; default 120000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "delta_source"

    def __init__(
        self, id: str, /, *,
        path: str | PathLike[str],
        schema: str | StructType,
        doc: str | Unset = UNSET,
        version: int | Param | Unset = UNSET,
        follow: bool | Param | Unset = UNSET,
        only_new: bool | Param | Unset = UNSET,
        on_change: Literal["fail", "skip"] | Param | Unset = UNSET,
        poll_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, schema=schema, version=version, follow=follow, only_new=only_new,
            on_change=on_change, poll_ms=poll_ms, retry_for_ms=retry_for_ms, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class DeltaSink(Operator):
    """
    Appends rows to a Delta table, in a folder of this machine or in a store; docs/delta.md says more. Its library
    comes with `pip install 'despina[delta]'`. In a job that keeps its state, rows wait in a log until their epoch
    is complete. Then one version of the table takes them all in, with the epoch's number. So each row is there
    once. With `delivery` at_least_once rows are taken in at each epoch, and in a job without state each
    `roll_every_ms` and at its end. A table that is not there is made. One that is there has the stream's columns,
    of the same types; columns that it has besides are NULL. Others may write to it meanwhile.

    :param path: The table's folder, of this machine or of a store: `s3a://bucket/folder`
    :param doc: For people. Drawings show it; default: none
    :param partition_by: Columns by whose values a new table is partitioned. A table that is there must be
        partitioned in this way; default: none, or what the table has
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param roll_every_ms: In a job without state: how long rows wait until the table takes them in; default 60000
    :param retry_for_ms: How long it tries again while the table cannot be written to, or others always come first;
        then the job fails; default 120000
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "delta_sink"

    def __init__(
        self, id: str, /, *,
        path: str | PathLike[str],
        doc: str | Unset = UNSET,
        partition_by: str | Sequence[str] | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        roll_every_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, partition_by=listed(partition_by), delivery=delivery,
            spool_bytes=spool_bytes, roll_every_ms=roll_every_ms, retry_for_ms=retry_for_ms, mode=mode, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class RestCatalog(Variant):
    """
    A server that is asked over HTTP, by Iceberg's REST interface.

    :param url: `http://…` or `https://…`, up to what stands before `/v1`; without a user or a password
    :param table: The table, behind its namespace: `lake.readings`. The namespace must be there
    :param warehouse: What the server calls the catalog, where it has several; default: the server's own
    :param path: The folder of this machine below which the table's files lie. Files elsewhere, as in S3, need none;
        those of this machine are not touched without it; default: none
    :param user: Who logs in; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param token_env: The environment variable that holds a token, which goes into `Authorization: Bearer …`;
        default: no token
    :param token_file: In its place, the file that holds the token; default: no token
    :param oauth2: How a token is got; default: none
    :param trust: For `https`, certificates of the authorities that are believed, in PEM; default: the authorities
        that Java knows
    """

    TYPE: ClassVar[str] = "rest"

    def __init__(
        self, *,
        url: str,
        table: str,
        warehouse: str | Unset = UNSET,
        path: str | PathLike[str] | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        token_env: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        oauth2: Oauth2 | Unset = UNSET,
        trust: str | Unset = UNSET,
    ) -> None:
        super().__init__(url=url, table=table, warehouse=warehouse, path=path, user=user, user_env=user_env,
            password_env=password_env, password_file=password_file, token_env=token_env, token_file=token_file,
            oauth2=oauth2, trust=trust)


class JdbcCatalog(Variant):
    """
    Two tables of a database, `iceberg_tables` and `iceberg_namespace_properties`, as Iceberg's JDBC catalog and
    pyiceberg's `sql` have them. They must be there.

    :param url: Where it is, as the driver wants it: `jdbc:postgresql://127.0.0.1/plant`. No password belongs here
    :param driver: The full name of the driver's class: `org.postgresql.Driver`. Its jar is one of the user's:
        `--jar`, or a deployment that allows the class
    :param table: The table, behind its namespace: `lake.readings`. The namespace must be there
    :param name: What others call the catalog: the column `catalog_name`
    :param path: The folder, of this machine or as `s3a://bucket/lake`, in which tables are made. Files of this
        machine are touched below it alone
    :param user: Its user; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    """

    TYPE: ClassVar[str] = "jdbc"

    def __init__(
        self, *,
        url: str,
        driver: str,
        table: str,
        name: str,
        path: str | PathLike[str],
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
    ) -> None:
        super().__init__(url=url, driver=driver, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, table=table, name=name, path=path)


class IcebergSource(Operator):
    """
    Reads rows of an Iceberg table, in a folder of this machine or in a catalog; docs/iceberg.md says more. Its
    library comes with `pip install 'despina[iceberg]'`. It reads one snapshot, whole, and ends. With `follow` it
    does not end: it goes on with the rows that later snapshots add. The snapshot's number and the place in its
    files are in the job's snapshots, so each row is taken once. Rows come snapshot by snapshot, and within one file
    by file, the oldest first. One instance reads: `parallelism` is 1. Columns are found by the ids that the table
    has for them, so one that is renamed is found in older files. A table that cannot be read is refused in words.

    :param schema: The columns to read, as Spark DDL. They are found by their names, in upper or lower case, and
        must have these types. Each may be NULL
    :param doc: For people. Drawings show it; default: none
    :param path: The table's folder; default: `catalog`
    :param catalog: The catalog that knows the table, in place of a folder; default: `path`
    :param snapshot_id: Which snapshot is read first; default: the newest when the job first starts
    :param follow: true: the source does not end, and reads what later versions add; default false
    :param only_new: With `follow`: true: rows of the first version itself are left out; default false
    :param on_change: With `follow`: what it does about a version that removes or changes rows of earlier ones, by
        DELETE, UPDATE, MERGE or an overwriting writer. One that only writes the same rows into other files, as
        OPTIMIZE does, has nothing to read; default "fail"; ``fail`` the job fails, and says which version; ``skip``
        the version is passed over, with rows that it adds, and a line on standard error says so
    :param poll_ms: With `follow`: how long it waits before it looks for a version; default 1000
    :param retry_for_ms: How long it tries again while the table cannot be read; then the job fails; default 120000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "iceberg_source"

    def __init__(
        self, id: str, /, *,
        schema: str | StructType,
        doc: str | Unset = UNSET,
        path: str | PathLike[str] | Unset = UNSET,
        catalog: Catalog | Unset = UNSET,
        snapshot_id: int | Param | Unset = UNSET,
        follow: bool | Param | Unset = UNSET,
        only_new: bool | Param | Unset = UNSET,
        on_change: Literal["fail", "skip"] | Param | Unset = UNSET,
        poll_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, catalog=catalog, schema=schema, snapshot_id=snapshot_id, follow=follow,
            only_new=only_new, on_change=on_change, poll_ms=poll_ms, retry_for_ms=retry_for_ms, event_time=event_time,
            accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class IcebergSink(Operator):
    """
    Writes rows to an Iceberg table, in a folder of this machine or in a catalog; docs/iceberg.md says more. Its
    library comes with `pip install 'despina[iceberg]'`. In a job that keeps its state, rows wait in a log until
    their epoch is complete. Then one snapshot of the table takes them all in, and a property of the table has the
    epoch's number. So each row is there once. With `delivery` at_least_once rows are taken in at each epoch, and in
    a job without state each `roll_every_ms` and at its end. A table that is not there is made. One that is there
    has the stream's columns, of the same types; columns that it has besides are NULL. A folder is laid out as
    Iceberg's Hadoop catalog does it.

    :param doc: For people. Drawings show it; default: none
    :param path: The table's folder; default: `catalog`
    :param catalog: The catalog that knows the table, in place of a folder; default: `path`
    :param partition_by: Columns by whose values a new table is partitioned, or what is made of them: `day(ts)`,
        `hour(ts)`, `month(ts)`, `year(ts)`, `bucket(16, id)`, `truncate(4, name)`. A table that is there must be
        partitioned in this way; default: none, or what the table has
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param roll_every_ms: In a job without state: how long rows wait until the table takes them in; default 60000
    :param retry_for_ms: How long it tries again while the table cannot be written to, or others always come first;
        then the job fails; default 120000
    :param mode: What becomes of earlier rows with the same key. Rows with the same `keys` go to one instance, in
        order; default "append"; ``append`` each row is added, and stays; ``upsert`` a row takes the place of the
        one with the same `keys`; ``changelog`` refused
    :param keys: The columns that say which row it is. Those by which the table is partitioned are among them. A row
        with NULL in one is a bad record; default: none, for `append` only
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "iceberg_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        path: str | PathLike[str] | Unset = UNSET,
        catalog: Catalog | Unset = UNSET,
        partition_by: str | Sequence[str] | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        roll_every_ms: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        keys: str | Sequence[str] | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, path=path, catalog=catalog, partition_by=listed(partition_by), delivery=delivery,
            spool_bytes=spool_bytes, roll_every_ms=roll_every_ms, retry_for_ms=retry_for_ms, mode=mode,
            keys=listed(keys), accept=accept, parallelism=parallelism, most_instances=most_instances, on_error=on_error,
            schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ConnectorSource(Operator):
    """
    Reads records by a connector of yours, whose jar you have built against the engine's: examples/connector shows
    one. Its server must give records again from a place that it numbers. The connector's `PositionReader` says
    which partitions there are. Their positions are in the job's snapshots, so that each record is taken once. While
    the graph is busy, the reader is told that there is no room. `reason` of a bad record names its place, as the
    connector calls it.

    :param connector: The connector's name: its jar is `despina-NAME.jar`, beside the engine's jar on each machine
        that runs the operator, or in a folder of the Java property `despina.connectors`. A graph can name no jar
        that its machine's owner has not put there
    :param format: How a record's value is written; ``csv`` separated values, Spark's rules; ``json`` a JSON object,
        or an array of them; ``text`` one column: `value STRING`; ``raw`` one column, the bytes as they are: `value
        BINARY`; ``influx`` InfluxDB's line protocol: tags and fields by their names, docs/sockets.md; ``avro``
        Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file describes,
        docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param settings: What the connector wants to know, as it says itself; default: none
    :param secrets_env: Settings that are secrets: the environment variable that holds each, in the process that
        hosts the operator; default: none
    :param stop_at: Whether it ends. The connector is told; default "never"; ``never`` it waits for more; ``end`` it
        ends when the connector says that each of its partitions has ended
    :param options: Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused;
        default: none
    :param schema: The columns of a record's value, as Spark DDL. Each may be NULL. A column may have a default, a
        literal: `celsius DOUBLE DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in
        json records that leave it out; one that is null stays NULL; default: `value STRING` for text, `value
        BINARY` for raw; else required
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param max_record_bytes: A longer value is a bad record; default 1048576
    :param buffer_bytes: How much may wait for the source: beyond it, nothing is read. Three times this is counted
        as the source's state: the library reads ahead; default 8388608
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "connector_source"

    def __init__(
        self, id: str, /, *,
        connector: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        settings: Mapping[str, str | bool | float] | Unset = UNSET,
        secrets_env: Mapping[str, str | bool | float] | Unset = UNSET,
        stop_at: Literal["never", "end"] | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        max_record_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, connector=connector, settings=texts(settings), secrets_env=texts(secrets_env),
            stop_at=stop_at, format=format, options=texts(options), schema=schema, timestamp_unit=timestamp_unit,
            max_record_bytes=max_record_bytes, buffer_bytes=buffer_bytes, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ConnectorSink(Operator):
    """
    Writes each row as a record by a connector of yours, whose jar you have built against the engine's:
    examples/connector shows one. In a job that keeps its state, rows wait in a log until their epoch is complete
    (`delivery`). After a loss those that were on their way are written again; the connector's `RecordWriter` is
    told the epoch, so that it can give its server the same names for them. A record that the connector refuses goes
    to `on_error`.

    :param connector: The connector's name: its jar is `despina-NAME.jar`, beside the engine's jar on each machine
        that runs the operator, or in a folder of the Java property `despina.connectors`. A graph can name no jar
        that its machine's owner has not put there
    :param format: How a record's value is written. A NULL of text or raw is a record without a value; ``csv``
        separated values, as Spark writes them; ``json`` a JSON object; ``text`` one STRING column; ``raw`` one
        BINARY column, as it is; ``influx`` InfluxDB's line protocol: tags and fields by their names,
        docs/sockets.md; ``avro`` Avro's binary form, docs/formats.md; ``protobuf`` messages that a descriptor file
        describes, docs/formats.md; ``xml`` elements, Spark's rules, docs/formats.md
    :param doc: For people. Drawings show it; default: none
    :param settings: What the connector wants to know, as it says itself; default: none
    :param secrets_env: Settings that are secrets: the environment variable that holds each, in the process that
        hosts the operator; default: none
    :param target: Where each row goes, STRING: a topic, say. A row with NULL is a bad record; default: none
    :param key: The record's key, STRING or BINARY; default: none
    :param value: The columns that make the value. The others may still be read by the fields above; default: all
    :param options: Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused;
        default: none
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param buffer_bytes: How much the connector may have on its way. It is counted as the sink's state; default
        8388608
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "connector_sink"

    def __init__(
        self, id: str, /, *,
        connector: str,
        format: Literal["csv", "json", "text", "raw", "influx", "avro", "protobuf", "xml"] | Param,
        doc: str | Unset = UNSET,
        settings: Mapping[str, str | bool | float] | Unset = UNSET,
        secrets_env: Mapping[str, str | bool | float] | Unset = UNSET,
        target: Expression | Unset = UNSET,
        key: Expression | Unset = UNSET,
        value: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        buffer_bytes: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, connector=connector, settings=texts(settings), secrets_env=texts(secrets_env),
            target=target, key=key, value=listed(value), format=format, options=texts(options), delivery=delivery,
            spool_bytes=spool_bytes, buffer_bytes=buffer_bytes, mode=mode, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class JobSource(Operator):
    """
    Brings the rows of a sink of another running job, which keeps them for it: `despina run --spool SINK --job-file
    FILE`, or `despina submit --spool SINK` (docs/between-jobs.md). A job that is not there yet, or not any more, is
    awaited; the user is told. It ends when the other job's rows have ended. The other job ends when they are all
    taken. Instance k reads instance k of the sink, so both have the same `parallelism`.

    :param job: The other job's file, as `despina run --job-file FILE` and `job.file(path)` write it, on the machine
        of this operator; with `service` the name of a job there. It need not be there yet
    :param schema: The columns of its rows, as Spark DDL: those that `despina check` shows of the other graph, in
        any order
    :param doc: For people. Drawings show it; default: none
    :param service: The address of a service on the machine of this operator, as `http://127.0.0.1:7600`; default:
        `job` is a file
    :param token_file: The file with a token of the role `admin`, which `service` wants. Its owner alone may read
        it; default: none
    :param output: The sink's id in the other graph; default: the only sink that is kept
    :param on_restart: When the other job has begun anew, without its state, its rows are others; default "refuse";
        ``refuse`` the job fails; ``begin`` it goes on with the first of the others
    :param secret_file: The file that has the other job's secret, in place of what its job file says; default: as
        the job file says
    :param tls: The folder of the files for TLS, in place of what the job file says; default: as the job file says
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "job_source"

    def __init__(
        self, id: str, /, *,
        job: str,
        schema: str | StructType,
        doc: str | Unset = UNSET,
        service: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        output: str | Unset = UNSET,
        on_restart: Literal["refuse", "begin"] | Param | Unset = UNSET,
        secret_file: str | Unset = UNSET,
        tls: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, job=job, service=service, token_file=token_file, output=output, schema=schema,
            on_restart=on_restart, secret_file=secret_file, tls=tls, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class JobSink(Operator):
    """
    Gives each row to a `spark_source` of another running job (docs/between-jobs.md). A job that is not there yet,
    or not any more, is awaited; the user is told. While it is behind, this one waits. In a job that keeps its
    state, rows wait in a log until their epoch is complete (`delivery`). If the other job keeps its state too, it
    has each row once. When all instances have ended, the other job's input ends. A job that is stopped ends
    nothing.

    :param job: The other job's file, as `despina run --job-file FILE` and `job.file(path)` write it, on the machine
        of this operator; with `service` the name of a job there. It need not be there yet
    :param doc: For people. Drawings show it; default: none
    :param service: The address of a service on the machine of this operator, as `http://127.0.0.1:7600`; default:
        `job` is a file
    :param token_file: The file with a token of the role `admin`, which `service` wants. Its owner alone may read
        it; default: none
    :param input: The source's id in the other graph, whose columns have the names and types of the rows, in any
        order; default: the only one
    :param ends_input: false: others give rows to that source too, and it goes on; default true
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param secret_file: The file that has the other job's secret, in place of what its job file says; default: as
        the job file says
    :param tls: The folder of the files for TLS, in place of what the job file says; default: as the job file says
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "job_sink"

    def __init__(
        self, id: str, /, *,
        job: str,
        doc: str | Unset = UNSET,
        service: str | Unset = UNSET,
        token_file: str | Unset = UNSET,
        input: str | Unset = UNSET,
        ends_input: bool | Param | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        secret_file: str | Unset = UNSET,
        tls: str | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, job=job, service=service, token_file=token_file, input=input,
            ends_input=ends_input, delivery=delivery, spool_bytes=spool_bytes, secret_file=secret_file, tls=tls,
            mode=mode, accept=accept, parallelism=parallelism, most_instances=most_instances, on_error=on_error,
            schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class JdbcSource(Operator):
    """
    Reads rows of a table of a database, or of a query, over JDBC; docs/databases.md says more. One instance reads,
    by a cursor, so that few rows are in memory. With `column` rows come in its order, and its last value is the
    source's place. A job that keeps its state goes on behind it, and so does a source whose connection breaks. Rows
    with equal values come once each. A row with NULL there is a bad record; such rows that come later are not seen.
    Without `column` the rows come as the database gives them, once. With `follow` the source does not end: it asks
    again each `poll_ms` for rows behind its place.

    :param url: Where it is, as the driver wants it: `jdbc:postgresql://127.0.0.1/plant`. No password belongs here
    :param driver: The full name of the driver's class: `org.postgresql.Driver`. Its jar is one of the user's:
        `--jar`, or a deployment that allows the class
    :param schema: The columns to read, as Spark DDL; of simple types. They are found by their names, in upper or
        lower case. Each may be NULL
    :param doc: For people. Drawings show it; default: none
    :param user: Its user; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param table: The table, with its schema where it needs one: `plant.readings`; default: `query`
    :param query: In its place, one SELECT in the words of the database; default: `table`
    :param column: A column of the schema whose values rise from row to row: a whole number, a decimal up to 18
        digits, or a time. The table should have an index of it; default: none
    :param follow: true: the source does not end. It needs `column`; default false
    :param poll_ms: With `follow`: how long it waits before it asks again; default 1000
    :param settle_ms: With `follow`, for a `column` that is a time: rows are read when they are so old, by the
        server's clock. A transaction that ends later than others that began behind it does not lose its rows then,
        if it takes no longer than this. 0: at once; default: 1000 for a time, else 0
    :param fetch_rows: How many rows the driver fetches at once; default 1000
    :param retry_for_ms: How long it tries again while its peer is away or fails; then the job fails. It waits 25 to
        50 ms at first, twice as long each time, at most 10 s; default 10000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "jdbc_source"

    def __init__(
        self, id: str, /, *,
        url: str,
        driver: str,
        schema: str | StructType,
        doc: str | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        table: str | Unset = UNSET,
        query: str | Unset = UNSET,
        column: str | Unset = UNSET,
        follow: bool | Param | Unset = UNSET,
        poll_ms: int | Param | Unset = UNSET,
        settle_ms: int | Param | Unset = UNSET,
        fetch_rows: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, url=url, driver=driver, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, table=table, query=query, schema=schema, column=column, follow=follow,
            poll_ms=poll_ms, settle_ms=settle_ms, fetch_rows=fetch_rows, retry_for_ms=retry_for_ms,
            event_time=event_time, accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class JdbcSink(Operator):
    """
    Writes rows into a table of a database, over JDBC; docs/databases.md says more. In a job that keeps its state,
    rows wait in a log until their epoch is complete (`delivery`). Then all rows of the epoch are written in one
    transaction, with the epoch's number in `epochs_table`. If nobody knows whether a transaction has ended, the
    sink asks there. So each row comes exactly once. Otherwise rows that have gathered are written in a transaction,
    and may come twice after a failure. A row that the database does not take goes to `on_error`, with the
    database's words; the others of its transaction are stored. A number that does not fit its column is such a row.
    A broken connection, a deadlock or a full disk passes: the sink tries again for `retry_for_ms`. The table must
    be there, with a column for each of the stream's. Missing names and types that do not fit are errors at the
    start. Each instance has a connection of its own. With PostgreSQL's driver, rows that are appended go by COPY.

    :param url: Where it is, as the driver wants it: `jdbc:postgresql://127.0.0.1/plant`. No password belongs here
    :param driver: The full name of the driver's class: `org.postgresql.Driver`. Its jar is one of the user's:
        `--jar`, or a deployment that allows the class
    :param table: The table, with its schema where it needs one: `plant.readings`
    :param doc: For people. Drawings show it; default: none
    :param user: Its user; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param columns: The stream's columns to write. Each goes into the column of its name, in upper or lower case.
        Other columns of the table get their defaults; default: all of the stream
    :param mode: What a packet does. Packets with the same `keys` go to one instance, in order. PostgreSQL and
        SQLite do it by ON CONFLICT, MySQL by ON DUPLICATE KEY, others by MERGE; default "append"; ``append`` each
        packet is a row more; ``upsert`` a packet takes the place of the row with the same `keys`; ``changelog``
        column `op` says what a packet does to the row of its `keys`: `insert` and `update` put it there, `delete`
        removes it; any other value is a bad record. The table does not have that column
    :param keys: The columns that say which row it is; the table has a primary key or a unique index of just these.
        A packet with NULL in one is a bad record; default: none, for `append` only
    :param epochs_table: The table with the last epoch of each sink that keeps state. It is made if it is not there.
        A row of it belongs to an outbox, and may go when that has gone; default "despina_epochs"
    :param batch_rows: Rows are written when there are so many, or 1 MB of them. With `keys`, rows that wait for
        their epoch gather up to 8 MB; default 50000
    :param flush_after_ms: They are written when the first has waited so long, too. Of no effect where rows wait for
        their epoch; default 100
    :param delivery: When rows leave a job that keeps its state. Others send rows at once; default "by_epoch";
        ``by_epoch`` they leave when their epoch is complete; rows of an epoch that was not complete leave once,
        though the job had sent them to the sink twice; ``at_least_once`` they leave at once, and may leave twice
    :param spool_bytes: With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many
        bytes, the job waits too; default 1073741824
    :param retry_for_ms: How long it tries again while its peer is away or fails; then the job fails. It waits 25 to
        50 ms at first, twice as long each time, at most 10 s; default 10000
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "jdbc_sink"

    def __init__(
        self, id: str, /, *,
        url: str,
        driver: str,
        table: str,
        doc: str | Unset = UNSET,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        columns: str | Sequence[str] | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        keys: str | Sequence[str] | Unset = UNSET,
        epochs_table: str | Unset = UNSET,
        batch_rows: int | Param | Unset = UNSET,
        flush_after_ms: int | Param | Unset = UNSET,
        delivery: Literal["by_epoch", "at_least_once"] | Param | Unset = UNSET,
        spool_bytes: int | Param | Unset = UNSET,
        retry_for_ms: int | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, url=url, driver=driver, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, table=table, columns=listed(columns), mode=mode, keys=listed(keys),
            epochs_table=epochs_table, batch_rows=batch_rows, flush_after_ms=flush_after_ms, delivery=delivery,
            spool_bytes=spool_bytes, retry_for_ms=retry_for_ms, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class CollectSink(Operator):
    """
    Hands the packets to Python: `job.rows()`, `job.batches()`.

    :param doc: For people. Drawings show it; default: none
    :param mode: What the rows are. `upsert` and `changelog` are for the engine alone: on Spark packets have no
        order of arrival. With `upsert` and `changelog` the rows are those that are there at the end, in no order.
        The newest row of a key is the last to arrive at the sink; the operator `latest` uses event order instead.
        They are kept in memory, one for each key, and handed over when the input has ended. A job that is stopped
        before hands over none, so a stream without end is refused. Tests and `spark.read` see the packets that
        reach the sink; default "append"; ``append`` each packet is a row, handed over as it comes, or with a state
        folder when its epoch is complete; ``upsert`` a packet takes the place of the one before it with the same
        `keys`; ``changelog`` column `op` says what a packet does to the row of its `keys`: `insert` and `update`
        put it there, `delete` removes it; any other value is a bad record. The rows do not have that column
    :param keys: What makes rows the same: those for which these have the same values. NULL is a value; default:
        none, for `append` only
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "collect_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        keys: Expression | Sequence[Expression] | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, mode=mode, keys=listed(keys), accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ConsoleSink(Operator):
    """
    Prints the first 10,000 packets of each instance, and counts the others. It cuts values to 40 characters. On
    Spark it prints the first 1000, with whole values.

    :param doc: For people. Drawings show it; default: none
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "console_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, mode=mode, accept=accept, parallelism=parallelism, most_instances=most_instances,
            on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class DiscardSink(Operator):
    """
    Counts packets and drops them.

    :param doc: For people. Drawings show it; default: none
    :param verify: What is verified first. Where several instances shared packets out on their way, nothing is known
        of their sequence. What is verified is also timed packet by packet, by each one's `due`: the report's
        `packet_latency_ms`; default "none"; ``none`` nothing; ``sampled`` relay packets' sequence, and every 16th
        payload; ``all`` relay packets' sequence and payload
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "discard_sink"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        verify: Literal["none", "sampled", "all"] | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, verify=verify, mode=mode, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class SleepStep(Variant):
    """
    A sleep for each packet, and how long that lasts.

    :param for_ms: How long
    :param sleep_ms: The sleep
    """

    def __init__(
        self, *,
        for_ms: int | Param,
        sleep_ms: float | Param,
    ) -> None:
        super().__init__(for_ms=for_ms, sleep_ms=sleep_ms)


class Relay(Operator):
    """
    Passes packets on as they are. Its fields slow it down, for experiments.

    :param doc: For people. Drawings show it; default: none
    :param sleep_ms: How long it sleeps for each packet; default 0
    :param work_us: How long it is busy for each packet; default 0
    :param steps: Sleeps that change with time, in place of `sleep_ms`; the last one stays; default: none
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "relay"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        sleep_ms: float | Param | Unset = UNSET,
        work_us: float | Param | Unset = UNSET,
        steps: Sequence[SleepStep] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, sleep_ms=sleep_ms, work_us=work_us, steps=steps, event_time=event_time,
            accept=accept, parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Delay(Operator):
    """
    Passes packets on unchanged and in order, each some time after it came, by the wall clock. Watermarks are held
    back with them, so the delay makes no packet late. Packets that it holds count as memory of the resource, and
    are in its snapshots. After the end of the input, or a stop of the job, it still holds each packet until its
    time; packets that it holds when a stop's `drain_ms` have passed are dropped and counted as `held`. Spark passes
    rows on at once, since it does not know when a row came: the rows are equal.

    :param hold_ms: How long a packet is held
    :param doc: For people. Drawings show it; default: none
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "delay"

    def __init__(
        self, id: str, /, *,
        hold_ms: int | Param,
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, hold_ms=hold_ms, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Control(Operator):
    """
    Tells operators of its own graph what to do: each packet is a [command](../control.md). The columns are `command
    STRING`, `operator STRING` (NULL for all that know the command) and `argument STRING`; the last two may be
    missing, and others are not looked at. Each instance that answers gives a row `at TIMESTAMP, command STRING,
    operator STRING, instance INT, ok BOOLEAN, answer STRING`. So does a command that is refused, is not in `allow`,
    is NULL or none at all: `ok` is false, `answer` says why, and `instance` is NULL. One command is done after the
    other. At most 256 wait, of 4,000 characters each at most; more are answered with `ok` false. Commands that wait
    are in snapshots. After a restart, one that was under way is done again. When its input has ended, it gives what
    is still to be answered; a `sync` can then no longer pass it, and says so.

    :param doc: For people. Drawings show it; default: none
    :param allow: The commands that it may give; default: none
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "control"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        allow: Sequence[Literal["fire", "flush", "go", "hold", "reload", "set_schedule", "status", "sync", "tail"] |
            Param] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, allow=allow, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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
    Makes a row of expressions from each packet.

    :param select: `expr AS name`, a column, or `*`
    :param doc: For people. Drawings show it; default: none
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "project"

    def __init__(
        self, id: str, /, *,
        select: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, select=listed(select), event_time=event_time, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

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
    Packets for which a condition is true leave by `out`, the others by `rejected`.

    :param where: The condition; NULL counts as false
    :param doc: For people. Drawings show it; default: none
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "filter"

    def __init__(
        self, id: str, /, *,
        where: Expression,
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, where=where, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class Route(Operator):
    """
    Sends each packet to the ports whose conditions are true for it; a packet for which none is leaves by
    `otherwise`. A link names a case as its port: `"from": "by_heat.hot"`, in Python `by_heat.port("hot")`. Every
    case needs a link; packets at `otherwise` are dropped and counted if it has none.

    :param cases: Conditions by port, in the order in which they are asked; NULL counts as false
    :param doc: For people. Drawings show it; default: none
    :param match: How many cases may have a packet; default "first"; ``first`` a packet goes to the first case that
        is true for it, and no further condition is evaluated; ``all`` a packet goes to every case that is true for
        it
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "route"

    def __init__(
        self, id: str, /, *,
        cases: Mapping[str, Expression],
        doc: str | Unset = UNSET,
        match: Literal["first", "all"] | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, cases=cases, match=match, event_time=event_time, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def otherwise(self) -> Port:
        """The port ``otherwise``."""
        return self.port("otherwise")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Explode(Operator):
    """
    Makes a packet for each element of an array: the columns of the packet, then the element. An empty array and
    NULL give none.

    :param of: The array
    :param as_: What the column of the element is called
    :param doc: For people. Drawings show it; default: none
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "explode"

    def __init__(
        self, id: str, /, *,
        of: Expression,
        as_: str,
        doc: str | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, of=of, as_=as_, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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
    Makes one stream of several that have the same columns; link all of them to `in`. Their packets mix in no order,
    unless it is `ordered`.

    :param doc: For people. Drawings show it; default: none
    :param ordered: true: packets leave in event order, each when the watermarks of all streams have passed it. One
        instance does all. On Spark the rows are the same, and have no order; default false
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "union"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        ordered: bool | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, ordered=ordered, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class Approximate(Variant):
    """
    Keys are not kept, only bits of them (a Bloom filter). No duplicate leaves, but a few packets are dropped that
    are no duplicates. While no more keys are remembered than expected, at most so many of them are dropped: 2.2 %
    with 8 `bits_per_key`, 0.31 % with 12, 0.046 % with 16, 0.0067 % with 20, 0.001 % with 24. With `within_ms` it
    is eight times as many. With twice as many keys as expected and 16 bits it is 4 %. With `within_ms` a key is
    forgotten when its time has passed, or up to a seventh of it later. A packet that comes in between may be
    dropped. With time per key each clock has its own bits, for so many `keys`. It needs `by` and `keep` first. On
    the engine only: Spark would give other rows.

    :param keys: How many different keys are expected in all, or within `within_ms`
    :param bits_per_key: How much memory is taken, by all instances together: so many bits for each of the `keys`, a
        seventh more with `within_ms`, and a little more because keys are not shared out evenly; default 16
    """

    def __init__(
        self, *,
        keys: int | Param,
        bits_per_key: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(keys=keys, bits_per_key=bits_per_key)


class Deduplicate(Operator):
    """
    Of packets with the same key that come close together, keeps the first in event order, or the last. The others
    are dropped.

    :param doc: For people. Drawings show it; default: none
    :param by: The key: packets for which these have the same values are duplicates. Without it, one instance does
        all, and on Spark one partition; default: all packets have the same key
    :param within_ms: How long after the first packet of a key the others are duplicates. A packet that comes
        exactly so long after it begins anew, and is the first again. A key is forgotten when its time has passed.
        Without it every key is kept for as long as the job runs: memory grows with the number of keys; default: for
        ever
    :param keep: Which packet leaves. `last` needs `within_ms`; default "first"; ``first`` it leaves when the
        watermark has passed it; ``last`` it leaves when `within_ms` has passed since the first. The stream at `out`
        then has no event time: the watermark has passed it
    :param approximate: Takes a fixed memory for many keys, and drops a few packets too many; default: keys are
        compared in full
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "deduplicate"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        by: Expression | Sequence[Expression] | Unset = UNSET,
        within_ms: int | Param | Unset = UNSET,
        keep: Literal["first", "last"] | Param | Unset = UNSET,
        approximate: Approximate | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, by=listed(by), within_ms=within_ms, keep=keep, approximate=approximate,
            event_time=event_time, accept=accept, parallelism=parallelism, most_instances=most_instances,
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


class Changes(Operator):
    """
    A row where a value has changed, in event order: where it differs from the group's value in the row before. A
    group's first value is a change. A packet whose value is NULL gives no row and changes nothing; `coalesce(…)`
    makes a value of it.

    :param of: The value
    :param select: The row: `expr AS name`, a column, `previous`, or `*` for the packet's columns. `previous` is the
        value in the group's row before, NULL in its first one
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. Without it, one instance does
        all, and on Spark one partition; default: one group
    :param tolerance: How far a number may move without a row: it must be farther than this from `previous`. A slow
        drift gives a row too, once it is that far from the last row's value; default 0
    :param hysteresis: How far a number may move back without a row, so that one that swings about a border gives
        few: a move against the direction of the last one must be more. At least `tolerance`; default: `tolerance`
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "changes"

    def __init__(
        self, id: str, /, *,
        of: Expression,
        select: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        tolerance: float | Param | Unset = UNSET,
        hysteresis: float | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), of=of, tolerance=tolerance, hysteresis=hysteresis,
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class Absence(Operator):
    """
    A row for each group of which nothing came for a time: when the watermark, or the wall clock, has passed that
    moment. A group begins with its first packet, and is kept for as long as the job runs. When the input ends, time
    does too: each group that is not absent gives its row. A job that is stopped gives no such rows.

    :param within_ms: How long a group may be silent. A packet that comes exactly so long after the one before is in
        time. The packet that ends an absence leaves by port `back`, as it came
    :param select: The row: expressions over the columns of the group's last packet, `absence.since`, its time, and
        `absence.at`, the moment at which the row was due. That is the event time of the stream at `out`, if it is
        selected
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. Without it, one instance does
        all, and on Spark one partition; default: one group
    :param repeat_ms: After so long without a packet the row is given again, and so on. How far a group's last rows
        go depends on how far the other packets carry the watermark; at the end of the input none is repeated. By
        the wall clock each is given in time; of those missed while the job was down, the last one; default: never
    :param clock: What tells the time; default "event"; ``event`` event time: it goes as the watermark does;
        ``processing`` the wall clock of the resource. A packet has the time at which it is taken. Rows leave when
        the clock has come so far, whether packets come or not, and nothing is late. The stream needs no event time,
        and the one at `out` has none. When the input ends, what is open leaves at once; when the job is stopped, it
        does not. It has no form on Spark
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "absence"

    def __init__(
        self, id: str, /, *,
        within_ms: int | Param,
        select: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        repeat_ms: int | Param | Unset = UNSET,
        clock: Literal["event", "processing"] | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), within_ms=within_ms, repeat_ms=repeat_ms, clock=clock,
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def late(self) -> Port:
        """The port ``late``."""
        return self.port("late")

    @property
    def back(self) -> Port:
        """The port ``back``."""
        return self.port("back")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class PreviousFill(Variant):
    """The value of the last packet at or before the point."""

    TYPE: ClassVar[str] = "previous"

    def __init__(self) -> None:
        super().__init__()


class LinearFill(Variant):
    """
    On the line from the last packet at or before the point to the first after it, a DOUBLE. NULL if one of them has
    NULL, or if the group has ended between them.
    """

    TYPE: ClassVar[str] = "linear"

    def __init__(self) -> None:
        super().__init__()


class NullFill(Variant):
    """The value of the packet at the point; NULL if there is none."""

    TYPE: ClassVar[str] = "null"

    def __init__(self) -> None:
        super().__init__()


class ExpressionFill(Variant):
    """
    Any other value.

    :param of: Over the columns of the last packet at or before the point, those of the first after it
        (`next.column`), `point.at`, the point, and `point.exact`, whether a packet is at it. There `next` is that
        packet too. Where the group has ended before its next packet, `next.column` is NULL. `max_gap_ms` does not
        touch it
    """

    TYPE: ClassVar[str] = "expression"

    def __init__(
        self, *,
        of: Expression,
    ) -> None:
        super().__init__(of=of)


class Resample(Operator):
    """
    A row for each group at points of equal distance: from the first point at or after its first packet to the last
    one at or before its last packet. Of packets with the same time the last one counts. Its columns are the event
    time, `group_by`, and those of `fill`. The rows between two packets leave when the watermark has passed the
    second, so the stream at `out` has no event time: the watermark may have passed it. A group is kept while the
    job runs. With `ends_after_ms` groups end and are forgotten, and the stream at `out` has event time.

    :param every_ms: From one point to the next
    :param fill: The columns, and what each holds at a point
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. `expr AS name` gives one a
        name. Without it, one instance does all, and on Spark one partition; default: one group
    :param offset_ms: Moves the points. Without it they are multiples of `every_ms` since 1970-01-01T00:00Z; default
        0
    :param max_gap_ms: `previous` is NULL where the last packet is older than this, `linear` where the two packets
        are farther apart; default: none
    :param ends_after_ms: A group without a packet for this long ends: its points go on for so long after its last
        packet, at the end of the input too, and begin anew with its next packet. One that comes exactly so long
        after the one before is in time. If no fill is `linear` or names `next`, a row leaves as the watermark
        passes its point. Else rows wait for the next packet or the end of their group, and the watermark behind is
        less by so much; default: never
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "resample"

    def __init__(
        self, id: str, /, *,
        every_ms: int | Param,
        fill: Mapping[str, Fill],
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        offset_ms: int | Param | Unset = UNSET,
        max_gap_ms: int | Param | Unset = UNSET,
        ends_after_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), every_ms=every_ms, offset_ms=offset_ms, fill=fill,
            max_gap_ms=max_gap_ms, ends_after_ms=ends_after_ms, event_time=event_time, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class Step(Variant):
    """
    A step of a pattern. It takes the packets that fit it.

    :param name: What expressions call it: letters, digits and `_`
    :param where: Whether a packet fits: over its columns, and what the steps have taken so far, which is written as
        in `select`
    :param times: How many packets it takes; default: 1
    :param at_least: How many it takes before the next step may take one. Excludes `times`; default: 1
    :param at_most: How many it may take. Excludes `times`; default: no bound if there is `at_least`
    :param optional: true: it may be left out. Neither the first nor the last step is; default false
    :param not_: true: it takes none. A packet that fits it ends the run, where the step before it has enough and
        the next one has none. It is asked before the step that follows it. Neither the first nor the last step is;
        default false
    """

    def __init__(
        self, *,
        name: str,
        where: Expression,
        times: int | Param | Unset = UNSET,
        at_least: int | Param | Unset = UNSET,
        at_most: int | Param | Unset = UNSET,
        optional: bool | Param | Unset = UNSET,
        not_: bool | Param | Unset = UNSET,
    ) -> None:
        super().__init__(name=name, where=where, times=times, at_least=at_least, at_most=at_most, optional=optional,
            not_=not_)


class Pattern(Operator):
    """
    A row where packets of a group fit some steps, one after the other, in event order. A packet that fits the first
    step begins a run. The run takes each packet with the farthest step that it can reach, else with the step where
    it is, else passes it over; it never goes back. It is complete with the packet that gives its last step enough.

    :param steps: The steps, in their order
    :param select: The row, by either port. `name.column` and `last(name.column)` are of the last packet that the
        step took, `first(name.column)` of its first, NULL if it took none; `count(name)` is how many it took. A
        bare column is of the last packet that the run took
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. Without it, one instance does
        all, and on Spark one partition; default: one group
    :param within_ms: How long after its first packet the last one of a match may come, this moment included. A run
        whose time has passed gives its row by port `timeout`; that is how something that did not follow is told of.
        When the input ends, time does too. Without it, every run that is not completed is kept for as long as the
        job runs; default: for ever
    :param skip: What follows a match. Where several runs would be complete with one packet, `past_last` takes the
        one that began first; default "past_last"; ``past_last`` the group's other runs end with a match, and its
        last packet begins none; ``to_next`` they go on
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "pattern"

    def __init__(
        self, id: str, /, *,
        steps: Sequence[Step],
        select: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        within_ms: int | Param | Unset = UNSET,
        skip: Literal["past_last", "to_next"] | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), steps=steps, within_ms=within_ms, skip=skip,
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def late(self) -> Port:
        """The port ``late``."""
        return self.port("late")

    @property
    def timeout(self) -> Port:
        """The port ``timeout``."""
        return self.port("timeout")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class State(Variant):
    """
    A value that is kept for each group. The values of a group together are at most `max_packet_bytes` long.

    :param initial: Its value before the first packet of the group. It may use the columns of that packet
    :param next: Its value after a packet, of the same type. The name of a state is its value before the packet
    """

    def __init__(
        self, *,
        initial: Expression,
        next: Expression,
    ) -> None:
        super().__init__(initial=initial, next=next)


class Scan(Operator):
    """
    Keeps state for each group and updates it with each packet, in event order. In `next`, `emit_when` and `select`,
    the name of a state is its value before this packet. In `emit_when` and `select`, `next.name` is its value after
    it.

    :param state: What is kept. All `next` are computed together, from the values before
    :param select: The row: `expr AS name`, a column, a state, or `*` for the packet's columns
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. Without it, one instance does
        all, and on Spark one partition; default: one group
    :param emit_when: Whether this packet gives a row; default "true"
    :param emit_at_end: true: when the input ends, each group gives one more row, in the order in which the groups
        came. In it, `name` and `next.name` both are the final state, the columns are those of the last packet of
        the group, and `emit_when` is not asked. The stream at `out` then has no event time. A job that is stopped
        gives no such rows; default false
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "scan"

    def __init__(
        self, id: str, /, *,
        state: Mapping[str, State],
        select: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        emit_when: Expression | Unset = UNSET,
        emit_at_end: bool | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), state=state, emit_when=emit_when,
            select=listed(select), emit_at_end=emit_at_end, event_time=event_time, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class CloseFire(Variant):
    """Once, when the watermark reaches the window's end."""

    TYPE: ClassVar[str] = "close"

    def __init__(self) -> None:
        super().__init__()


class EveryFire(Variant):
    """
    Before that too: whenever the watermark reaches a multiple of `every_ms` since 1970-01-01T00:00Z, for groups
    that have changed since their last row. A watermark that passes several multiples at once gives one such row.

    :param every_ms: How often
    """

    TYPE: ClassVar[str] = "every"

    def __init__(
        self, *,
        every_ms: int | Param,
    ) -> None:
        super().__init__(every_ms=every_ms)


class ChangeFire(Variant):
    """With each packet: a row of its group for each of its windows."""

    TYPE: ClassVar[str] = "change"

    def __init__(self) -> None:
        super().__init__()


class TumblingWindow(Variant):
    """
    Windows of one size, each where the last one ends. A packet at a border is in the later one.

    :param size_ms: How long a window is
    :param offset_ms: Moves the borders. Without it they are multiples of the size since 1970-01-01T00:00Z; default
        0
    :param clock: What tells the time; default "event"; ``event`` event time: it goes as the watermark does;
        ``processing`` the wall clock of the resource. A packet has the time at which it is taken. Rows leave when
        the clock has come so far, whether packets come or not, and nothing is late. The stream needs no event time,
        and the one at `out` has none. When the input ends, what is open leaves at once; when the job is stopped, it
        does not. It has no form on Spark
    :param fire: When an `aggregate` gives a window's rows. With `fire` or `late_within_ms` a group may have several
        rows for a window. `window.revision` numbers them from 0, and `window.final` is true for the last one. Each
        group has one final row for each window. Spark gives this row alone, with `window.revision` 0. Windows that
        overlap share no memory: each keeps its own groups. With time per key, the stream at `out` has no event time
        if rows leave before the end of their window: rows of earlier windows may leave after them; default: `close`
    :param late_within_ms: How long after a window's end, by the watermark, packets are still added to it; each
        gives a row at once. Until then the window is kept; its final rows leave then. With more than 0 the stream
        at `out` has no event time: its rows come late; default: 0
    """

    TYPE: ClassVar[str] = "tumbling"

    def __init__(
        self, *,
        size_ms: int | Param,
        offset_ms: int | Param | Unset = UNSET,
        clock: Literal["event", "processing"] | Param | Unset = UNSET,
        fire: Fire | Unset = UNSET,
        late_within_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(size_ms=size_ms, offset_ms=offset_ms, clock=clock, fire=fire, late_within_ms=late_within_ms)


class SlidingWindow(Variant):
    """
    Windows of one size that overlap: a new one begins with each slide. A packet is in all that reach over it.

    :param size_ms: How long a window is
    :param slide_ms: From one start to the next; at most the size
    :param offset_ms: Moves the borders; default 0
    :param clock: What tells the time; default "event"; ``event`` event time: it goes as the watermark does;
        ``processing`` the wall clock of the resource. A packet has the time at which it is taken. Rows leave when
        the clock has come so far, whether packets come or not, and nothing is late. The stream needs no event time,
        and the one at `out` has none. When the input ends, what is open leaves at once; when the job is stopped, it
        does not. It has no form on Spark
    :param fire: When an `aggregate` gives a window's rows. With `fire` or `late_within_ms` a group may have several
        rows for a window. `window.revision` numbers them from 0, and `window.final` is true for the last one. Each
        group has one final row for each window. Spark gives this row alone, with `window.revision` 0. Windows that
        overlap share no memory: each keeps its own groups. With time per key, the stream at `out` has no event time
        if rows leave before the end of their window: rows of earlier windows may leave after them; default: `close`
    :param late_within_ms: How long after a window's end, by the watermark, packets are still added to it; each
        gives a row at once. Until then the window is kept; its final rows leave then. With more than 0 the stream
        at `out` has no event time: its rows come late; default: 0
    """

    TYPE: ClassVar[str] = "sliding"

    def __init__(
        self, *,
        size_ms: int | Param,
        slide_ms: int | Param,
        offset_ms: int | Param | Unset = UNSET,
        clock: Literal["event", "processing"] | Param | Unset = UNSET,
        fire: Fire | Unset = UNSET,
        late_within_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(size_ms=size_ms, slide_ms=slide_ms, offset_ms=offset_ms, clock=clock, fire=fire,
            late_within_ms=late_within_ms)


class SessionWindow(Variant):
    """
    Packets of a group that follow each other closely. A session ends `gap_ms` after its last packet; a packet that
    comes exactly then begins the next. A packet is late if the watermark has passed it. With `fire` or
    `late_within_ms` packets are taken as they come. A packet that lies close to two sessions makes them one. A
    packet is late if a session of its own would have given its final row. A session's bounds may grow from row to
    row, up to the final one. If two sessions have become one, no row says so.

    :param gap_ms: How long nothing comes before a session is over
    :param clock: What tells the time; default "event"; ``event`` event time: it goes as the watermark does;
        ``processing`` the wall clock of the resource. A packet has the time at which it is taken. Rows leave when
        the clock has come so far, whether packets come or not, and nothing is late. The stream needs no event time,
        and the one at `out` has none. When the input ends, what is open leaves at once; when the job is stopped, it
        does not. It has no form on Spark
    :param fire: When an `aggregate` gives a window's rows. With `fire` or `late_within_ms` a group may have several
        rows for a window. `window.revision` numbers them from 0, and `window.final` is true for the last one. Each
        group has one final row for each window. Spark gives this row alone, with `window.revision` 0. Windows that
        overlap share no memory: each keeps its own groups. With time per key, the stream at `out` has no event time
        if rows leave before the end of their window: rows of earlier windows may leave after them; default: `close`
    :param late_within_ms: How long after a window's end, by the watermark, packets are still added to it; each
        gives a row at once. Until then the window is kept; its final rows leave then. With more than 0 the stream
        at `out` has no event time: its rows come late; default: 0
    """

    TYPE: ClassVar[str] = "session"

    def __init__(
        self, *,
        gap_ms: int | Param,
        clock: Literal["event", "processing"] | Param | Unset = UNSET,
        fire: Fire | Unset = UNSET,
        late_within_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(gap_ms=gap_ms, clock=clock, fire=fire, late_within_ms=late_within_ms)


class CountWindow(Variant):
    """
    So many packets of a group, in event order. One that is not full at the end of the stream has no row. A window
    ends 1 µs after its last packet.

    :param size: How many packets a window has
    :param slide: How many packets after one window the next begins; at most the size; default: the size
    """

    TYPE: ClassVar[str] = "count"

    def __init__(
        self, *,
        size: int | Param,
        slide: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(size=size, slide=slide)


class ProgressWindow(Variant):
    """
    Windows over a value that grows instead of time: each 1,000 km of a vehicle, each 100 pieces of a machine.
    Packets are taken in event order. A window ends when a packet of the group has a value at its `window.to` or
    beyond. Windows that are still open at the end of the stream end with the group's last packet; their rows may be
    late for the operator behind. A packet whose value is less than the greatest so far is in those of its windows
    that have not ended. If all have ended, it is late: a counter that begins again is late from then on. A packet
    whose value is NULL is in no window. `window.start` is the time of the window's first packet, `window.end` 1 µs
    after the packet that ended it. `window.from` and `window.to` are the values that it covers, [from, to).

    :param by: The value, a number; of a fraction its whole part counts
    :param size: How much the value grows within a window. Windows begin at multiples of the slide, 0 among them
    :param slide: From one start to the next; at most the size; default: the size
    """

    TYPE: ClassVar[str] = "progress"

    def __init__(
        self, *,
        by: Expression,
        size: int | Param,
        slide: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(by=by, size=size, slide=slide)


class ControlWindow(Variant):
    """
    A window for each time that a condition holds: a machine that runs, a door that is open. One packet of the group
    opens it, and one closes it; both are in it, and may be the same packet. Packets between two windows are in
    none. A window ends 1 µs after the packet that closes it. A window that is open at the end of the stream ends 1
    µs after its last packet, or at `max_ms`. Without `max_ms` its row may be late for an operator behind that uses
    event time. With `on` another stream, that at port `control`, opens and closes windows too. It needs event time.
    Its packets are in no window. Both conditions may name its columns, as `control.phase`. They are tried with the
    packets of both streams, in one event order; for a packet of the one, all columns of the other are NULL. Of
    equal times those of `control` are first, so a window that one opens has the packets of that time, and one that
    ends there has not. A packet at `control` may close a window and open the next. That begins with its time, and a
    window that one closes ends at its time. A window without packets has a row as well. Packets wait until the
    watermark of both streams has passed them: the source of commands that come seldom needs `idle_after_ms`.

    :param open: The condition under which a packet opens a window, if its group has none
    :param close: The condition under which a packet of an open window closes it. It may ask `window.count`, how
        many packets the window has with this one, and `window.age_ms`, how long after its start this one comes:
        `window.count >= 500 OR stopped`. One at `control` is not counted
    :param on: For which group a packet at port `control` is: expressions over its columns, as many as `group_by`
        has, in its order and of its types; `[]` where there is no `group_by`. A packet for which one is NULL is for
        no group; default: no port `control`
    :param max_ms: How long after its start a window ends in any case. A packet that comes exactly then is not in
        it, and may open the next; default: no limit
    """

    TYPE: ClassVar[str] = "control"

    def __init__(
        self, *,
        open: Expression,
        close: Expression,
        on: Expression | Sequence[Expression] | Unset = UNSET,
        max_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(on=listed(on), open=open, close=close, max_ms=max_ms)


class TrailingWindow(Variant):
    """
    For each packet a row, over the packets of its group from `size_ms` before it up to its own time, both included.
    `select` may mix the packet's columns with aggregates.

    :param size_ms: How long a window is
    """

    TYPE: ClassVar[str] = "trailing"

    def __init__(
        self, *,
        size_ms: int | Param,
    ) -> None:
        super().__init__(size_ms=size_ms)


class TrailingCountWindow(Variant):
    """
    For each packet a row, over the last packets of its group in event order, itself included. `select` may mix the
    packet's columns with aggregates.

    :param size: How many packets a window has; near the beginning of a group, fewer
    """

    TYPE: ClassVar[str] = "trailing_count"

    def __init__(
        self, *,
        size: int | Param,
    ) -> None:
        super().__init__(size=size)


class Aggregate(Operator):
    """
    Aggregates packets over windows, or over the whole stream.

    :param select: The row: aggregates of Spark, the keys, and of a window that gives one row `window.start`,
        `window.end` and `window_time`. A window is [start, end). `window_time` is the end less 1 µs, and the event
        time of the stream at `out`
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. `expr AS name` gives a key a
        name. Without it, one instance does all; default: one group
    :param window: Over which packets of the group; default: the whole stream
    :param emit: When rows leave. Only where there is no `window`; default: `final`; ``final`` a row for each group
        when the stream ends; ``each`` a row for each packet, in event order, over all up to it
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "aggregate"

    def __init__(
        self, id: str, /, *,
        select: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        window: Window | Unset = UNSET,
        emit: Literal["final", "each"] | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), window=window, emit=emit, select=listed(select),
            event_time=event_time, accept=accept, parallelism=parallelism, most_instances=most_instances,
            on_error=on_error, schedule=schedule)

    @property
    def control(self) -> Port:
        """The port ``control``, with ``window.on``."""
        return self.port("control")

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


class Top(Operator):
    """
    The first packets of each group in each window, in an order of yours: the five hottest devices of a minute. They
    leave when the window closes, group by group in the order in which the groups came, the first packet first. On
    Spark rows have no order. No more than `n` packets of a group and window are kept, whatever comes. With time per
    key, groups that share a clock and a window leave in any order.

    :param n: How many packets of each group and window leave; all, if there are fewer
    :param by: Expressions, each perhaps with `ASC` or `DESC` and `NULLS FIRST` or `NULLS LAST` behind it, as in
        ORDER BY: ascending if nothing is said, and NULL before all others, with `DESC` after them. Where they are
        equal, the earlier packet in event order is first: by event time, then `order_by`, then, on the engine only,
        arrival
    :param window: Tumbling or sliding
    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. Without it, one instance does
        all; default: one group
    :param select: The row: `expr AS name`, a column, or `*` for the packet's columns; also `window.start`,
        `window.end` and `window_time`. That is the end less 1 µs, and the event time of the stream at `out`.
        Without it that stream has none: the watermark has passed the packets; default: the packet as it came
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "top"

    def __init__(
        self, id: str, /, *,
        n: int | Param,
        by: Expression | Sequence[Expression],
        window: Window,
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, n=n, by=listed(by), window=window, group_by=listed(group_by),
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class Sort(Operator):
    """
    The packets of each window in an order of yours. They leave when the window closes, window by window; until then
    all of them are kept in memory. On Spark a batch is sorted as a whole, and a stream's rows have no order.

    :param by: Expressions, each perhaps with `ASC` or `DESC` and `NULLS FIRST` or `NULLS LAST` behind it, as in
        ORDER BY: ascending if nothing is said, and NULL before all others, with `DESC` after them. Where they are
        equal, the earlier packet in event order is first: by event time, then `order_by`, then, on the engine only,
        arrival
    :param doc: For people. Drawings show it; default: none
    :param window: Tumbling. Without it packets leave at the end of the stream, and a stream without end is refused;
        default: the whole stream
    :param group_by: Packets for which these have the same values are sorted by one instance, so that there may be
        several. Packets of different groups leave mixed, each instance's in the order of `by`. Without it, one
        instance does all. With time per key the windows of each key close by its clock, and each has its packets in
        the order of `by`; default: one group
    :param select: The row: `expr AS name`, a column, or `*` for the packet's columns; also `window.start`,
        `window.end` and `window_time`. That is the end less 1 µs, and the event time of the stream at `out`.
        Without it that stream has none: the watermark has passed the packets; default: the packet as it came
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "sort"

    def __init__(
        self, id: str, /, *,
        by: Expression | Sequence[Expression],
        doc: str | Unset = UNSET,
        window: Window | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, by=listed(by), window=window, group_by=listed(group_by), select=listed(select),
            event_time=event_time, accept=accept, parallelism=parallelism, most_instances=most_instances,
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


class Latest(Operator):
    """
    The newest packet of each group, in event order: a table, as the changes of its rows. A packet without event
    time is passed over. To join another stream with that table as it was at each packet's time, give the packets
    themselves, not `latest`, to an as-of `join`.

    :param doc: For people. Drawings show it; default: none
    :param group_by: What makes a group: packets for which these have the same values. Without it, one instance does
        all; default: one group
    :param every_ms: Periods of event time, aligned as tumbling windows are. When the watermark reaches a period's
        end, the newest packet leaves of each group that had one in it. Without it a stream without end is refused;
        default: once, at the end of the stream
    :param select: The row: `expr AS name`, a column, or `*` for the packet's columns; also `window.start`,
        `window.end` and `window_time`. That is the end less 1 µs, and the event time of the stream at `out`.
        Without it that stream has none: the watermark has passed the packets; default: the packet as it came
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "latest"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        every_ms: int | Param | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, group_by=listed(group_by), every_ms=every_ms, select=listed(select),
            event_time=event_time, accept=accept, parallelism=parallelism, most_instances=most_instances,
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


class AsOf(Variant):
    """
    The latest right packet, in event order, that is not after the left one. It may be used again.

    :param max_age_ms: A right packet that is older than this does not match; default: any age
    :param strict: true: the right packet must be earlier than the left one; default false
    """

    def __init__(
        self, *,
        max_age_ms: int | Param | Unset = UNSET,
        strict: bool | Param | Unset = UNSET,
    ) -> None:
        super().__init__(max_age_ms=max_age_ms, strict=strict)


class BetweenMs(Variant):
    """
    How much later than the left packet the right one may be; negative means earlier. Both ends are included.

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
    Pairs packets of two streams by event time; with `window` perhaps by the wall clock. It has one of `as_of`,
    `between_ms` and `window`.

    :param doc: For people. Drawings show it; default: none
    :param how: Which rows leave; default "inner"; ``inner`` pairs only; ``left`` also left packets without a match,
        with NULL for the right side; ``right`` also right packets without a match, with NULL for the left side; not
        with `as_of`; ``full`` both; not with `as_of`
    :param on: What a pair must meet besides the time: a condition over `left.x` and `right.x`. With `as_of`,
        equalities joined by AND; default: every pair
    :param as_of: Each left packet meets one right packet: the latest at its time; default: not an as-of join
    :param between_ms: Each left packet meets all right packets that are so far from it in time; default: not an
        interval join
    :param window: Tumbling or sliding: packets meet if they are in one window, once for each that both are in. A
        packet without event time is in none. The rows of a window leave when the watermark of both streams reaches
        its end. A packet without a match in a window has a row for this window. A packet is late if all its windows
        have closed. A copy of each packet is kept for each window that it is in; default: not a windowed join
    :param select: The row. It is required where both sides have a column of one name. With `window` it may name
        `window.start`, `window.end` and `window_time`, which is the end less 1 µs, and the event time of the stream
        at `out`; default: all columns of both
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "join"

    def __init__(
        self, id: str, /, *,
        doc: str | Unset = UNSET,
        how: Literal["inner", "left", "right", "full"] | Param | Unset = UNSET,
        on: Expression | Unset = UNSET,
        as_of: AsOf | Unset = UNSET,
        between_ms: BetweenMs | Unset = UNSET,
        window: Window | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, how=how, on=on, as_of=as_of, between_ms=between_ms, window=window,
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class FileFrom(Variant):
    """
    Files, read into memory when the job starts. A bad record fails the job.

    :param path: A file, a folder or a glob, or its URI, as of a `file_source`; not `-`. Every instance reads all.
        Folders give columns as there: [which files are read](../files.md#which-files-are-read)
    :param format: How records are written; ``csv`` separated values, Spark's rules; ``json`` one JSON object per
        line; ``parquet`` rows by Spark's own reader: columns by name, those that a file lacks are NULL
    :param schema: The columns, as Spark DDL
    :param options: As of a `file_source`; default: none
    :param timestamp_unit: For json: what a number counts that is read as a TIMESTAMP, since 1970-01-01T00:00:00Z;
        it may have a fraction. A number that lies outside of the years 1 to 9999 makes a bad record; default
        "seconds"; ``seconds`` as Spark counts; ``milliseconds`` thousandths of a second; ``microseconds``
        millionths of a second; ``nanoseconds`` thousandths of a microsecond, which are cut off
    :param reload_ms: How often to look whether the files have changed: another size or time of modification, or
        other files that match the path. If so, all are read again, and packets that come later meet the new rows.
        If they cannot be read, the job fails; under another `on_error` it goes on with the rows as they were, and
        says so on standard error. Write a new file beside the old one and rename it, so that no half of it is read.
        On Spark the files are read once, or once per micro-batch; default: never
    """

    TYPE: ClassVar[str] = "file"

    def __init__(
        self, *,
        path: str | PathLike[str],
        format: Literal["csv", "json", "parquet"] | Param,
        schema: str | StructType,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        timestamp_unit: Literal["seconds", "milliseconds", "microseconds", "nanoseconds"] | Param | Unset = UNSET,
        reload_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(path=path, format=format, options=texts(options), schema=schema, timestamp_unit=timestamp_unit,
            reload_ms=reload_ms)


class AreasFrom(Variant):
    """
    Areas of GeoJSON files, read into memory when the job starts: a packet's rows are the areas that hold its point.
    `key` has its `latitude` and its `longitude`, in degrees (WGS 84). A point on an edge is in all areas that have
    that edge; one in a hole is outside. What is no place on the Earth is in none. Edges are straight between
    longitudes and latitudes. One of more than 180 and less than 360 degrees of longitude goes the short way, across
    the 180th meridian. On Spark each task reads the files, so they must be where the executors are.

    :param path: A file, a folder or a glob, or its URI, as of a `file_source`; not `-`. A file has a
        `FeatureCollection` of features whose geometry is a Polygon or a MultiPolygon, or one such feature. Any
        other fails the job, as does a line that crosses itself
    :param schema: The properties of a feature that are columns, as Spark DDL. They are read as a record of json is;
        one that a feature lacks is NULL
    """

    TYPE: ClassVar[str] = "areas"

    def __init__(
        self, *,
        path: str | PathLike[str],
        schema: str | StructType,
    ) -> None:
        super().__init__(path=path, schema=schema)


class StreamFrom(Variant):
    """
    The rows that come at port `table`: of each key the last that has come. A packet meets the table as it is when
    it arrives, so rows that come later do not change what has left. Which of two packets at different ports comes
    first may differ from run to run. An as-of `join` goes by event time, and gives the same rows in each run; so
    does `wait_for_end`, if the rows of a key come from one instance of one source. The table is in the snapshots of
    a job that keeps its state. Both ports are partitioned by the key, so each instance has a part of the table.
    Event time and watermarks are those of the stream at `in`. A row whose key has a NULL is left out.

    :param delete_when: A condition over the columns of a row at `table`: a row for which it is true takes the row
        of its key away, and is not in the table itself; default: no row is deleted
    :param max_rows: How many keys an instance's table may have. A row of one more key is a bad record. The memory
        counts as state. A table that is restored with fewer instances may have more: it keeps them, and takes no
        others; default 1000000
    :param wait_for_end: true: packets at `in` wait until the stream at `table` has ended, as that of a file or of a
        database's table does. They count as state; a stop of the job before that counts them as `held`; default
        false
    """

    TYPE: ClassVar[str] = "stream"

    def __init__(
        self, *,
        delete_when: Expression | Unset = UNSET,
        max_rows: int | Param | Unset = UNSET,
        wait_for_end: bool | Param | Unset = UNSET,
    ) -> None:
        super().__init__(delete_when=delete_when, max_rows=max_rows, wait_for_end=wait_for_end)


class JdbcFrom(Variant):
    """
    A table of a database, which is asked for each packet's key; on the engine only. Each instance has a connection
    and a thread of its own.

    :param url: Where it is, as the driver wants it: `jdbc:postgresql://127.0.0.1/plant`. No password belongs here
    :param driver: The full name of the driver's class: `org.postgresql.Driver`. Its jar is one of the user's:
        `--jar`, or a deployment that allows the class
    :param table: The table, or a query in brackets with a name behind it, as it stands behind FROM
    :param schema: The columns to read, as Spark DDL; of simple types. Names that need quotes get them. A key is
        compared in the type that Spark would compare these columns in
    :param user: Its user; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param retry_ms: How long to try again where the database cannot be reached, with growing pauses; the packets
        wait. After that they go where `on_error` says, until it answers again; default 10000
    """

    TYPE: ClassVar[str] = "jdbc"

    def __init__(
        self, *,
        url: str,
        driver: str,
        table: str,
        schema: str | StructType,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        retry_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(url=url, driver=driver, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, retry_ms=retry_ms, table=table, schema=schema)


class Cache(Variant):
    """
    Answers of a database that are used again: a key without a row is one too.

    :param max_rows: How many rows are kept; those that were used least recently go first
    :param ttl_ms: How old an answer may become
    """

    def __init__(
        self, *,
        max_rows: int | Param,
        ttl_ms: int | Param,
    ) -> None:
        super().__init__(max_rows=max_rows, ttl_ms=ttl_ms)


class Lookup(Operator):
    """
    Gives each packet the rows of a table that have its key: a row for each of them, as Spark's join does. A key
    with NULL in it has no rows.

    :param key: Columns of the table, and for each the expression over the packet's columns that it must equal. Of
        areas `latitude` and `longitude`, and for each the expression of a number
    :param from_: The table
    :param doc: For people. Drawings show it; default: none
    :param cache: For a table of a database; default: every packet asks the database
    :param how: Which packets leave; default "left"; ``left`` packets without a row too, with NULL for the table's
        columns; ``inner`` packets with a row only
    :param select: The row, over `packet.x` and `table.x`; a name that only one of them has may stand alone. It is
        required where both have a column of one name that is no key; default: the packet's columns, then the
        table's that are no key
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "lookup"

    def __init__(
        self, id: str, /, *,
        key: Mapping[str, Expression],
        from_: From,
        doc: str | Unset = UNSET,
        cache: Cache | Unset = UNSET,
        how: Literal["left", "inner"] | Param | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, key=key, from_=from_, cache=cache, how=how, select=listed(select),
            event_time=event_time, accept=accept, parallelism=parallelism, most_instances=most_instances,
            on_error=on_error, schedule=schedule)

    @property
    def table(self) -> Port:
        """The port ``table``, with ``"from": {"type": "stream"}``."""
        return self.port("table")

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Geocode(Operator):
    """
    Finds the place that has a name, in a gazetteer that is read into memory when the job starts: first a name as it
    is written, then without case and accents, then within `edit_distance`. Of several the place with the most
    people is taken, and of equals the first of the file. It is `latitude DOUBLE, longitude DOUBLE, name STRING,
    country STRING, score DOUBLE`. `score` is 1 for a name as it is written, 0.95 without case and accents, and 0.95
    × (1 - d / n) for d changes in a name of n characters. On Spark each task reads the files, so they must be where
    the executors are.

    :param name: The name, STRING. NULL, and more than 1,600 bytes, is no place
    :param path: A gazetteer in GeoNames' table format: a file, a folder or a glob, or its URI, as of a
        `file_source`; not `-`. A broken line fails the job
    :param doc: For people. Drawings show it; default: none
    :param country: The country the place is in, STRING: two letters of ISO 3166, as `DE`; NULL for any. One that
        does not exist is an error of the packet; default: any
    :param edit_distance: How many characters may be changed, added or left out, after case and accents. The nearest
        names win; not all characters may be changed; default 0
    :param how: Which packets leave; default "left"; ``left`` packets without a place too, with NULL for its
        columns; ``inner`` packets with a place only
    :param select: The row, over `packet.x` and `place.x`; a name that only one of them has may stand alone. It is
        required where both have a column of one name; default: the packet's columns, then the place's
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "geocode"

    def __init__(
        self, id: str, /, *,
        name: Expression,
        path: str | PathLike[str],
        doc: str | Unset = UNSET,
        country: Expression | Unset = UNSET,
        edit_distance: int | Param | Unset = UNSET,
        how: Literal["left", "inner"] | Param | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, name=name, country=country, path=path, edit_distance=edit_distance, how=how,
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Locate(Operator):
    """
    Finds the place that is nearest to a point, in a gazetteer that is read into memory when the job starts. Of
    places as near the one with the most people is taken, and of equals the first of the file. It is `latitude
    DOUBLE, longitude DOUBLE, name STRING, country STRING, distance_km DOUBLE`. Distances are along the surface of a
    sphere with a radius of 6371.0088 km: at most 0.6 % from the Earth's. On Spark each task reads the files, so
    they must be where the executors are.

    :param latitude: The point's latitude in degrees (WGS 84), a number. NULL, and what is not on the Earth, is near
        no place
    :param longitude: Its longitude in degrees, a number; 190 is -170
    :param path: A gazetteer in GeoNames' table format: a file, a folder or a glob, or its URI, as of a
        `file_source`; not `-`. A broken line fails the job
    :param within_km: How far from the point a place may be, in kilometres
    :param doc: For people. Drawings show it; default: none
    :param how: Which packets leave; default "left"; ``left`` packets without a place too, with NULL for its
        columns; ``inner`` packets with a place only
    :param select: The row, over `packet.x` and `place.x`; a name that only one of them has may stand alone. It is
        required where both have a column of one name; default: the packet's columns, then the place's
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "locate"

    def __init__(
        self, id: str, /, *,
        latitude: Expression,
        longitude: Expression,
        path: str | PathLike[str],
        within_km: float | Param,
        doc: str | Unset = UNSET,
        how: Literal["left", "inner"] | Param | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, latitude=latitude, longitude=longitude, path=path, within_km=within_km, how=how,
            select=listed(select), event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Connection(Variant):
    """
    How to reach the database.

    :param url: Where it is, as the driver wants it: `jdbc:postgresql://127.0.0.1/plant`. No password belongs here
    :param driver: The full name of the driver's class: `org.postgresql.Driver`. Its jar is one of the user's:
        `--jar`, or a deployment that allows the class
    :param user: Its user; default: none
    :param user_env: The variable of the resource's environment that holds the user; default: none
    :param password_env: The variable of the resource's environment that holds the password; default: none
    :param password_file: The file on the resource's machine that holds the password; default: none
    :param retry_ms: How long to try again where the database cannot be reached, with growing pauses; the packets
        wait. After that they go where `on_error` says, until it answers again; default 10000
    """

    def __init__(
        self, *,
        url: str,
        driver: str,
        user: str | Unset = UNSET,
        user_env: str | Unset = UNSET,
        password_env: str | Unset = UNSET,
        password_file: str | Unset = UNSET,
        retry_ms: int | Param | Unset = UNSET,
    ) -> None:
        super().__init__(url=url, driver=driver, user=user, user_env=user_env, password_env=password_env,
            password_file=password_file, retry_ms=retry_ms)


class Sql(Operator):
    """
    Executes a statement in a database for each packet; on the engine only. With `schema` it is a query: each row
    that it gives leaves beside the packet. Without, it gives no rows, and the packet goes on when it is committed.
    Each instance has a connection and a thread of its own. After a failure statements may be executed again: write
    them so that it does no harm.

    :param connection: The database
    :param statement: One statement in the words of the database. `:column` stands for a column of the packet, of a
        simple type. It is bound as a parameter, never put into the text; so it cannot stand for a name
    :param doc: For people. Drawings show it; default: none
    :param schema: The columns of the statement's rows, in order, as Spark DDL; of simple types; default: no rows
    :param how: With `schema`: which packets leave; default "inner"; ``inner`` packets with a row only; ``left``
        packets without a row too, with NULL for its columns
    :param select: With `schema`: the row that leaves, over `packet.x` and `result.x`; a name that only one of them
        has may stand alone. It is required where both have a column of one name; default: the packet's columns,
        then the row's
    :param batch_rows: Without `schema`: at most so many packets are written in one transaction. It has those that
        are there: none waits for others. If it fails, each packet gets one of its own; default 1
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "sql"

    def __init__(
        self, id: str, /, *,
        connection: Connection,
        statement: str,
        doc: str | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        how: Literal["inner", "left"] | Param | Unset = UNSET,
        select: Expression | Sequence[Expression] | Unset = UNSET,
        batch_rows: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, connection=connection, statement=statement, schema=schema, how=how,
            select=listed(select), batch_rows=batch_rows, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Java(Operator):
    """
    Runs a class of yours that implements `io.despina.api.RowOperator`; see docs/java-operators.md. It takes packets
    in the order in which they arrive; an ordered `union` before it gives event order. The stream at `out` keeps the
    event time if `schema` has its column, and the class must write that as it came. With `inputs` and `outputs` it
    has more ports: the class chooses the way of each row. Between the packets of two input ports there is no order.
    Event time is kept only if the streams at all of them have it.

    :param class_: The full name of the class
    :param doc: For people. Drawings show it; default: none
    :param schema: The columns of what leaves, as Spark DDL; default: the input's
    :param group_by: What its state is kept by. Packets for which these have the same values come to the same
        instance. Without it, a class that keeps state can have one instance; default: one group
    :param inputs: Further input ports, and for each by what its packets come to a state: as many expressions as
        `group_by` has, in its order and of its types; `[]` where there is no `group_by`; default: `in` alone
    :param outputs: Further output ports, and the columns of what leaves by each, as Spark DDL. Each needs a link;
        default: `out` alone
    :param options: Texts for the class; default: none
    :param blocks: true: the class may wait in its calls, as for an answer from a network. Each instance then has a
        thread of its own; default false
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "java"

    def __init__(
        self, id: str, /, *,
        class_: str,
        doc: str | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        inputs: Mapping[str, Sequence[Expression]] | Unset = UNSET,
        outputs: Mapping[str, str | bool | float] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        blocks: bool | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, class_=class_, schema=schema, group_by=listed(group_by), inputs=inputs,
            outputs=texts(outputs), options=texts(options), blocks=blocks, event_time=event_time, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class Python(Operator):
    """
    Runs a Python function of yours, in a process of its own; see docs/python-functions.md. Packets leave in the
    order in which they came, or with `clock` by event time in that, with what the function returned for them. What
    it cannot take, or raises, is a bad record. The stream at `out` keeps the event time: with `adds` always, with
    `schema` if that has its column, and the function must return that as it came.

    :param function: `module:name`, a function or a class. The module lies beside the graph, in a folder of
        `--modules`, or is installed
    :param doc: For people. Drawings show it; default: none
    :param takes: What the function is called with; default "row"; ``row`` the values of one packet, by the names of
        its parameters; ``arrow`` a pyarrow.RecordBatch; ``numpy`` an array for each column that its parameters
        name; ``pandas`` a DataFrame; ``polars`` a DataFrame
    :param adds: The columns that it returns, as Spark DDL; they join the packet. It returns one value, or a tuple
        of them, for each row; default: see `schema`
    :param schema: The columns of the rows that it returns in place of the packet, as Spark DDL: none, one or many
        for each. One of `adds` and `schema` is written; default: see `adds`
    :param group_by: What its state is kept by. Packets for which these have the same values come to the same
        instance, in order; default: no state
    :param state: The columns of its state, as Spark DDL: one row for each key of `group_by`. It is then called as
        `process(key, row, state)`, with single packets, or as `process(key, rows, state)`, with all of that key in
        a batch, and a class may have `end(key, state)`, which is called for each key when the stream has ended.
        `pickle` stands for attributes of any names and kinds, which are kept as Python pickles them; default: none
    :param clock: What a key goes by, and what tells its timer the time: `state.set_timer(when)` of a class sets it,
        and `timer(key, when, state)` of the class is called then. When the input ends, all that are set are called;
        when the job is stopped, they are not; default: as they arrive, no timers; ``event`` the event time of the
        stream: packets are taken in that order, those that come too late leave by port `late`, and a timer is
        called behind those of its own time and before those of a later one. Only so it has a form on Spark;
        ``processing`` the wall clock of the resource
    :param columns: The columns that it is called with, in the order of its parameters; default: those that its
        parameters name, or all
    :param options: Texts for it: `context.options` has them; default: none
    :param batch_rows: The most packets that cross together. Fewer do while the function keeps up. If this is not
        written, 20 ms of work end a batch too; default 4096
    :param batch_bytes: The same in bytes; default 1048576
    :param fixed_rows: For a function that takes batches, as a model that wants just so many: it is called with
        exactly that many rows. It gets fewer when the oldest has waited for `max_wait_ms`, when they have
        `batch_bytes`, at the end of the stream, and where the row is looked for that it fails for; default: what
        has come, up to `batch_rows`
    :param max_wait_ms: With `fixed_rows`: how long a packet may wait for others. On Spark none waits; default 1000
    :param in_flight: For an `async def` that takes rows: how many calls of a batch wait at once. Answers keep their
        order; default 64
    :param pure: false: it does something outside. It is then never called twice with a row in one attempt of the
        job: the rows of a process that dies are bad records; default true
    :param open_timeout_ms: How long it may take to be imported and, if it is a class, to be opened: give a large
        model more. Then its process is ended, and says where it was; default 60000
    :param timeout_ms: How long it may take for a batch. Then its process is ended, and says where it was; default
        60000
    :param workers: How many processes each instance has. A batch goes to one that is free, and rows leave in the
        order in which packets came. For a function without `state`: keys are dealt out by `parallelism`; default 1
    :param spare: true: each instance has one process more, which has opened the function and does nothing, until it
        takes the place of one that has died or was ended. So rows go on at once; default false
    :param memory_bytes: The memory of a process. Another takes the place of one that uses more, between two
        batches. One that uses 1.25 times as much is killed, and its rows go again as those of any process that
        dies. On Linux; default: any
    :param event_time: For all other operators but sinks: the input's event time, perhaps with another `order_by`.
        Only a source can name another column; default: the input's, where its column survives
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "python"

    def __init__(
        self, id: str, /, *,
        function: str,
        doc: str | Unset = UNSET,
        takes: Literal["row", "arrow", "numpy", "pandas", "polars"] | Param | Unset = UNSET,
        adds: str | StructType | Unset = UNSET,
        schema: str | StructType | Unset = UNSET,
        group_by: Expression | Sequence[Expression] | Unset = UNSET,
        state: str | StructType | Unset = UNSET,
        clock: Literal["event", "processing"] | Param | Unset = UNSET,
        columns: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        batch_rows: int | Param | Unset = UNSET,
        batch_bytes: int | Param | Unset = UNSET,
        fixed_rows: int | Param | Unset = UNSET,
        max_wait_ms: int | Param | Unset = UNSET,
        in_flight: int | Param | Unset = UNSET,
        pure: bool | Param | Unset = UNSET,
        open_timeout_ms: int | Param | Unset = UNSET,
        timeout_ms: int | Param | Unset = UNSET,
        workers: int | Param | Unset = UNSET,
        spare: bool | Param | Unset = UNSET,
        memory_bytes: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, function=function, takes=takes, adds=adds, schema=schema,
            group_by=listed(group_by), state=state, clock=clock, columns=listed(columns), options=texts(options),
            batch_rows=batch_rows, batch_bytes=batch_bytes, fixed_rows=fixed_rows, max_wait_ms=max_wait_ms,
            in_flight=in_flight, pure=pure, open_timeout_ms=open_timeout_ms, timeout_ms=timeout_ms, workers=workers,
            spare=spare, memory_bytes=memory_bytes, event_time=event_time, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

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


class JavaSource(Operator):
    """
    Brings the rows of a class of yours that implements `io.despina.api.RowSource`; see docs/java-operators.md.

    :param class_: The full name of the class
    :param schema: The columns of its rows, as Spark DDL
    :param doc: For people. Drawings show it; default: none
    :param unbounded: true: it does not end by itself, so what waits for the end of the stream is refused; default
        false
    :param options: Texts for the class; default: none
    :param blocks: true: the class may wait in its calls, as for an answer from a network. Each instance then has a
        thread of its own; default false
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "java_source"

    def __init__(
        self, id: str, /, *,
        class_: str,
        schema: str | StructType,
        doc: str | Unset = UNSET,
        unbounded: bool | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        blocks: bool | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, class_=class_, schema=schema, unbounded=unbounded, options=texts(options),
            blocks=blocks, event_time=event_time, accept=accept, parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class JavaSink(Operator):
    """
    Gives rows to a class of yours that implements `io.despina.api.RowSink`; see docs/java-operators.md.

    :param class_: The full name of the class
    :param doc: For people. Drawings show it; default: none
    :param options: Texts for the class; default: none
    :param blocks: true: the class may wait in its calls, as for an answer from a network. Each instance then has a
        thread of its own; default false
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "java_sink"

    def __init__(
        self, id: str, /, *,
        class_: str,
        doc: str | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        blocks: bool | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, class_=class_, options=texts(options), blocks=blocks, mode=mode, accept=accept,
            parallelism=parallelism, most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class PythonSource(Operator):
    """
    Brings the rows of a Python function of yours, in a process of its own; see docs/python-functions.md. The
    function gives an iterator, or is a generator or an `async` one: of rows, or of batches. A row that does not fit
    `schema` is a bad record; an exception ends the job.

    :param function: `module:name`, a function or a class. The module lies beside the graph, in a folder of
        `--modules`, or is installed
    :param schema: The columns of its rows, as Spark DDL
    :param doc: For people. Drawings show it; default: none
    :param unbounded: true: it does not end by itself, so what waits for the end of the stream is refused; default
        false
    :param options: Texts for it: `context.options` has them; default: none
    :param open_timeout_ms: How long it may take to be imported and, if it is a class, to be opened: give a large
        model more. Then its process is ended, and says where it was; default 60000
    :param timeout_ms: How long `seek` may take. A source may be silent for any time; default 60000
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "python_source"

    def __init__(
        self, id: str, /, *,
        function: str,
        schema: str | StructType,
        doc: str | Unset = UNSET,
        unbounded: bool | Param | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        open_timeout_ms: int | Param | Unset = UNSET,
        timeout_ms: int | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, function=function, schema=schema, unbounded=unbounded, options=texts(options),
            open_timeout_ms=open_timeout_ms, timeout_ms=timeout_ms, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class PythonSink(Operator):
    """
    Gives rows to a Python function of yours, or to `write` of a class, in a process of its own; see docs/python-
    functions.md. What it cannot take, or raises, is a bad record.

    :param function: `module:name`, a function or a class. The module lies beside the graph, in a folder of
        `--modules`, or is installed
    :param doc: For people. Drawings show it; default: none
    :param takes: What the function is called with; default "row"; ``row`` the values of one packet, by the names of
        its parameters; ``arrow`` a pyarrow.RecordBatch; ``numpy`` an array for each column that its parameters
        name; ``pandas`` a DataFrame; ``polars`` a DataFrame
    :param columns: The columns that it is called with, in the order of its parameters; default: those that its
        parameters name, or all
    :param options: Texts for it: `context.options` has them; default: none
    :param batch_rows: The most packets that cross together. Fewer do while the function keeps up. If this is not
        written, 20 ms of work end a batch too; default 4096
    :param batch_bytes: The same in bytes; default 1048576
    :param in_flight: For an `async def` that takes rows: how many calls of a batch wait at once. Answers keep their
        order; default 64
    :param pure: true: it may be called again with the same rows: those of a batch that it raised for, half by half,
        and those of a process that died; default false
    :param open_timeout_ms: How long it may take to be imported and, if it is a class, to be opened: give a large
        model more. Then its process is ended, and says where it was; default 60000
    :param timeout_ms: How long it may take for a batch or an epoch. Then its process is ended; default 60000
    :param mode: What becomes of earlier rows with the same key. `collect_sink` and `jdbc_sink` have all three;
        `latest` before any sink keeps the newest row of each key; default "append"; ``append`` each row is given
        on, and stays; ``upsert`` refused; ``changelog`` refused
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param most_instances: For all operators but sources: how many instances of it there are. `parallelism` of them
        take packets at the start; the others wait for buckets of keys that move to them, see docs/control.md;
        default: `parallelism`
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    :param schedule: For all operators but sources: when they run; default {"type": "data"}
    """

    TYPE: ClassVar[str] = "python_sink"

    def __init__(
        self, id: str, /, *,
        function: str,
        doc: str | Unset = UNSET,
        takes: Literal["row", "arrow", "numpy", "pandas", "polars"] | Param | Unset = UNSET,
        columns: str | Sequence[str] | Unset = UNSET,
        options: Mapping[str, str | bool | float] | Unset = UNSET,
        batch_rows: int | Param | Unset = UNSET,
        batch_bytes: int | Param | Unset = UNSET,
        in_flight: int | Param | Unset = UNSET,
        pure: bool | Param | Unset = UNSET,
        open_timeout_ms: int | Param | Unset = UNSET,
        timeout_ms: int | Param | Unset = UNSET,
        mode: Literal["append", "upsert", "changelog"] | Param | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        most_instances: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
        schedule: Schedule | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, function=function, takes=takes, columns=listed(columns), options=texts(options),
            batch_rows=batch_rows, batch_bytes=batch_bytes, in_flight=in_flight, pure=pure,
            open_timeout_ms=open_timeout_ms, timeout_ms=timeout_ms, mode=mode, accept=accept, parallelism=parallelism,
            most_instances=most_instances, on_error=on_error, schedule=schedule)

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class SparkSource(Operator):
    """
    Brings the rows that Spark writes to the running job with `format("despina")`, each epoch once (docs/spark-
    sink.md). It ends when Python calls `job.end_input(id)`.

    :param schema: The columns of its rows, as Spark DDL. A column may have a default, a literal: `celsius DOUBLE
        DEFAULT 20.0`. That is what it is in rows that a program gives (`inputs`) and in json records that leave it
        out; one that is null stays NULL
    :param doc: For people. Drawings show it; default: none
    :param unbounded: true: nobody ends it, so what waits for the end of the stream is refused; default false
    :param event_time: For a source: the column that is the event time of the stream at `out`; default: none
    :param accept: Warnings about this operator that its author accepts: `check` does not give them. What `--for
        spark` makes an error stays an error; default: none
    :param parallelism: How many instances of it run. Packets are shared out among them as the link's `partition`
        says; default 1
    :param on_error: What becomes of a bad record; default {"type": "fail"}
    """

    TYPE: ClassVar[str] = "spark_source"

    def __init__(
        self, id: str, /, *,
        schema: str | StructType,
        doc: str | Unset = UNSET,
        unbounded: bool | Param | Unset = UNSET,
        event_time: EventTime | Unset = UNSET,
        accept: Sequence[Literal["late", "order", "chance", "element_time", "silent", "slow_form", "unbounded"] | Param]
            | Unset = UNSET,
        parallelism: int | Param | Unset = UNSET,
        on_error: OnError | Unset = UNSET,
    ) -> None:
        super().__init__(id, doc=doc, schema=schema, unbounded=unbounded, event_time=event_time, accept=accept,
            parallelism=parallelism, on_error=on_error)

    @property
    def out(self) -> Port:
        """The port ``out``."""
        return self.port("out")

    @property
    def errors(self) -> Port:
        """The port ``errors``."""
        return self.port("errors")


class ForwardPartition(Variant):
    """Each instance to the one of the same number. Both operators need the same parallelism."""

    TYPE: ClassVar[str] = "forward"

    def __init__(self) -> None:
        super().__init__()


class RoundRobinPartition(Variant):
    """To each instance in turn, a segment at a time."""

    TYPE: ClassVar[str] = "round_robin"

    def __init__(self) -> None:
        super().__init__()


class HashPartition(Variant):
    """
    Packets with the same key to the same instance.

    :param by: The key: expressions over the columns of the sender
    """

    TYPE: ClassVar[str] = "hash"

    def __init__(
        self, *,
        by: Expression | Sequence[Expression],
    ) -> None:
        super().__init__(by=listed(by))


class LeastLoadedPartition(Variant):
    """To the instance with the shortest queue, a segment at a time."""

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
    By a class of yours; see docs/java-operators.md. The resources of the sender need its jar.

    :param class_: Its full name. It implements `io.despina.api.PartitionFunction`
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
    """For people. Drawings show it."""
    partition: Partition
    """Which instance a packet goes to. Between operators of one instance each it is always `forward`."""
    buffer: Buffer
    """When packets leave."""
    compression: Compression
    """Whether to compress between processes."""
    fuse: bool | Param
    """false: the two operators share no task or process. Written true, also a way of a `route` or `filter` does."""


Balance = NeverBalance | LoadBalance

Compression = AdaptiveCompression | EntropyCompression | AlwaysCompression | NeverCompression

Rows = SelectRows | PacketsRows

Shape = ConstantShape | SineShape | StepShape

OnError = FailOnError | SkipOnError | DeadLetterOnError

Replay = AsFastAsPossibleReplay | EventTimeReplay

Schedule = DataSchedule | PeriodicSchedule | CountSchedule | AnySchedule

Start = EarliestStart | LatestStart | TimestampStart

Catalog = RestCatalog | JdbcCatalog

Fill = PreviousFill | LinearFill | NullFill | ExpressionFill

Window = (
    TumblingWindow | SlidingWindow | SessionWindow | CountWindow | ProgressWindow | ControlWindow | TrailingWindow |
    TrailingCountWindow
)

Fire = CloseFire | EveryFire | ChangeFire

From = FileFrom | AreasFrom | StreamFrom | JdbcFrom

Partition = (
    ForwardPartition | RoundRobinPartition | HashPartition | LeastLoadedPartition | BroadcastPartition | CustomPartition
)

__all__ = [
    "Absence", "AdaptiveCompression", "Advance", "Aggregate", "AlwaysCompression", "AnySchedule", "Approximate",
    "AreasFrom", "AsFastAsPossibleReplay", "AsOf", "Balance", "BetweenMs", "BroadcastPartition", "Buffer", "Cache",
    "Catalog", "ChangeFire", "Changes", "CloseFire", "CollectSink", "Compression", "Connection", "ConnectorSink",
    "ConnectorSource", "ConsoleSink", "ConstantShape", "Control", "ControlWindow", "CountSchedule", "CountWindow",
    "Cursor", "CustomPartition", "DataSchedule", "DeadLetterOnError", "Deduplicate", "Delay", "DeltaSink",
    "DeltaSource", "DiscardSink", "EarliestStart", "EntropyCompression", "EventTime", "EventTimeReplay", "EveryFire",
    "Explode", "Expression", "ExpressionFill", "FailOnError", "FileFrom", "FileSink", "FileSource", "Fill", "Filter",
    "Fire", "ForwardPartition", "From", "GeneratorSource", "Geocode", "HashPartition", "HttpPollSource", "HttpSink",
    "HttpSource", "HttpStreamSource", "IcebergSink", "IcebergSource", "Java", "JavaSink", "JavaSource", "JdbcCatalog",
    "JdbcFrom", "JdbcSink", "JdbcSource", "JobSink", "JobSource", "Join", "KafkaSink", "KafkaSource", "Latest",
    "LatestStart", "LeastLoadedPartition", "LineId", "LinearFill", "LinkOptions", "LoadBalance", "Locate", "Lookup",
    "MqttSink", "MqttSource", "NatsSink", "NatsSource", "NeverBalance", "NeverCompression", "NullFill", "Oauth2",
    "OnError", "OpcuaSource", "PacketsRows", "Parameter", "Partition", "Pattern", "PeriodicSchedule", "PreviousFill",
    "ProgressWindow", "Project", "Python", "PythonSink", "PythonSource", "RateStep", "RedisSink", "RedisSource",
    "Registry", "Relay", "Replay", "Resample", "RestCatalog", "RoundRobinPartition", "Route", "Rows", "Sasl", "Scan",
    "Schedule", "SelectRows", "SessionWindow", "Settings", "Shape", "SineShape", "SkipOnError", "SleepStep",
    "SlidingWindow", "Sort", "SparkSource", "Sql", "Start", "State", "Step", "StepShape", "StreamFrom", "TcpSink",
    "TcpSource", "TimestampStart", "Tls", "Top", "TrailingCountWindow", "TrailingWindow", "TumblingWindow", "Union",
    "WebsocketSink", "WebsocketSource", "Window", "ZeromqSink", "ZeromqSource", "param",
]
