package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.LocalPath;
import io.despina.catalogue.field.RecordSchemas;
import io.despina.catalogue.field.SinkMode;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.file.FileSink;
import io.despina.operator.sink.file.FileSinkOptions;
import io.despina.operator.sink.file.PipeSink;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Settings;
import io.despina.plan.StandardStreams;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.plan.WritesFiles;
import io.despina.spec.Blocking;
import io.despina.spec.FileFormat;
import io.despina.spec.Never;
import io.despina.spec.SinkGuarantee;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code file_sink}. */
public final class FileSinkDefinition extends Definition {
    private static final long NANOS_PER_MS = 1_000_000;
    /** The default if the input is endless. */
    private static final long ROLL_EVERY_MS = 60_000;

    private static final OperatorType TYPE = new OperatorType("file_sink", Family.SINKS,
            "Writes files, always whole lines, bytes as Spark would write them.",
            List.of("in"), List.of("errors"), List.of(
                    required("path", TEXT,
                            "A folder, or a file if `single_file` is true."
                            + "\n- It may be a URI: `file:`, or one of Hadoop's file systems, as `hdfs://host/folder` or "
                            + "`s3a://bucket/folder`; see docs/files.md."
                            + "\n- `-` is the standard output of `despina run`: once in a graph, without a deployment. Rows "
                            + "are then written as they come, a slow reader slows the job, and everything else that the "
                            + "command says goes to standard error."
                            + "\n- A pipe, a device or a socket fails the job on the engine."
                            + "\n- The path must not be, contain or lie in what a `file_source` of the graph reads, nor "
                            + "match its glob."),
                    required("format", FormatOptions.WRITE_FILES, "How records are written."),
                    optional("options", FormatOptions.OPTIONS, "none",
                            "Spark's options for the format, under Spark's names. Flags that are neither true nor false "
                            + "are refused, and so are options that the format does not have."
                            + "\n- `compression` is none, gzip, bzip2, deflate, lz4 or snappy, and on the engine also zstd; "
                            + "for parquet it is none, snappy, gzip, zstd or lz4_raw, and for avro, whose default is snappy, "
                            + "uncompressed, snappy, deflate, bzip2, xz or zstandard. The files' names end as Spark's do."
                            + "\n- `parquet.block.size` is how many bytes a sink keeps in memory and writes as a group of "
                            + "rows: 16 MB on the engine, 128 MB on Spark."
                            + "\n- Options whose names begin with `fs.` configure the file system."),
                    or("single_file", FLAG, "false", "true: `path` is the one file; needs parallelism 1. Not for parquet, "
                            + "avro and xml, to whose files nothing can be added, nor on the engine for another file system."),
                    or("if_exists", words("error", "the job fails before it writes", "replace", "the first output of this job "
                            + "replaces it, and what earlier jobs left uncommitted; a job that fails before that leaves "
                            + "everything as it was"),
                            "\"error\"", "What to do if there is output already."),
                    optional("roll_every_ms", MILLIS, "60000 where the input has no end, else 0",
                            "On the engine: the sink shows its rows, as a file of their own or at the end of the single "
                            + "file, when the first of them is this old. What it has shown stays, however the job ends. 0: "
                            + "it shows them when the job has ended well or was stopped."),
                    optional("roll_bytes", new FieldKind.Whole(0, Long.MAX_VALUE), "0", "The sink also shows its rows when they "
                            + "have this many bytes, before they are packed; 0: any number."),
                    SinkMode.APPEND_ONLY), """
                "kept": {"type": "file_sink", "path": "out", "format": "json", "if_exists": "replace"}
                """);

    FileSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        FileFormat format = fields.constant("format", FileFormat.class);
        String problem = FormatOptions.unwritable(format, context.input().schema());
        if (problem != null) {
            return context.refuse(fields.place("format"), Rule.COLUMN_TYPE, problem,
                    "select other columns before it, or use another format");
        }
        boolean single = fields.flag("single_file");
        String path = LocalPath.anywhere(context, fields.text("path"));
        if (path == null || !SinkMode.isAppend(context) || !FormatOptions.canWrite(context, format)
                || !RecordSchemas.fitFiles(context, format, context.input().schema(), true)
                || !StandardStreams.canBe(context, path, "output", "single_file", "if_exists", "roll_every_ms", "roll_bytes")) {
            return null;
        }
        Settings settings = context.planning().settings();
        if (!format.isAppended() && (single || StandardStreams.isMeant(path))) {
            return context.refuse(fields.place(single ? "single_file" : "path"), Rule.EXCLUSIVE, "nothing can be added to a file"
                    + " of format " + format.word() + ", so it is not written as "
                    + (single ? "`single_file`" : "standard output"), "give a folder as `path`");
        }
        if (single && FileAddress.isHadoops(path) && !context.planning().options().target().isSpark()) {
            return context.refuse(fields.place("single_file"), Rule.EXCLUSIVE, "nothing can be added to a file of another file "
                    + "system, so it is not written as `single_file`", "give a folder as `path`");
        }
        if (StandardStreams.isMeant(path) && packs(fields)) {
            return context.refuse(fields.place("options"), Rule.EXCLUSIVE, "standard output is not packed",
                    "pack what the command writes: despina run … | gzip");
        }
        Map<String, String> options = RecordSchemas.planned(context, format, fields.strings("options"));
        if (options == null) {
            return null;
        }
        FileSinkSpec spec = new FileSinkSpec(path, single, fields.string("if_exists", "").equals("replace"),
                new RecordFormat.Write(format, options, settings.timeZone(), settings.ansi()),
                fields.whole("roll_every_ms", context.isUnbounded() ? ROLL_EVERY_MS : 0), fields.whole("roll_bytes", 0));
        return new PlanningResult(spec, null, List.of(), single ? "single_file is one file"
                : StandardStreams.writes(spec) ? "standard output is one stream" : null);
    }

    private static boolean packs(Values fields) {
        return fields.strings("options").entrySet().stream().anyMatch(option ->
                FileCodec.isOption(option.getKey()) && FileCodec.ofWord(option.getValue()) != null);
    }

    /**
     * @param path        an absolute path or a URI, of a folder, or of one file if {@code singleFile}
     * @param rollEveryMs 0 for never
     * @param rollBytes   0 for any size
     */
    public record FileSinkSpec(String path, boolean singleFile, boolean replace, RecordFormat.Write records,
            long rollEveryMs,
            long rollBytes) implements ExecutableSpec, WritesFiles {

        /** Listing, locking or opening files may take any time. */
        @Override
        public Blocking blocking() {
            return Blocking.OPENING;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return !StandardStreams.writes(this) ? Promise.of(SinkGuarantee.TRANSACTIONAL)
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "what standard output has had cannot be taken back",
                    "give a path");
        }

        @Override
        public long shownMillis() {
            return StandardStreams.writes(this) ? 0 : rollEveryMs > 0 ? rollEveryMs : Never.NEVER;
        }

        @Override
        public boolean keepsRowsHere() {
            return !StandardStreams.writes(this) && !FileAddress.isHadoops(path);
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return switch (records.format()) {
                case AVRO -> List.of(new SparkGap("what writes avro files is a package of its own, `spark-avro`, which Spark's "
                        + "distribution lacks", "write parquet, or take the DataFrame and write it: to_spark(…)"));
                case PROTOBUF, INFLUX -> List.of(new SparkGap("Spark writes no files of format " + records.format().word(),
                        "write json, or take the DataFrame and write it: to_spark(…)"));
                default -> FileCodec.of(records.format(), records.options()) != FileCodec.ZSTD ? List.of() : List.of(new SparkGap(
                        "it reads files of text that are packed with zstd, and writes none", "write gzip"));
            };
        }

        @Override
        public Map<String, Object> resolved() {
            return Map.of("path", path);
        }

        @Override
        public Operator make(InstanceContext making) {
            FileSinkOptions options = new FileSinkOptions(
                    new FileSinkOptions.Place(Path.of(path), singleFile, replace, making.plan().name()),
                    new FileSinkOptions.Roll(rollEveryMs * NANOS_PER_MS, rollBytes, making.around().disk()), records,
                    Expressions::formatter);
            return StandardStreams.writes(this) ? new PipeSink(making.around().python().standardOutput(), options)
                    : new FileSink(options);
        }
    }
}
