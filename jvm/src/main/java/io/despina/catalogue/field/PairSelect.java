package io.despina.catalogue.field;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import java.util.ArrayList;
import java.util.List;

/** The {@code select} over a packet and a row that was found for it. */
public final class PairSelect {
    private static final String PACKET = "packet";

    private PairSelect() {
    }

    /**
     * The row, or null after a refusal. Without {@code select}, the packet's columns and then the other's.
     *
     * @param name    of the row in expressions
     * @param leftOut columns of the row that only a {@code select} shows
     */
    public static ProjectionPlan read(PlanningContext context, String name, Schema row, List<Integer> leftOut) {
        Schema in = context.input().schema();
        Scope scope = new Scope(List.of(new Scope.Input(PACKET, in), new Scope.Input(name, row.allNullable())));
        List<Text> written = context.fields().texts("select");
        if (!written.isEmpty()) {
            return context.expressions().project(scope, Snippet.of(written));
        }
        List<String> texts = new ArrayList<>();
        in.names().forEach(column -> texts.add(quoted(PACKET, column)));
        for (int k = 0; k < row.size(); k++) {
            String column = row.column(k).name();
            if (leftOut.contains(k)) {
                continue;
            }
            if (in.indexOf(column) >= 0) {
                return context.refuse(context.operator().place(), Rule.DUPLICATE_COLUMN, "the packet and the " + name
                        + " both have `" + column + "`", "write \"select\": [\"packet." + column + " AS …\", …]");
            }
            texts.add(quoted(name, column));
        }
        return context.expressions().project(scope, texts, context.operator().place());
    }

    private static String quoted(String side, String name) {
        return side + "." + Column.inSql(name);
    }
}
