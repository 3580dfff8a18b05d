package io.despina.plan;

import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plans {@code join}. */
final class Joins {
    private static final String SIDE = "\\s*(left|right)\\s*\\.\\s*`?(\\w+)`?\\s*";
    /** {@code greatest(left.ts, right.ts) AS ts}: the event time of a pair. */
    private static final Pattern GREATEST = Pattern.compile("(?is)\\s*greatest\\s*\\(" + SIDE + "," + SIDE
            + "\\)\\s*(?:as\\s+)?`?(\\w+)`?\\s*");
    private static final Equalities NO_CONDITION = new Equalities(List.of(), List.of(), null);

    private Joins() {
    }

    static Outcome join(Site site) {
        Stream left = site.inputs().get(0);
        Stream right = site.inputs().get(1);
        OperatorSpec.Matching matching = matching(site, left, right);
        if (matching == null) {
            return null;
        }
        Scope scope = scope(left.schema(), right.schema());
        Text on = site.fields().text("on");
        Equalities keys = on == null ? NO_CONDITION : site.expressions().equalities(scope, Snippet.of(on));
        if (keys == null) {
            return null;
        }
        boolean asOf = matching instanceof OperatorSpec.Matching.AsOf;
        if (asOf && keys.rest() != null) {
            return site.refuse(on.place(), Rule.AS_OF_KEYS, "`on` of an as-of join must be equalities joined by AND, but `"
                    + keys.rest() + "` is not one", "filter before or after the join instead");
        }
        boolean outer = site.fields().string("how", "").equals("left");
        Schema rightSchema = outer ? nullable(right.schema()) : right.schema();
        ProjectionPlan select = select(site, left.schema(), rightSchema);
        Place place = site.fields().place("on");
        ProjectionPlan leftKeys = keys(site, new Scope.Input("left", left.schema()), keys.left());
        ProjectionPlan rightKeys = keys(site, new Scope.Input("right", right.schema()), keys.right());
        Compiled<Predicate> rest = keys.rest() == null ? null : site.expressions().predicate(scope, keys.rest(), place);
        boolean keyed = !keys.left().isEmpty();
        if (select == null || rest == null && keys.rest() != null || keyed && (leftKeys == null || rightKeys == null)) {
            return null;
        }
        EventTime time = asOf ? Times.through(left.time(), select.origins())
                : outer ? null : greatest(site, select.result(), left, right);
        return new Outcome(new OperatorSpec.Join(keys, leftKeys, rightKeys, rest, select, rightSchema, outer, matching),
                new Stream(select.result(), time, site.isUnbounded()), List.of(keys.left(), keys.right()),
                keyed ? null : "without an equality of left and right it has one state");
    }

    private static Scope scope(Schema left, Schema right) {
        return new Scope(List.of(new Scope.Input("left", left), new Scope.Input("right", right)));
    }

    private static Schema nullable(Schema schema) {
        return new Schema(schema.columns().stream().map(c -> new Column(c.name(), c.type(), true)).toList());
    }

    private static ProjectionPlan keys(Site site, Scope.Input input, List<String> texts) {
        List<String> named = new ArrayList<>();
        for (String text : texts) {
            named.add("(" + text + ") AS key_" + named.size());
        }
        return texts.isEmpty() ? null : site.expressions().keys(new Scope(List.of(input)), named, site.fields().place("on"));
    }

    private static OperatorSpec.Matching matching(Site site, Stream left, Stream right) {
        Values asOf = site.fields().fields("as_of");
        Values between = site.fields().fields("between_ms");
        if ((asOf == null) == (between == null)) {
            return site.refuse(asOf == null ? site.operator().place() : between.place(), Rule.EXCLUSIVE,
                    "a join has exactly one of `as_of` and `between_ms`", asOf == null ? "add one" : "leave one of them out");
        }
        String need = asOf == null ? "an interval join" : "an as-of join";
        if (!(site.hasTime(left, "left", need) & site.hasTime(right, "right", need))) {
            return null;
        }
        if (asOf == null) {
            long from = between.whole("from", 0);
            long to = between.whole("to", 0);
            return from <= to ? new OperatorSpec.Matching.Between(from, to) : site.refuse(between.place("from"),
                    Rule.OUT_OF_RANGE, "`from` " + from + " is more than `to` " + to, "they bound right time less left time");
        }
        site.needsOrder(left, "left");
        site.needsOrder(right, "right");
        List<Type> order = orderTypes(left);
        return new OperatorSpec.Matching.AsOf(asOf.whole("max_age_ms", EventTime.NEVER), asOf.flag("strict"),
                !order.isEmpty() && order.equals(orderTypes(right)));
    }

    private static List<Type> orderTypes(Stream stream) {
        return stream.time().orderBy().stream().map(k -> stream.schema().column(k).type()).toList();
    }

    private static ProjectionPlan select(Site site, Schema left, Schema right) {
        List<Text> written = site.fields().texts("select");
        if (!written.isEmpty()) {
            return site.expressions().project(scope(left, right), Snippet.of(written));
        }
        List<String> both = left.names().stream().filter(n -> right.indexOf(n) >= 0).toList();
        return both.isEmpty() ? site.expressions().project(scope(left, right), List.of("*"), site.operator().place())
                : site.refuse(site.operator().place(), Rule.DUPLICATE_COLUMN, "left and right both have "
                        + String.join(", ", both.stream().map(n -> "`" + n + "`").toList()),
                        "write \"select\": [\"left." + both.get(0) + " AS …\", …]");
    }

    private static EventTime greatest(Site site, Schema out, Stream left, Stream right) {
        for (Text text : site.fields().texts("select")) {
            Matcher matcher = GREATEST.matcher(text.value());
            if (matcher.matches() && !matcher.group(1).equalsIgnoreCase(matcher.group(3))) {
                boolean leftFirst = matcher.group(1).equalsIgnoreCase("left");
                int l = left.schema().indexOf(matcher.group(leftFirst ? 2 : 4));
                int r = right.schema().indexOf(matcher.group(leftFirst ? 4 : 2));
                if (l == left.time().column() && r == right.time().column()) {
                    return new EventTime(out.indexOf(matcher.group(5)), Math.max(left.time().maxDelayMs(),
                            right.time().maxDelayMs()), List.of(), left.time().idleAfterMs());
                }
            }
        }
        return null;
    }
}
