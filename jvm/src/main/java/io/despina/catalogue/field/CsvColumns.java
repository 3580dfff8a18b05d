package io.despina.catalogue.field;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.spec.FileFormat;
import java.util.Map;
import java.util.TreeMap;

/** The fields of a {@code file_source} that say where in a csv line the schema's columns are. */
public final class CsvColumns {

    private CsvColumns() {
    }

    /** How many columns a line has, as the reader's options say it. */
    public static int number(Values fields, Schema schema) {
        return isByName(fields) ? RecordFormat.Read.BY_NAME
                : (int) fields.whole("columns", fields.string("extra_columns", "").equals("ignore") ? 0 : schema.size());
    }

    private static boolean isByName(Values fields) {
        return fields.string("columns_by", "").equals("name");
    }

    /** Whether the header's names can give the places of the columns. */
    private static boolean namesSay(PlanningContext context, FileFormat format) {
        Values fields = context.fields();
        Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        options.putAll(fields.strings("options"));
        if (format != FileFormat.CSV) {
            context.refuse(fields.place("columns_by"), Rule.EXCLUSIVE, "`columns_by` is for format csv", "leave it out");
            return false;
        }
        if (!options.getOrDefault("header", "").equalsIgnoreCase("true")) {
            context.refuse(fields.place("columns_by"), Rule.EXCLUSIVE, "to find columns by name, each file needs a header",
                    "add \"header\": \"true\" to the options");
            return false;
        }
        String other = options.getOrDefault("enforceSchema", "").equalsIgnoreCase("true") ? "the option `enforceSchema`"
                : fields.isWritten("columns") ? "`columns`: a line has as many as its file's header"
                : null;
        if (other != null) {
            context.refuse(fields.place("columns_by"), Rule.EXCLUSIVE, "`columns_by` name excludes " + other,
                    "leave one of them out");
        }
        return other == null;
    }

    /** Whether the fields about columns fit the schema and each other; reports one that does not. */
    public static boolean fit(PlanningContext context, FileFormat format, Schema schema) {
        Values fields = context.fields();
        if (isByName(fields)) {
            return namesSay(context, format);
        }
        if (!fields.isWritten("columns")) {
            return true;
        }
        long columns = fields.whole("columns", 0);
        if (format != FileFormat.CSV) {
            context.refuse(fields.place("columns"), Rule.EXCLUSIVE, "`columns` is for format csv", "leave it out");
        } else if (columns < schema.size()) {
            context.refuse(fields.place("columns"), Rule.OUT_OF_RANGE, "`columns` is " + columns + ", and the schema has "
                    + schema.size(), null);
        } else if (columns > schema.size() && !fields.string("extra_columns", "").equals("ignore")) {
            context.refuse(fields.place("columns"), Rule.EXCLUSIVE,
                    "lines of " + columns + " columns have more than the schema's "
                    + schema.size() + ", which would make every line a bad record", "add \"extra_columns\": \"ignore\"");
        } else {
            return true;
        }
        return false;
    }
}
