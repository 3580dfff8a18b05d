package io.despina.catalogue.field;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.ExpressionException;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.keyed.PacketRanks;
import io.despina.packet.Column;
import io.despina.packet.PacketOrder;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What packets are sorted by: texts of the field {@code by}, each an expression that may end with a direction as in Spark's ORDER
 * BY. Event order breaks ties.
 *
 * @param plan the expressions
 */
public record OrderedBy(ProjectionPlan plan, PacketRanks ranks) {
    public static final String DOC =
            "Expressions, each perhaps with `ASC` or `DESC` and `NULLS FIRST` or `NULLS LAST` behind it, as in "
            + "ORDER BY: ascending if nothing is said, and NULL before all others, with `DESC` after them. Where they are equal, "
            + "the earlier packet in event order is first: by event time, then `order_by`, then, on the engine only, arrival.";
    /** A pattern, compiled when needed, because a starting process only declares most operators. */
    private static final String DIRECTED =
            "(?is)(.+?)(?:\\s*(?<![.\\w])(ASC|DESC))?(?:\\s*(?<![.\\w])NULLS\\s+(FIRST|LAST))?\\s*";

    /** Null after a refusal. */
    public static OrderedBy read(PlanningContext context) {
        Stream in = context.input();
        List<Text> texts = context.fields().texts("by");
        List<Snippet> by = new ArrayList<>();
        List<SortKey> order = new ArrayList<>();
        Pattern directed = Pattern.compile(DIRECTED);
        for (Text text : texts) {
            Matcher found = directed.matcher(text.value());
            boolean matches = found.matches() && !found.group(1).isBlank();
            boolean descending = matches && "DESC".equalsIgnoreCase(found.group(2));
            boolean nullsLast = matches && found.group(3) != null ? "LAST".equalsIgnoreCase(found.group(3)) : descending;
            order.add(new SortKey(by.size(), descending, nullsLast));
            by.add(new Snippet("(" + (matches ? found.group(1) : text.value()) + "\n) AS by_" + by.size(), text, 1));
        }
        ProjectionPlan plan = context.expressions().explaining(OrderedBy::explained).project(Scope.of(in.schema()), by);
        if (plan == null) {
            return null;
        }
        for (int k = 0; k < texts.size(); k++) {
            try {
                PacketOrder.by(plan.result().layout(), List.of(SortKey.ascending(k)));
            } catch (IllegalArgumentException e) {
                return context.refuse(texts.get(k).place(), Rule.COLUMN_TYPE, e.getMessage(), "order by its parts");
            }
        }
        List<Column> columns = new ArrayList<>(plan.result().columns());
        List<Integer> ties = in.time() == null ? List.of() : in.time().order();
        for (int column : ties) {
            order.add(SortKey.ascending(columns.size()));
            Column of = in.schema().column(column);
            columns.add(new Column("tie_" + columns.size(), of.type(), of.nullable()));
        }
        return new OrderedBy(plan, new PacketRanks(new Schema(columns), plan.compiled(), ties, order));
    }

    private static ExpressionException.Problem explained(Snippet snippet, ExpressionException.Problem problem) {
        if (!problem.rule().equals(Rule.EXPRESSION_SYNTAX.code())) {
            return problem;
        }
        return problem.with(snippet.isBehind(problem.from()) ? "`" + snippet.text().value().strip()
                + "` is no expression with an order behind it" : problem.message(), "an expression, then perhaps ASC or DESC, "
                + "then perhaps NULLS FIRST or NULLS LAST, for example `celsius DESC NULLS LAST`");
    }

    /** Ordinals of the columns that are read. */
    public Set<Integer> reads() {
        Set<Integer> reads = new HashSet<>(plan.reads());
        reads.addAll(ranks.ties());
        return reads;
    }
}
