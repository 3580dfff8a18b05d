package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.packet.Schema;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import io.despina.plan.Promise;
import io.despina.plan.Settings;
import io.despina.socket.SocketListener;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import io.despina.spec.FileFormat;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The fields that sources and sinks of sockets share. */
public final class SocketFields {
    /** Why a source of sockets has one instance. */
    public static final String ONE = "a port has one listener";
    public static final List<SparkGap> SOURCE_GAPS = List.of(SparkGap.ofSource("its rows come over sockets while the job runs"));
    public static final FieldKind FRAMING = words("lines", "each ends with LF or CR LF", "length_prefixed",
            "each follows its length: four bytes, the highest first");

    public static final FieldSpec HOST = or("host", TEXT, "\"127.0.0.1\"",
            "The address of this machine to listen on; `0.0.0.0` for all "
            + "of them. Without `tls`, everybody who reaches the port can send rows.");
    public static final FieldSpec PORT = required("port", new FieldKind.Whole(0, 65_535),
            "0: any port that is free. The job says on standard error which one it is.");
    public static final FieldSpec FORMAT = required("format", FormatOptions.READ_LINES, "How records are written.");
    /** Of records that need not be lines. */
    public static final FieldSpec ANY_FORMAT = required("format", FormatOptions.READ_RECORDS, "How records are written.");
    public static final FieldSpec READ_OPTIONS = optional("options", FormatOptions.OPTIONS, "none",
            "Spark's options for the format, as those of a "
            + "`file_source`. With `header`, each connection begins with a header; a client whose header does not fit the "
            + "schema is sent away. `lineSep` is refused.");
    public static final FieldSpec SCHEMA = optional("schema", new FieldKind.Ddl(true), "`value STRING` for text; else required",
            "The columns of a record, as Spark DDL. Each may be NULL. " + DeclaredSchema.DEFAULTS);
    public static final FieldSpec CLIENTS = or("max_clients", new FieldKind.Whole(1, 1_000_000), "1000",
            "Further clients are sent away. The process's limit on open files must allow so many.");
    public static final FieldSpec IDLE = or("idle_timeout_ms", MILLIS, "0",
            "A client that is silent for so long is sent away; 0: "
            + "never. A client whose machine can no longer be reached is noticed within 15 s on Linux anyway.");
    public static final FieldSpec BUFFER = or("buffer_bytes", new FieldKind.Whole(1 << 10, 1 << 30), "4194304",
            "How much may wait for the source: beyond it, no socket is read. Unfinished records of all clients may take as much "
            + "again. Twice this is counted as the source's state.");
    public static final FieldSpec SPOOL = or("spool_bytes", new FieldKind.Whole(1 << 20, 1L << 40), "1073741824",
            "Of a job that keeps its state: how much of what has come, and is in no complete epoch, may be on the disk. Beyond "
            + "it, nothing more is taken.");
    public static final FieldSpec PATH = or("path", TEXT, "\"/\"", "The path of the URL.");
    public static final FieldSpec TOKEN_ENV = optional("token_env", TEXT, "everybody may come",
            "The environment variable that holds "
            + "the token, in the process that hosts the operator. Each request must bring it: `Authorization: Bearer …`. Without "
            + "`tls` it travels in the clear.");
    public static final FieldSpec TOKEN_FILE = optional("token_file", TEXT, "everybody may come",
            "In its place, the file that holds "
            + "the token.");
    public static final FieldSpec LISTENER_TLS = optional("tls", new FieldKind.Fields(Section.of("tls",
            "TLS on every connection. The files are PEM.",
            required("certificate", TEXT, "Its own certificate, and those between it and the authority's."),
            required("key", TEXT, "The key of the certificate: PKCS#8, without a password."),
            optional("trust", TEXT, "none is asked of clients", "Certificates of authorities: each client must show a "
                    + "certificate that one of them has signed."))), "no TLS", "The files for TLS.");

    public static final List<SparkGap> SINK_GAPS = List.of(new SparkGap("it sends rows to another program while the job runs",
            "on Spark use a file_sink, or stub it"));
    /** Of a sink of bytes or messages whose peer does not say what has arrived. */
    public static final Promise<SinkGuarantee> MAY_LOSE = new Promise<>(SinkGuarantee.NONE,
            "rows on their way when a connection breaks may be lost", "write to a file_sink");
    public static final FieldSpec WRITE_FORMAT = required("format", FormatOptions.WRITE_LINES, "How records are written.");
    /** Of records that need not be lines. */
    public static final FieldSpec WRITE_ANY_FORMAT = required("format", FormatOptions.WRITE_RECORDS, "How records are written.");
    public static final FieldSpec WRITE_OPTIONS = optional("options", FormatOptions.OPTIONS, "none",
            "Spark's options for the format, as those of a "
            + "`file_sink`. `lineSep` is refused.");
    public static final FieldSpec RETRY = or("retry_for_ms", MILLIS, "10000", "How long it tries again while its peer is away or "
            + "fails; then the job fails. It waits 25 to 50 ms at first, twice as long each time, at most 10 s.");
    public static final FieldSpec WRITE_TIMEOUT = or("write_timeout_ms", MILLIS, "0",
            "A peer that takes nothing for so long counts as "
            + "gone; 0: never, it may be slow. That the machine of a peer has vanished is noticed without it: on Linux within "
            + "30 s of the first row that it does not get, or some minutes if it had stopped reading before; elsewhere after "
            + "some 15 minutes.");
    public static final FieldSpec DELIVERY = or("delivery", words("by_epoch", "they leave when their epoch is complete; rows of "
            + "an epoch that was not complete leave once, though the job had sent them to the sink twice",
            "at_least_once", "they leave at once, and may leave twice"), "\"by_epoch\"",
            "When rows leave a job that keeps its state. Others send rows at once.");
    public static final FieldSpec OUTBOX = or("spool_bytes", new FieldKind.Whole(1 << 20, 1L << 40), "1073741824",
            "With `by_epoch`: when rows of complete epochs wait for the peer, and the log has so many bytes, the job waits too.");
    public static final FieldSpec CLIENT_TLS = optional("tls", new FieldKind.Fields(Section.of("tls",
            "TLS on the connection. The peer's certificate must name its host. The files are PEM.",
            optional("trust", TEXT, "the authorities that Java knows", "Certificates of the authorities that are believed."),
            optional("certificate", TEXT, "none", "Its own certificate, for peers that ask for one; needs `key`."),
            optional("key", TEXT, "none", "The key of the certificate: PKCS#8, without a password."))), "no TLS",
            "The files for TLS; `{}` for TLS without any.");

    private SocketFields() {
    }

    public static FieldSpec recordBytes(String of) {
        return or("max_record_bytes", new FieldKind.Whole(1, 1 << 30), "65536", of);
    }

    /** How records are read; null after a refusal. */
    public static RecordFormat.Read records(PlanningContext context) {
        Values fields = context.fields();
        FileFormat format = fields.constant("format", FileFormat.class);
        Schema schema = DeclaredSchema.ofFiles(context, format);
        if (schema == null || !FormatOptions.canRead(context, context.fields(), format)) {
            return null;
        }
        if (!endsLines(context) || !isFramed(context, format) || !RecordSchemas.fit(context, format, schema, false)) {
            return null;
        }
        Map<String, String> options = RecordSchemas.planned(context, format, FormatOptions.read(fields));
        Settings settings = context.planning().settings();
        return options == null ? null : new RecordFormat.Read(format, options, schema,
                format == FileFormat.CSV ? schema.size() : 0, false,
                Set.of(), settings.timeZone(), settings.ansi());
    }

    private static boolean endsLines(PlanningContext context) {
        for (Map.Entry<String, Text> option : context.fields().namedTexts("options").entrySet()) {
            if (option.getKey().equalsIgnoreCase("lineSep")) {
                context.refuse(option.getValue().place(), Rule.UNKNOWN_WORD, "lines of a socket end with LF",
                        "leave the option `lineSep` out");
                return false;
            }
        }
        return true;
    }

    /** Whether the end of a record can be found. */
    private static boolean isFramed(PlanningContext context, FileFormat format) {
        Values fields = context.fields();
        boolean cut = fields.declares("framing") && fields.string("framing", "").equals("lines");
        if (cut && !format.isLines()) {
            context.refuse(fields.place("format"), Rule.EXCLUSIVE, "a record of format " + format.word()
                    + " may have a line end in it, and `framing` is lines", "add \"framing\": \"length_prefixed\"");
        }
        return !cut || format.isLines();
    }

    /** How a sink writes records; null after a refusal. */
    public static RecordFormat.Write written(PlanningContext context) {
        Values fields = context.fields();
        FileFormat format = fields.constant("format", FileFormat.class);
        String problem = FormatOptions.unwritable(format, context.input().schema());
        if (problem != null) {
            return context.refuse(fields.place("format"), Rule.COLUMN_TYPE, problem,
                    "select other columns before it, or use another format");
        }
        if (!FormatOptions.canWrite(context, format) || !endsLines(context) || !isFramed(context, format)
                || !RecordSchemas.fit(context, format, context.input().schema(), true)) {
            return null;
        }
        Map<String, String> options = RecordSchemas.planned(context, format, fields.strings("options"));
        Settings settings = context.planning().settings();
        return options == null ? null : new RecordFormat.Write(format, options, settings.timeZone(), settings.ansi());
    }

    /** What the source holds at most; null after a refusal. */
    public static Bounds bounds(PlanningContext context, String record) {
        Values fields = context.fields();
        long one = fields.whole(record, 0);
        long all = fields.whole("buffer_bytes", 0);
        return one <= all ? new Bounds((int) one, all, fields.whole("spool_bytes", 0))
                : context.refuse(fields.place(record), Rule.EXCLUSIVE, "`" + record + "` is " + one
                        + ", more than `buffer_bytes`, " + all, "raise buffer_bytes to at least as much");
    }

    /** Where to listen. */
    public static SocketListener.Options listening(PlanningContext context) {
        Values fields = context.fields();
        return new SocketListener.Options(fields.string("host", ""), (int) fields.whole("port", 0),
                (int) fields.whole("max_clients", 0), fields.whole("idle_timeout_ms", 0), tls(context));
    }

    /** The files of TLS; null without TLS. */
    public static TlsFiles tls(PlanningContext context) {
        Values tls = context.fields().fields("tls");
        return tls == null ? null : new TlsFiles(path(context, tls, "certificate"), path(context, tls, "key"),
                path(context, tls, "trust"));
    }

    /** Whether at most one place of a token is written. */
    public static boolean hasOneToken(PlanningContext context) {
        return !ServerFields.excludes(context, context.fields(), "token_env", "token_file");
    }

    /** Where the token is; null if none is wanted. */
    public static TokenPlace token(PlanningContext context) {
        Values fields = context.fields();
        String variable = fields.isWritten("token_env") ? fields.string("token_env", "") : null;
        String file = path(context, fields, "token_file");
        return variable == null && file == null ? null : new TokenPlace(variable, file);
    }

    /** Whether a certificate has its key, and the other way round. */
    public static boolean hasKey(PlanningContext context) {
        Values tls = context.fields().fields("tls");
        if (tls == null || tls.isWritten("certificate") == tls.isWritten("key")) {
            return true;
        }
        context.refuse(tls.place(), Rule.EXCLUSIVE, "`certificate` and `key` of `tls` need each other", "write both, or neither");
        return false;
    }

    /** The absolute path that a field names; null if it is not written. */
    static String path(PlanningContext context, Values fields, String name) {
        Text path = fields.text(name);
        return path == null ? null : LocalPath.planned(context, path);
    }
}
