package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DeclaredSchema;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RecordFields.Metadata;
import io.despina.catalogue.field.ServerFields;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.AcknowledgedSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.inflow.RecentKeys;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Settings;
import io.despina.plan.Stream;
import io.despina.socket.ServerAddress;
import io.despina.spec.FileFormat;
import io.despina.spec.SourceGuarantee;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code opcua_source}. */
public final class OpcUaSourceDefinition extends Definition {
    private static final String CONNECTOR = "opcua";
    private static final String NO_SECURITY = "none";
    private static final Pattern SERVER = Pattern.compile("opc\\.tcp://([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?"
            + "(/\\S*)?");
    private static final Pattern NODE = Pattern.compile("(nsu=[^;]+;|ns=(?<ns>[0-9]{1,5});)?(i=(?<id>[0-9]{1,10})|s=.+"
            + "|b=[A-Za-z0-9+/]+=*|g=[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})", Pattern.DOTALL);
    private static final long MOST_NAMESPACE = 65_535;
    private static final long MOST_ID = 4_294_967_295L;
    private static final Pattern NAMED = Pattern.compile("\\{[^{}]+}");
    private static final int MOST_LEVELS = 62;
    private static final Schema VALUE = new Schema(List.of(new Column("value", Type.Simple.DOUBLE, true)));
    private static final Promise<SourceGuarantee> PROMISE = new Promise<>(SourceGuarantee.NONE, "an OPC UA server does not give "
            + "again what it has given: what changes while the source is away may be lost", null);
    private static final Promise<SourceGuarantee> WITH_HISTORY = new Promise<>(SourceGuarantee.NONE, "what changes while the "
            + "source is away comes from the server's history, as far as it keeps one", null);
    /** Of so many it is known in a snapshot when their last values were measured. */
    private static final int HISTORY_NODES = 1 << 16;
    private static final String HISTORY_FROM = "history_from";
    private static final String HISTORY_TO = "history_to";

    /** In the order of the connector's indexes; the names of levels follow them. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("node", Type.Simple.STRING, "the id of its node, as `nodes` has it, or as the server does."),
            new Metadata("path", Type.Simple.STRING, "the path by which its node was found; NULL for one that is named by its "
                    + "id."),
            new Metadata("status", Type.Simple.STRING, "the name of its status code: `Good`, `Bad_SensorFailure`."),
            new Metadata("good", Type.Simple.BOOLEAN, "whether the status is good."),
            new Metadata("time", Type.Simple.TIMESTAMP, "when it was measured: `source_time`, else `server_time`, else "
                    + "`arrived`. It may be the event time."),
            new Metadata("source_time", Type.Simple.TIMESTAMP, "the time that the device gave it."),
            new Metadata("server_time", Type.Simple.TIMESTAMP, "the time at which the server had it."),
            new Metadata("arrived", Type.Simple.TIMESTAMP, "when it came, by the clock of the source's machine."),
            new Metadata("overflow", Type.Simple.BOOLEAN, "whether the server has dropped values before it, for the node's queue "
                    + "was full."));

    private static final OperatorType TYPE = new OperatorType("opcua_source", Family.SOURCES,
            "Watches nodes of an OPC UA server: each change is a row; docs/opcua.md says more. Its client comes with "
            + "`pip install 'despina[opcua]'`."
            + "\n- When it begins, the value that each node has comes first. Then come changes, as many as the server notices "
            + "(`sampling_ms`), in a row for each node."
            + "\n- A connection that breaks loses nothing for `keep_ms`: the source takes its subscription over, and asks for "
            + "messages again that it has not got. What the server could not keep is told and counted."
            + "\n- What changes while the job is away is lost, but for what the server has in its `history`. In a job that keeps "
            + "its state, what has come is on the disk."
            + "\n- While the graph is busy, nothing is asked for, and values wait in the server's queues (`queue_size`)."
            + "\n- A value with a bad status is a row too, mostly of NULL: `\"metadata\": {\"good\": \"good\"}` tells them apart."
            + "\n- `reason` of a bad record names its node. The source ends when the job is stopped.",
            List.of(), List.of("out", "errors"), List.of(
                    required("server", TEXT, "Where it is: `opc.tcp://host:4840/path`; without a port 4840. No user and no "
                            + "password belong here."),
                    required("nodes", new FieldKind.ListOf(TEXT, 1), "Ids (`ns=2;s=Pump.Speed`, or with the namespace's own name "
                            + "`nsu=urn:plant;s=Pump.Speed`, which stays when numbers change), and paths of browse names from "
                            + "the Objects folder: `/Plant/{line}/*/Temperature`. In a path `*` is any characters of a level, "
                            + "`**` any number of levels, and `{line}` a level, which becomes the column `line`, a STRING behind "
                            + "all others. A path means all variables there."),
                    optional("schema", new FieldKind.Ddl(true), "`value DOUBLE`", "One column, for the values. STRING takes "
                            + "values of any kind, as JSON but for texts; ARRAY<…> arrays, BINARY byte strings. A value of "
                            + "another kind is a bad record."),
                    RecordFields.metadata(METADATA),
                    optional("sampling_ms", new FieldKind.Whole(0, Integer.MAX_VALUE), "as `publish_ms`", "How often the server "
                            + "looks at a node. 0 is as often as it can."),
                    or("publish_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "500", "How often it sends what has changed."),
                    or("queue_size", new FieldKind.Whole(1, 1 << 20), "100", "How many values of a node wait at the server. When "
                            + "there are more, it drops the oldest."),
                    or("trigger", words("value", "another value or status", "time", "another time of the source, too: a device "
                            + "that measures the same again"), "\"value\"", "What is a change."),
                    optional("deadband", new FieldKind.Real(0, true), "none", "Numbers that differ from the last one by no more "
                            + "are not sent. All nodes must be numbers."),
                    optional("deadband_percent", new FieldKind.Real(0, true), "none", "The same, in percent of the range that "
                            + "the node names (EURange)."),
                    or("keep_ms", new FieldKind.Whole(1_000, 86_400_000), "120000", "How long the server keeps the subscription "
                            + "while nobody asks: as long as a break, or a busy graph, may last. Servers may allow less, which "
                            + "is told."),
                    or("history", new FieldKind.Flag(), "false", "Whether what is missed is read from the server's history, of "
                            + "all nodes in the order of time: while a job that keeps its state is away, and when the "
                            + "server has ended the subscription. Nodes without a history are told at the start."),
                    optional("history_from", TEXT, "the first value that comes", "With `history`: the instant from which on "
                            + "all is read that the server has: `2026-11-28T18:00:00Z`. A job that goes on from its state does "
                            + "so of nodes of which it has had nothing."),
                    optional("history_to", TEXT, "it goes on with what changes", "With `history_from`: the instant before "
                            + "which the values were measured. The source ends there."),
                    or("browse_ms", POSITIVE_MILLIS, "60000", "How often it looks for nodes that have come since."),
                    or("security", words(NO_SECURITY, "everybody can read and change what is sent", "basic256sha256",
                            "Basic256Sha256", "aes128_sha256_rsaoaep", "Aes128_Sha256_RsaOaep"), "\"none\"",
                            "The security policy. The last two need a certificate of the source's own, and one to believe "
                            + "(`tls`)."),
                    or("security_mode", words("sign_and_encrypt", "nobody else can read it, or change it", "sign",
                            "nobody else can change it"), "\"sign_and_encrypt\"", "What the policy is used for."),
                    optional("tls", new FieldKind.Fields(Section.of("tls", "Certificates, for OPC UA's own security. The files "
                            + "are PEM.",
                            optional("trust", TEXT, "no server is believed", "Certificates of servers that are believed, or of "
                                    + "authorities: then the server's must name its host."),
                            optional("certificate", TEXT, "none", "Its own certificate, which the server must believe. It has a "
                                    + "URI among its other names; needs `key`."),
                            optional("key", TEXT, "none", "The key of the certificate: PKCS#8, without a password."))), "none",
                            "The files."),
                    ServerFields.USER, ServerFields.USER_ENV, ServerFields.PASSWORD_ENV, ServerFields.PASSWORD_FILE,
                    RecordFields.RECORD_BYTES,
                    or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much may wait for the source: "
                            + "beyond it, nothing is asked for. Twice this is counted as the source's state."),
                    SocketFields.SPOOL,
                    or("connect_ms", POSITIVE_MILLIS, "5000", "How long the job waits at its start for a server that is "
                            + "not there, and for each answer. Then it fails; once it has been in touch, it waits longer."),
                    ServerFields.LOGIN_RETRY), """
                "readings": {
                  "type": "opcua_source",
                  "server": "opc.tcp://127.0.0.1:4840",
                  "nodes": ["/Plant/{line}/*/Temperature"],
                  "schema": "celsius DOUBLE",
                  "metadata": {"node": "node", "good": "good", "time": "ts"},
                  "event_time": {"column": "ts", "max_delay_ms": 2000, "order_by": ["node"]}
                }
                """);

    OpcUaSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Schema value = value(context);
        List<String> levels = value == null ? null : levels(context, fields.texts("nodes"));
        Columns beside = levels == null ? null : RecordFields.columns(context, value, METADATA);
        Columns columns = beside == null ? null : RecordFields.named(context, beside, METADATA.size(), levels, "nodes");
        Map<String, Object> settings = ServerFields.texts(fields, List.of("security", "security_mode", "trigger"));
        if (columns == null || !isServer(context, settings) || !logsIn(context, settings) || !isSecure(context)
                || !isBand(context, settings) || !hasTimes(context, settings)) {
            return null;
        }
        ServerFields.wholes(fields, List.of("publish_ms", "queue_size", "keep_ms", "browse_ms", "connect_ms",
                "retry_for_ms"), settings);
        if (fields.isWritten("sampling_ms")) {
            ServerFields.wholes(fields, List.of("sampling_ms"), settings);
        }
        settings.put("nodes", fields.texts("nodes").stream().map(Text::value).distinct().toList());
        settings.put("levels", levels);
        settings.put("column", value.column(0).name());
        boolean history = fields.flag("history");
        settings.put("history", history);
        Settings graph = context.planning().settings();
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.JSON, Map.of(), value, 0, false, Set.of(), graph.timeZone(),
                graph.ansi());
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0),
                fields.whole("spool_bytes", 0), history ? HISTORY_NODES : RecentKeys.USUAL);
        AcknowledgedSourceSpec spec = new AcknowledgedSourceSpec(CONNECTOR, new ConnectorSettings(settings), records, columns,
                bounds, history ? WITH_HISTORY : PROMISE, SparkGap.ofSource("Spark has no source for OPC UA"), null);
        return new PlanningResult(spec, new Stream(columns.schema(), null, !fields.isWritten(HISTORY_TO)), List.of(),
                "each instance would get every value");
    }

    /** Adds from when on the history is read, and up to when. */
    private static boolean hasTimes(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        for (String[] pair : new String[][] {{HISTORY_FROM, "history"}, {HISTORY_TO, HISTORY_FROM}}) {
            Text at = fields.text(pair[0]);
            if (at == null) {
                continue;
            }
            if (!(pair[1].equals("history") ? fields.flag("history") : fields.isWritten(pair[1]))) {
                context.refuse(at.place(), Rule.EXCLUSIVE, "`" + pair[0] + "` needs `" + pair[1] + "`", "add it, or leave `"
                        + pair[0] + "` out");
                return false;
            }
            try {
                settings.put(pair[0], ChronoUnit.MICROS.between(Instant.EPOCH, OffsetDateTime.parse(at.value()).toInstant()));
            } catch (DateTimeException e) {
                context.refuse(at.place(), Rule.OUT_OF_RANGE, "`" + at.value() + "` is no instant", "2026-11-28T18:00:00Z");
                return false;
            }
        }
        if (fields.isWritten(HISTORY_TO) && (Long) settings.get(HISTORY_TO) <= (Long) settings.get(HISTORY_FROM)) {
            context.refuse(fields.place(HISTORY_TO), Rule.OUT_OF_RANGE, "`history_to` is not after `history_from`", null);
            return false;
        }
        return true;
    }

    private static Schema value(PlanningContext context) {
        Text written = context.fields().text("schema");
        Schema schema = written == null ? VALUE : DeclaredSchema.nullable(DeclaredSchema.of(written));
        if (schema.size() == 1) {
            return schema;
        }
        return context.refuse(written.place(), Rule.SCHEMA, "a row has one value, and the schema has " + schema.size()
                + " columns", "name what is beside it in `metadata`");
    }

    /** Adds the address, with the port that is usual if there is none. */
    private static boolean isServer(PlanningContext context, Map<String, Object> settings) {
        Text server = context.fields().text("server");
        Matcher parts = SERVER.matcher(server.value());
        String wrong = parts.matches() ? ServerAddress.wrong(server.value()) : "";
        if (wrong == null) {
            settings.put("server", "opc.tcp://" + parts.group(1) + Objects.requireNonNullElse(parts.group(2), ":4840")
                    + Objects.requireNonNullElse(parts.group(3), ""));
            return true;
        }
        context.refuse(server.place(), Rule.BAD_NAME, "`" + server.value() + "` is no address of a server" + wrong,
                "opc.tcp://host:4840, without a user and a password");
        return false;
    }

    private static boolean logsIn(PlanningContext context, Map<String, Object> settings) {
        if (!ServerFields.login(context, context.fields(), settings) || !ServerFields.tls(context, settings)) {
            return false;
        }
        if (settings.containsKey("user") == settings.containsKey("password")) {
            return true;
        }
        context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a user and a password belong together",
                "user or user_env, and password_env or password_file");
        return false;
    }

    private static boolean isSecure(PlanningContext context) {
        Values fields = context.fields();
        boolean none = fields.string("security", "").equals(NO_SECURITY);
        if (none && fields.isWritten("security_mode")) {
            context.refuse(fields.place("security_mode"), Rule.EXCLUSIVE, "`security_mode` needs a `security`",
                    "\"security\": \"basic256sha256\"");
            return false;
        }
        Values files = fields.fields("tls");
        if (!none && (files == null || !files.isWritten("certificate") || !files.isWritten("trust"))) {
            context.refuse(fields.place("security"), Rule.MISSING_FIELD, "`security` needs a certificate of its own, and one to "
                    + "believe", "\"tls\": {\"certificate\": …, \"key\": …, \"trust\": …}; docs/opcua.md says how they are made");
            return false;
        }
        return true;
    }

    private static boolean isBand(PlanningContext context, Map<String, Object> settings) {
        Values fields = context.fields();
        for (String name : List.of("deadband", "deadband_percent")) {
            if (fields.isWritten(name)) {
                settings.put(name, Double.toString(fields.real(name, 0)));
            }
        }
        if (!settings.containsKey("deadband") || !settings.containsKey("deadband_percent")) {
            return true;
        }
        context.refuse(fields.place("deadband_percent"), Rule.EXCLUSIVE, "`deadband` and `deadband_percent` exclude each other",
                "leave one of them out");
        return false;
    }

    /** The names of levels in paths, in their order; null after a refusal. */
    private static List<String> levels(PlanningContext context, List<Text> nodes) {
        Set<String> names = new LinkedHashSet<>();
        for (Text node : nodes) {
            boolean isPath = node.value().startsWith("/");
            String problem = isPath ? problem(node.value()) : isNode(node.value()) ? null
                    : "an id has a namespace, and a number or a name";
            if (problem != null) {
                return context.refuse(node.place(), Rule.BAD_NAME, "`" + node.value() + "` is no " + (isPath ? "path" : "node")
                        + ": " + problem, "ns=2;s=Pump.Speed, nsu=urn:plant;s=Pump.Speed, i=2258, /Plant/{line}/*/Temperature");
            }
            for (String level : isPath ? node.value().split("/", -1) : new String[0]) {
                if (level.startsWith("{")) {
                    names.add(level.substring(1, level.length() - 1));
                }
            }
        }
        return List.copyOf(names);
    }

    private static boolean isNode(String id) {
        Matcher parts = NODE.matcher(id);
        return parts.matches() && fits(parts.group("ns"), MOST_NAMESPACE) && fits(parts.group("id"), MOST_ID);
    }

    private static boolean fits(String number, long most) {
        return number == null || Long.parseLong(number) <= most;
    }

    private static String problem(String path) {
        String[] levels = path.substring(1).split("/", -1);
        if (levels.length > MOST_LEVELS) {
            return "it has more than " + MOST_LEVELS + " levels";
        }
        for (String level : levels) {
            if (level.isEmpty()) {
                return "a level has no name";
            }
            if (level.contains("**") && level.length() > 2) {
                return "** stands alone in a level";
            }
            if ((level.contains("{") || level.contains("}")) && !NAMED.matcher(level).matches()) {
                return "a name stands alone in a level: {line}";
            }
        }
        return null;
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
