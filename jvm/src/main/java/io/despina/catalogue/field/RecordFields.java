package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.connect.MetadataColumn;
import io.despina.operator.connect.PositionSourceOptions;
import io.despina.operator.connect.RecordSinkOptions;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.Settings;
import io.despina.plan.Snippet;
import io.despina.spec.FileFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The fields of sources and sinks whose records come and go one by one, each with things beside its value. */
public final class RecordFields {
    public static final FieldSpec FORMAT = required("format", FormatOptions.READ_RECORDS, "How a record's value is written.");
    public static final FieldSpec READ_OPTIONS = optional("options", FormatOptions.OPTIONS, "none",
            "Spark's options for the format, as those of a `file_source`. `header` and `lineSep` are refused.");
    public static final FieldSpec SCHEMA = optional("schema", new FieldKind.Ddl(true), "`value STRING` for text, `value BINARY` "
            + "for raw; else required", "The columns of a record's value, as Spark DDL. Each may be NULL. "
            + DeclaredSchema.DEFAULTS);
    public static final FieldSpec RECORD_BYTES = or("max_record_bytes", new FieldKind.Whole(1, 1 << 30), "1048576",
            "A longer value is a bad record.");
    public static final FieldSpec BUFFER = or("buffer_bytes", new FieldKind.Whole(1 << 16, 1 << 30), "8388608",
            "How much may wait for the source: beyond it, nothing is read. Three times this is counted as the source's state: "
            + "the library reads ahead.");
    public static final FieldSpec WRITE_FORMAT = required("format", FormatOptions.WRITE_RECORDS, "How a record's value is "
            + "written. A NULL of text or raw is a record without a value.");
    public static final FieldSpec WRITE_OPTIONS = optional("options", FormatOptions.OPTIONS, "none",
            "Spark's options for the format, as those of a `file_sink`. `header` and `lineSep` are refused.");
    public static final FieldSpec VALUE = optional("value", new FieldKind.ListOf(TEXT, 1), "all", "The columns that make the "
            + "value. The others may still be read by the fields above.");

    /**
     * What a connector gives beside a record's value; its place in the list is the connector's index.
     *
     * @param isEmpty whether it says that there is no value
     */
    public record Metadata(String name, Type type, String doc, boolean isEmpty) {
        public Metadata(String name, Type type, String doc) {
            this(name, type, doc, false);
        }
    }

    private RecordFields() {
    }

    /** The field that names columns for what is beside the value. */
    public static FieldSpec metadata(List<Metadata> all) {
        StringBuilder doc = new StringBuilder("What is beside the value, and the column that each becomes, behind those of the "
                + "value, in this order:");
        all.forEach(each -> doc.append("\n- `").append(each.name).append("`, ").append(each.type.sql()).append(": ")
                .append(each.doc));
        return optional("metadata", new FieldKind.MapOf(null, "what is beside the value", TEXT,
                all.stream().map(Metadata::name).toList()), "none", doc.toString());
    }

    /** How values are read; null after a refusal. */
    public static RecordFormat.Read records(PlanningContext context) {
        Values fields = context.fields();
        FileFormat format = fields.constant("format", FileFormat.class);
        Schema schema = DeclaredSchema.ofFiles(context, format);
        if (schema == null || !FormatOptions.canRead(context, fields, format) || !areOfRecords(context)
                || !RecordSchemas.fit(context, format, schema, false)) {
            return null;
        }
        Settings settings = context.planning().settings();
        Map<String, String> options = RecordSchemas.planned(context, format, FormatOptions.read(fields));
        return options == null ? null : new RecordFormat.Read(format, options, schema,
                format == FileFormat.CSV ? schema.size() : 0, false, Set.of(), settings.timeZone(), settings.ansi());
    }

    /** Whether a record that is written is plain text: no file begins or ends, and none is packed. */
    private static boolean isInBytes(PlanningContext context, FileFormat format) {
        for (Map.Entry<String, Text> option : context.fields().namedTexts("options").entrySet()) {
            String name = option.getKey().toLowerCase(Locale.ROOT);
            boolean isCharset = name.equals("encoding") || name.equals("charset");
            boolean wide = isCharset && (format == FileFormat.TEXT ? !option.getValue().value().equalsIgnoreCase("UTF-8")
                    : option.getValue().value().startsWith("UTF-16") || option.getValue().value().startsWith("UTF-32"));
            if (wide || name.equals("compression") || name.equals("codec")) {
                context.refuse(option.getValue().place(), Rule.UNKNOWN_WORD, wide ? "a record of format " + format.word()
                        + " is not written in " + option.getValue().value() : "a record is not packed by itself",
                        "leave the option `" + option.getKey() + "` out");
                return false;
            }
        }
        return true;
    }

    private static boolean areOfRecords(PlanningContext context) {
        for (Map.Entry<String, Text> option : context.fields().namedTexts("options").entrySet()) {
            boolean header = option.getKey().equalsIgnoreCase("header") && option.getValue().value().equalsIgnoreCase("true");
            if (header || option.getKey().equalsIgnoreCase("lineSep")) {
                context.refuse(option.getValue().place(), Rule.UNKNOWN_WORD, "every record stands alone: it has no header and no "
                        + "line end", "leave the option `" + option.getKey() + "` out");
                return false;
            }
        }
        return true;
    }

    /** The columns of a source, those of the value first; null after a refusal. */
    public static PositionSourceOptions.Columns columns(PlanningContext context, Schema value, List<Metadata> all) {
        Map<String, Text> written = context.fields().namedTexts("metadata");
        List<MetadataColumn> columns = new ArrayList<>();
        List<Column> schema = new ArrayList<>(value.columns());
        boolean empty = false;
        for (int k = 0; k < all.size(); k++) {
            Metadata each = all.get(k);
            Text name = written.get(each.name);
            if (name != null && (name.value().isBlank() || new Schema(schema).indexOf(name.value()) >= 0)) {
                return context.refuse(name.place(), Rule.DUPLICATE_COLUMN, name.value().isBlank() ? "a column needs a name"
                        : "there is a column `" + name.value() + "` already", "give it another name");
            }
            if (name != null) {
                columns.add(new MetadataColumn(k, each.type));
                schema.add(new Column(name.value(), each.type, true));
                empty |= each.isEmpty;
            }
        }
        for (String name : written.keySet()) {
            if (all.stream().noneMatch(each -> each.name.equals(name))) {
                List<String> known = all.stream().map(Metadata::name).toList();
                return context.refuse(written.get(name).place(), Rule.UNKNOWN_FIELD, "there is no `" + name + "` beside a record",
                        Nearest.hint(name, known));
            }
        }
        return new PositionSourceOptions.Columns(columns, new Schema(schema), empty);
    }

    /**
     * The same, with columns for names that stand in what the source is to read, as levels of a topic do: each a STRING.
     *
     * @param first the connector's index of the first of them
     * @param field where they stand
     * @return null after a refusal
     */
    public static PositionSourceOptions.Columns named(PlanningContext context, PositionSourceOptions.Columns beside, int first,
            List<String> names, String field) {
        List<MetadataColumn> columns = new ArrayList<>(beside.columns());
        List<Column> schema = new ArrayList<>(beside.schema().columns());
        for (int k = 0; k < names.size(); k++) {
            if (new Schema(schema).indexOf(names.get(k)) >= 0) {
                return context.refuse(context.fields().place(field), Rule.DUPLICATE_COLUMN, "there is a column `"
                        + names.get(k) + "` already", "give the level another name");
            }
            columns.add(new MetadataColumn(first + k, Type.Simple.STRING));
            schema.add(new Column(names.get(k), Type.Simple.STRING, true));
        }
        return new PositionSourceOptions.Columns(columns, new Schema(schema), beside.emptyBy());
    }

    /** How values are written, of these columns; null after a refusal. */
    public static RecordFormat.Write written(PlanningContext context, Schema value) {
        Values fields = context.fields();
        FileFormat format = fields.constant("format", FileFormat.class);
        String problem = FormatOptions.unwritable(format, value);
        if (problem != null) {
            return context.refuse(fields.place("format"), Rule.COLUMN_TYPE, problem,
                    "name the columns in `value`, select others before the sink, or use another format");
        }
        if (!FormatOptions.canWrite(context, format) || !areOfRecords(context) || !isInBytes(context, format)
                || !RecordSchemas.fit(context, format, value, true)) {
            return null;
        }
        Settings settings = context.planning().settings();
        Map<String, String> options = RecordSchemas.planned(context, format, fields.strings("options"));
        return options == null ? null : new RecordFormat.Write(format, options, settings.timeZone(), settings.ansi());
    }

    /** The columns of the value; null after a refusal. */
    public static RecordSinkOptions.Value value(PlanningContext context) {
        Schema in = context.input().schema();
        List<Integer> columns = new ArrayList<>();
        for (Text name : context.fields().texts("value")) {
            int column = context.column(in, name.value(), name.place());
            if (column < 0 || columns.contains(column)) {
                return column < 0 ? null : context.refuse(name.place(), Rule.DUPLICATE_COLUMN, "`" + name.value()
                        + "` is named twice", "name it once");
            }
            columns.add(column);
        }
        if (columns.isEmpty()) {
            for (int k = 0; k < in.size(); k++) {
                columns.add(k);
            }
        }
        return new RecordSinkOptions.Value(columns, new Schema(columns.stream().map(in::column).toList()));
    }

    /** Expressions that each give STRING or BINARY; null after a refusal. @param snippets by name, not empty */
    public static ProjectionPlan parts(PlanningContext context, Map<String, Snippet> snippets) {
        List<Text> written = snippets.values().stream().filter(each -> each.shift() > 0).map(Snippet::text).toList();
        if (!written.isEmpty() && !context.expressions().areUnnamed(written)) {
            return null;
        }
        ProjectionPlan plan = context.expressions().project(Scope.of(context.input().schema()), List.copyOf(snippets.values()));
        if (plan == null) {
            return null;
        }
        List<String> names = List.copyOf(snippets.keySet());
        for (int k = 0; k < names.size(); k++) {
            Type type = plan.result().column(k).type();
            if (type != Type.Simple.STRING && type != Type.Simple.BINARY) {
                return context.refuse(snippets.get(names.get(k)).text().place(), Rule.COLUMN_TYPE, "`" + names.get(k) + "` is "
                        + type.sql() + ", and must be STRING or BINARY", "CAST(… AS STRING)");
            }
        }
        return plan;
    }

    /** A field of an expression that gives STRING or BINARY. */
    public static FieldSpec part(String name, String otherwise, String doc) {
        return optional(name, EXPRESSION, otherwise, doc);
    }
}
