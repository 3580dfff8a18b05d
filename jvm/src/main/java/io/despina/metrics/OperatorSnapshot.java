package io.despina.metrics;

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
 * @param skipped    reason and text of the first record that {@code on_error: skip} left out, shortened; null if there is none
 */
public record OperatorSnapshot(long packetsIn, long packetsOut, long errors, long late, long dropped, long runs,
                               State state, String skipped) {
    public static final OperatorSnapshot ZERO = new OperatorSnapshot(0, 0, 0, 0, 0, 0, State.NONE, null);

    /**
     * What an operator keeps.
     *
     * @param bytes       that it takes
     * @param held        packets whose rows had not all left when the operator was stopped; 0 before
     * @param openWindows the windows that some of these are in
     */
    public record State(long bytes, long held, long openWindows) {
        static final State NONE = new State(0, 0, 0);

        State plus(State o) {
            return new State(bytes + o.bytes, held + o.held, openWindows + o.openWindows);
        }
    }

    public OperatorSnapshot plus(OperatorSnapshot o) {
        return new OperatorSnapshot(packetsIn + o.packetsIn, packetsOut + o.packetsOut, errors + o.errors, late + o.late,
                dropped + o.dropped, runs + o.runs, state.plus(o.state), skipped == null ? o.skipped : skipped);
    }

    /** What the part of an operator before the link counts: the rows that it sends are not the operator's, nor are its runs. */
    public OperatorSnapshot taken() {
        return new OperatorSnapshot(packetsIn, 0, errors, late, dropped, 0, state, skipped);
    }

    /** What the part behind the link counts: it takes no packets, and the late ones, which it cannot write, are dropped. */
    public OperatorSnapshot merged() {
        return new OperatorSnapshot(0, packetsOut, errors, late, dropped + late, runs, state, skipped);
    }

    /** What was counted since {@code start}; the state is what it is now. */
    public OperatorSnapshot since(OperatorSnapshot start) {
        return new OperatorSnapshot(packetsIn - start.packetsIn, packetsOut - start.packetsOut, errors - start.errors,
                late - start.late, dropped - start.dropped, runs - start.runs, state,
                errors == start.errors ? null : skipped);
    }
}
