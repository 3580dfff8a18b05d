package io.despina.plan;

import io.despina.descriptor.Ddl;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Plans sources. */
final class Sources {
    /** What a generator's expressions are over. */
    private static final Schema GENERATED = Schema.of(new Column("id", Type.Simple.BIGINT, false),
            new Column("seed", Type.Simple.BIGINT, false));
    /** Relay packets. */
    static final Schema RELAY = Schema.of(new Column("sequence", Type.Simple.BIGINT, false),
            new Column("due", Type.Simple.TIMESTAMP, false), new Column("payload", Type.Simple.BINARY, false));
    private static final Schema LINES = Schema.of(new Column("value", Type.Simple.STRING, true));

    private Sources() {
    }

    static Outcome generator(Site site) {
        Values fields = site.fields();
        Values written = fields.fields("rows");
        OperatorSpec.Rows rows;
        Schema schema;
        if (written.word().equals("select")) {
            ProjectionPlan select = site.expressions().project(Scope.of(GENERATED), Snippet.of(written.texts("select")));
            if (select == null) {
                return null;
            }
            rows = new OperatorSpec.Rows.Select(select, GENERATED);
            schema = select.result();
        } else {
            rows = new OperatorSpec.Rows.Packets((int) written.whole("packet_bytes", 0),
                    written.string("content", "").equals("random"));
            schema = RELAY;
        }
        OperatorSpec.Rate rate = rate(site);
        long count = fields.whole("count", OperatorSpec.GeneratorSource.UNBOUNDED);
        return rate == null ? null : Outcome.of(new OperatorSpec.GeneratorSource(rows, fields.whole("seed", 1), count, rate),
                new Stream(schema, null, count == OperatorSpec.GeneratorSource.UNBOUNDED));
    }

    private static OperatorSpec.Rate rate(Site site) {
        Values fields = site.fields();
        Values shape = fields.fields("shape");
        if (shape.word().equals("constant")) {
            return fields.isWritten("rate_per_s") ? new OperatorSpec.Rate.Constant(fields.real("rate_per_s", 0))
                    : new OperatorSpec.Rate.FlatOut();
        }
        if (fields.isWritten("rate_per_s")) {
            return site.refuse(fields.place("rate_per_s"), Rule.EXCLUSIVE, "`rate_per_s` and `shape` " + shape.word()
                    + " exclude each other", "leave one of them out");
        }
        if (shape.word().equals("step")) {
            return new OperatorSpec.Rate.Steps(shape.list("steps").stream()
                    .map(s -> new OperatorSpec.Rate.Step(s.whole("for_ms", 0), s.real("rate_per_s", 0))).toList());
        }
        double low = shape.real("low_per_s", 0);
        double high = shape.real("high_per_s", 0);
        return low <= high ? new OperatorSpec.Rate.Sine(shape.whole("period_ms", 0), low, high)
                : site.refuse(shape.place("low_per_s"), Rule.OUT_OF_RANGE, "`low_per_s` " + low + " is more than `high_per_s` "
                        + high, null);
    }

    /** A source that was planned as the graph has it, and gets its packets from the user's program. */
    static Outcome fed(Site site, Outcome declared) {
        String id = site.operator().id();
        if (!site.operator().type().isSource()) {
            return site.refuse(site.operator().place(), Rule.INPUT, "`" + id + "` is not a source: it cannot take rows",
                    "give them to the source before it");
        }
        if (declared.spec() instanceof OperatorSpec.GeneratorSource made && made.rows() instanceof OperatorSpec.Rows.Packets) {
            return site.refuse(site.operator().place(), Rule.INPUT, "`" + id + "` makes relay packets, in place of which no rows"
                    + " can be given", "give rows to a generator_source with \"select\", or to a file_source");
        }
        return new Outcome(new OperatorSpec.Input(), new Stream(declared.out().schema(), null, false), declared.keys(),
                "the rows given to it come in one order");
    }

    static Outcome file(Site site) {
        Values fields = site.fields();
        OperatorSpec.Format format = fields.constant("format", OperatorSpec.Format.class);
        Schema schema = fileSchema(site, format);
        if (schema == null || !columnsFit(site, format, schema)) {
            return null;
        }
        Values replay = fields.fields("replay");
        boolean byTime = replay.word().equals("event_time");
        if (byTime && !fields.isWritten("event_time")) {
            return site.refuse(replay.place(), Rule.EVENT_TIME, "`replay` by event time needs `event_time`",
                    "add \"event_time\": {\"column\": …}");
        }
        long repeat = fields.whole("repeat", 1);
        boolean follow = fields.flag("follow");
        if (follow && (repeat != 1 || fields.flag("preload"))) {
            return site.refuse(fields.place("follow"), Rule.EXCLUSIVE, "`follow` excludes `repeat` and `preload`", null);
        }
        if (!follow && fields.isWritten("on_truncate")) {
            return site.refuse(fields.place("on_truncate"), Rule.EXCLUSIVE, "`on_truncate` needs `follow`",
                    "add \"follow\": true, or leave it out");
        }
        boolean ignoreExtra = fields.string("extra_columns", "").equals("ignore");
        String path = LocalPath.planned(site, fields.text("path"));
        if (path == null || !FormatOptions.canRead(site, format)
                || !StandardStreams.canBe(site, path, "input", "follow", "on_truncate", "preload", "repeat")) {
            return null;
        }
        OperatorSpec spec = new OperatorSpec.FileSource(path, format, fields.strings("options"),
                schema, columns(fields, schema), ignoreExtra, following(fields),
                byTime ? new OperatorSpec.Replay.AtEventTime(replay.real("speed", 1)) : new OperatorSpec.Replay.AsFastAsPossible(),
                fields.flag("preload"), repeat, Set.of());
        return new Outcome(spec, new Stream(schema, null, follow || repeat == 0), List.of(),
                StandardStreams.reads(spec) ? "standard input is one stream" : null);
    }

    private static OperatorSpec.Follow following(Values fields) {
        return !fields.flag("follow") ? OperatorSpec.Follow.NO
                : fields.string("on_truncate", "").equals("restart") ? OperatorSpec.Follow.RESTART_ON_TRUNCATE
                : OperatorSpec.Follow.FAIL_ON_TRUNCATE;
    }

    private static Schema fileSchema(Site site, OperatorSpec.Format format) {
        Text written = site.fields().text("schema");
        if (written == null) {
            return format == OperatorSpec.Format.TEXT ? LINES : site.refuse(site.operator().place(), Rule.MISSING_FIELD,
                    "a file_source of format " + site.fields().string("format", "") + " needs `schema`",
                    "for example \"schema\": \"ts TIMESTAMP, value DOUBLE\"");
        }
        Schema schema;
        try {
            schema = nullable(Ddl.parse(written.value()));
        } catch (Ddl.DdlException e) {
            throw new IllegalStateException("checked before", e);
        }
        String problem = Sinks.unwritable(format, schema);
        return problem == null ? schema : site.refuse(written.place(), Rule.SCHEMA, problem, null);
    }

    /** As Spark's file sources read it: every column may be NULL. */
    private static Schema nullable(Schema schema) {
        return new Schema(schema.columns().stream().map(c -> new Column(c.name(), nullable(c.type()), true)).toList());
    }

    private static Type nullable(Type type) {
        if (type instanceof Type.Struct struct) {
            return new Type.Struct(struct.fields().stream().map(f -> new Column(f.name(), nullable(f.type()), true)).toList());
        }
        if (type instanceof Type.Array array) {
            return new Type.Array(nullable(array.element()), true);
        }
        return type instanceof Type.MapOf map ? new Type.MapOf(nullable(map.key()), nullable(map.value()), true) : type;
    }

    private static int columns(Values fields, Schema schema) {
        return isByName(fields) ? OperatorSpec.FileSource.BY_NAME
                : (int) fields.whole("columns", fields.string("extra_columns", "").equals("ignore") ? 0 : schema.size());
    }

    private static boolean isByName(Values fields) {
        return fields.string("columns_by", "").equals("name");
    }

    /** Whether the header's names can say where the columns are. */
    private static boolean namesSay(Site site, OperatorSpec.Format format) {
        Values fields = site.fields();
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(fields.strings("options"));
        if (format != OperatorSpec.Format.CSV) {
            site.refuse(fields.place("columns_by"), Rule.EXCLUSIVE, "`columns_by` is for format csv", "leave it out");
            return false;
        }
        if (!options.getOrDefault("header", "").equalsIgnoreCase("true")) {
            site.refuse(fields.place("columns_by"), Rule.EXCLUSIVE, "to find columns by name, each file needs a header",
                    "add \"header\": \"true\" to the options");
            return false;
        }
        String other = options.getOrDefault("enforceSchema", "").equalsIgnoreCase("true") ? "the option `enforceSchema`"
                : fields.isWritten("columns") ? "`columns`: a line has as many as its file's header"
                : fields.isWritten("extra_columns") ? "`extra_columns`: those without a name of the schema are left out"
                : null;
        if (other != null) {
            site.refuse(fields.place("columns_by"), Rule.EXCLUSIVE, "`columns_by` name excludes " + other,
                    "leave one of them out");
        }
        return other == null;
    }

    private static boolean columnsFit(Site site, OperatorSpec.Format format, Schema schema) {
        Values fields = site.fields();
        if (isByName(fields)) {
            return namesSay(site, format);
        }
        if (!fields.isWritten("columns")) {
            return true;
        }
        long columns = fields.whole("columns", 0);
        if (format != OperatorSpec.Format.CSV) {
            site.refuse(fields.place("columns"), Rule.EXCLUSIVE, "`columns` is for format csv", "leave it out");
        } else if (columns < schema.size()) {
            site.refuse(fields.place("columns"), Rule.OUT_OF_RANGE, "`columns` is " + columns + ", and the schema has "
                    + schema.size(), null);
        } else if (columns > schema.size() && !fields.string("extra_columns", "").equals("ignore")) {
            site.refuse(fields.place("columns"), Rule.EXCLUSIVE, "lines of " + columns + " columns have more than the schema's "
                    + schema.size() + ", which would make every line a bad record", "add \"extra_columns\": \"ignore\"");
        } else {
            return true;
        }
        return false;
    }
}
