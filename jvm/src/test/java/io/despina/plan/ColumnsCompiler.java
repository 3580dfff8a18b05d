package io.despina.plan;

import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Knows columns ({@code x}, {@code left.x}), {@code *} and names ({@code … AS name}); whatever else is a BIGINT. Enough to
 * test what planning itself decides, without Catalyst; nothing can be run.
 */
final class ColumnsCompiler implements ExpressionCompiler {

    private record Found(Column column, int origin) {
    }

    private static Found find(Scope scope, String text) {
        int offset = 0;
        for (Scope.Input input : scope.inputs()) {
            String name = input.name() != null && text.startsWith(input.name() + ".")
                    ? text.substring(input.name().length() + 1) : text;
            int at = input.name() == null || !name.equals(text) ? input.schema().indexOf(name) : -1;
            if (at >= 0) {
                return new Found(input.schema().column(at), offset + at);
            }
            offset += input.schema().size();
        }
        return null;
    }

    @Override
    public ProjectionPlan project(Scope scope, List<String> select) {
        List<Column> columns = new ArrayList<>();
        List<Integer> origins = new ArrayList<>();
        for (String text : select) {
            if (text.equals("*")) {
                for (Scope.Input input : scope.inputs()) {
                    for (Column column : input.schema().columns()) {
                        origins.add(columns.size());
                        columns.add(column);
                    }
                }
                continue;
            }
            String[] parts = text.split(" AS ");
            String name = parts[parts.length - 1].replace("`", "");
            Found found = find(scope, parts[0].replaceAll("^\\(|\\s*\\)$", ""));
            columns.add(found == null ? new Column(name, Type.Simple.BIGINT, false)
                    : new Column(parts.length == 1 ? found.column().name() : name, found.column().type(),
                    found.column().nullable()));
            origins.add(found == null ? -1 : found.origin());
        }
        Set<Integer> copied = origins.stream().filter(ordinal -> ordinal >= 0).collect(Collectors.toSet());
        return new ProjectionPlan(new Schema(columns), origins, copied, null);
    }

    @Override
    public ProjectionPlan keys(Scope scope, List<String> select) {
        return project(scope, select);
    }

    @Override
    public Set<Integer> rising(Scope scope, List<String> select) {
        return Set.of();
    }

    @Override
    public Compiled<Predicate> predicate(Scope scope, String condition) {
        return partition -> null;
    }

    @Override
    public Compiled<Hash> hash(Scope scope, List<String> keys) {
        return partition -> inputs -> {
            throw new ArithmeticException("nothing can be run");
        };
    }

    @Override
    public AggregationPlan aggregate(Schema input, List<String> groupBy, List<String> select, boolean perPacket,
            WindowNames window, List<Integer> order) {
        ProjectionPlan keys = groupBy.isEmpty() ? null : project(Scope.of(input), groupBy);
        ProjectionPlan rows = project(Scope.of(input), select);
        List<Integer> origins = new ArrayList<>();
        for (int k = 0; k < select.size(); k++) {
            boolean time = window != WindowNames.NONE && select.get(k).startsWith("window_time");
            origins.add(time ? AggregationPlan.WINDOW_TIME : perPacket ? rows.origins().get(k) : -1);
        }
        Set<Integer> reads = new TreeSet<>(rows.reads());
        reads.addAll(keys == null ? Set.of() : keys.reads());
        return new AggregationPlan(keys == null ? null : keys.result(), keys, rows.result(), origins, reads, null, true);
    }

    @Override
    public Equalities equalities(Scope scope, String condition) {
        List<String> left = new ArrayList<>();
        List<String> right = new ArrayList<>();
        String rest = null;
        for (String part : condition.split(" AND ")) {
            String[] sides = part.split(" = ");
            if (sides.length == 2) {
                left.add(sides[0]);
                right.add(sides[1]);
            } else {
                rest = rest == null ? part : rest + " AND " + part;
            }
        }
        return new Equalities(left, right, rest);
    }

    @Override
    public void checkSyntax(List<String> texts) {
    }

    @Override
    public void checkUnnamed(List<String> texts) {
    }

    @Override
    public List<ExpressionException.Problem> cautions(List<String> texts) {
        return List.of();
    }

    @Override
    public List<ExpressionException.Problem> arrivals(List<String> texts, List<String> order) {
        return List.of();
    }
}
