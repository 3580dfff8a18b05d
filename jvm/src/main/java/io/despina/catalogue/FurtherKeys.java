package io.despina.catalogue;

import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import java.util.List;

/**
 * For which group, of those of the first input, a packet of another input is.
 *
 * @param plan  a packet to the key of that group; null if there is one group
 * @param texts of the key
 */
public record FurtherKeys(ProjectionPlan plan, List<String> texts) {

    public FurtherKeys {
        texts = List.copyOf(texts);
    }

    /**
     * What the file has of them.
     *
     * @param field for messages
     * @param place of the field's value
     */
    record Written(String field, Place place, List<Text> texts) {
    }

    /**
     * Checks and compiles them.
     *
     * @param of     schema of the input
     * @param groups the groups' keys; null if there is one group
     * @return null after a refusal
     */
    static FurtherKeys read(PlanningContext context, Schema of, Written written, Schema groups) {
        List<Text> texts = written.texts;
        ProjectionPlan plan = texts.isEmpty() ? null : context.expressions().keys(of, Snippet.of(texts));
        boolean sound = (plan != null || texts.isEmpty()) && fit(context, written, plan, groups);
        return sound ? new FurtherKeys(plan, texts.stream().map(Text::value).toList()) : null;
    }

    /** Whether they give keys like those of groups; reports it if not. */
    private static boolean fit(PlanningContext context, Written written, ProjectionPlan keys, Schema groups) {
        int found = keys == null ? 0 : keys.result().size();
        int wanted = groups == null ? 0 : groups.size();
        if (found != wanted) {
            context.refuse(written.place, Rule.EXCLUSIVE, "`" + written.field + "` has " + found
                    + (found == 1 ? " expression" : " expressions") + ", and `group_by` " + (wanted == 0 ? "none" : wanted),
                    wanted == 0 ? "there is one group: write []"
                            : "each of them is what one of `group_by` must be equal to, in its order");
            return false;
        }
        for (int k = 0; k < wanted; k++) {
            Type type = keys.result().column(k).type();
            Type group = groups.column(k).type();
            if (!type.equals(group)) {
                context.refuse(written.texts.get(Math.min(k, written.texts.size() - 1)).place(), Rule.COLUMN_TYPE,
                        "key " + (k + 1) + " of `" + written.field + "` is " + type.sql() + ", and that of `group_by` "
                        + group.sql(), "cast one of them to the other's type");
                return false;
            }
        }
        return true;
    }
}
