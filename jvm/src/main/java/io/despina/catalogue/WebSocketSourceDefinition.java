package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;

import io.despina.catalogue.field.AskingFields;
import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSource;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.socket.Framing;
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import io.despina.socket.ServerAddress;
import java.util.List;
import java.util.regex.Pattern;

/** {@code websocket_source}. */
public final class WebSocketSourceDefinition extends Definition {
    private static final FieldSpec TLS = optional("tls", new FieldKind.Fields(Section.of("tls",
            "TLS on every connection. The files are PEM.",
            optional("certificate", TEXT, "none", "Its own certificate, and those between it and the authority's; needs `key`. "
                    + "With `port` it must have one."),
            optional("key", TEXT, "none", "The key of the certificate: PKCS#8, without a password."),
            optional("trust", TEXT, "with `port` none is asked of clients, with `url` the authorities that Java knows",
                    "Certificates of authorities: the peer must show a certificate that one of them has signed."))),
            "no TLS with "
            + "`port`; with `url` it says `wss://`", "The files for TLS.");
    private static final Pattern URL = Pattern.compile("wss?://[^/\\s?#@]+(?:[/?][^\\s#]*)?");
    /** Of a source that listens. */
    private static final List<String> LISTENS = List.of("host", "path", "max_clients");
    /** Of one that connects. */
    private static final List<String> CONNECTS = List.of("send", "retry_for_ms");

    private static final OperatorType TYPE = new OperatorType("websocket_source", Family.SOURCES,
            "Takes messages of WebSockets: it listens on a `port`, or connects to a `url`. Each message, text or binary, is a "
            + "record; an empty message is none. With format json a message may be an array of rows. docs/sockets.md says more."
            + "\n- As with a `tcp_source`: it ends when the job is stopped, rows in the graph are lost if the job fails, and "
            + "bad records go to `on_error`."
            + "\n- A peer whose message is too long is disconnected."
            + "\n- Beside `buffer_bytes`, each peer may take `max_record_bytes` for a frame that has come in part."
            + "\n- With `url`, it sends the texts of `send` when it has connected. When the connection breaks it connects again; "
            + "what the peer sends meanwhile is lost. An answer of 3xx or 4xx other than 408 and 429 fails the job.",
            List.of(), List.of("out", "errors"), List.of(
                    optional("port", SocketFields.PORT.kind(), "it needs `url`", SocketFields.PORT.doc()),
                    optional("url", TEXT, "it listens on `port`", "Where it connects to: `ws://…` or `wss://…`, without "
                            + "a user or a password."),
                    SocketFields.HOST, SocketFields.PATH, SocketFields.ANY_FORMAT, SocketFields.READ_OPTIONS,
                    SocketFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT, SocketFields.TOKEN_ENV, SocketFields.TOKEN_FILE,
                    optional("send", new FieldKind.ListOf(TEXT, 1), "nothing", "With `url`: texts that are sent, in this order, "
                            + "each time that it has connected, as a subscription."),
                    SocketFields.CLIENTS,
                    SocketFields.recordBytes("A longer message is a bad record, and its peer is disconnected."),
                    SocketFields.BUFFER, SocketFields.SPOOL, SocketFields.IDLE, AskingFields.RETRY, TLS), """
                "readings": {
                  "type": "websocket_source",
                  "port": 8080,
                  "path": "/readings",
                  "format": "json",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "on_error": {"type": "skip"}
                }
                """);

    WebSocketSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        RecordFormat.Read records = SocketFields.records(context);
        Bounds bounds = SocketFields.bounds(context, "max_record_bytes");
        if (records == null || bounds == null || !SocketFields.hasOneToken(context) || !SocketFields.hasKey(context)) {
            return null;
        }
        return context.fields().isWritten("url") ? connecting(context, records, bounds) : listening(context, records, bounds);
    }

    private static PlanningResult listening(PlanningContext context, RecordFormat.Read records, Bounds bounds) {
        Values fields = context.fields();
        if (!fields.isWritten("port")) {
            return context.refuse(context.operator().place(), Rule.MISSING_FIELD, "a websocket_source needs `port` or `url`",
                    "\"port\": 8080, or \"url\": \"wss://host/path\"");
        }
        if (!areFor(context, CONNECTS, "url")) {
            return null;
        }
        Values tls = fields.fields("tls");
        if (tls != null && !tls.isWritten("certificate")) {
            return context.refuse(tls.place(), Rule.MISSING_FIELD, "with `port`, `tls` needs its own `certificate` and `key`",
                    "\"tls\": {\"certificate\": \"own.pem\", \"key\": \"own.key\"}");
        }
        HttpOptions http = ListeningSpec.http(context, bounds.recordBytes());
        return new ListeningSpec(SocketFields.listening(context), records, Framing.WHOLE, bounds,
                new ListeningSpec.Speaks(() -> Protocol.webSocket(http), SocketSource::new)).result(context);
    }

    private static PlanningResult connecting(PlanningContext context, RecordFormat.Read records, Bounds bounds) {
        Values fields = context.fields();
        String url = fields.string("url", "");
        if (fields.isWritten("port")) {
            return context.refuse(fields.place("port"), Rule.EXCLUSIVE, "`port` and `url` exclude each other: it listens or it "
                    + "connects", "leave one of them out");
        }
        String wrong = URL.matcher(url).matches() ? ServerAddress.wrong(url) : "";
        if (wrong != null) {
            return context.refuse(fields.place("url"), Rule.PATH, "this is no URL of a WebSocket" + wrong,
                    "ws://host:port/path, without a user, a password, a fragment or spaces");
        }
        if (!areFor(context, LISTENS, "port")) {
            return null;
        }
        return new CallingSpec(new CallingSpec.Calls(url, SocketFields.token(context), SocketFields.tls(context),
                fields.texts("send").stream().map(Text::value).toList(), fields.whole("idle_timeout_ms", 0),
                fields.whole("retry_for_ms", 0)), records, bounds).result();
    }

    private static boolean areFor(PlanningContext context, List<String> names, String other) {
        for (String name : names) {
            if (context.fields().isWritten(name)) {
                return context.refuse(context.fields().place(name), Rule.EXCLUSIVE, "`" + name + "` goes with `" + other + "`",
                        "leave it out") != null;
            }
        }
        return true;
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
