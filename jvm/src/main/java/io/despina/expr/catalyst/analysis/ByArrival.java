package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException.Problem;
import io.despina.packet.Column;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AnyValue;

/**
 * Finds the aggregates of a parsed expression whose value depends on which packets arrive first: lists that nothing sorts, and
 * those that take one of several values where nothing says which.
 */
public final class ByArrival {
    private static final Set<String> LISTS = Set.of("collect_list", "array_agg");
    private static final Set<String> TEXTS = Set.of("listagg", "string_agg");
    /** For these the order of an array does not matter. */
    private static final Set<String> INDIFFERENT = Set.of("sort_array", "array_sort", "size", "cardinality", "array_size",
            "array_max", "array_min", "array_contains", "arrays_overlap");
    /** These give another array, whose order matters as little as that of the one they take. */
    private static final Set<String> BY_ELEMENT = Set.of("transform", "filter", "flatten", "concat", "array_compact",
            "array_distinct", "array_except", "array_intersect", "array_remove", "array_union");
    /** Who compares several values has thought of ties. */
    private static final Set<String> STRUCTS = Set.of("struct", "named_struct");
    private static final String DIFFERS = ", which may differ from run to run and on Spark";

    private final Problems problems;
    private final int text;
    private final List<String> order;

    private ByArrival(Problems problems, int text, List<String> order) {
        this.problems = problems;
        this.text = text;
        this.order = order;
    }

    /** @param order names of the columns that settle the order: the event time, and those that break ties; may be empty */
    public static List<Problem> in(Analysis analysis, List<String> texts, List<String> order) {
        Problems problems = new Problems(texts);
        for (int k = 0; k < texts.size(); k++) {
            String text = texts.get(k);
            new ByArrival(problems, k, order).find(analysis.under(() -> analysis.parse(text)), false);
        }
        return problems.found();
    }

    private void find(Expression parsed, boolean indifferent) {
        boolean below = false;
        if (parsed instanceof UnresolvedFunction function) {
            String name = name(function);
            boolean list = LISTS.contains(name);
            if (list && !indifferent || TEXTS.contains(name) && function.orderingWithinGroup().isEmpty()) {
                tell(function, "`" + name + "` takes values in the order in which packets arrive", list ? sorted(name)
                        : "write " + name + "(…) WITHIN GROUP (ORDER BY " + (order.isEmpty() ? "…" : ordered()) + ")");
            }
            findChoice(function, name);
            below = INDIFFERENT.contains(name) || indifferent && BY_ELEMENT.contains(name);
        }
        if (parsed instanceof AnyValue) {
            tell(parsed, "`any_value` takes the value of whichever packet arrives first", "write "
                    + (order.isEmpty() ? "min(…), which is" : "first(…), which goes by event order; or min(…),")
                    + " the same where all values are equal");
        }
        for (Expression child : Scala.list(parsed.children())) {
            find(child, below);
        }
    }

    /** An aggregate that takes one of several values. */
    private void findChoice(UnresolvedFunction function, String name) {
        List<Expression> arguments = Scala.list(function.arguments());
        if ((name.equals("max_by") || name.equals("min_by")) && arguments.size() == 2 && !breaksTies(arguments.get(1))) {
            tell(function, "of packets with the same `" + Analysis.written(arguments.get(1)) + "`, `" + name
                            + "` takes whichever arrives last",
                    "break ties: " + name + "(…, struct(…, " + (order.isEmpty() ? "…" : ordered()) + "))");
        } else if (name.equals("mode") && arguments.size() == 1 && function.orderingWithinGroup().isEmpty()) {
            tell(function, "`mode` takes any of the values that are equally frequent",
                    "write mode(…, true), which takes the least of them");
        }
    }

    /** Whether it compares several values, or the columns that break ties in event order. */
    private boolean breaksTies(Expression by) {
        List<String> names = Scala.<Expression>list(by.collectLeaves()).stream()
                .filter(leaf -> leaf instanceof UnresolvedAttribute)
                .map(leaf -> ((UnresolvedAttribute) leaf).nameParts().last().toLowerCase(Locale.ROOT)).toList();
        return by instanceof CreateNamedStruct || by instanceof UnresolvedFunction function && STRUCTS.contains(name(function))
                || order.size() > 1 && order.stream().skip(1).allMatch(each -> names.contains(each.toLowerCase(Locale.ROOT)));
    }

    private static String name(UnresolvedFunction function) {
        return function.nameParts().last().toLowerCase(Locale.ROOT);
    }

    private void tell(Expression at, String what, String hint) {
        problems.add(text, at.origin(), new Problem(0, 0, 0, "order", what + DIFFERS, hint));
    }

    private String ordered() {
        return order.stream().map(Column::quoted).collect(Collectors.joining(", "));
    }

    private String sorted(String name) {
        String sorted = "sort_array(" + name + "(struct(" + (order.isEmpty() ? "…" : ordered() + ", …") + ")))";
        return "write " + sorted + ", and transform(" + sorted + ", each -> each.…) for one of its columns alone";
    }
}
