package io.despina.catalogue;

import io.despina.catalogue.field.RecordFields;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where each row of a sink goes, and what goes beside its value. The field {@code subject} names the target, with columns in
 * braces; {@code subject_by} is an expression in its place.
 *
 * @param field that names it
 * @param pairs the field with named values beside the row's own, each an expression; null where there is none
 */
record RowTarget(String field, String pairs) {

    private String by() {
        return field + "_by";
    }

    /** Whether one of both fields is written; refuses it if not. @param example of a target with a column */
    boolean isOne(PlanningContext context, String example) {
        Values fields = context.fields();
        if (fields.isWritten(field) != fields.isWritten(by())) {
            return true;
        }
        context.refuse(fields.isWritten(by()) ? fields.place(by()) : context.operator().place(), Rule.EXCLUSIVE,
                context.operator().type().withArticle() + " has either `" + field + "` or `" + by() + "`", field + " for one "
                + field + " or \"" + example + "\", " + by() + " for an expression");
        return false;
    }

    /** Null after a refusal. */
    Parts parts(PlanningContext context) {
        Values fields = context.fields();
        Map<String, Snippet> snippets = new LinkedHashMap<>();
        Text target = fields.text(field);
        if (fields.isWritten(by())) {
            snippets.put(by(), Snippet.named(fields.text(by()), "p"));
        } else if (target != null && new ColumnTemplate(target).varies()) {
            snippets.put(field, new ColumnTemplate(target).named("p"));
        }
        boolean varies = !snippets.isEmpty();
        Map<String, Text> named = pairs == null ? Map.of() : fields.namedTexts(pairs);
        named.forEach((name, text) -> snippets.put(pairs + "." + name, Snippet.named(text, "p" + snippets.size())));
        if (snippets.isEmpty()) {
            return new Parts(null, null, false, false, List.of());
        }
        ProjectionPlan plan = RecordFields.parts(context, snippets);
        return plan == null ? null : new Parts(plan.compiled(), plan.result(), varies, false, List.copyOf(named.keySet()));
    }
}
