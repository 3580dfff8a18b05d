package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.asking.AskedServer;
import io.despina.asking.PollConnector;
import io.despina.asking.PollOptions;
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
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.spec.FileFormat;
import io.despina.spec.SourceGuarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** {@code http_poll_source}. */
public final class HttpPollSourceDefinition extends Definition {
    private static final Pattern POINTER = Pattern.compile("(?:/(?:[^/~]|~[01])*)*");
    private static final String JSON_ONLY = " is for format json";
    /** In the order of the reader's indexes. */
    private static final List<Metadata> METADATA = List.of(
            new Metadata("url", Type.Simple.STRING, "the page's URL, without secrets."),
            new Metadata("time", Type.Simple.TIMESTAMP, "when the answer came. It may be the event time."));

    private static final FieldKind CURSOR = new FieldKind.Fields(Section.of("cursor",
            "The column that grows from record to record, as a number or a time does.",
            required("column", TEXT, "A column of numbers, TIMESTAMP, DATE or STRING. Its values come from the member of that "
                    + "name in each record."),
            optional("parameter", TEXT, "the URL stays as it is", "The parameter of the URL's query that gets the greatest value "
                    + "so far. The server gives the records behind that value, or also those that have it."),
            optional("start", TEXT, "none: everything is asked for", "The first value of that parameter."),
            or("order", words("any", "all pages of a poll are gathered, and their records sorted", "ascending",
                    "records come in the order of the cursor, page by page; one that goes back is a bad record"), "\"any\"",
                    "In what order the server gives records.")));

    private static final OperatorType TYPE = new OperatorType("http_poll_source", Family.SOURCES,
            "Asks a server for a URL again and again, and takes the records of its answers; docs/asking.md says more."
            + "\n- With `cursor` each record is given once, whatever the server repeats. The greatest value is in the job's "
            + "snapshots, so that the job goes on there. Without it each answer gives all its records."
            + "\n- It follows pages, by the header `Link` with `rel=\"next\"` or by `next`. The next one is asked for when the "
            + "graph has room."
            + "\n- A server that gives `ETag` or `Last-Modified` is asked whether something has changed."
            + "\n- After no answer, 408, 429 and 5xx it asks again, with waits that double, or as long as `Retry-After` says. "
            + "Any other answer that is not 2xx fails the job."
            + "\n- Redirections and pages are followed within the host of `url` alone."
            + "\n- `reason` of a bad record names the URL and the record's place in the answer.",
            List.of(), List.of("out", "errors"), fields(), """
                "stations": {
                  "type": "http_poll_source",
                  "url": "https://127.0.0.1:8443/station_status.json",
                  "every_ms": 60000,
                  "format": "json",
                  "records": "/data/stations",
                  "schema": "station_id STRING, num_docks_available INT, last_reported TIMESTAMP",
                  "metadata": {"time": "asked"},
                  "event_time": {"column": "asked", "order_by": ["station_id"]}
                }
                """);

    HttpPollSourceDefinition() {
        super(TYPE);
    }

    private static List<FieldSpec> fields() {
        List<FieldSpec> fields = new ArrayList<>(List.of(AskingFields.URL,
                or("every_ms", POSITIVE_MILLIS, "60000", "The time from the beginning of one poll to that of the next."),
                or("stop_at", words("never", "it asks until the job is stopped", "end", "it ends when it has read one poll, with "
                        + "all its pages"), "\"never\"", "Whether it ends."),
                SocketFields.FORMAT,
                optional("records", TEXT, "the answer itself", "For json, where in an answer the records are: a JSON pointer, as "
                        + "`/data/stations`. An array there has a record for each element; anything else is one record."),
                RecordFields.READ_OPTIONS, SocketFields.SCHEMA, FormatOptions.TIMESTAMP_UNIT,
                or("skip_lines", new FieldKind.Whole(0, 1000), "0", "For the other formats: so many lines at the beginning of "
                        + "each answer are passed over, as a header of csv."),
                RecordFields.metadata(METADATA),
                optional("cursor", CURSOR, "none", "How it knows what is new."),
                optional("next", TEXT, "only the header `Link` says it", "For json, where in an answer the next page's URL is: a "
                        + "JSON pointer, as `/links/next`, outside of the records."),
                or("max_answer_bytes", new FieldKind.Whole(1, 1 << 30), "8388608", "A longer answer fails the job. With a "
                        + "`cursor` whose `order` is any, all pages of a poll together."),
                RecordFields.RECORD_BYTES,
                or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608", "How much may wait for the source: beyond "
                        + "it, no page is asked for. Three times this is counted as the source's state.")));
        fields.addAll(AskingFields.server());
        return fields;
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        RecordFormat.Read records = RecordFields.records(context);
        Columns columns = records == null ? null : RecordFields.columns(context, records.schema(), METADATA);
        AskedServer server = columns == null ? null : AskingFields.server(context);
        if (server == null || !isOfFormat(context, records.format())) {
            return null;
        }
        long answer = fields.whole("max_answer_bytes", 0);
        Bounds bounds = new Bounds((int) fields.whole("max_record_bytes", 0), fields.whole("buffer_bytes", 0));
        if (answer > bounds.bufferBytes()) {
            return context.refuse(fields.place("max_answer_bytes"), Rule.EXCLUSIVE, "`max_answer_bytes` is " + answer
                    + ", more than `buffer_bytes`, " + bounds.bufferBytes(), "raise buffer_bytes to at least as much");
        }
        PollOptions.Cursor cursor = null;
        if (fields.isWritten("cursor")) {
            cursor = cursor(context, records.schema());
            if (cursor == null) {
                return null;
            }
        }
        boolean bounded = fields.string("stop_at", "").equals("end");
        PollOptions options = new PollOptions(server, fields.whole("every_ms", 0), new PollOptions.Answer(records.format(),
                way(fields.text("records")), fields.isWritten("next") ? way(fields.text("next")) : null,
                (int) fields.whole("skip_lines", 0), (int) answer), cursor, bounded);
        AskingSpec spec = new AskingSpec(new PollConnector(options), records, columns, bounds, bounded, cursor != null
                ? Promise.of(SourceGuarantee.REPLAYABLE) : new Promise<>(SourceGuarantee.NONE,
                        "what an answer had is not asked for again", "name a `cursor`"));
        return new PlanningResult(spec, new Stream(columns.schema(), null, !bounded), List.of(),
                "each instance would ask for the same");
    }

    private static boolean isOfFormat(PlanningContext context, FileFormat format) {
        Values fields = context.fields();
        for (String name : List.of("records", "next", "cursor")) {
            if (format != FileFormat.JSON && fields.isWritten(name)) {
                return context.refuse(fields.place(name), Rule.EXCLUSIVE, "`" + name + "`" + JSON_ONLY, "leave it out") != null;
            }
        }
        if (format == FileFormat.JSON && fields.whole("skip_lines", 0) > 0) {
            return context.refuse(fields.place("skip_lines"), Rule.EXCLUSIVE, "`skip_lines` is for formats of lines",
                    "leave it out") != null;
        }
        for (String name : List.of("records", "next")) {
            Text pointer = fields.text(name);
            if (pointer != null && (!POINTER.matcher(pointer.value()).matches() || name.equals("next")
                    && pointer.value().isEmpty())) {
                return context.refuse(pointer.place(), Rule.PATH, "`" + pointer.value() + "` is no JSON pointer to something in "
                        + "an answer", "/data/stations, with ~1 for a slash in a name and ~0 for a ~") != null;
            }
        }
        return true;
    }

    private static List<String> way(Text pointer) {
        List<String> way = new ArrayList<>();
        if (pointer != null && !pointer.value().isEmpty()) {
            for (String name : pointer.value().substring(1).split("/", -1)) {
                way.add(name.replace("~1", "/").replace("~0", "~"));
            }
        }
        return way;
    }

    /** Null after a refusal. */
    private static PollOptions.Cursor cursor(PlanningContext context, Schema schema) {
        Values written = context.fields().fields("cursor");
        Text name = written.text("column");
        int column = context.column(schema, name.value(), name.place());
        if (column < 0) {
            return null;
        }
        Type type = schema.column(column).type();
        boolean isTime = type == Type.Simple.TIMESTAMP || type == Type.Simple.DATE || type == Type.Simple.TIMESTAMP_NTZ;
        if (!isNumber(type) && !isTime && type != Type.Simple.STRING) {
            return context.refuse(name.place(), Rule.COLUMN_TYPE, "`" + name.value() + "` is " + type.sql()
                    + ", which does not grow", "a column of numbers, TIMESTAMP, DATE or STRING");
        }
        PollOptions.Cursor cursor = new PollOptions.Cursor(schema.column(column).name(), isTime ? "TIME" : isNumber(type)
                ? "NUMBER" : "TEXT", written.string("parameter", null), written.string("start", null),
                written.string("order", "").equals("ascending"));
        if (cursor.parameter() != null && !AskingFields.isFree(context, written, "leave it out there, and write its first value "
                + "into `start`")) {
            return null;
        }
        if (cursor.start() != null && cursor.parameter() == null) {
            return context.refuse(written.place("start"), Rule.EXCLUSIVE, "`start` goes with `parameter`",
                    "name the parameter of the URL's query that gets it");
        }
        return cursor.start() == null || cursor.takes(cursor.start()) ? cursor : context.refuse(written.place("start"),
                Rule.OUT_OF_RANGE, "`start` is " + cursor.start() + ", and `" + cursor.column() + "` is " + type.sql(),
                isTime ? "2026-11-28T18:00:00Z" : "a number");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
