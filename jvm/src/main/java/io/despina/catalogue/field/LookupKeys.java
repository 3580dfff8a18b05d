package io.despina.catalogue.field;

import io.despina.descriptor.Nearest;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.Equalities;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The field {@code key} of a lookup: columns of the table, each beside the expression over the packet that it must equal.
 *
 * @param columns ordinals in the table
 * @param packet  a packet to its key
 * @param table   a row of the table to its key, of equal types
 * @param texts   both as texts, the table's over its columns as {@link #name} calls them
 */
public record LookupKeys(List<Integer> columns, ProjectionPlan packet, ProjectionPlan table, Equalities texts) {
    private static final String PACKET = "packet";
    private static final String TABLE = "table";

    /** What a column of the table is called in the equalities: so that a bare name means the packet's column. */
    static String name(int column) {
        return "_despina_" + column;
    }

    /** The table's keys as texts over its columns as they are called. */
    public List<String> named(Schema table) {
        List<String> named = new ArrayList<>();
        for (int k = 0; k < columns.size(); k++) {
            int column = columns.get(k);
            named.add(texts.right().get(k).replace(TABLE + "." + name(column), Column.quoted(table.column(column).name())));
        }
        return named;
    }

    /** Null after a refusal. */
    public static LookupKeys read(PlanningContext context, Schema table) {
        Map<String, Text> written = context.fields().namedTexts("key");
        Place place = context.fields().place("key");
        if (written.isEmpty()) {
            return context.refuse(place, Rule.OUT_OF_RANGE, "a lookup without a key",
                    "for example \"key\": {\"id\": \"device\"}");
        }
        List<Column> renamed = new ArrayList<>();
        for (int k = 0; k < table.size(); k++) {
            renamed.add(new Column(name(k), table.column(k).type(), table.column(k).nullable()));
        }
        Scope.Input packet = new Scope.Input(PACKET, context.input().schema());
        Scope.Input other = new Scope.Input(TABLE, new Schema(renamed));
        List<Integer> columns = new ArrayList<>();
        List<String> left = new ArrayList<>();
        List<String> right = new ArrayList<>();
        for (Map.Entry<String, Text> each : written.entrySet()) {
            int column = column(context, table, each.getKey(), each.getValue());
            Equalities one = column < 0 ? null : context.expressions().equalities(new Scope(List.of(packet, other)),
                    new Snippet("(" + each.getValue().value() + "\n) = " + TABLE + "." + name(column), each.getValue(), 1));
            if (one == null) {
                return null;
            }
            if (one.rest() != null) {
                return context.refuse(each.getValue().place(), Rule.EXPRESSION, "the key of `" + each.getKey() + "` must be an "
                        + "expression over the packet's columns", "it is compared with the table's column");
            }
            columns.add(column);
            left.addAll(one.left());
            right.addAll(one.right());
        }
        ProjectionPlan packetKeys = keys(context, packet, left);
        ProjectionPlan tableKeys = keys(context, other, right);
        return packetKeys == null || tableKeys == null ? null
                : new LookupKeys(columns, packetKeys, tableKeys, new Equalities(left, right, null));
    }

    /** The column that a key names, or -1 after a refusal of it or of its expression. */
    private static int column(PlanningContext context, Schema table, String name, Text expression) {
        int column = table.indexOf(name);
        if (column < 0) {
            context.refuse(expression.place(), Rule.UNKNOWN_COLUMN, "the table has no column `" + name + "`",
                    Nearest.hint(name, table.names()));
            return -1;
        }
        // Alone first: a column that is missing is then missed among the packet's only.
        Schema packet = context.input().schema();
        ProjectionPlan key = context.expressions().keys(packet, List.of(Snippet.of(expression)));
        return key != null && areComparable(context, table.column(column), expression, key.result().column(0).type())
                ? column : -1;
    }

    /** Whether no text has to be cast for each comparison, which fails with the first one that is no number, and so at a row. */
    private static boolean areComparable(PlanningContext context, Column column, Text expression, Type key) {
        boolean text = key == Type.Simple.STRING;
        if (text == (column.type() == Type.Simple.STRING) || !context.planning().settings().ansi()) {
            return true;
        }
        String written = expression.value().strip();
        context.refuse(expression.place(), Rule.TYPE_MISMATCH, "the key of `" + column.name() + "` compares " + key.sql()
                + " with the table's " + column.type().sql(), (text ? "write `try_cast(" + written + " AS " + column.type().sql()
                + ")`, which is NULL where it cannot be cast" : "write `CAST(" + written + " AS STRING)`")
                + ", or declare the column as " + key.sql());
        return false;
    }

    private static ProjectionPlan keys(PlanningContext context, Scope.Input input, List<String> texts) {
        List<String> named = new ArrayList<>();
        for (String text : texts) {
            named.add("(" + text + ") AS key_" + named.size());
        }
        return context.expressions().keys(new Scope(List.of(input)), named, context.fields().place("key"));
    }
}
