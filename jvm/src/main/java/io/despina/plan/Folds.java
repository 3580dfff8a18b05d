package io.despina.plan;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Plans {@code scan} and {@code aggregate}. */
final class Folds {
    private static final Pattern ORDERED = Pattern.compile("(?i)\\b(first|last|first_value|last_value)\\s*\\(");

    private Folds() {
    }

    static Outcome scan(Site site) {
        Schema in = site.input().schema();
        Map<String, Values> states = site.fields().map("state");
        if (!namesFit(site, in, states) || !site.expressions().areUnnamed(texts(states))) {
            return null;
        }
        List<Snippet> initials = new ArrayList<>();
        List<Snippet> nexts = new ArrayList<>();
        states.forEach((name, state) -> {
            initials.add(Snippet.named(state.text("initial"), name));
            nexts.add(Snippet.named(state.text("next"), name));
        });
        List<Snippet> groupBy = Snippet.of(site.fields().texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : site.expressions().keys(in, groupBy);
        ProjectionPlan initial = site.expressions().project(Scope.of(in), initials);
        if (initial == null || keys == null && !groupBy.isEmpty()) {
            return null;
        }
        Schema state = new Schema(initial.result().columns().stream()
                .map(c -> new Column(c.name(), c.type(), true)).toList());
        Scope before = Scope.of(in).and(null, state);
        ProjectionPlan next = site.expressions().project(before, nexts);
        if (next == null || !typesStay(site, state, next.result(), states)) {
            return null;
        }
        Scope after = before.and("next", state);
        ProjectionPlan select = site.expressions().project(after, Snippet.of(site.fields().texts("select")));
        boolean always = !site.fields().isWritten("emit_when");
        Compiled<Predicate> emitWhen = always ? null
                : site.expressions().predicate(after, Snippet.of(site.fields().text("emit_when")));
        if (select == null || emitWhen == null && !always) {
            return null;
        }
        site.needsOrder(site.input(), "in");
        boolean atEnd = site.fields().flag("emit_at_end");
        // The rows at the end are of times that the watermark has long passed.
        EventTime time = atEnd ? null : Times.through(site.input().time(), select.origins());
        return Outcome.keyed(new OperatorSpec.Scan(keys, state, initial, next, emitWhen, select, atEnd),
                site.input().with(select.result(), time), Snippet.sql(groupBy));
    }

    private static List<Text> texts(Map<String, Values> states) {
        return states.values().stream().flatMap(s -> Stream.of(s.text("initial"), s.text("next"))).toList();
    }

    private static boolean namesFit(Site site, Schema in, Map<String, Values> states) {
        if (states.isEmpty()) {
            site.refuse(site.fields().place("state"), Rule.OUT_OF_RANGE, "a scan without state", "project needs none");
            return false;
        }
        boolean fit = true;
        List<String> seen = new ArrayList<>();
        for (Map.Entry<String, Values> state : states.entrySet()) {
            String name = state.getKey();
            if (in.indexOf(name) >= 0 || seen.contains(name.toLowerCase(Locale.ROOT))) {
                site.refuse(state.getValue().place(), Rule.DUPLICATE_COLUMN, "state `" + name + "` has the name of "
                        + (in.indexOf(name) >= 0 ? "a column of the packet" : "another state"), "give it another name");
                fit = false;
            }
            seen.add(name.toLowerCase(Locale.ROOT));
        }
        return fit;
    }

    private static boolean typesStay(Site site, Schema state, Schema next, Map<String, Values> states) {
        boolean stay = true;
        for (int k = 0; k < state.size(); k++) {
            Type before = state.column(k).type();
            Type after = next.column(k).type();
            if (!before.equals(after)) {
                Text text = states.get(state.column(k).name()).text("next");
                site.refuse(text.place(), Rule.STATE_TYPE, "state `" + state.column(k).name() + "` is " + before.sql()
                        + " by its `initial`, and `next` gives " + after.sql(), "cast one of them: CAST(… AS " + after.sql()
                        + ") in `initial`, or CAST(… AS " + before.sql() + ") here");
                stay = false;
            }
        }
        return stay;
    }

    static Outcome aggregate(Site site) {
        WindowSpec window = window(site);
        if (window == null) {
            return null;
        }
        boolean perPacket = window instanceof WindowSpec.Trailing || window instanceof WindowSpec.Each;
        boolean windowed = window instanceof WindowSpec.Tumbling || window instanceof WindowSpec.Sliding;
        List<Snippet> groupBy = Snippet.of(site.fields().texts("group_by"));
        List<Snippet> select = Snippet.of(site.fields().texts("select"));
        EventTime time = site.input().time();
        // Without tie-breakers arrival is the better order: whole seconds have many packets.
        List<Integer> order = perPacket || time == null || time.orderBy().isEmpty() ? List.of() : time.order();
        AggregationPlan plan = site.expressions().aggregate(site.input().schema(), groupBy, select, perPacket, windowed, order);
        if (plan == null) {
            return null;
        }
        if (perPacket || select.stream().anyMatch(s -> ORDERED.matcher(s.sql()).find())) {
            site.needsOrder(site.input(), "in");
        }
        return Outcome.keyed(new OperatorSpec.Aggregate(plan, window),
                site.input().with(plan.result(), time(time, plan, windowed, perPacket)), Snippet.sql(groupBy));
    }

    private static EventTime time(EventTime in, AggregationPlan plan, boolean windowed, boolean perPacket) {
        if (perPacket) {
            return Times.through(in, plan.origins());
        }
        int column = plan.origins().indexOf(AggregationPlan.WINDOW_TIME);
        return windowed && column >= 0 ? new EventTime(column, in.maxDelayMs(), List.of(), in.idleAfterMs()) : null;
    }

    private static WindowSpec window(Site site) {
        Values fields = site.fields();
        Values written = fields.fields("window");
        if (written == null) {
            if (fields.string("emit", "final").equals("each")) {
                return new WindowSpec.Each();
            }
            return !site.isUnbounded() ? new WindowSpec.Final() : site.refuse(site.operator().place(), Rule.UNBOUNDED,
                    "without a window the rows leave at the end of the stream, and this stream has a source without end",
                    "give it a window, or \"emit\": \"each\", or bound the source");
        }
        if (fields.isWritten("emit")) {
            return site.refuse(fields.place("emit"), Rule.EXCLUSIVE, "`emit` and `window` exclude each other",
                    "leave one of them out");
        }
        if (!site.hasTime(site.input(), "in", "a " + written.word() + " window")) {
            return null;
        }
        long size = written.whole("size_ms", 0);
        return switch (written.word()) {
            case "tumbling" -> new WindowSpec.Tumbling(size, written.whole("offset_ms", 0));
            case "trailing" -> new WindowSpec.Trailing(size);
            default -> written.whole("slide_ms", 0) <= size
                    ? new WindowSpec.Sliding(size, written.whole("slide_ms", 0), written.whole("offset_ms", 0))
                    : site.refuse(written.place("slide_ms"), Rule.OUT_OF_RANGE, "`slide_ms` " + written.whole("slide_ms", 0)
                            + " is more than `size_ms` " + size, "packets between two windows would be lost");
        };
    }
}
