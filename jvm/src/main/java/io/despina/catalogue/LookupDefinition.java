package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DatabaseFields;
import io.despina.catalogue.field.DeclaredSchema;
import io.despina.catalogue.field.FormatOptions;
import io.despina.catalogue.field.LocalPath;
import io.despina.catalogue.field.LookupKeys;
import io.despina.catalogue.field.PairSelect;
import io.despina.catalogue.field.PointKey;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.database.DatabaseTable;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;
import io.despina.spec.FileFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code lookup}. */
public final class LookupDefinition extends Definition {
    private static final FieldKind FROM = new FieldKind.Variant("from", List.of(
            Section.of("file", "Files, read into memory when the job starts. A bad record fails the job.",
                    required("path", TEXT, "A file, a folder or a glob, or its URI, as of a `file_source`; not `-`. Every "
                            + "instance reads all. Folders give columns as there: "
                            + "[which files are read](../files.md#which-files-are-read)."),
                    required("format", words("csv", "separated values, Spark's rules", "json", "one JSON object per line",
                            "parquet", "rows by Spark's own reader: columns by name, those that a file lacks are NULL"),
                            "How records are written."),
                    optional("options", FormatOptions.OPTIONS, "none", "As of a `file_source`."),
                    required("schema", new FieldKind.Ddl(false), "The columns, as Spark DDL."),
                    FormatOptions.TIMESTAMP_UNIT,
                    optional("reload_ms", POSITIVE_MILLIS, "never",
                            "How often to look whether the files have changed: another size or time of modification, or "
                            + "other files that match the path. If so, all are read again, and packets that come later meet "
                            + "the new rows."
                            + "\n- If they cannot be read, the job fails; under another `on_error` it goes on with the rows "
                            + "as they were, and says so on standard error."
                            + "\n- Write a new file beside the old one and rename it, so that no half of it is read."
                            + "\n- On Spark the files are read once, or once per micro-batch.")),
            Section.of("areas", "Areas of GeoJSON files, read into memory when the job starts: a packet's rows are the areas "
                    + "that hold its point. `key` has its `latitude` and its `longitude`, in degrees (WGS 84)."
                    + "\n- A point on an edge is in all areas that have that edge; one in a hole is outside. What is no place on "
                    + "the Earth is in none."
                    + "\n- Edges are straight between longitudes and latitudes. One of more than 180 and less than 360 degrees "
                    + "of longitude goes the short way, across the 180th meridian."
                    + "\n- On Spark each task reads the files, so they must be where the executors are.",
                    required("path", TEXT, "A file, a folder or a glob, or its URI, as of a `file_source`; not `-`. A file has a "
                            + "`FeatureCollection` of features whose geometry is a Polygon or a MultiPolygon, or one such "
                            + "feature. Any other fails the job, as does a line that crosses itself."),
                    required("schema", new FieldKind.Ddl(false), "The properties of a feature that are columns, as Spark DDL. "
                            + "They are read as a record of json is; one that a feature lacks is NULL.")),
            StreamLookupSpec.SECTION,
            new Section("jdbc", "A table of a database, which is asked for each packet's key; on the engine only. Each "
                    + "instance has a connection and a thread of its own.", database())));

    private static final FieldKind CACHE = new FieldKind.Fields(Section.of("cache",
            "Answers of a database that are used again: a key without a row is one too.",
            required("max_rows", new FieldKind.Whole(1, Integer.MAX_VALUE), "How many rows are kept; those that were used least "
                    + "recently go first."),
            required("ttl_ms", POSITIVE_MILLIS, "How old an answer may become.")));

    private static List<FieldSpec> database() {
        List<FieldSpec> specs = new ArrayList<>(DatabaseFields.specs());
        specs.add(required("table", TEXT, "The table, or a query in brackets with a name behind it, as it stands behind FROM."));
        specs.add(required("schema", new FieldKind.Ddl(false), "The columns to read, as Spark DDL; of simple types. Names that "
                + "need quotes get them. A key is compared in the type that Spark would compare these columns in."));
        return specs;
    }

    private static final OperatorType TYPE = new OperatorType("lookup", Family.JOINS,
            "Gives each packet the rows of a table that have its key: a row for each of them, as Spark's join does. A key with "
            + "NULL in it has no rows.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("key", new FieldKind.MapOf(null, "column of the table", EXPRESSION), "Columns of the table, and for "
                            + "each the expression over the packet's columns that it must equal. Of areas `latitude` and "
                            + "`longitude`, and for each the expression of a number."),
                    required("from", FROM, "The table."),
                    optional("cache", CACHE, "every packet asks the database", "For a table of a database."),
                    or("how", words("left", "packets without a row too, with NULL for the table's columns", "inner",
                            "packets with a row only"), "\"left\"", "Which packets leave."),
                    optional("select", EXPRESSIONS, "the packet's columns, then the table's that are no key", "The row, over "
                            + "`packet.x` and `table.x`; a name that only one of them has may stand alone. It is required where "
                            + "both have a column of one name that is no key.")), """
                "named": {
                  "type": "lookup",
                  "key": {"id": "device"},
                  "from": {"type": "file", "path": "devices.csv", "format": "csv", "schema": "id STRING, room STRING"},
                  "select": ["ts", "device", "room", "celsius"]
                }
                """);

    LookupDefinition() {
        super(TYPE.withInput(StreamLookupSpec.INPUT));
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        if (StreamLookupSpec.isOf(context.fields())) {
            return StreamLookupSpec.plan(context);
        }
        Values from = context.fields().fields("from");
        Schema table = DeclaredSchema.nullable(DeclaredSchema.of(from.text("schema")));
        if (from.word().equals("areas")) {
            return areas(context, from, table);
        }
        LookupKeys keys = isReadable(context, from, table) ? LookupKeys.read(context, table) : null;
        boolean left = context.fields().string("how", "left").equals("left");
        ProjectionPlan select = keys == null ? null : PairSelect.read(context, "table", table, keys.columns());
        LookupRow row = select == null ? null : new LookupRow(keys, table, select, left);
        OperatorSpec spec = row == null ? null : from.word().equals("file") ? file(context, from, row)
                : database(context, from, row);
        if (spec == null) {
            return null;
        }
        Stream in = context.input();
        return PlanningResult.of(spec, in.with(select.result(), EventTimes.through(in.time(), select.origins())));
    }

    private static PlanningResult areas(PlanningContext context, Values from, Schema table) {
        String problem = FormatOptions.unwritable(FileFormat.JSON, table);
        if (problem != null) {
            return context.refuse(from.place("schema"), Rule.SCHEMA, problem, null);
        }
        String path = filePath(context, from);
        ProjectionPlan point = path == null ? null : PointKey.read(context);
        ProjectionPlan select = point == null ? null : PairSelect.read(context, "table", table, List.of());
        if (select == null) {
            return null;
        }
        RecordFormat.Read properties = new RecordFormat.Read(FileFormat.JSON, Map.of(), table, table.size(), false, Set.of(),
                context.planning().settings().timeZone(), context.planning().settings().ansi());
        boolean left = context.fields().string("how", "left").equals("left");
        Stream in = context.input();
        return PlanningResult.of(new AreaLookupSpec(point, properties, path, select, left),
                in.with(select.result(), EventTimes.through(in.time(), select.origins())));
    }

    /** The path of files that are read into memory; null after a refusal. */
    private static String filePath(PlanningContext context, Values from) {
        if (context.fields().isWritten("cache")) {
            return context.refuse(context.fields().place("cache"), Rule.EXCLUSIVE,
                    "`cache` is for a database: files are in memory",
                    "leave it out");
        }
        return LocalPath.filesAnywhere(context, from.text("path"), "a lookup");
    }

    private static boolean isReadable(PlanningContext context, Values from, Schema table) {
        boolean file = from.word().equals("file");
        String problem = file ? FormatOptions.unwritable(from.constant("format", FileFormat.class), table)
                : DatabaseTable.problem(table);
        if (problem != null) {
            context.refuse(from.place("schema"), Rule.SCHEMA, problem, null);
        }
        return problem == null;
    }

    private static OperatorSpec file(PlanningContext context, Values from, LookupRow row) {
        String path = filePath(context, from);
        return path == null || !FormatOptions.canRead(context, from, from.constant("format", FileFormat.class)) ? null
                : new FileLookupSpec(row, FileLookupSpec.records(context, from, row.table()), path,
                        from.whole("reload_ms", FileLookupSpec.READ_ONCE));
    }

    private static OperatorSpec database(PlanningContext context, Values from, LookupRow row) {
        DatabaseFields database = DatabaseFields.read(context, from);
        Values cache = context.fields().fields("cache");
        return database == null ? null : new DatabaseLookupSpec(row, database, from.string("table", ""),
                cache == null ? 0 : cache.whole("max_rows", 0), cache == null ? 0 : cache.whole("ttl_ms", 0));
    }
}
