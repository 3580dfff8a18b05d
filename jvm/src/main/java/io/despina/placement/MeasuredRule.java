package io.despina.placement;

import io.despina.descriptor.Values;
import java.util.List;
import java.util.Map;

/**
 * How operators are placed by what their resources measure as they join.
 *
 * @param report     path of the report that says what operators cost; null for the costs of a table
 * @param measuredOn the resource on whose machine that report's run was; null for the first
 * @param rates      by source, in packets per second
 * @param late       resources without which the job begins
 * @param looks      at the job while it runs
 */
public record MeasuredRule(String report, String measuredOn, Map<String, Double> rates, List<String> late, Looks looks) {

    /**
     * How a running job is looked at, if its buckets are balanced.
     *
     * @param moves whether operators move to where they would have more room; else that is only told
     */
    public record Looks(long everyMillis, boolean moves) {
    }

    public MeasuredRule {
        rates = Map.copyOf(rates);
        late = List.copyOf(late);
    }

    /** The field {@code placing}; null where operators are spread. @param late the resources that its {@code late} names */
    static MeasuredRule read(Values placing, List<String> late) {
        return placing.word().equals("spread") ? null : new MeasuredRule(placing.string("from", null),
                placing.string("measured_on", null), placing.reals("rates"), late,
                new Looks(placing.whole("look_ms", 0), placing.flag("moves")));
    }
}
