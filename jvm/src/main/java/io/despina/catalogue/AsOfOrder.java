package io.despina.catalogue;

import io.despina.descriptor.Rule;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.Stream;
import io.despina.spec.Matching;
import java.util.ArrayList;
import java.util.List;

/**
 * An as-of join whose sides both have {@code order_by}, of the same types, compares these columns where times are equal. That has
 * a meaning if both sides come of one source, or if {@code on} makes them equal; else they count two streams.
 */
final class AsOfOrder {
    private AsOfOrder() {
    }

    /**
     * Warns of columns that may have nothing to do with each other.
     *
     * @param leftKeys  what {@code on} equates with {@code rightKeys}; null for nothing
     */
    static void warn(PlanningContext context, Matching matching, ProjectionPlan leftKeys, ProjectionPlan rightKeys) {
        if (!(matching instanceof Matching.AsOf asOf) || !asOf.compareOrder() || asOf.strict()
                || context.haveOneSource("left", "right")) {
            return;
        }
        Stream left = context.inputs().get(0);
        Stream right = context.inputs().get(1);
        List<String> pairs = new ArrayList<>();
        for (int k = 0; k < left.time().orderBy().size(); k++) {
            int l = left.time().orderBy().get(k);
            int r = right.time().orderBy().get(k);
            if (!areEquated(l, r, leftKeys, rightKeys)) {
                pairs.add("left `" + name(left.schema(), l) + "` with right `" + name(right.schema(), r) + "`");
            }
        }
        if (!pairs.isEmpty()) {
            String time = name(right.schema(), right.time().column());
            String column = name(right.schema(), right.time().orderBy().get(0));
            context.planning().diagnostics().warning(context.fields().place("as_of"), Rule.ORDER, "where times are equal, this "
                    + "join compares the `order_by` of two streams, " + String.join(" and ", pairs) + ": a right packet that is "
                    + "greater there does not match", "if one count runs through both streams, write \"accept\": [\"order\"]; "
                    + "else let time alone decide, by an `order_by` of other columns on one side: [\"" + column + "\", \"" + time
                    + "\"] orders packets as [\"" + column + "\"] does");
        }
    }

    private static boolean areEquated(int left, int right, ProjectionPlan leftKeys, ProjectionPlan rightKeys) {
        for (int k = 0; leftKeys != null && k < leftKeys.origins().size(); k++) {
            if (leftKeys.origins().get(k) == left && rightKeys.origins().get(k) == right) {
                return true;
            }
        }
        return false;
    }

    private static String name(Schema schema, int column) {
        return schema.column(column).name();
    }
}
