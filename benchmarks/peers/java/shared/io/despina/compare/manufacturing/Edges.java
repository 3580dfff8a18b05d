package io.despina.compare.manufacturing;

import io.despina.compare.Meter;
import io.despina.compare.Step;

/** A state's changes. The first value sets the state and is no change; a missing one leaves it as it is. */
final class Edges implements Step {
    private final int state;
    /** Counts the readings that have arrived; null in all but one of a job's. */
    private final Meter meter;
    private boolean known;
    private int last;

    Edges(int state, Meter meter) {
        this.state = state;
        this.meter = meter;
    }

    @Override
    public void accept(int input, byte[] record, Out out) {
        if (Records.kind(record) == Records.MARK) {
            if (meter != null && Records.micros(record) == Records.END) {
                meter.finish();
            }
            out.emit(record);
            return;
        }
        if (meter != null) {
            meter.add();
        }
        if (Records.isNull(record, state)) {
            return;
        }
        int value = Records.state(record, state);
        if (known && value != last) {
            out.emit(Records.edge(Records.micros(record), Records.index(record), value));
        }
        known = true;
        last = value;
    }
}
