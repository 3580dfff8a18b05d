package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.OPTIONS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.operator.FileAddress;
import io.despina.operator.FileCodec;
import io.despina.operator.Operator;
import io.despina.operator.sink.FileSink;
import io.despina.operator.sink.FileSinkOptions;
import io.despina.operator.sink.PipeSink;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Settings;
import io.despina.plan.StandardStreams;
import io.despina.plan.Target;
import io.despina.plan.WritesFiles;
import io.despina.spec.Blocking;
import io.despina.spec.FileFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code file_sink}. */
public final class FileSinkDefinition extends Definition {
    private static final long NANOS_PER_MS = 1_000_000;
    /** The default if the input is endless. */
    private static final long ROLL_EVERY_MS = 60_000;

    /** Of records that are lines. */
    static final FieldKind WRITE_LINES = words("csv", "separated values, as Spark writes them", "json",
            "one JSON object per line", "text", "one STRING column, one line each");
    private static final FieldKind WRITE_FORMAT = words("csv", "separated values, as Spark writes them", "json",
            "one JSON object per line", "text", "one STRING column, one line each", "parquet",
            "columns, packed by `compression`: snappy by default, as on Spark");

    private static final OperatorType TYPE = new OperatorType("file_sink",
            "Writes files, always whole lines, bytes as Spark would write them.",
            List.of("in"), List.of("errors"), List.of(
                    required("path", TEXT, "A folder, or its URI: `file:`, or one of Hadoop's file systems, as "
                            + "`hdfs://host/folder` or `s3a://bucket/folder`; see [files](files.md). A file if `single_file`. "
                            + "`-` is the standard "
                            + "output of `despina run`: once in a graph, without a deployment. Rows are then written as "
                            + "they come, a slow reader slows the job, and everything else that the command says goes to "
                            + "standard error. A pipe, a device or a socket fails the job on the engine. The path must not "
                            + "be, contain or lie in what a `file_source` of the graph reads, nor match its glob."),
                    required("format", WRITE_FORMAT, "How records are written."),
                    optional("options", OPTIONS, "none", "Spark's options for the format, under Spark's names. "
                            + "`compression` is none, gzip, bzip2, deflate, lz4 or snappy, and on the engine also zstd; the "
                            + "files' names end as Spark's do. Of parquet it is none, snappy, gzip, zstd or lz4_raw; "
                            + "`parquet.block.size` is how many bytes a sink keeps in memory and writes as a group of rows: "
                            + "16 MB on the engine, 128 MB on Spark. Options whose names begin with `fs.` "
                            + "configure the file system. Flags that are neither true nor false are refused, and "
                            + "so are options that the format does not have."),
                    or("single_file", FLAG, "false", "true: `path` is the one file; needs parallelism 1. Not for parquet, to "
                            + "whose files nothing can be added, nor on the engine for another file system."),
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
        String problem = unwritable(format, context.input().schema());
        if (problem != null) {
            return context.refuse(fields.place("format"), Rule.COLUMN_TYPE, problem,
                    "select other columns before it, or use another format");
        }
        boolean single = fields.flag("single_file");
        String path = LocalPath.anywhere(context, fields.text("path"));
        if (path == null || !SinkMode.isAppend(context) || !FormatOptions.canWrite(context, format)
                || !StandardStreams.canBe(context, path, "output", "single_file", "if_exists", "roll_every_ms", "roll_bytes")) {
            return null;
        }
        Settings settings = context.planning().settings();
        if (!format.isText() && (single || StandardStreams.isMeant(path))) {
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
        FileSinkSpec spec = new FileSinkSpec(path, single, fields.string("if_exists", "").equals("replace"),
                new FileSinkOptions.Records(format, fields.strings("options"), settings.timeZone(), settings.ansi()),
                fields.whole("roll_every_ms", context.isUnbounded() ? ROLL_EVERY_MS : 0), fields.whole("roll_bytes", 0));
        return new PlanningResult(spec, null, List.of(), single ? "single_file is one file"
                : StandardStreams.writes(spec) ? "standard output is one stream" : null);
    }

    private static boolean packs(Values fields) {
        return fields.strings("options").entrySet().stream().anyMatch(option ->
                FileSinkOptions.Records.isCompression(option.getKey()) && FileCodec.ofWord(option.getValue()) != null);
    }

    /** Why files of that format cannot hold the columns, or null if they can. */
    static String unwritable(FileFormat format, Schema schema) {
        if (format == FileFormat.TEXT) {
            boolean one = schema.size() == 1 && schema.column(0).type() == Type.Simple.STRING;
            return one ? null : "format text has one STRING column, and this is " + schema.sql();
        }
        if (format == FileFormat.PARQUET) {
            return schema.columns().stream().filter(column -> isEmpty(column.type())).findFirst().map(column ->
                    "format parquet cannot hold column `" + column.name() + "` of type " + column.type().sql()).orElse(null);
        }
        if (format == FileFormat.CSV) {
            for (Column column : schema.columns()) {
                Type type = column.type();
                if (type instanceof Type.Array || type instanceof Type.MapOf || type instanceof Type.Struct
                        || type instanceof Type.Void) {
                    return "format csv cannot hold column `" + column.name() + "` of type " + type.sql();
                }
            }
        }
        return null;
    }

    /** Whether the type, or one in it, has no values to write. */
    private static boolean isEmpty(Type type) {
        if (type instanceof Type.Array array) {
            return isEmpty(array.element());
        }
        if (type instanceof Type.MapOf map) {
            return isEmpty(map.key()) || isEmpty(map.value());
        }
        if (type instanceof Type.Struct struct) {
            return struct.fields().isEmpty() || struct.fields().stream().anyMatch(field -> isEmpty(field.type()));
        }
        return type instanceof Type.Void;
    }

    /**
     * @param path        an absolute path or a URI, of a folder, or of one file if {@code singleFile}
     * @param rollEveryMs 0 for never
     * @param rollBytes   0 for any size
     */
    public record FileSinkSpec(String path, boolean singleFile, boolean replace, FileSinkOptions.Records records,
            long rollEveryMs,
            long rollBytes) implements ExecutableSpec, WritesFiles {

        /** Listing, locking or opening files may take any time. */
        @Override
        public Blocking blocking() {
            return Blocking.OPENING;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return records.codec() != FileCodec.ZSTD ? List.of() : List.of(new SparkGap(
                    "it reads files of text that are packed with zstd, and writes none", "write gzip"));
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
