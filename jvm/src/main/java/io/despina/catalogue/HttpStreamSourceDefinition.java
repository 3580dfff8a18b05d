package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.asking.AskedServer;
import io.despina.asking.StreamConnector;
import io.despina.asking.StreamOptions;
import io.despina.catalogue.field.AskingFields;
import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.RecordFields;
import io.despina.catalogue.field.RecordFields.Metadata;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.spec.FileFormat;
import io.despina.spec.SourceGuarantee;
import java.util.ArrayList;
import java.util.List;

/** {@code http_stream_source}. */
public final class HttpStreamSourceDefinition extends Definition {
    /** In the order of the reader's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("url", Type.Simple.STRING, "the URL, without secrets."),
            new Metadata("time", Type.Simple.TIMESTAMP, "when the record came. It may be the event time."),
            new Metadata("id", Type.Simple.STRING, "the event's id, or that of the event before it that had one; the line's."),
            new Metadata("event", Type.Simple.STRING, "what kind of event it is, if it says so."));

    private static final FieldKind ID = new FieldKind.Fields(Section.of("line_id", "What tells lines of json apart.",
            required("column", TEXT, "A column; its values come from the member of that name in each line, a text or a number."),
            optional("parameter", TEXT, "the URL stays as it is", "The parameter of the URL's query that gets the last id when "
                    + "it connects again. The server then gives what follows.")));

    private static final OperatorType TYPE = new OperatorType("http_stream_source", Family.SOURCES,
            "Asks a server for one long answer, and takes its records as they come; docs/asking.md says more."
            + "\n- When the answer breaks off, ends or stalls, it connects again, and tells the server the last record's id: by "
            + "`Last-Event-ID` for events, by `line_id` for lines. The id is in the job's snapshots. Records with one of the "
            + "last 1,000 ids, which servers repeat, are left out."
            + "\n- While the graph has no room, the answer is not read."
            + "\n- Empty lines and comments keep the connection alive, and are no records. An event or a line that breaks off is "
            + "none either."
            + "\n- After no answer, 408, 429 and 5xx it asks again, with waits that double, or as long as `Retry-After` says. "
            + "Any other answer that is not 2xx fails the job."
            + "\n- `reason` of a bad record names the URL and the record's number since the job was started.",
            List.of(), List.of("out", "errors"), fields(), """
                "posts": {
                  "type": "http_stream_source",
                  "url": "https://127.0.0.1:8443/v2/stream",
                  "framing": "events",
                  "token_env": "POSTS_TOKEN",
                  "format": "json",
                  "schema": "created_at TIMESTAMP, language STRING, text STRING",
                  "metadata": {"id": "n"}
                }
                """);

    HttpStreamSourceDefinition() {
        super(TYPE);
    }

    private static List<FieldSpec> fields() {
        List<FieldSpec> fields = new ArrayList<>(List.of(AskingFields.URL,
                or("framing", words("lines", "each ends with LF or CR LF", "events", "server-sent events: what `data` has"),
                        "\"lines\"", "What a record is."),
                or("stop_at", words("never", "it connects again until the job is stopped", "end", "it ends when an answer has "
                        + "come to its end"), "\"never\"", "Whether it ends."),
                SocketFields.FORMAT, RecordFields.READ_OPTIONS, SocketFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                RecordFields.metadata(METADATA),
                optional("line_id", ID, "none", "For lines of json, what tells them apart."),
                or("stall_ms", MILLIS, "90000", "When nothing has come for so long, not even an empty line, it connects again; "
                        + "0: never."),
                RecordFields.RECORD_BYTES, RecordFields.BUFFER));
        fields.addAll(AskingFields.server());
        return fields;
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Columns columns = records == null ? null : RecordFields.columns(context, records.schema(), METADATA);
        AskedServer server = columns == null ? null : AskingFields.server(context);
        boolean events = fields.string("framing", "").equals("events");
        if (server == null || fields.isWritten("line_id") && !canHaveId(context, records, events)) {
            return null;
        }
        Values id = fields.fields("line_id");
        StreamOptions.LineId line = id == null ? null : new StreamOptions.LineId(
                records.schema().column(records.schema().indexOf(id.string("column", ""))).name(), id.string("parameter", null));
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        long stall = fields.whole("stall_ms", 0);
        boolean bounded = fields.string("stop_at", "").equals("end");
        StreamOptions options = new StreamOptions(server, events, line, stall == 0 ? Long.MAX_VALUE : stall,
                bounds.recordBytes(), bounded);
        boolean comesAgain = events || line != null && line.parameter() != null;
        AskingSpec spec = new AskingSpec(new StreamConnector(options), records, columns, bounds, bounded, comesAgain
                ? Promise.of(SourceGuarantee.REPLAYABLE) : new Promise<>(SourceGuarantee.NONE,
                        "the server is not told which line came last", "name a `line_id` with a `parameter`, or use events"));
        return new PlanningResult(spec, new Stream(columns.schema(), null, !bounded), List.of(),
                "each instance would get the same");
    }

    private static boolean canHaveId(PlanningContext context, RecordFormat.Read records, boolean events) {
        if (events || records.format() != FileFormat.JSON) {
            return context.refuse(context.fields().place("line_id"), Rule.EXCLUSIVE, events ? "events have ids of their own"
                    : "`line_id` is for format json", "leave it out") != null;
        }
        Values id = context.fields().fields("line_id");
        Text column = id.text("column");
        if (context.column(records.schema(), column.value(), column.place()) < 0) {
            return false;
        }
        return id.string("parameter", null) == null || AskingFields.isFree(context, id, "leave it out there");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
