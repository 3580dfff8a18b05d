package io.despina.spark.fold;

import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.AggregateDefinition;
import io.despina.catalogue.JoinDefinition;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlannedOperator;
import io.despina.spec.Matching;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.TreeSet;

/**
 * When one group of an operator has something to do: the watermarks, in milliseconds, at which packets that it has taken
 * leave it.
 */
final class Moments {
    /** There is none. */
    static final long NONE = Long.MAX_VALUE;
    private static final long MICROS_PER_MS = 1_000;

    private final OperatorSpec spec;
    private final int[] times;
    private final TreeSet<Long> waiting = new TreeSet<>();

    Moments(PlannedOperator operator) {
        spec = operator.spec();
        times = operator.inputs().stream().mapToInt(port -> port.eventTime().column()).toArray();
    }

    /** The event-time column of an input. */
    int time(int port) {
        return times[port];
    }

    /** A packet of that event time has come. */
    void add(int port, long micros) {
        if (spec instanceof JoinDefinition.JoinSpec join && join.matching() instanceof Matching.Between between) {
            at(EventOrder.plus(micros, port == 0 ? between.to() : -between.from()));
        } else if (windows() != null) {
            Windows windows = windows();
            if (micros >= windows.earliest() && micros <= windows.latest()) {
                for (long start = windows.lastStart(micros); start + windows.size() > micros; start -= windows.slide()) {
                    at(start + windows.size());
                }
            }
        } else {
            at(micros);
            if (spec.remembersMicros() != Long.MAX_VALUE) {
                remember(micros);
            }
        }
    }

    /** Where the last packet alone matters, its moment takes the place of that of the one before it, if that is still to come. */
    private void remember(long micros) {
        long until = millis(EventOrder.plus(micros, spec.remembersMicros()));
        if (spec.remembersLastAlone() && waiting.higher(millis(micros)) != null && until > waiting.last()) {
            waiting.pollLast();
        }
        waiting.add(until);
    }

    /** Whether the group may be forgotten once nothing waits: nothing that comes later depends on what it has taken. */
    boolean forgets() {
        return windows() != null || (spec instanceof JoinDefinition.JoinSpec join ? join.matching() instanceof Matching.Between
                : spec.forgetsGroups());
    }

    private Windows windows() {
        return spec instanceof AggregateDefinition.AggregateSpec aggregate && aggregate.window() instanceof Windows of ? of
                : spec.closesWith();
    }

    private void at(long micros) {
        waiting.add(millis(micros));
    }

    private static long millis(long micros) {
        return -Math.floorDiv(-micros, MICROS_PER_MS);
    }

    /** The watermark has reached that moment. A group that has not ended by then has something to do at its next point. */
    void passed(long millis) {
        waiting.headSet(millis, true).clear();
        if (spec.timely() != null && !waiting.isEmpty()) {
            at(Math.min(spec.timely().from(EventOrder.plus(millis * MICROS_PER_MS, 1)), waiting.last() * MICROS_PER_MS));
        }
    }

    /** There is that one alone, in microseconds; {@code NEVER} for none. */
    void are(long micros) {
        waiting.clear();
        if (micros != NEVER) {
            at(micros);
        }
    }

    long next() {
        return waiting.isEmpty() ? NONE : waiting.first();
    }

    void clear() {
        waiting.clear();
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(waiting.size());
        for (long moment : waiting) {
            out.writeLong(moment);
        }
    }

    void read(DataInput in) throws IOException {
        waiting.clear();
        for (int left = in.readInt(); left > 0; left--) {
            waiting.add(in.readLong());
        }
    }
}
