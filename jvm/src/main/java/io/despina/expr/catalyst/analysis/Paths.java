package io.despina.expr.catalyst.analysis;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.First;
import org.apache.spark.sql.catalyst.expressions.aggregate.Last;

/** Columns whose names are paths ({@code a.x}) and calls of one path or name ({@code first(a.x)}, {@code count(a)}). */
final class Paths {
    private final Map<String, AttributeReference> columns = new HashMap<>();

    void add(List<AttributeReference> all) {
        all.forEach(each -> columns.put(each.name().toLowerCase(Locale.ROOT), each));
    }

    /** Whether it is such a column. */
    boolean has(Expression e) {
        return e instanceof AttributeReference a && columns.get(a.name().toLowerCase(Locale.ROOT)) == a;
    }

    /** The expression with every such path and call replaced by its column. */
    Expression of(Expression parsed) {
        return columns.isEmpty() ? parsed : parsed.transformDown(Scala.<Expression>replacing(this::column));
    }

    private Expression column(Expression e) {
        String name = name(e);
        return name == null ? null : columns.get(name.toLowerCase(Locale.ROOT));
    }

    private static String name(Expression e) {
        if (e instanceof UnresolvedAttribute u) {
            return path(u);
        }
        if (e instanceof AggregateExpression a && a.filter().isEmpty() && !a.isDistinct()) {
            return a.aggregateFunction() instanceof First first && !first.ignoreNulls() ? call("first", first.child())
                    : a.aggregateFunction() instanceof Last last && !last.ignoreNulls() ? call("last", last.child()) : null;
        }
        if (e instanceof UnresolvedFunction f && f.nameParts().size() == 1 && f.arguments().size() == 1 && !f.isDistinct()
                && f.filter().isEmpty() && f.ignoreNulls().isEmpty()) {
            return call(f.nameParts().apply(0), f.arguments().apply(0));
        }
        return null;
    }

    private static String call(String function, Expression argument) {
        return argument instanceof UnresolvedAttribute u ? function + "(" + path(u) + ")" : null;
    }

    private static String path(UnresolvedAttribute u) {
        return Scala.list(u.nameParts()).stream().collect(Collectors.joining("."));
    }
}
