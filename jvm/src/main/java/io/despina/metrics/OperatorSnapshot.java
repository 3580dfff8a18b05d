package io.despina.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * An operator's counters, over all its instances in one resource.
 *
 * @param packetsIn  packets that it took from its inputs
 * @param packetsOut packets that it wrote to its port {@code out}, if that is linked; other ports are not counted here
 * @param errors     records that could not be processed and were skipped or dead-lettered
 * @param late       packets that came after their window or time had been closed
 * @param dropped    packets written to ports that are not linked
 * @param runs       times its task was run
 * @param state      what it keeps now
 * @param words      what is told of it beside numbers of its kind
 */
public record OperatorSnapshot(long packetsIn, long packetsOut, long errors, long late, long dropped, long runs,
                               State state, Words words) {
    public static final OperatorSnapshot ZERO = new OperatorSnapshot(0, 0, 0, 0, 0, 0, State.NONE, Words.NONE);

    /**
     * What an operator keeps.
     *
     * @param bytes       that it takes
     * @param held        packets whose rows had not all left when the operator was stopped; 0 before
     * @param openWindows the windows that some of these are in
     * @param watermark   microseconds since 1970: of event time, what all its instances have passed; {@link Long#MIN_VALUE} if
     *                    one has none, {@link Long#MAX_VALUE} if the inputs of all have ended
     */
    public record State(long bytes, long held, long openWindows, long watermark) {
        public static final State NONE = new State(0, 0, 0, Long.MAX_VALUE);

        State plus(State o) {
            return new State(bytes + o.bytes, held + o.held, openWindows + o.openWindows, Math.min(watermark, o.watermark));
        }

        /** Whether there is an instant that event time has come to. */
        public boolean hasWatermark() {
            return watermark != Long.MIN_VALUE && watermark != Long.MAX_VALUE;
        }
    }

    /**
     * What only some operators have.
     *
     * @param skipped reason and text of the first record that {@code on_error: skip} left out, shortened; null if there is none
     * @param own     what the user's function counts, by his names
     */
    public record Words(String skipped, Map<String, Long> own) {
        public static final Words NONE = new Words(null, Map.of());

        public Words {
            own = Collections.unmodifiableMap(new TreeMap<>(own));
        }

        Words plus(Words o) {
            return o == NONE ? this : new Words(skipped == null ? o.skipped : skipped, NamedCounters.sum(own, o.own, 1));
        }
    }

    /** See {@link Words}. */
    public String skipped() {
        return words.skipped();
    }

    /** See {@link Words}. */
    public Map<String, Long> own() {
        return words.own();
    }

    public OperatorSnapshot plus(OperatorSnapshot o) {
        return new OperatorSnapshot(packetsIn + o.packetsIn, packetsOut + o.packetsOut, errors + o.errors, late + o.late,
                dropped + o.dropped, runs + o.runs, state.plus(o.state), words.plus(o.words));
    }

    /** What the part of an operator before the link counts: the rows that it sends are not the operator's, nor are its runs. */
    public OperatorSnapshot taken() {
        return new OperatorSnapshot(packetsIn, 0, errors, late, dropped, 0, state, words);
    }

    /** What the part behind the link counts: it takes no packets, and the late ones, which it cannot write, are dropped. */
    public OperatorSnapshot merged() {
        return new OperatorSnapshot(0, packetsOut, errors, late, dropped + late, runs, state, words);
    }

    /** What was counted since {@code start}; the state is what it is now. */
    public OperatorSnapshot since(OperatorSnapshot start) {
        return new OperatorSnapshot(packetsIn - start.packetsIn, packetsOut - start.packetsOut, errors - start.errors,
                late - start.late, dropped - start.dropped, runs - start.runs, state,
                new Words(errors == start.errors ? null : skipped(), NamedCounters.sum(own(), start.own(), -1)));
    }
}
