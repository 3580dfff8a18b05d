package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.CsvColumns;
import io.despina.catalogue.field.DeclaredSchema;
import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.LocalPath;
import io.despina.catalogue.field.RecordSchemas;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSource;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.operator.source.file.Pipe;
import io.despina.packet.Schema;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Prunable;
import io.despina.plan.ReadsFiles;
import io.despina.plan.Settings;
import io.despina.plan.StandardStreams;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.OnError;
import io.despina.spec.Replay;
import io.despina.spec.SourceGuarantee;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** {@code file_source}. */
public final class FileSourceDefinition extends Definition {
    private static final FieldKind RATE = new FieldKind.Real(0, true);

    private static final FieldKind REPLAY = new FieldKind.Variant("replay", List.of(
            Section.of("as_fast_as_possible", "Without waiting."),
            Section.of("event_time", "Records leave at the pace of their event times.",
                    or("speed", RATE, "1", "2 is twice as fast as it happened."))));

    /** Of formats that Spark reads by none of its own sources. */
    private static final String GIVE_ROWS = "give a DataFrame in its place: to_spark(spark, inputs={…})";

    private static final OperatorType TYPE = new OperatorType("file_source", Family.SOURCES,
            "Reads files. Each instance reads its share of them."
            + "\n- With `event_time` it merges its files by event time, so that no file makes the packets of another one "
            + "late. Without, it reads them in the order of their paths."
            + "\n- It opens as many files at once as overlap in time: the process's limit on open files must allow that. "
            + "Open files take 16 MB of an instance's memory, and 8 KB more for each file beyond some 200.",
            List.of(), List.of("out", "errors"), List.of(
                    required("path", TEXT, "A file, a folder, a glob, or a `file:` URI of one (only in a URI does `%20` "
                            + "mean a space), or a URI of one of Hadoop's file systems, as `s3a://bucket/in/*.csv`: options "
                            + "whose names begin with `fs.` configure it. `-` is the standard input of `despina run`: once in "
                            + "a graph, without a deployment; the source ends where it ends. Packed files are unpacked by the "
                            + "ending of their names, as Spark does, in upper or lower case: .gz, .bz2, .zst, .deflate, .lz4, "
                            + ".snappy (the last three as Hadoop writes them). A file that is damaged or cut short fails the "
                            + "job. .xz, .zip, .br, .lzo and .7z fail the job on the engine, and so does a pipe, a device or a "
                            + "socket; in a folder or a glob, pipes, devices and sockets are passed over. Globs are Hadoop's; a "
                            + "folder `day=2024-03-01` in what the path names gives its files the column `day` of the schema: "
                            + "[which files are read](../files.md#which-files-are-read). `/dev/stdin`, "
                            + "`/dev/fd` and the like are refused, since the engine's own would be read."),
                    required("format", FormatOptions.READ_FILES, "How records are written."),
                    optional("options", FormatOptions.OPTIONS, "none",
                            "Spark's options for the format, under Spark's names."
                            + "\n- A record is one line: `multiLine`, `wholetext` and the encodings UTF-16 and UTF-32 are "
                            + "refused. So are flags that are neither true nor false, and options that the format does not "
                            + "have. Any other value that Spark refuses fails the job."
                            + "\n- With `header`, the first line of each csv file must have the schema's names in the "
                            + "schema's order, in upper or lower case; if not, the job fails. `columns_by` finds columns by "
                            + "their names instead. `\"enforceSchema\": \"true\"` takes them by their place alone."
                            + "\n- `mode` and `columnNameOfCorruptRecord` have no effect: use `on_error`."
                            + "\n- Each element of a json array is a record. If one element is bad, all are."),
                    optional("schema", new FieldKind.Ddl(true), "`value STRING`, for text only", "The columns, as Spark DDL. "
                            + DeclaredSchema.DEFAULTS + " So it is in a parquet file that lacks it. If only `project` operators "
                            + "could read a csv column and none does, the source does not parse it, and finds no mistake in it; "
                            + "under `on_error` `fail` only. A column without default that a parquet file lacks is NULL; one of "
                            + "another type, which Spark would not read as this one, fails the job; columns that nobody reads "
                            + "are not read from the file. A column that a folder names, as `day=2024-03-01` does, comes from "
                            + "there, and the file has the others; so format text may have more columns than its one."),
                    FormatOptions.TIMESTAMP_UNIT,
                    or("columns_by", words("place", "are a line's first ones, in order", "name", "are where the header of their "
                            + "file has their names, in any order, in upper or lower case"), "\"place\"",
                            "Where in a csv line the schema's columns are. `name` needs the option `header`; files may "
                            + "have different headers. Columns that the schema does not name are left out. A name that a "
                            + "header lacks or has twice fails the job. A line with more or fewer columns than its header "
                            + "is a bad record; but a separator at a line's end, behind which nothing stands, is left out."),
                    optional("columns", new FieldKind.Whole(1, 100_000), "the schema's count without the columns that folders "
                            + "give, or more under `ignore`",
                            "How many columns every csv line must have; another number makes a bad record."),
                    or("extra_columns", words("error", "are a bad record", "ignore", "are left out"), "\"error\"",
                            "What the columns of a csv line beyond the schema's are. Fields of a json record beyond the schema "
                            + "are always left out, as Spark does."),
                    or("follow", FLAG, "false",
                            "true: the source does not end. It reads on as files grow, and takes up files that come later."
                            + "\n- On Linux it reads a line of a file of this machine as soon as the line is written, "
                            + "elsewhere within 50 ms."
                            + "\n- It looks for new files when the folder changes, and twice a second. It reads them from "
                            + "their beginning."
                            + "\n- Packed files and those of parquet, avro, protobuf and xml do not grow, so each is read once. "
                            + "Such a file must be whole when it gets a name that the path matches: write it under another "
                            + "name, and rename it."
                            + "\n- It knows a file by its inode. If a file is renamed to a name that the path matches, the "
                            + "source continues with it, and does not read it again."
                            + "\n- If another file takes over a name (rotation), the source reads the old file to its end, "
                            + "and begins the new one when that has bytes. It says both on standard error."
                            + "\n- A copy is a new file, packed or not: the path must not match the names under which a "
                            + "rotation copies or packs. With `parallelism` above 1 it must not match the names to which a "
                            + "rotation renames, either."),
                    or("on_truncate", words("fail", "the job fails", "restart", "the source reads it again from its "
                            + "beginning, and says so on standard error"), "\"fail\"",
                            "What to do when a followed file is cut short or written again. The source notices it when the "
                            + "file is shorter than what it has read, or when the last 256 bytes that it read are no "
                            + "longer there."),
                    or("replay", REPLAY, "{\"type\": \"as_fast_as_possible\"}", "At what pace records leave."),
                    or("preload", FLAG, "false", "true: all records are read into memory before the first one leaves."),
                    or("repeat", new FieldKind.Whole(0, Long.MAX_VALUE), "1", "How often the files are read; 0 without end.")),
                    """
                "readings": {
                  "type": "file_source",
                  "path": "readings/*.csv",
                  "format": "csv",
                  "options": {"header": "true"},
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["device"]}
                }
                """);

    FileSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        FileFormat format = fields.constant("format", FileFormat.class);
        if (!format.isLines() && StandardStreams.isMeant(fields.string("path", ""))) {
            return refusePipe(context, format);
        }
        Schema schema = DeclaredSchema.ofFolders(context, format);
        if (schema == null || !CsvColumns.fit(context, format, schema)) {
            return null;
        }
        Values replay = fields.fields("replay");
        boolean byTime = replay.word().equals("event_time");
        if (byTime && !fields.isWritten("event_time")) {
            return context.refuse(replay.place(), Rule.EVENT_TIME, "`replay` by event time needs `event_time`",
                    "add \"event_time\": {\"column\": …}");
        }
        long repeat = fields.whole("repeat", 1);
        boolean follow = fields.flag("follow");
        if (follow && (repeat != 1 || fields.flag("preload"))) {
            return context.refuse(fields.place("follow"), Rule.EXCLUSIVE, "`follow` excludes `repeat` and `preload`", null);
        }
        if (!follow && fields.isWritten("on_truncate")) {
            return context.refuse(fields.place("on_truncate"), Rule.EXCLUSIVE, "`on_truncate` needs `follow`",
                    "add \"follow\": true, or leave it out");
        }
        if (follow && !context.planning().options().target().isSpark() && fields.string("path", "").contains("://")
                && !fields.string("path", "").startsWith("file:")) {
            return context.refuse(fields.place("follow"), Rule.EXCLUSIVE, "`follow` needs files of this machine", null);
        }
        boolean ignoreExtra = fields.string("extra_columns", "").equals("ignore");
        String path = LocalPath.anywhere(context, fields.text("path"));
        if (path == null || !FormatOptions.canRead(context, fields, format)
                || !RecordSchemas.fitFiles(context, format, schema, false)
                || !StandardStreams.canBe(context, path, "input", "follow", "on_truncate", "preload", "repeat")) {
            return null;
        }
        Settings settings = context.planning().settings();
        Map<String, String> options = RecordSchemas.planned(context, format, FormatOptions.read(fields));
        if (options == null) {
            return null;
        }
        FileSourceSpec spec = new FileSourceSpec(path, new RecordFormat.Read(format, options, schema,
                CsvColumns.number(fields, schema), ignoreExtra, Set.of(), settings.timeZone(), settings.ansi()),
                new Reading(following(fields),
                        byTime ? new Replay(replay.real("speed", 1)) : Replay.AS_FAST_AS_POSSIBLE,
                        fields.flag("preload"), repeat));
        return new PlanningResult(spec, new Stream(schema, null, follow || repeat == 0), List.of(),
                StandardStreams.reads(spec) ? "standard input is one stream" : null);
    }

    private static PlanningResult refusePipe(PlanningContext context, FileFormat format) {
        return context.refuse(context.fields().place("path"), Rule.EXCLUSIVE, "format " + format.word()
                + (format == FileFormat.PARQUET ? " is read from its end" : " is read from files")
                + ", and `-` is standard input", "give a path");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }

    private static Follow following(Values fields) {
        return !fields.flag("follow") ? Follow.NO
                : fields.string("on_truncate", "").equals("restart") ? Follow.RESTART_ON_TRUNCATE
                : Follow.FAIL_ON_TRUNCATE;
    }

    /** @param path an absolute path or a URI, of a file, a folder or a glob */
    public record FileSourceSpec(String path, RecordFormat.Read records, Reading reading)
            implements ExecutableSpec, ReadsFiles, Prunable {

        /** Listing or opening files may take any time. */
        @Override
        public Blocking blocking() {
            return Blocking.OPENING;
        }

        @Override
        public boolean parsesLines() {
            return true;
        }

        /** Files that do not grow have their next packet at hand. */
        @Override
        public boolean canBeSilent() {
            return reading.follow() != Follow.NO;
        }

        @Override
        public boolean rescales() {
            return !reading.preload() && !repeats();
        }

        @Override
        public boolean repeats() {
            return reading.repeat() != 1;
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return !StandardStreams.reads(this) ? Promise.of(SourceGuarantee.REPLAYABLE) : new Promise<>(SourceGuarantee.NONE,
                    "standard input is read once", "give a path");
        }

        @Override
        public boolean keepsRowsHere() {
            return !StandardStreams.reads(this) && !FileAddress.isHadoops(path);
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            List<SparkGap> gaps = new ArrayList<>();
            boolean streaming = target == Target.SPARK_STREAMING;
            switch (records.format()) {
                case AVRO -> gaps.add(new SparkGap("Spark's source of avro files is a package of its own, `spark-avro`, which "
                        + "its distribution lacks", "read them by spark.read.format(\"avro\"), and " + GIVE_ROWS));
                case PROTOBUF, INFLUX -> gaps.add(new SparkGap("Spark has no source of files of format "
                        + records.format().word(), GIVE_ROWS));
                case RAW -> {
                    if (streaming) {
                        gaps.add(new SparkGap("Spark's streams have more columns than the bytes of a file", GIVE_ROWS));
                    }
                }
                default -> { }
            }
            if (reading.follow() != Follow.NO || repeats()) {
                gaps.add(new SparkGap("`follow` and `repeat` are the engine's", streaming
                        ? "leave them out: a stream reads each file that comes into the folder, once" : "leave them out"));
            }
            if (streaming && records.columns() == RecordFormat.Read.BY_NAME) {
                gaps.add(new SparkGap("`columns_by` name needs the header of a file before its rows",
                        "write the schema in the header's order"));
            }
            if (streaming && checksHeaders() && records.columns() != records.schema().size()
                    && records.columns() != RecordFormat.Read.BY_NAME) {
                gaps.add(new SparkGap("the headers of files with more columns than the schema's cannot be checked there",
                        "add \"enforceSchema\": \"true\" to the options"));
            }
            return gaps;
        }

        private boolean checksHeaders() {
            Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            options.putAll(records.options());
            return options.getOrDefault("header", "").equalsIgnoreCase("true")
                    && !options.getOrDefault("enforceSchema", "").equalsIgnoreCase("true");
        }

        @Override
        public Map<String, Object> resolved() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("path", path);
            fields.put("schema", records.schema().sql());
            fields.put("columns", records.columns());
            if (!records.unread().isEmpty()) {
                fields.put("unread", records.unread().stream().sorted().map(k -> records.schema().column(k).name()).toList());
            }
            return fields;
        }

        @Override
        public boolean isPrunable(OnError onError) {
            return (records.format() == FileFormat.CSV || records.format() == FileFormat.PARQUET) && onError == OnError.FAIL;
        }

        /**
         * An error in a csv column that is not parsed goes unnoticed here, but not on Spark. So those are left out only where it
         * pays.
         */
        @Override
        public boolean prunesFor(OperatorSpec reader) {
            return records.format() == FileFormat.PARQUET || reader instanceof ProjectDefinition.ProjectSpec;
        }

        @Override
        public int own() {
            return 0;
        }

        @Override
        public FileSourceSpec without(Set<Integer> unread) {
            return new FileSourceSpec(path, new RecordFormat.Read(records.format(), records.options(), records.schema(),
                    records.columns(), records.ignoreExtra(), unread, records.timeZone(), records.ansi()), reading);
        }

        @Override
        public Operator make(InstanceContext making) {
            InstanceContext.Around around = making.around();
            Pipe.Opener pipe = StandardStreams.reads(this) ? around.python().standardInput() : null;
            EventTime eventTime = making.operator().assigns();
            return new FileSource(new FileSourceOptions(path, records, reading, eventTime, Expressions::parser),
                    new FileSourceOptions.Outside(around.notices(), pipe));
        }
    }
}
